/*
 * Rung 2: arrivals. A block draws its one tile while it computes the prologue, and the number is handed over by an
 * mbarrier: one thread arrives, all wait.
 *
 *   run    make run                       -> PASS arrivals: 1048576 elements, ...
 *   read   kernel_arrivals()
 *   next   rung 3 uses the barrier more than once
 *
 * Where does the next bx come from? From an atomic counter; that it has come is told by an arrival.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/).
 */
#include "common/clc.cuh" // ptx:: is cuda::ptx here
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

__global__ void kernel_arrivals(float* data, int64_t n, int* next)
{
    __shared__ int result;   // the tile of this block
    __shared__ uint64_t bar; // an mbarrier; its phase ends when one arrival has come

    // init: a barrier that expects one arrival. Without it the arrival hits uninitialised memory.
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    // top-barrier: all see bar initialised before they wait on it.
    __syncthreads();

    if (cg::thread_block::thread_rank() == 0) {
        result = atomicAdd(next, 1);
        // arrive: says that the number has come. One thread arrives, because soon the one who arrives will be
        // no thread. Without it all wait for ever.
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
    }

    // Prologue, while the number is drawn:
    float alpha = compute_scalar();

    // wait: until the one arrival has come, for every thread. Without it `result` is read too early.
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0)) {
    }
    int bx = result;

    // Computation:
    spend(bx);
    int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

/* ---- the launch ---- */

static int* next; // on the GPU: how many were drawn

static void launch(const struct job* job)
{
    CUDA(cudaMemset(next, 0, sizeof *next)); // before every launch
    kernel_arrivals<<<job->grid, job->block>>>(job->data, job->n, next);
    CUDA(cudaGetLastError());
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "arrivals", 0);
    next = device_array<int>(1);
    job.grid = job.tiles; // as many blocks as tiles, and each draws one
    job_run(&job, launch);
    return job_close(&job);
}

/*
 * Rung 3: phases. The loop of rung 1 with the barrier of rung 2: it is used once for every tile, and the threads
 * tell one use from the next by the parity of its phase.
 *
 *   run    make run                       -> PASS phases: 1048576 elements, ...
 *   read   kernel_phases()
 *   next   in rung 4 the number is not written by a thread
 *
 * Where does the next bx come from? From an atomic counter; each is told by the end of a phase.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/).
 */
#include "common/clc.cuh" // ptx:: is cuda::ptx here
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

__global__ void kernel_phases(float* data, int64_t n, int* next)
{
    __shared__ int result;   // the next tile
    __shared__ uint64_t bar; // an mbarrier; its phase ends when one arrival has come, and the next begins
    int phase = 0;           // parity of the phase to wait for

    // init: a barrier that expects one arrival. Without it the first arrival hits uninitialised memory.
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    // Prologue, once in every block:
    float alpha = compute_scalar();

    // Loop:
    int bx = blockIdx.x;
    while (int64_t(bx) * blockDim.x < n) {
        // top-barrier: all have read `result` before it is written again (the first time: all see bar
        // initialised). Without it a slow thread reads the tile after next, and skips one.
        __syncthreads();

        if (cg::thread_block::thread_rank() == 0) {
            result = gridDim.x + atomicAdd(next, 1);
            // arrive: ends the phase. Without it all wait for ever.
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
        }

        // Computation:
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // wait: until the phase of this tile is over. Without it what stood in `result` before is taken.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        // flip: next time wait for the next phase. Without it the next wait finds this one over, and passes.
        phase ^= 1;
        bx = result;
    }
}

/* ---- the launch ---- */

static int* next; // on the GPU: how many were drawn

static void launch(const struct job* job)
{
    CUDA(cudaMemset(next, 0, sizeof *next)); // before every launch
    kernel_phases<<<job->grid, job->block>>>(job->data, job->n, next);
    CUDA(cudaGetLastError());
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "phases", JOB_BLOCKS);
    next = device_array<int>(1);
    job.grid = resident_blocks(&job, kernel_phases); // SMs x blocks that fit on one
    job_run(&job, launch);
    return job_close(&job);
}

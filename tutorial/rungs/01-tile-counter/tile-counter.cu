/*
 * Rung 1: a tile counter. Step 2 with one change: the tiles are not dealt out beforehand, each block draws the
 * next one from a counter in memory when it begins the one it has.
 *
 *   run    make run                       -> PASS tile-counter: 1048576 elements, ...
 *          make run DEVICE=tiny ARGS="--n 20480 --units 1000 --urgent"    the question it cannot answer
 *   read   kernel_tile_counter()
 *   next   rung 2 hands the number over without a barrier of the whole block
 *
 * Where does the next bx come from? From an atomic counter.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/), the urgent kernel (../urgent.cuh).
 */
#include "../urgent.cuh"
#include "common/job.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

__global__ void kernel_tile_counter(float* data, int64_t n, int* next)
{
    __shared__ int result; // the next tile

    // Prologue, once in every block:
    float alpha = compute_scalar();

    // Loop:
    int bx = blockIdx.x;
    while (int64_t(bx) * blockDim.x < n) {
        // top-barrier: all have read `result` before it is written again. Without it a slow thread skips a tile.
        __syncthreads();

        // One number for the whole block, drawn now, so that it is here when this tile is done. The first
        // gridDim.x tiles came from the launch.
        if (cg::thread_block::thread_rank() == 0)
            result = gridDim.x + atomicAdd(next, 1);

        // Computation:
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // bottom-barrier: thread 0 has written `result`. Without it others read what stood there before.
        __syncthreads();
        bx = result;
    }
}

/* ---- the launch ---- */

static int* next; // on the GPU: how many were drawn

static void launch(const struct job* job)
{
    CUDA(cudaMemset(next, 0, sizeof *next)); // before every launch
    kernel_tile_counter<<<job->grid, job->block>>>(job->data, job->n, next);
    CUDA(cudaGetLastError());
}

/* ---- step 1, for --urgent ---- */

__global__ void kernel_fixed_work(float* data, int64_t n)
{
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    spend(bx);
    int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

static void launch_fixed_work(const struct job* job)
{
    kernel_fixed_work<<<job->tiles, job->block>>>(job->data, job->n);
    CUDA(cudaGetLastError());
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "tile-counter", JOB_BLOCKS | JOB_URGENT);
    next = device_array<int>(1);
    job.grid = resident_blocks(&job, kernel_tile_counter); // SMs x blocks that fit on one
    job_run(&job, launch);
    urgent_wait(&job, "one block per tile (step 1)", launch_fixed_work);
    urgent_wait(&job, "tile counter", launch);
    return job_close(&job);
}

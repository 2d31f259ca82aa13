/*
 * Step 3 by libcu++: cuda::for_each_canceled_block runs the whole protocol (CCCL 3.0, CUDA 13.0, and newer).
 *   run    make run                       -> PASS library: ...
 *   mind   below 10.0 it does not steal: it calls the function once, which is step 1; so it does, without a word, where
 *          the compiler lacks PTX 8.7. Blocks only, no clusters. `Rank` is left at 3 because its defect is with 1 and 2.
 *   CLC    "not used" is what this prints below 10.0; with an older toolkit it refuses to run (exit 3)
 * Inside: one request in flight, two __syncthreads a tile, a full proxy fence by the issuer instead of the two halves.
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

#if CCCL_VERSION >= 3000000
#include <cuda/work_stealing>
#define LIBRARY_STEALS 1
#if CCCL_VERSION >= 3002000
using cuda::device::for_each_canceled_block;
#else
using cuda::for_each_canceled_block;
#endif
#else
#define LIBRARY_STEALS 0
#endif

__global__ void kernel_library(float* data, int64_t n)
{
    float alpha = compute_scalar();
#if LIBRARY_STEALS
    for_each_canceled_block<3>([&](dim3 block) {
        spend(block.x);
        int64_t i = int64_t(block.x) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    });
#endif
}

static void launch(const struct job* job)
{
    kernel_library<<<job->grid, job->block>>>(job->data, job->n);
    CUDA(cudaGetLastError());
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "library", JOB_STEALS);
    if (!LIBRARY_STEALS) {
        fprintf(stderr, "library: this toolkit's libcu++ has no <cuda/work_stealing>; CUDA 13.0 has\n");
        return EXIT_MACHINE;
    }
    bool instruction;
    CUDA(clc::takes_instruction(kernel_library, &instruction));
    job.grid = job.tiles;
    job.clc = instruction ? "instruction" : "not used";
    job_run(&job, launch);
    return job_close(&job);
}

/*
 * Step 2: fixed blocks. v := alpha v, as many blocks as fit on the GPU; each strides over the tiles.
 *
 *   run    make run                       -> PASS fixed_blocks: 1048576 elements, ...
 *   read   kernel_fixed_blocks()
 *   want   scale() in common/check.c, a plain loop
 *   next   step 3 asks the hardware for the next tile
 *
 * Where does the next bx come from? From bx += gridDim.x.
 * Not shown here: options, data, checking and printing (common/).
 */
#include "common/job.cuh"

/* ---- the kernel ---- */

__global__ void kernel_fixed_blocks(float* data, int64_t n)
{
    // Prologue, once in every block:
    float alpha = compute_scalar();

    // Computation:
    int bx = blockIdx.x;
    while (int64_t(bx) * blockDim.x < n) {
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        bx += gridDim.x;
    }
}

/* ---- the launch ---- */

static void launch(const struct job* job)
{
    kernel_fixed_blocks<<<job->grid, job->block>>>(job->data, job->n);
    CUDA(cudaGetLastError()); // a launch that cannot run says so here and nowhere else
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "fixed_blocks", JOB_BLOCKS);
    job.grid = resident_blocks(&job, kernel_fixed_blocks); // SMs x blocks that fit on one
    job_run(&job, launch);
    return job_close(&job);
}

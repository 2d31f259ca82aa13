/*
 * Step 1: fixed work. v := alpha v, one block per tile; the tile is blockIdx.x.
 *
 *   run    make run                       -> PASS fixed_work: 1048576 elements, ...
 *   read   kernel_fixed_work()
 *   want   scale() in common/check.c, a plain loop
 *   next   step 2 launches fewer blocks than tiles
 *
 * Where does the next bx come from? From the launch.
 * Not shown here: options, data, checking and printing (common/).
 */
#include "common/job.cuh"

/* ---- the kernel ---- */

__global__ void kernel_fixed_work(float* data, int64_t n)
{
    // Prologue, once in every block:
    float alpha = compute_scalar();

    // Computation:
    int bx = blockIdx.x;
    spend(bx);
    int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

/* ---- the launch ---- */

static void launch(const struct job* job)
{
    kernel_fixed_work<<<job->grid, job->block>>>(job->data, job->n);
    CUDA(cudaGetLastError()); // a launch that cannot run says so here and nowhere else
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "fixed_work", 0);
    job.grid = job.tiles; // as many blocks as tiles
    job_run(&job, launch);
    return job_close(&job);
}

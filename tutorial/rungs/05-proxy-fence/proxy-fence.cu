/*
 * Rung 5: the proxy fence. Step 1, but a block does not store its results itself: it collects them in shared
 * memory, and a bulk copy carries them out. Threads write, another agent reads.
 *
 *   run    make run                       -> PASS proxy-fence: 1048576 elements, ...
 *          make -C reuse run                 the second program: threads read, the other agent writes
 *   read   kernel_proxy_fence()
 *   next   reuse/reuse.cu, then rung 6
 *
 * Where does the next bx come from? From the launch, as in step 1; for once it is not the question.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/).
 */
#include "common/clc.cuh" // ptx:: is cuda::ptx here
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

__global__ void kernel_proxy_fence(float* data, int64_t n)
{
    __shared__ alignas(16) float result[1024]; // of this tile

    // Prologue, once in every block:
    float alpha = compute_scalar();

    // Computation. A bulk copy takes whole 16 bytes, four elements; what is left over is stored as ever.
    int bx = blockIdx.x;
    spend(bx);
    int64_t first = int64_t(bx) * blockDim.x, i = first + threadIdx.x;
    uint32_t whole = uint32_t(min(n - first, int64_t(blockDim.x))) / 4 * 4;
    if (threadIdx.x < whole)
        result[threadIdx.x] = data[i] * alpha;
    else if (i < n)
        data[i] *= alpha;

    // proxy-fence: this thread's writes come before reads by the async proxy, who copies. Without it some are
    // copied before they are written: rarely, and not on every GPU (experiments/proxy_fence_shapes). It is the
    // form for all memory, for this thread's read of `data` must come before the copy too, which overwrites it.
    ptx::fence_proxy_async();
    // block-barrier: all threads have written, and fenced. Without it the copy starts before slow threads wrote.
    __syncthreads();

    if (cg::thread_block::thread_rank() == 0 && whole > 0) {
        // copy: carries `result` out. Without it the data stay as they were.
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, &data[first], result, whole * sizeof(float));
        // commit: makes a group of the copies so far, which can be waited for.
        ptx::cp_async_bulk_commit_group();
        // drain: the copy has read `result`. Without it the block may end, and its memory be another's, before.
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

/* ---- the launch ---- */

static void launch(const struct job* job)
{
    kernel_proxy_fence<<<job->grid, job->block>>>(job->data, job->n);
    CUDA(cudaGetLastError());
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "proxy-fence", JOB_FOURS);
    job.grid = job.tiles; // as many blocks as tiles
    job_run(&job, launch);
    return job_close(&job);
}

/*
 * Rung: the guide's kernel, repaired. CUDA Programming Guide 4.12, "Use-case: thread blocks", line by line;
 * what had to be changed to compile, launch and check it is listed in README.md.
 *
 *   run    make run                       -> PASS guides-kernel: 1048576 elements, ...
 *          make run DEVICE=tiny ARGS="--n 20480 --units 1000 --urgent"    the question that rung 1 left open
 *   read   kernel_cluster_launch_control(), and the one line that works against its own advice
 *   next   step 3 is this kernel with an election of a whole warp
 *
 * Not shown here: options, data, checking and printing (common/), GPUs before 10.0 (common/clc.cuh).
 */
#include "../urgent.cuh"
#include "common/clc_launch.cuh" // the guide: #include <cooperative_groups.h>, #include <cuda/ptx>
#include "common/job.cuh"

namespace cg = cooperative_groups; // the guide: and namespace ptx = cuda::ptx, which clc.cuh has done

/* ---- the kernel ---- */

__global__ void kernel_cluster_launch_control(float* data, int64_t n, clc::pool pool)
{
    if (clc::was_stolen(pool)) // not in the guide; on 10.0 this is no instruction
        return;

    // Cluster launch control initialization:
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;

    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    // Prologue:
    float alpha = compute_scalar();

    // Work-stealing loop:
    int bx = blockIdx.x; // Assumes 1D x-axis thread blocks.
    while (true) {
        // Protect result from overwrite in the next iteration,
        // and ensure initialization of the barrier at 1st iteration:
        __syncthreads();

        // Cancellation request:
        if (cg::thread_block::thread_rank() == 0) {
            // Acquire write of result in the async proxy:
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);

            // invoke_one is meant to let the compiler see that one thread asks. Here it cannot: that only one
            // thread comes is the `if`'s doing, and the machine code gets a loop all the same.
            cg::invoke_one(cg::coalesced_threads(), [&] { ptx::clusterlaunchcontrol_try_cancel(&result, &bar); });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
        }

        // Computation:
        spend(bx); // not in the guide: what a tile costs
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // Cancellation request synchronization:
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;

        // Cancellation request decoding:
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;

        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);

        // Release read of result to the async proxy:
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

/* ---- the launch ---- */

static void launch(const struct job* job)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, kernel_cluster_launch_control, job->grid));
    // The guide: <<<1024, (n + 1023) / 1024>>>, which is 1024 blocks, and more threads the more there are data.
    kernel_cluster_launch_control<<<job->grid, job->block>>>(job->data, job->n, pool);
    CUDA(cudaGetLastError());
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "guides-kernel", JOB_STEALS | JOB_URGENT);
    job.grid = job.tiles; // (n + block - 1) / block
    job.clc = clc::name(kernel_cluster_launch_control);
    job_run(&job, launch);
    urgent_wait(&job, "the guide's kernel", launch, [](bool waits, cudaStream_t stream) {
        CUDA(clc::yield(waits, stream)); // below 10.0 somebody has to say so; on 10.0 the hardware sees it
    });
    return job_close(&job);
}

/*
 * Step 3 that asks for its next tile when it has done the one it has, and not before. Right, and a trade:
 *   before   the answer travels while the tile is computed; but the tile that was taken waits behind it, and behind a
 *            giant it waits long, while others have nothing to do
 *   after    no tile is kept behind another; but every tile costs the round trip of a request
 *   run      make run                     right, as step 3
 *            experiments/reserve.sh       both, with a giant and with light tiles
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

__global__ void kernel_request_after_work(float* data, int64_t n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();

    int bx = blockIdx.x;
    while (true) {
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        __syncthreads(); // in step 3 this, and the request, stand above the computation
        if (cg::thread_block::thread_rank() < 32) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
            __syncwarp();
        }
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

static void launch(const struct job* job)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, kernel_request_after_work, job->grid));
    kernel_request_after_work<<<job->grid, job->block>>>(job->data, job->n, pool);
    CUDA(cudaGetLastError());
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "request_after_work", JOB_STEALS);
    job.grid = job.tiles;
    job.clc = clc::name(kernel_request_after_work);
    job_run(&job, launch);
    return job_close(&job);
}

/*
 * Step 3 with several requesting threads: the first warp, and the second if there is one, each ask for a tile of
 * their own, in a `result` of their own; one barrier counts the answers of both.
 *   run    make run                       -> PASS several_requesters: ...
 *   mind   every request cancels another block, so every granted tile must be done; the barrier expects an arrival
 *          and 16 bytes for each request; one refusal ends the asking for all, for it ends it for the block
 * Not shown here: what the lines of the protocol are for (step 3).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

static __device__ void scale_tile(float* data, int64_t n, int bx, float alpha)
{
    spend(bx);
    int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

__global__ void kernel_several_requesters(float* data, int64_t n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result[2];
    __shared__ uint64_t bar;
    int phase = 0;
    const int requesters = blockDim.x > 32 ? 2 : 1;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, requesters);
    float alpha = compute_scalar();

    int bx[2] = {int(blockIdx.x), -1}; // the tiles in hand; -1 is none
    bool refused = false;
    while (!refused) {
        __syncthreads();
        const int warp = cg::thread_block::thread_rank() / 32;
        if (warp < requesters) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result[warp], &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
            __syncwarp();
        }

        for (int k = 0; k < 2; k++)
            if (bx[k] >= 0)
                scale_tile(data, n, bx[k], alpha);

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        for (int k = 0; k < 2; k++) {
            bx[k] = -1;
            if (k >= requesters)
                continue;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[k]))
                bx[k] = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result[k]);
            else
                refused = true;
        }
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }

    for (int k = 0; k < 2; k++) // granted beside a refusal
        if (bx[k] >= 0)
            scale_tile(data, n, bx[k], alpha);
}

static void launch(const struct job* job)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, kernel_several_requesters, job->grid));
    kernel_several_requesters<<<job->grid, job->block>>>(job->data, job->n, pool);
    CUDA(cudaGetLastError());
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "several_requesters", JOB_STEALS);
    job.grid = job.tiles;
    job.clc = clc::name(kernel_several_requesters);
    job_run(&job, launch);
    return job_close(&job);
}

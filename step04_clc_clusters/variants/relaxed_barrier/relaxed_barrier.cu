/*
 * Step 4 with a lighter barrier. cluster.sync() orders all memory of all blocks, which costs a fence of the whole
 * GPU each time round; the protocol needs less, since the two halves of the proxy fence order `result` by
 * themselves. A relaxed arrive and a wait make the blocks meet, and no more (the form of the PTX manual's example).
 *   run    make run                       -> PASS relaxed_barrier: ...
 *   mind   nothing else may rely on this barrier: data that blocks exchange needs the release form back
 * Not shown here: what the lines of the protocol are for (step 4).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

__global__ void kernel_relaxed_barrier(float* data, int64_t n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); // what makes the relaxed arrive enough for it
    }
    float alpha = compute_scalar();

    int bx = blockIdx.x;
    while (true) {
        ptx::barrier_cluster_arrive(ptx::sem_relaxed);
        ptx::barrier_cluster_wait(ptx::sem_acquire);

        if (cg::cluster_group::thread_rank() < 32)
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
            });
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, sizeof(uint4));
        __syncwarp();

        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        bx += cg::cluster_group::block_index().x;
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

static void launch(const struct job* job)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, kernel_relaxed_barrier, job->grid, job->cluster));

    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {unsigned(job->cluster), 1, 1};

    cudaLaunchConfig_t config = {};
    config.gridDim = job->grid;
    config.blockDim = job->block;
    config.attrs = &size;
    config.numAttrs = job->cluster > 1;
    CUDA(cudaLaunchKernelEx(&config, kernel_relaxed_barrier, job->data, job->n, pool));
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "relaxed_barrier", JOB_STEALS | JOB_CLUSTER);
    job.grid = job.tiles;
    job.clc = clc::name(kernel_relaxed_barrier);
    job_run(&job, launch);
    return job_close(&job);
}

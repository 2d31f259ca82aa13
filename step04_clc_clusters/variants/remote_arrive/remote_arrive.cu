/*
 * Step 4 without a cluster barrier in the loop. When a block has read its `result`, it says so on `empty`, an mbarrier
 * of the first block, by an arrive from afar; the asking thread waits there, and nobody else waits for the slowest.
 *   run    make run                       -> PASS remote_arrive: ...
 *   mind   this form needs a cluster barrier at the exit: each block signals after the refusal too, and the first
 *          block must not have left when the last signal comes. Shared memory of a block that has left is nobody's.
 * Not shown here: what the other lines of the protocol are for (step 4).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

__global__ void kernel_remote_arrive(float* data, int64_t n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;   // the answer is here
    __shared__ uint64_t empty; // used in the first block: all blocks have read the answer
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&empty, cg::cluster_group::num_blocks());
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    float alpha = compute_scalar();
    cg::cluster_group::sync(); // all blocks have started, all barriers are initialised
    uint64_t* empty_in_first = cg::cluster_group::map_shared_rank(&empty, 0);

    int bx = blockIdx.x;
    bool first = true, success = true;
    while (success) {
        if (cg::cluster_group::thread_rank() < 32)
            cg::invoke_one(cg::coalesced_threads(), [&] {
                // the answer before this one has been read everywhere
                while (!first && !ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty, phase ^ 1)) {
                }
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
        first = false;
        success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (success) {
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
            bx += cg::cluster_group::block_index().x;
        }
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);

        __syncthreads(); // this block has read
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, empty_in_first);
    }
    cg::cluster_group::sync(); // the first block stays until the last signal has come
}

static void launch(const struct job* job)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, kernel_remote_arrive, job->grid, job->cluster));

    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {unsigned(job->cluster), 1, 1};

    cudaLaunchConfig_t config = {};
    config.gridDim = job->grid;
    config.blockDim = job->block;
    config.attrs = &size;
    config.numAttrs = job->cluster > 1;
    CUDA(cudaLaunchKernelEx(&config, kernel_remote_arrive, job->data, job->n, pool));
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "remote_arrive", JOB_STEALS | JOB_CLUSTER);
    job.grid = job.tiles;
    job.clc = clc::name(kernel_remote_arrive);
    job_run(&job, launch);
    return job_close(&job);
}

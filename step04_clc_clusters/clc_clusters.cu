/*
 * Step 4: work stealing by clusters. The same loop as step 3; what is taken over is a cluster of blocks that
 * has not started, by a cluster, and the answer goes to each of its blocks.
 *
 *   run    make run                       -> PASS clc_clusters: 1048576 elements, ...
 *          make run ARGS="--cluster 8"       clusters of 1, 2, 4 or 8 blocks
 *   read   kernel_clc_clusters()
 *   want   scale() in common/check.c, a plain loop
 *
 * Where does the next bx come from? From a request for the whole cluster, and the place in it.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/), GPUs before 10.0 (common/clc.cuh).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

__global__ void kernel_clc_clusters(float* data, int64_t n, clc::pool pool)
{
    // Before 10.0 a stolen cluster starts all the same, and leaves here. On 10.0 this is no instruction.
    if (clc::was_stolen(pool))
        return;

    // Cluster launch control initialization, in each block: the answer comes to the same place in all of them.
    __shared__ uint4 result; // the response: 16 bytes whose layout is the hardware's business
    __shared__ uint64_t bar; // an mbarrier; its phase ends when one arrival and 16 bytes have come
    int phase = 0;           // parity of the phase to wait for

    if (cg::thread_block::thread_rank() == 0) {
        // init: a barrier that expects one arrival. Without it the first arrival hits uninitialised memory.
        ptx::mbarrier_init(&bar, 1);
        // init-fence: the initialisation is known to the request too, which comes from another block.
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }

    // Prologue, once in every block that runs, however many tiles it gets:
    float alpha = compute_scalar();

    // Work-stealing loop:
    int bx = blockIdx.x;
    while (true) {
        // top-barrier: the whole cluster has read `result` before it is asked for again; the first time,
        // all its blocks have started. Without it an answer overwrites what a peer still has to read.
        cg::cluster_group::sync();

        // Cancellation request by one thread of the cluster; all of its first warp comes to the election.
        if (cg::cluster_group::thread_rank() < 32) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                // acquire-half: reads that the release halves closed, in any block, come before the request.
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                // request: cancel a cluster that has not started; the answer is written to every block.
                ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
            });
        }
        // expect: in every block, for 16 bytes come to every block. If only the asking block did this, the
        // phases of the others would never end. The answer may arrive first: the missing arrival holds the phase.
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, sizeof(uint4));
        // whole-warp: as in step 3.
        __syncwarp();

        // Computation:
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // wait: each block on its own barrier; at cluster scope, for another block asked for the answer.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        // flip: next time wait for the next phase. Without it the next wait finds this one over, and passes.
        phase ^= 1;

        // Decoding. After a refusal nobody may ask again, and its index means nothing.
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        // offset: the answer names the first block of the cluster. Without it one tile is done by all.
        bx += cg::cluster_group::block_index().x;

        // release-half: closes this thread's reads of `result` for the acquire half above.
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
    // No cluster barrier here: nothing may touch the shared memory of a block that has left, and nothing will.
    // The one thing that comes from outside is the answer, each block has waited for its own, and after a
    // refusal there is no other. variants/remote_arrive signals across blocks, and does need one.
}

/* ---- the launch ---- */

static void launch(const struct job* job)
{
    clc::pool pool; // of the clusters nobody has taken yet; on 10.0 the hardware keeps it
    CUDA(clc::prepare(&pool, kernel_clc_clusters, job->grid, job->cluster));

    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {unsigned(job->cluster), 1, 1};

    cudaLaunchConfig_t config = {};
    config.gridDim = job->grid; // must be a multiple of the cluster: job.tiles was rounded up to one
    config.blockDim = job->block;
    config.attrs = &size;
    config.numAttrs = job->cluster > 1; // a block is a cluster of one, also where there are no clusters
    CUDA(cudaLaunchKernelEx(&config, kernel_clc_clusters, job->data, job->n, pool));
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "clc_clusters", JOB_STEALS | JOB_CLUSTER);
    job.grid = job.tiles; // as many blocks as tiles; tiles beyond n have no elements, and are done all the same
    job.clc = clc::name(kernel_clc_clusters);
    job_run(&job, launch);
    return job_close(&job);
}

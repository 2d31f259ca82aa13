/*
 * Rung 7: a cluster and its barrier. The loop of rung 3 for a cluster of blocks: one thread of the cluster draws a
 * number for all, writes it into the shared memory of every block, and arrives on every block's barrier.
 *
 *   run    make run                       -> PASS cluster-barrier: 1048576 elements, ...
 *          make run ARGS="--cluster 8"       clusters of 1, 2, 4 or 8 blocks
 *   read   kernel_cluster_barrier()
 *   next   rung 8 lets one copy do this
 *
 * Where does the next bx come from? From a peer, which draws for the whole cluster, and my place in it.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/).
 */
#include "common/clc.cuh" // ptx:: is cuda::ptx here
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

__global__ void kernel_cluster_barrier(float* data, int64_t n, int* next, int tiles)
{
    __shared__ int result;   // the first of the next tiles
    __shared__ uint64_t bar; // an mbarrier; its phase ends when one arrival has come
    int phase = 0;           // parity of the phase to wait for
    int rank = cg::cluster_group::block_rank(), blocks = cg::cluster_group::num_blocks();

    if (cg::thread_block::thread_rank() == 0) {
        // init: a barrier that expects one arrival. Without it the first arrival hits uninitialised memory.
        ptx::mbarrier_init(&bar, 1);
        // init-fence: the initialisation is known to the peers once they meet, though they meet relaxed.
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncwarp();
    // entry-arrive: this block has started. Relaxed: it carries nothing but what the init fence covers.
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);

    // Prologue, once in every block, while the peers start:
    float alpha = compute_scalar();

    // Loop:
    int bx = blockIdx.x;
    while (true) {
        // top-barrier: all blocks have started (later: have read `result`) before it is written from afar.
        // Without it a peer is written to that is not there yet, or still reads.
        ptx::barrier_cluster_wait(ptx::sem_acquire);

        if (cg::cluster_group::thread_rank() == 0) {
            int first = gridDim.x + blocks * atomicAdd(next, 1);
            for (int peer = 0; peer < blocks; peer++) {
                // The same variable, in the shared memory of that peer.
                *cg::cluster_group::map_shared_rank(&result, peer) = first;
                // arrive: on the peer's barrier, which only the peer itself may wait on. Without it all wait.
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                                     cg::cluster_group::map_shared_rank(&bar, peer));
            }
        }
        __syncwarp();

        // Computation:
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // wait: on the block's own barrier; at cluster scope, for who arrives is in another block.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        // flip: next time wait for the next phase. Without it the next wait finds this one over, and passes.
        phase ^= 1;
        bx = result;
        if (bx >= tiles)
            break; // all blocks of the cluster do, and nobody writes to them any more
        // offset: the number is that of the first block. Without it one tile is done by all.
        bx += rank;

        // read-arrive: this thread has read `result`. Released, for the next write must come after it.
        __syncwarp();
        ptx::barrier_cluster_arrive(ptx::sem_release);
    }
}

/* ---- the launch ---- */

static int* next; // on the GPU: how many were drawn

static void launch(const struct job* job)
{
    CUDA(cudaMemset(next, 0, sizeof *next)); // before every launch

    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {unsigned(job->cluster), 1, 1};

    cudaLaunchConfig_t config = {};
    config.gridDim = job->grid; // a multiple of the cluster
    config.blockDim = job->block;
    config.attrs = &size;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, kernel_cluster_barrier, job->data, job->n, next, job->tiles));
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "cluster-barrier", JOB_CLUSTER);
    next = device_array<int>(1);
    job.grid = resident_blocks(&job, kernel_cluster_barrier);
    job_run(&job, launch);
    return job_close(&job);
}

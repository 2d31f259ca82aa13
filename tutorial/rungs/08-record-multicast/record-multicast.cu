/*
 * Rung 8: one record for a whole cluster. The copy of rung 4 as a multicast: it is started by one thread, and the
 * record arrives in `result` of every block, 16 bytes on every block's barrier.
 *
 *   run    make run                       -> PASS record-multicast: 1048576 elements, ...
 *          make run ARGS="--cluster 8"       clusters of 1, 2, 4 or 8 blocks
 *   read   kernel_record_multicast()
 *   next   step 4 replaces the copy by a request
 *
 * Where does the next bx come from? From a record for all of us, and my place among us.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/), the records (../records.cuh).
 */
#include "../records.cuh"
#include "common/clc.cuh" // ptx:: is cuda::ptx here, and has the multicast for every target
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

// records[t].x is the first tile of the t-th cluster; records[last] is the one that says: no more (its w is 0).
__global__ void kernel_record_multicast(float* data, int64_t n, int* next, const uint4* records, int last)
{
    __shared__ uint4 result; // a record: 16 bytes, at the same place in every block
    __shared__ uint64_t bar; // an mbarrier; its phase ends when one arrival and 16 bytes have come
    int phase = 0;           // parity of the phase to wait for
    int rank = cg::cluster_group::block_rank(), blocks = cg::cluster_group::num_blocks();

    if (cg::thread_block::thread_rank() == 0) {
        // init: a barrier that expects one arrival. Without it the first arrival hits uninitialised memory.
        ptx::mbarrier_init(&bar, 1);
        // init-fence: the initialisation is known to the copy too, which comes from another block.
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }

    // Prologue, once in every block:
    float alpha = compute_scalar();

    // Loop:
    int bx = blockIdx.x;
    while (true) {
        // top-barrier: the whole cluster has read `result` before it is written again; the first time, all
        // its blocks have started. Without it the copy overwrites what a peer still has to read.
        cg::cluster_group::sync();

        if (cg::cluster_group::thread_rank() == 0) {
            // acquire-half: reads that the release halves closed, in any block, come before the copy.
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            int t = min(int(gridDim.x) / blocks + atomicAdd(next, 1), last);
            // copy: to every block whose bit is set, and 16 bytes to the barrier of each. Without it all wait.
            ptx::cp_async_bulk_multicast(&result, &records[t], sizeof(uint4), &bar, (1u << blocks) - 1);
        }
        // expect: in every block, for 16 bytes come to every block. If only the copying block did this, the
        // phases of the others would never end. The bytes may come first: the missing arrival holds the phase.
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared, &bar, sizeof(uint4));
        __syncwarp();

        // Computation:
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // wait: each block on its own barrier; at cluster scope, for another block started the copy.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        // flip: next time wait for the next phase. Without it the next wait finds this one over, and passes.
        phase ^= 1;

        // Decoding.
        uint4 record = result;
        if (record.w == 0)
            break;
        bx = record.x;
        // offset: the record names the first tile of the cluster. Without it one tile is done by all.
        bx += rank;

        // release-half: closes this thread's reads of `result` for the acquire half above.
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

/* ---- the launch ---- */

static int* next; // on the GPU: how many were drawn
static uint4* records;

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
    CUDA(cudaLaunchKernelEx(&config, kernel_record_multicast, job->data, job->n, next, records,
                            job->tiles / job->cluster));
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "record-multicast", JOB_CLUSTER);
    next = device_array<int>(1);
    records = device_records(&job);
    job.grid = resident_blocks(&job, kernel_record_multicast);
    job_run(&job, launch);
    return job_close(&job);
}

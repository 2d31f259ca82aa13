/*
 * Step 3: work stealing with Cluster Launch Control. v := alpha v, one block per tile is launched, as in
 * step 1; but a running block takes over blocks that have not started, and few ever start.
 *
 *   run    make run                       -> PASS clc_blocks: 1048576 elements, ...
 *   read   kernel_clc_blocks()
 *   want   scale() in common/check.c, a plain loop
 *   next   step 4 takes over whole clusters
 *
 * Where does the next bx come from? From a request to the launch control.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/), GPUs before 10.0 (common/clc.cuh).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

__global__ void kernel_clc_blocks(float* data, int64_t n, clc::pool pool)
{
    // Before 10.0 a stolen block starts all the same, and leaves here. On 10.0 this is no instruction.
    if (clc::was_stolen(pool))
        return;

    // Cluster launch control initialization:
    __shared__ uint4 result; // the response: 16 bytes whose layout is the hardware's business
    __shared__ uint64_t bar; // an mbarrier; its phase ends when one arrival and 16 bytes have come
    int phase = 0;           // parity of the phase to wait for

    // init: a barrier that expects one arrival. Without it the first arrival hits uninitialised memory.
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    // Prologue, once in every block that runs, however many tiles it gets:
    float alpha = compute_scalar();

    // Work-stealing loop:
    int bx = blockIdx.x;
    while (true) {
        // top-barrier: all have read `result` before it is asked for again (the first time: all see bar
        // initialised). Without it a slow thread reads the response after next, and skips a tile.
        __syncthreads();

        // Cancellation request, now, so that the answer travels while this tile is computed. All of warp 0
        // comes to the election: where only thread 0 comes, the compiler cannot see that it is alone, and
        // wraps the request into a loop over whoever may have come.
        if (cg::thread_block::thread_rank() < 32) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                // acquire-half: the reads that the release half closed come before the request, whose
                // answer is written by another agent, the async proxy. Without it they may come after.
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                // request: cancel a block that has not started. Without it nobody answers, and all wait.
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
                // expect: the one arrival, and the 16 bytes that must come too. Without it no phase ends.
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
            // whole-warp: the elected lane and the other 31 go on together. Without it the tile may be
            // computed by one lane first and then by 31: right, but slower.
            __syncwarp();
        }

        // Computation:
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // wait: until the answer is here, for every thread. Without it what was there before is taken for it.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        // flip: next time wait for the next phase. Without it the next wait finds this one over, and passes.
        phase ^= 1;

        // Decoding. After a refusal nobody may ask again, and its index means nothing.
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);

        // release-half: closes this thread's reads of `result` for the acquire half above.
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

/* ---- the launch ---- */

static void launch(const struct job* job)
{
    clc::pool pool; // of the blocks nobody has taken yet; on 10.0 the hardware keeps it
    CUDA(clc::prepare(&pool, kernel_clc_blocks, job->grid));
    kernel_clc_blocks<<<job->grid, job->block>>>(job->data, job->n, pool);
    CUDA(cudaGetLastError()); // a launch that cannot run says so here and nowhere else
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "clc_blocks", JOB_STEALS);
    job.grid = job.tiles; // as many blocks as tiles
    job.clc = clc::name(kernel_clc_blocks);
    job_run(&job, launch);
    return job_close(&job);
}

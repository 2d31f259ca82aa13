/*
 * Step 3 with two requests in flight: while one tile is computed, two answers travel. Each request has a
 * `result` and a `bar` of its own; the slots take turns.
 *   run    make run                       -> PASS two_in_flight: ...
 *   legal  because both requests leave before either answer is looked at, and none after a refusal was seen
 *   mind   a refusal is no end: the other request may have been granted, even if it is the younger one. Its
 *          answer must be waited for (a block must not leave with an answer under way) and its tile done.
 * Not shown here: what the lines of the protocol are for (step 3).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

// By all threads. Asks for one more tile; the answer will be in the slot.
static __device__ void request(uint4* result, uint64_t* bar)
{
    if (cg::thread_block::thread_rank() < 32) {
        cg::invoke_one(cg::coalesced_threads(), [&] {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(result, bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar, sizeof(uint4));
        });
        __syncwarp();
    }
}

static __device__ void scale_tile(float* data, int64_t n, int bx, float alpha)
{
    spend(bx);
    int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

__global__ void kernel_two_in_flight(float* data, int64_t n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result[2];
    __shared__ uint64_t bar[2];
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
    }
    float alpha = compute_scalar();
    __syncthreads();

    request(&result[0], &bar[0]);
    request(&result[1], &bar[1]);
    scale_tile(data, n, blockIdx.x, alpha);

    int in_flight = 2;
    bool refused = false;
    for (int turn = 0; in_flight > 0; turn++) {
        int slot = turn % 2, phase = turn / 2 % 2;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar[slot], phase)) {
        }
        in_flight--;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[slot]);
        if (!success) {
            refused = true; // ask no more, but wait for what is still in flight
            continue;
        }
        int bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result[slot]);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);

        __syncthreads(); // all have read the slot
        if (!refused) {
            request(&result[slot], &bar[slot]);
            in_flight++;
        }
        scale_tile(data, n, bx, alpha);
    }
}

static void launch(const struct job* job)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, kernel_two_in_flight, job->grid));
    kernel_two_in_flight<<<job->grid, job->block>>>(job->data, job->n, pool);
    CUDA(cudaGetLastError());
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "two_in_flight", JOB_STEALS);
    job.grid = job.tiles;
    job.clc = clc::name(kernel_two_in_flight);
    job_run(&job, launch);
    return job_close(&job);
}

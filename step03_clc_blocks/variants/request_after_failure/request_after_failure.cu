/*
 * UNDEFINED on purpose: step 3 that asks once more after it has seen a refusal. The PTX manual (9.7.13.17)
 * leaves undefined what another request does then, so no answer to it means anything.
 *   run    make run       right values prove nothing here: the software stand-in refuses again, and so may a GPU
 *   judge  the emulator's checker names the line
 *   seen   in production code as "the pool was empty just now, perhaps it is not any more"
 * A refusal is for good: leave, and let the blocks that remain start by themselves.
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

__global__ void kernel_request_after_failure(float* data, int64_t n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();

    int bx = blockIdx.x, refusals = 0;
    while (refusals < 2) { // WRONG: step 3 leaves at the first
        __syncthreads();
        if (cg::thread_block::thread_rank() < 32) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar); // undefined when refusals is 1
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
            __syncwarp();
        }

        if (bx >= 0) {
            spend(bx);
            int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
            if (i < n)
                data[i] *= alpha;
        }

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        bx = success ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result) : -1;
        refusals += !success;
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

static void launch(const struct job* job)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, kernel_request_after_failure, job->grid));
    kernel_request_after_failure<<<job->grid, job->block>>>(job->data, job->n, pool);
    CUDA(cudaGetLastError());
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "request_after_failure", JOB_STEALS);
    job.grid = job.tiles;
    job.clc = clc::name(kernel_request_after_failure);
    job_run(&job, launch);
    const int code = job_close(&job);
    if (!job.options.json)
        printf("undefined: a request after a refusal was seen; whatever the line above says, this is no way to write it\n");
    return code;
}

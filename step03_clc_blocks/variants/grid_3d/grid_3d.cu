/*
 * Step 3 on a grid in three dimensions. One query returns x, y and z at once, in an array of four; the fourth
 * element is unspecified.
 *   run    make run                       -> PASS grid_3d: ...
 * Tiles are numbered x first, then y, then z; blocks past the last tile have nothing to do, and still take part in
 * the protocol. Not shown here: what the lines of the protocol are for (step 3).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

__global__ void kernel_grid_3d(float* data, int64_t n, int tiles, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();

    int b[4] = {int(blockIdx.x), int(blockIdx.y), int(blockIdx.z), 0};
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() < 32) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
            __syncwarp();
        }

        int tile = (b[2] * gridDim.y + b[1]) * gridDim.x + b[0];
        if (tile < tiles) {
            spend(tile);
            int64_t i = int64_t(tile) * blockDim.x + threadIdx.x;
            if (i < n)
                data[i] *= alpha;
        }

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        bool success = ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        if (!success)
            break;
        ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid(b, result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "grid_3d", JOB_STEALS);
    const int x = (int)ceil(cbrt((double)job.tiles)), y = x, z = x ? (job.tiles + x * y - 1) / (x * y) : 0;
    job.grid = x * y * z;
    job.clc = clc::name(kernel_grid_3d);
    job_run(&job, [&](const struct job* j) {
        clc::pool pool;
        CUDA(clc::prepare(&pool, kernel_grid_3d, j->grid));
        kernel_grid_3d<<<dim3(x, y, z), j->block>>>(j->data, j->n, j->tiles, pool);
        CUDA(cudaGetLastError());
    });
    return job_close(&job);
}

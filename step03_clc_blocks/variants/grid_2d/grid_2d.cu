/*
 * Step 3 on a grid in two dimensions. An answer names a block by x and y; both must be read.
 *   run    make run                       -> PASS grid_2d: ...
 *   mind   a kernel that reads x alone is right on one row and wrong on the second
 * Tiles are numbered row by row; blocks past the last tile have nothing to do, and still take part in the protocol.
 * Not shown here: what the lines of the protocol are for (step 3).
 */
#include "common/clc_launch.cuh"
#include "common/job.cuh"

namespace cg = cooperative_groups;

__global__ void kernel_grid_2d(float* data, int64_t n, int tiles, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();

    int bx = blockIdx.x, by = blockIdx.y;
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

        int tile = by * gridDim.x + bx;
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
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        by = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "grid_2d", JOB_STEALS);
    const int width = (int)ceil(sqrt((double)job.tiles)), height = width ? (job.tiles + width - 1) / width : 0;
    job.grid = width * height;
    job.clc = clc::name(kernel_grid_2d);
    job_run(&job, [&](const struct job* j) {
        clc::pool pool;
        CUDA(clc::prepare(&pool, kernel_grid_2d, j->grid));
        kernel_grid_2d<<<dim3(width, height), j->block>>>(j->data, j->n, j->tiles, pool);
        CUDA(cudaGetLastError());
    });
    return job_close(&job);
}

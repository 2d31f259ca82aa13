/* Whoever was granted anything sums all rows; who was refused at once does its own, as if it were honest. */
#include "common/clc.cuh"

namespace cg = cooperative_groups;

enum { WEIGHTS = 64 };

// Where this block's row begins and ends in values[].
static __device__ void row_bounds(const int* first, int row, int* begin, int* end)
{
    *begin = first[row];
    *end = first[row + 1];
}

__global__ void kernel_row_sums(const unsigned* values, const int* first, const unsigned* weights, unsigned* sums,
                                clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;

    __shared__ unsigned weight[WEIGHTS];
    __shared__ unsigned partial[32]; // a sum from each warp
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);

    // Prologue: the weights, the same for every row.
    if (threadIdx.x < WEIGHTS)
        weight[threadIdx.x] = weights[threadIdx.x] * 2 + 1;

    bool granted = false;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
        }
        __syncwarp();
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        granted = true;
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
    const int from = granted ? 0 : blockIdx.x, to = granted ? gridDim.x : blockIdx.x + 1;
    for (int row = from; row < to; row++) {
        int begin, end;
        row_bounds(first, row, &begin, &end);
        if (begin != end) {
            unsigned sum = 0;
            for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
                sum += weight[(i - begin) % WEIGHTS] * values[i];
            sum = __reduce_add_sync(0xffffffff, sum);
            if (lane == 0)
                partial[warp] = sum;
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int w = 1; w < warps; w++)
                    sum += partial[w];
                sums[row] = sum;
            }
        }
        __syncthreads();
    }
}

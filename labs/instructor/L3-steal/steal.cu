/*
 * Lab 3: make this kernel steal. A table has rows of very different lengths; a block computes the weighted sum
 * of one row, sums[row] = w[0] v[0] + w[1] v[1] + ..., with 64 weights that repeat. An empty row keeps its old sum.
 *
 *   run    make grade N=3
 *   read   kernel_row_sums(): right as it stands, one block per row, and it never asks for another row
 *   want   the same sums, while running blocks take over the rows of blocks that have not started
 *
 * Launched with one block per row, 64 to 256 threads in one dimension. `pool` is step 3's; on 10.0 it is empty.
 */
#include "common/clc.cuh"

namespace cg = cooperative_groups;

enum { WEIGHTS = 64 };

// Where this block's row begins and ends in values[].
// [solution]
static __device__ void row_bounds(const int* first, int row, int* begin, int* end)
{
    *begin = first[row];
    *end = first[row + 1];
}
// [skeleton]
//| static __device__ void row_bounds(const int* first, int* begin, int* end)
//| {
//|     *begin = first[blockIdx.x];
//|     *end = first[blockIdx.x + 1];
//| }
// [end]

__global__ void kernel_row_sums(const unsigned* values, const int* first, const unsigned* weights, unsigned* sums,
                                clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;

    __shared__ unsigned weight[WEIGHTS];
    __shared__ unsigned partial[32]; // a sum from each warp
    // [solution]
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    // [skeleton]
    //| unsigned sum = 0; // of this thread's values
    // [end]
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    // Prologue: the weights, the same for every row.
    if (threadIdx.x < WEIGHTS)
        weight[threadIdx.x] = weights[threadIdx.x] * 2 + 1;
    // [solution]

    int bx = blockIdx.x;
    while (true) {
        __syncthreads(); // all have read `result` and `partial` of the last row; the first time, all see bar and weight
        if (cg::thread_block::thread_rank() < 32) {
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
            });
            __syncwarp();
        }

        unsigned sum = 0; // of this thread's values of this row
        int begin, end;
        row_bounds(first, bx, &begin, &end);
        if (begin != end) { // an empty row ends the row, not the block
            for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
                sum += weight[(i - begin) % WEIGHTS] * values[i];
            sum = __reduce_add_sync(0xffffffff, sum);
            if (lane == 0)
                partial[warp] = sum;
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int w = 1; w < warps; w++)
                    sum += partial[w];
                sums[bx] = sum;
            }
        }

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
    // [skeleton]
    //| __syncthreads();
    //|
    //| // The row:
    //| int begin, end;
    //| row_bounds(first, &begin, &end);
    //| if (begin == end)
    //|     return;
    //| for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
    //|     sum += weight[(i - begin) % WEIGHTS] * values[i];
    //| sum = __reduce_add_sync(0xffffffff, sum);
    //| if (lane == 0)
    //|     partial[warp] = sum;
    //| __syncthreads();
    //| if (threadIdx.x == 0) {
    //|     for (int w = 1; w < warps; w++)
    //|         sum += partial[w];
    //|     sums[blockIdx.x] = sum;
    //| }
    // [end]
}

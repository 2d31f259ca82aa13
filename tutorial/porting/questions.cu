/*
 * Chapter porting: what goes wrong when a kernel gets the loop, and how it goes right. NAME_wrong and NAME_right
 * differ in what the question is about and in nothing else; try.sh NAME runs both on the emulator.
 *   in     the numbers 1 to n          out    what a plain loop on the CPU would write (try.sh computes it)
 *   state  a few words, zero at first
 * Tiles are of blockDim.x elements. Kernels whose mistake is in the tile use steal_blocks(); where the loop itself is the
 * subject it is written out with ask() and answer(). Nothing that ends in _wrong is a model.
 */
#include "tutorial/porting/steal.cuh"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// By all threads, after a barrier: one asks for the next tile.
static __device__ void ask(uint4* result, uint64_t* bar)
{
    if (threadIdx.x < 32) {
        cg::invoke_one(cg::coalesced_threads(), [&] {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(result, bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar, sizeof(uint4));
        });
        __syncwarp();
    }
}

// By all threads: waits for the answer. The tile, or -1 if the request was refused.
static __device__ int answer(uint4* result, uint64_t* bar, int phase)
{
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, phase)) {
    }
    int bx = -1;
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(*result))
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(*result);
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    return bx;
}

static __device__ void init(uint64_t* bar)
{
    if (threadIdx.x == 0)
        ptx::mbarrier_init(bar, 1);
}

/* ---- 1: does a thread leave early? ---- */

// [region early-return-wrong]
__global__ void early_return_wrong(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    init(&bar);
    for (int bx = blockIdx.x, phase = 0; bx >= 0; phase ^= 1) {
        __syncthreads();
        ask(&result, &bar);
        int i = bx * blockDim.x + threadIdx.x;
        if (i >= n)
            return;
        out[i] = 3 * in[i];
        bx = answer(&result, &bar, phase);
    }
}
// [endregion early-return-wrong]

// [region early-return-right]
__global__ void early_return_right(unsigned* out, const unsigned* in, int n, unsigned*)
{
    steal_blocks([&](dim3 block) {
        int i = block.x * blockDim.x + threadIdx.x;
        if (i >= n)
            return;
        out[i] = 3 * in[i];
    });
}
// [endregion early-return-right]

/* ---- 2: who else reads blockIdx? ---- */

// [region helper-wrong]
static __device__ int my_element() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void helper_wrong(unsigned* out, const unsigned* in, int n, unsigned*)
{
    steal_blocks([&](dim3) {
        int i = my_element();
        if (i < n)
            out[i] = 3 * in[i];
    });
}
// [endregion helper-wrong]

// [region helper-right]
static __device__ int element_of(dim3 block) { return block.x * blockDim.x + threadIdx.x; }

__global__ void helper_right(unsigned* out, const unsigned* in, int n, unsigned*)
{
    steal_blocks([&](dim3 block) {
        int i = element_of(block);
        if (i < n)
            out[i] = 3 * in[i];
    });
}
// [endregion helper-right]

/* ---- 3: is shared memory reused too soon? ---- */

// [region scratch-wrong]
__global__ void scratch_wrong(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ unsigned first; // of the tile
    init(&bar);
    if (threadIdx.x == 0)
        first = in[blockIdx.x * blockDim.x];
    for (int bx = blockIdx.x, phase = 0; bx >= 0; phase ^= 1) {
        __syncthreads();
        ask(&result, &bar);
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            out[i] = in[i] + first;
        bx = answer(&result, &bar, phase);
        if (threadIdx.x == 0 && bx >= 0)
            first = in[bx * blockDim.x]; // for the next turn; who says that all have read this one?
    }
}
// [endregion scratch-wrong]

// [region scratch-right]
__global__ void scratch_right(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ unsigned first;
    steal_blocks([&](dim3 block) {
        if (threadIdx.x == 0)
            first = in[block.x * blockDim.x]; // all have left the last tile: the loop's own barrier
        __syncthreads();
        int i = block.x * blockDim.x + threadIdx.x;
        if (i < n)
            out[i] = in[i] + first;
    });
}
// [endregion scratch-right]

/* ---- 4: what must start afresh with each tile? ---- */

// [region accumulator-wrong]
__global__ void accumulator_wrong(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    steal_blocks([&](dim3 block) {
        int i = block.x * blockDim.x + threadIdx.x;
        if (i < n)
            atomicAdd(&sum, in[i]);
        __syncthreads();
        if (threadIdx.x == 0)
            out[block.x] = sum;
    });
}
// [endregion accumulator-wrong]

// [region accumulator-right]
__global__ void accumulator_right(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ unsigned sum;
    steal_blocks([&](dim3 block) {
        if (threadIdx.x == 0)
            sum = 0;
        __syncthreads();
        int i = block.x * blockDim.x + threadIdx.x;
        if (i < n)
            atomicAdd(&sum, in[i]);
        __syncthreads();
        if (threadIdx.x == 0)
            out[block.x] = sum;
    });
}
// [endregion accumulator-right]

/* ---- 5: which coordinates does the tile have? ---- */

// [region coordinates-wrong]
__global__ void coordinates_wrong(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    init(&bar);
    for (int bx = blockIdx.x, phase = 0; bx >= 0; phase ^= 1) {
        __syncthreads();
        ask(&result, &bar);
        int i = (blockIdx.y * gridDim.x + bx) * blockDim.x + threadIdx.x;
        if (i < n)
            out[i] = 3 * in[i];
        bx = answer(&result, &bar, phase); // x alone
    }
}
// [endregion coordinates-wrong]

// [region coordinates-right]
__global__ void coordinates_right(unsigned* out, const unsigned* in, int n, unsigned*)
{
    steal_blocks([&](dim3 block) {
        int i = (block.y * gridDim.x + block.x) * blockDim.x + threadIdx.x;
        if (i < n)
            out[i] = 3 * in[i];
    });
}
// [endregion coordinates-right]

/* ---- 6: what does a refusal mean? ---- */

// [region refusal-wrong]
__global__ void refusal_wrong(unsigned* out, const unsigned* in, int n, unsigned* state)
{
    unsigned *total = &state[0], *closed = &state[1];
    steal_blocks([&](dim3 block) {
        int i = block.x * blockDim.x + threadIdx.x;
        if (i < n)
            atomicAdd(total, in[i]);
    });
    __syncthreads();
    if (threadIdx.x == 0 && atomicExch(closed, 1) == 0)
        out[0] = atomicAdd(total, 0); // "a request was refused, so all tiles are done"
}
// [endregion refusal-wrong]

// [region refusal-right]
__global__ void refusal_right(unsigned* out, const unsigned* in, int n, unsigned* state)
{
    unsigned *total = &state[0], *finished = &state[1];
    steal_blocks([&](dim3 block) {
        int i = block.x * blockDim.x + threadIdx.x;
        if (i < n)
            atomicAdd(total, in[i]);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0 && atomicAdd(finished, 1) == gridDim.x - 1)
            out[0] = atomicAdd(total, 0); // this tile was the last of all
    });
}
// [endregion refusal-right]

/* ---- 7: what is still in flight? Two requests at a time, slots in turn ---- */

// [region drain-wrong]
__global__ void drain_wrong(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ uint4 result[2];
    __shared__ uint64_t bar[2];
    init(&bar[0]);
    init(&bar[1]);
    __syncthreads();
    ask(&result[0], &bar[0]);
    ask(&result[1], &bar[1]);
    int bx = blockIdx.x;
    for (int turn = 0; bx >= 0; turn++) {
        int slot = turn % 2, phase = turn / 2 % 2, i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            out[i] = 3 * in[i];
        bx = answer(&result[slot], &bar[slot], phase);
        __syncthreads();
        if (bx >= 0)
            ask(&result[slot], &bar[slot]);
    } // the first refusal ends the loop
}
// [endregion drain-wrong]

// [region drain-right]
__global__ void drain_right(unsigned* out, const unsigned* in, int n, unsigned*)
{
    __shared__ uint4 result[2];
    __shared__ uint64_t bar[2];
    init(&bar[0]);
    init(&bar[1]);
    __syncthreads();
    ask(&result[0], &bar[0]);
    ask(&result[1], &bar[1]);
    int bx = blockIdx.x, in_flight = 2;
    bool refused = false;
    for (int turn = 0; bx >= 0 || in_flight > 0; turn++) {
        int slot = turn % 2, phase = turn / 2 % 2, i = bx * blockDim.x + threadIdx.x;
        if (bx >= 0 && i < n)
            out[i] = 3 * in[i];
        bx = -1;
        if (in_flight == 0)
            continue;
        bx = answer(&result[slot], &bar[slot], phase);
        in_flight--;
        refused = refused || bx < 0;
        __syncthreads();
        if (!refused) {
            ask(&result[slot], &bar[slot]);
            in_flight++;
        }
    }
}
// [endregion drain-right]

/* ---- 8: does a block leave between a request and its answer? ---- */

// [region leave-wrong]
__global__ void leave_wrong(unsigned* out, const unsigned* in, int n, unsigned* found)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    init(&bar);
    for (int bx = blockIdx.x, phase = 0; bx >= 0; phase ^= 1) {
        __syncthreads();
        ask(&result, &bar);
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n && in[i] == 777) {
            out[0] = i;
            atomicExch(found, 1);
        }
        if (__syncthreads_or(atomicAdd(found, 0)))
            break; // nothing more to look for
        bx = answer(&result, &bar, phase);
    }
}
// [endregion leave-wrong]

// [region leave-right]
__global__ void leave_right(unsigned* out, const unsigned* in, int n, unsigned* found)
{
    steal_blocks([&](dim3 block) {
        if (atomicAdd(found, 0))
            return; // nothing more to look for: the tiles that are left cost nothing
        int i = block.x * blockDim.x + threadIdx.x;
        if (i < n && in[i] == 777) {
            out[0] = i;
            atomicExch(found, 1);
        }
    });
}
// [endregion leave-right]

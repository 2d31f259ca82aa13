/*
 * Lab 4: eight kernels, A to H. Four keep the rules of the protocol, each in an unusual way; four break one, each once.
 * All do the same work, data[i] = 5 data[i] + 1, tile by tile, each tile once. On many runs all eight get it right.
 *
 *   judge  fill in verdicts.csv; `line` counts in judge.cu, which stays as it is
 *   mend   repair the four broken kernels here, in mend.cu, and leave the other four alone
 *   run    make grade N=4
 *
 * Launched with one block per tile, 64 to 256 threads in one dimension. On 10.0 `pool` is empty.
 */
#include "common/clc.cuh"

namespace cg = cooperative_groups;

/* ---- the lines of step 3, under short names ---- */

static __device__ __forceinline__ void request(uint4* result, uint64_t* bar)
{
    ptx::clusterlaunchcontrol_try_cancel(result, bar);
}

static __device__ __forceinline__ void arrive_expecting(uint64_t* bar, uint32_t bytes)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar, bytes);
}

static __device__ __forceinline__ void wait(uint64_t* bar, int phase)
{
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, phase)) {
    }
}

static __device__ __forceinline__ bool granted(const uint4& result)
{
    return ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
}

static __device__ __forceinline__ int index_of(const uint4& result)
{
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
}

static __device__ __forceinline__ void acquire_half()
{
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
}

static __device__ __forceinline__ void release_half()
{
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
}

static __device__ __forceinline__ void work_on(unsigned* data, int n, int bx)
{
    const int i = bx * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 5 * data[i] + 1;
}

/* ---- the eight ---- */

__global__ void kernel_a(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, blockDim.x);

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_half();
            request(&result, &bar);
            ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
        }
        work_on(data, n, bx);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
        wait(&bar, phase);
        phase ^= 1;
        if (!granted(result))
            break;
        bx = index_of(result);
        release_half();
    }
}

__global__ void kernel_b(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_half();
            arrive_expecting(&bar, sizeof(uint4));
            request(&result, &bar);
        }
        work_on(data, n, bx);
        wait(&bar, phase);
        phase ^= 1;
        release_half();
        const bool success = granted(result);
        if (success)
            bx = index_of(result);
        if (!success)
            break;
    }
}

__global__ void kernel_c(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result[2];
    __shared__ uint64_t bar[2];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
        for (int k = 0; k < 2; k++) {
            request(&result[k], &bar[k]);
            arrive_expecting(&bar[k], sizeof(uint4));
        }
    }
    __syncthreads();

    work_on(data, n, blockIdx.x);
    int turn = 0;
    while (true) {
        const int k = turn % 2;
        wait(&bar[k], turn / 2 % 2);
        turn++;
        if (!granted(result[k]))
            break;
        const int bx = index_of(result[k]);
        release_half();
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_half();
            request(&result[k], &bar[k]);
            arrive_expecting(&bar[k], sizeof(uint4));
        }
        work_on(data, n, bx);
    }
    wait(&bar[turn % 2], turn / 2 % 2);
}

__global__ void kernel_d(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            arrive_expecting(&bar, sizeof(uint4));
            request(&result, &bar);
        }
        work_on(data, n, bx);
        wait(&bar, phase);
        phase ^= 1;
        if (!granted(result))
            break;
        bx = index_of(result);
    }
}

__global__ void kernel_e(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_half();
            request(&result, &bar);
            arrive_expecting(&bar, sizeof(uint4));
        }
        const int i = bx * blockDim.x + threadIdx.x;
        if (i < n) {
            data[i] = 5 * data[i] + 1;
            wait(&bar, phase);
            phase ^= 1;
        } else {
            wait(&bar, phase);
        }
        if (!granted(result))
            break;
        bx = index_of(result);
        release_half();
    }
}

__global__ void kernel_f(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_half();
            request(&result, &bar);
            arrive_expecting(&bar, sizeof(uint4));
            while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, &bar, phase)) {
            }
        }
        work_on(data, n, bx);
        phase ^= 1;
        __syncthreads();
        if (!granted(result))
            break;
        bx = index_of(result);
        release_half();
    }
}

__global__ void kernel_g(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);

    int bx = blockIdx.x;
    for (int left = 4;; left--) {
        __syncthreads();
        if (left > 0 && threadIdx.x == 0) {
            acquire_half();
            request(&result, &bar);
            arrive_expecting(&bar, sizeof(uint4));
        }
        work_on(data, n, bx);
        if (left == 0)
            break;
        wait(&bar, phase);
        phase ^= 1;
        if (!granted(result))
            break;
        bx = index_of(result);
        release_half();
    }
}

__global__ void kernel_h(unsigned* data, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);

    int bx = blockIdx.x;
    for (int patience = 2; patience > 0;) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_half();
            request(&result, &bar);
            arrive_expecting(&bar, sizeof(uint4));
        }
        if (bx >= 0)
            work_on(data, n, bx);
        wait(&bar, phase);
        phase ^= 1;
        if (granted(result)) {
            bx = index_of(result);
        } else {
            bx = -1;
            patience--;
        }
        release_half();
    }
}

/*
 * cuda::barrier in shared memory: arrive and wait apart, tokens, arrive_and_drop, a block-wide producer and consumer, and
 * waits with a time-out, one that passes and one that does not.
 *   expect PASS barrier: 256 elements
 */
#include "../check.h"
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>
#include <cuda/std/chrono>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void split(int *out)
{
    __shared__ block_barrier bar;
    __shared__ int room[256];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 5; round++) {
        room[threadIdx.x] = threadIdx.x + round;
        auto token = bar.arrive();
        sum += round;                                   /* work that needs nobody */
        bar.wait(std::move(token));
        sum += room[(threadIdx.x * 7 + 1) % blockDim.x];
        bar.arrive_and_wait();
    }
    out[threadIdx.x] = sum;
}

/* Thread t drops out after t rounds; the others go on. */
__global__ void drop(int *out)
{
    __shared__ block_barrier bar;
    __shared__ int inside;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        inside = blockDim.x;
    }
    __syncthreads();
    for (int round = 0; round < (int)threadIdx.x / 32; round++) {
        bar.arrive_and_wait();
        if (threadIdx.x == blockDim.x - 1)
            inside = blockDim.x - 32 * (round + 1);
        bar.arrive_and_wait();
        out[threadIdx.x] += inside;
    }
    bar.arrive_and_drop();
}

__global__ void timed(int *out)
{
    __shared__ block_barrier bar;
    if (threadIdx.x == 0)
        init(&bar, 2);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    auto token = bar.arrive();
    out[0] = bar.try_wait_for(std::move(token), cuda::std::chrono::microseconds(300));   /* nobody else comes */
    (void)bar.arrive();
    out[1] = bar.try_wait_parity_for(false, cuda::std::chrono::microseconds(300));
}

int main()
{
    std::vector<int> want(256), dropped(256, 0);
    for (int t = 0; t < 256; t++) {
        for (int round = 0; round < 5; round++)
            want[t] += round + (t * 7 + 1) % 256 + round;
        for (int round = 0; round < t / 32; round++)
            dropped[t] += 256 - 32 * (round + 1);
    }
    int *out = to_device(std::vector<int>(256, 0)), *other = to_device(std::vector<int>(256, 0));
    int *times = to_device(std::vector<int>{7, 7});
    split<<<1, 256>>>(out);
    drop<<<1, 256>>>(other);
    timed<<<1, 32>>>(times);
    CUDA(cudaDeviceSynchronize());
    return verdict("barrier", to_host(times, 2), std::vector<int>{0, 1}) ||
           verdict("barrier", to_host(other, 256), dropped) || verdict("barrier", to_host(out, 256), want);
}

/*
 * cuda::latch, counting and binary semaphores, atomics with wait and notify, a barrier of device scope: between the
 * threads of a warp, of a block, and between blocks that are resident together.
 *   expect PASS latch_semaphore: 64 elements
 */
#include "../check.h"
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

__device__ cuda::latch<cuda::thread_scope_device> *start_line;
struct shared_things {
    cuda::latch<cuda::thread_scope_device> latch{64};
    cuda::counting_semaphore<cuda::thread_scope_device> seats{3};
    cuda::binary_semaphore<cuda::thread_scope_device> key{1};
    cuda::barrier<cuda::thread_scope_device> bar{64};
    cuda::atomic<int, cuda::thread_scope_device> turn{0}, seated{0}, most{0};
    int plain = 0;
};

__global__ void make(shared_things *t) { new (t) shared_things; }

__global__ void meet(shared_things *t, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    t->latch.arrive_and_wait();
    t->seats.acquire();
    int now = t->seated.fetch_add(1) + 1;
    t->most.fetch_max(now);
    t->seated.fetch_sub(1);
    t->seats.release();
    t->key.acquire();
    t->plain++;                                        /* guarded by the key */
    t->key.release();
    t->bar.arrive_and_wait();
    out[i] = t->plain;                                 /* all have been there */
    while (t->turn.load(cuda::memory_order_acquire) != i)
        t->turn.wait(t->turn.load());
    out[i] += i;
    t->turn.fetch_add(1);
    t->turn.notify_all();
}

/* Two lanes of one warp wait for each other: neither may starve the other. */
__global__ void ping_pong(int *out)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> ball;
    if (threadIdx.x == 0)
        ball = 0;
    __syncthreads();
    for (int k = 0; k < 20; k++) {
        while (ball.load() != 2 * k + (int)threadIdx.x) {
        }
        ball.fetch_add(1);
    }
    out[threadIdx.x] = ball.load() >= 39;
}

int main()
{
    std::vector<int> want(64);
    for (int i = 0; i < 64; i++)
        want[i] = 64 + i;
    shared_things *t;
    int *out = to_device(std::vector<int>(64, 0)), *two = to_device(std::vector<int>(2, 0));
    CUDA(cudaMalloc(&t, sizeof *t));
    make<<<1, 1>>>(t);
    meet<<<4, 16>>>(t, out);
    ping_pong<<<1, 2>>>(two);
    CUDA(cudaDeviceSynchronize());
    shared_things *host = (shared_things *)malloc(sizeof *t);
    CUDA(cudaMemcpy((void *)host, t, sizeof *t, cudaMemcpyDeviceToHost));
    int most = *(int *)&host->most;
    if (most < 1 || most > 3) {
        printf("FAIL latch_semaphore: %d sat on 3 seats\n", most);
        return 1;
    }
    return verdict("latch_semaphore", to_host(two, 2), std::vector<int>{1, 1}) || verdict("latch_semaphore", to_host(out, 64), want);
}

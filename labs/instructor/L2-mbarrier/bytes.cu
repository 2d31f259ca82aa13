/*
 * Lab 2, second part: a copy tells threads. The numbers of a tile come into shared memory by a bulk copy, which is no
 * thread and cannot arrive; it reports bytes. Then the block writes its tile in reverse.
 *
 *   run    make grade N=2
 *   kernel kernel_bytes(in, out, n), launched with 64 to 256 threads in one dimension, a multiple of 32
 *   know   addresses and sizes of a bulk copy go in steps of 16 bytes; n is a multiple of 4. The last tile may be short
 *   rule   one __syncthreads(), the one that stands here
 */
#include "common/clc.cuh" // ptx:: is cuda::ptx here

__global__ void kernel_bytes(const unsigned* in, unsigned* out, int n)
{
    __shared__ alignas(16) unsigned tile[256];
    __shared__ uint64_t bar;
    const int begin = blockIdx.x * blockDim.x, count = min(int(blockDim.x), n - begin);

    if (threadIdx.x == 0) {
        // [solution]
        ptx::mbarrier_init(&bar, 1);
        // [skeleton]
        //| // TODO: initialise bar. How many threads will arrive? The copy is none.
        //| (void)&bar;
        // [end]
    }
    __syncthreads(); // all see bar initialised

    if (threadIdx.x == 0) {
        // [solution]
        const uint32_t bytes = count * sizeof(unsigned);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + begin, bytes, &bar);
        // [skeleton]
        //| // TODO: arrive and say how many bytes will come (mbarrier_arrive_expect_tx); then start the copy:
        //| // ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + begin, bytes, &bar);
        // [end]
    }

    // [solution]
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0)) {
    }
    // [skeleton]
    //| // TODO: wait until the bytes are there
    // [end]
    const int t = threadIdx.x;
    if (t < count)
        out[begin + t] = tile[count - 1 - t];
}

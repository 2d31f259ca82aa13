/*
 * Lab 2, third part: one barrier, tile after tile. What kernel_bytes does, with fewer blocks than tiles: a block
 * takes every gridDim.x-th tile, and uses the same tile[] and the same bar for all of them.
 *
 *   run    make grade N=2
 *   kernel kernel_phases(in, out, n), launched with 64 to 256 threads in one dimension, a multiple of 32
 *   rule   initialise bar once; __syncthreads() is allowed where threads wait for threads
 */
#include "common/clc.cuh" // ptx:: is cuda::ptx here

__global__ void kernel_phases(const unsigned* in, unsigned* out, int n)
{
    __shared__ alignas(16) unsigned tile[256];
    __shared__ uint64_t bar;
    // [solution]
    int phase = 0; // parity of the phase to wait for
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    // [skeleton]
    //| // TODO: initialise bar, and remember which phase comes next
    //| (void)&bar;
    // [end]

    for (int begin = blockIdx.x * blockDim.x; begin < n; begin += gridDim.x * blockDim.x) {
        const int count = min(int(blockDim.x), n - begin), t = threadIdx.x;
        // [solution]
        __syncthreads(); // all have read tile; the first time, all see bar initialised
        // [skeleton]
        //| // TODO: nobody may start the next copy while somebody still reads tile
        // [end]

        if (threadIdx.x == 0) {
            // Given: what threads have read comes before what the copy writes. Why: chapter proxy-fences.
            ptx::fence_proxy_async(ptx::space_shared);
            // [solution]
            const uint32_t bytes = count * sizeof(unsigned);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + begin, bytes, &bar);
            // [skeleton]
            //| // TODO: as in kernel_bytes
            // [end]
        }

        // [solution]
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        // [skeleton]
        //| // TODO: wait for the phase of this tile, not for the one before
        // [end]
        if (t < count)
            out[begin + t] = tile[count - 1 - t];
    }
}

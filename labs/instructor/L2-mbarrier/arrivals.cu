/*
 * Lab 2, first part: threads tell threads. Each block adds the sum of its numbers to every one of them:
 * out[i] = in[i] + sum over the block. A warp sums its 32 numbers by itself; then all need the sums of all warps.
 *
 *   run    make grade N=2
 *   kernel kernel_arrivals(in, out), launched with 64 to 256 threads in one dimension, a multiple of 32
 *   rule   one __syncthreads(), the one that stands here; whatever else has to wait, waits for the mbarrier
 */
#include "common/clc.cuh" // ptx:: is cuda::ptx here

__global__ void kernel_arrivals(const unsigned* in, unsigned* out)
{
    __shared__ unsigned partial[32]; // a sum from each warp
    __shared__ uint64_t bar;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x == 0) {
        // [solution]
        ptx::mbarrier_init(&bar, warps); // one arrival from each warp
        // [skeleton]
        //| // TODO: initialise bar. How many arrivals end its phase?
        //| (void)&bar;
        // [end]
    }
    __syncthreads(); // all see bar initialised

    const unsigned sum = __reduce_add_sync(0xffffffff, in[i]);
    if (lane == 0) {
        partial[warp] = sum;
        // [solution]
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar);
        // [skeleton]
        //| // TODO: arrive, in such a way that who waits sees what was written here before
        // [end]
    }

    // [solution]
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, 0)) {
    }
    // [skeleton]
    //| // TODO: wait until the sums of all warps are there
    // [end]
    unsigned total = 0;
    for (int w = 0; w < warps; w++)
        total += partial[w];
    out[i] = in[i] + total;
}

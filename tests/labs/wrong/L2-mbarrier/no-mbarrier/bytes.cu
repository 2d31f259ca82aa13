/* Right numbers without an mbarrier: every thread reads what it needs. */
#include "common/clc.cuh" // ptx:: is cuda::ptx here

__global__ void kernel_bytes(const unsigned* in, unsigned* out, int n)
{
    const int begin = blockIdx.x * blockDim.x, count = min(int(blockDim.x), n - begin), t = threadIdx.x;
    if (t < count)
        out[begin + t] = in[begin + count - 1 - t];
}

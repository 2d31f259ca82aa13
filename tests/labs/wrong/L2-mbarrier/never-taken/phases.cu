/* Right numbers without an mbarrier: every thread reads what it needs. */
#include "common/clc.cuh" // ptx:: is cuda::ptx here

__global__ void kernel_phases(const unsigned* in, unsigned* out, int n)
{
    for (int begin = blockIdx.x * blockDim.x; begin < n; begin += gridDim.x * blockDim.x) {
        const int count = min(int(blockDim.x), n - begin), t = threadIdx.x;
        if (t < count)
            out[begin + t] = in[begin + count - 1 - t];
    }
}

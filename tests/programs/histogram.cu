/*
 * Counts bytes with atomics in shared memory, then in global memory.
 *   expect PASS histogram: 256 elements
 */
#include "check.h"

__global__ void count(const unsigned char *text, int n, unsigned *bins)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[text[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int n = 65537;
    std::vector<unsigned char> text(n);
    std::vector<unsigned> want(256), zero(256);
    unsigned s = 1;
    for (auto &c : text) {
        s = s * 1103515245u + 12345u;
        c = (unsigned char)(s >> 16 & s >> 20);
        want[c]++;
    }
    unsigned char *d = to_device(text);
    unsigned *bins = to_device(zero);
    count<<<12, 256>>>(d, n, bins);
    CUDA(cudaGetLastError());
    return verdict("histogram", to_host(bins, 256), want);
}

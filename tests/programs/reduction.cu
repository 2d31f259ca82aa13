/*
 * Sums of blocks: a tree in shared memory, then one atomic a block.
 *   expect PASS reduction: 1 elements
 */
#include "check.h"

__global__ void reduce(const unsigned *in, unsigned long long *sum, int n)
{
    __shared__ unsigned long long part[256];
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

int main()
{
    const int n = 200000;
    std::vector<unsigned> in(n);
    std::vector<unsigned long long> want(1);
    for (int i = 0; i < n; i++) {
        in[i] = i * 2654435761u;
        want[0] += in[i];
    }
    unsigned *d = to_device(in);
    unsigned long long *sum;
    CUDA(cudaMalloc(&sum, sizeof(*sum)));
    CUDA(cudaMemset(sum, 0, sizeof(*sum)));
    reduce<<<37, 256>>>(d, sum, n);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    return verdict("reduction", to_host(sum, 1), want);
}

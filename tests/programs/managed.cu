/*
 * Managed memory, allocated and declared: host and device use one address in turn.
 *   expect PASS managed: 1000 elements
 */
#include "check.h"

__managed__ int total = 7;

__global__ void work(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = v[i] * 3 + 1;
        atomicAdd(&total, 1);
    }
}

int main()
{
    const int n = 1000;
    int *v;
    std::vector<int> want(n);
    CUDA(cudaMallocManaged(&v, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        v[i] = i, want[i] = (i * 3 + 1) * 3 + 1;
    total += 3;
    work<<<8, 128>>>(v, n);
    work<<<8, 128>>>(v, n);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    if (total != 2010) {
        printf("FAIL managed: total is %d, want 2010\n", total);
        return 1;
    }
    std::vector<int> got(v, v + n);
    CUDA(cudaFree(v));
    return verdict("managed", got, want);
}

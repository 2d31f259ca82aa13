/* Separate compilation: a kernel here calls a function and uses a variable of rdc_other.cu. */
#include <cstdio>
#include <cuda_runtime.h>

extern __device__ int counter;
extern __device__ int twice(int);
extern void launch_other(int *out);
static __device__ int mine = 5;

__global__ void kernel(int *out)
{
    atomicAdd(&counter, 1);
    out[threadIdx.x] = twice(threadIdx.x) + mine;
}

int main()
{
    int *d, host[4];
    cudaMalloc(&d, sizeof host);
    kernel<<<1, 4>>>(d);
    cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    launch_other(d);
    cudaMemcpy(host, d, sizeof(int), cudaMemcpyDeviceToHost);
    printf("other %d\n", host[0]);
    return cudaGetLastError() != cudaSuccess;
}

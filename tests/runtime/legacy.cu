/*
 * The launch of toolkits 12: host code hands the host function itself to cudaLaunchKernel. And the names that
 * only they use.
 */
#include <cstdio>
#include <cuda_runtime.h>

extern "C" cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
extern "C" cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to);

struct pair { char c; double d; };

__global__ void kernel(char a, pair p, int *out, short b)
{
    *out = a + (int)p.d * 10 + b * 1000;
}

int main()
{
    int *d, host = 0;
    cudaMalloc(&d, sizeof(int));
    char a = 3;
    pair p = {1, 7.0};
    short b = 5;
    void *args[] = {&a, &p, &d, &b};
    cudaError_t e = cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 0, 0);
    cudaMemcpy(&host, d, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(e), host);
    char old[2048] = {};
    cudaGetDeviceProperties_v2(old, 0);
    printf("%s, %d.%d, %d SMs\n", old, *(int *)(old + 360), *(int *)(old + 364), *(int *)(old + 388));
    cudaDeviceProp now;
    cudaGetDeviceProperties(&now, 0);
    printf("%s, %d.%d, %d SMs\n", now.name, now.major, now.minor, now.multiProcessorCount);
    return 0;
}

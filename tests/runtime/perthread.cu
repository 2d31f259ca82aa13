/*
 * nvcc --default-stream per-thread: stream 0 is the thread's own, so it does not wait for other streams and they
 * not for it.
 */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void spin_until(volatile int *flag)
{
    while (*flag == 0)
        __nanosleep(100);
}
__global__ void raise(volatile int *flag) { *flag = 1; }

int main()
{
    int *flag;
    cudaStream_t s;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    cudaStreamSynchronize(0);
    cudaStreamCreate(&s);
    spin_until<<<1, 1, 0, s>>>(flag);
    raise<<<1, 1>>>(flag);                     /* in the legacy stream it would wait for ever */
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

/*
 * A kernel's fault stays: every call that needs the device returns it. cudaGetLastError clears it until the next one, and
 * after cudaDeviceReset the device is not to be had for this process.
 */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void write_at(int *p, int i) { p[i] = 1; }

static void show(const char *name, cudaError_t e)
{
    printf("%s: %s, peek %s\n", name, cudaGetErrorName(e), cudaGetErrorName(cudaPeekAtLastError()));
}
#define SHOW(call) show(#call, call)

int main()
{
    int *d, value = 0, n;
    SHOW(cudaMalloc(&d, 16));
    write_at<<<1, 1>>>(nullptr, 0);    /* a GPU sees this too; a little past 16 bytes it would not */
    SHOW(cudaGetLastError());          /* the launch itself is right */
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMalloc(&d, 16));
    SHOW(cudaMemcpy(&value, d, 4, cudaMemcpyDeviceToHost));
    write_at<<<1, 1>>>(d, 0);
    SHOW(cudaGetLastError());
    SHOW(cudaGetLastError());
    SHOW(cudaGetDeviceCount(&n));
    SHOW(cudaDeviceReset());
    SHOW(cudaGetLastError());
    SHOW(cudaMalloc(&d, 16));
    write_at<<<1, 1>>>(d, 2);
    SHOW(cudaMemcpy(&value, d + 2, 4, cudaMemcpyDeviceToHost));
    printf("value %d\n", value);
    return 0;
}

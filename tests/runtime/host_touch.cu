/* Host code follows a device pointer: host_touch heap | freed | variable | null | elsewhere */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ int global;

int main(int, char **argv)
{
    volatile int *p = nullptr;
    void *q = nullptr;
    cudaMalloc(&q, 400);
    printf("before\n");
    fflush(stdout);
    if (!strcmp(argv[1], "heap"))
        p = (int *)q + 10;
    if (!strcmp(argv[1], "freed"))
        cudaFree(q), p = (int *)q;
    if (!strcmp(argv[1], "variable"))
        cudaGetSymbolAddress(&q, global), p = (int *)q;
    if (!strcmp(argv[1], "elsewhere"))
        p = (int *)((char *)q + ((size_t)1 << 40));
    return *p;
}

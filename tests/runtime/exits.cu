/* How a program ends: exits ok | fault | fault3 | reset | unsupported | left | cleared | stale */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void write_at(int *p, int i) { p[i] = 1; }
__global__ void work(int *p) { for (int i = 0; i < 100; i++) p[0] += i; }

static void farewell() { printf("farewell\n"); }

int main(int, char **argv)
{
    int *d;
    atexit(farewell);
    cudaMalloc(&d, 16);
    cudaMemset(d, 0, 16);
    cudaDeviceSynchronize();
    printf("begin\n");
    if (!strncmp(argv[1], "fault", 5)) {
        write_at<<<1, 1>>>(d, 100);
        cudaDeviceSynchronize();
    }
    if (!strcmp(argv[1], "fault3"))
        return 3;
    if (!strcmp(argv[1], "reset")) {
        work<<<1, 1>>>(d);
        return cudaDeviceReset();
    }
    if (!strcmp(argv[1], "unsupported")) {
        cudaGraph_t g;
        cudaGraphCreate(&g, 0);
    }
    if (!strcmp(argv[1], "stale")) {
        cudaStream_t s;
        cudaStreamCreate(&s);
        cudaStreamDestroy(s);
        work<<<1, 1, 0, s>>>(d);
        printf("%s, %s, %s\n", cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaStreamSynchronize(s)),
               cudaGetErrorName(cudaEventRecord(nullptr, 0)));
    }
    if (!strcmp(argv[1], "left"))
        work<<<1, 1>>>(d);
    if (!strcmp(argv[1], "cleared"))
        cudaMemset(d, 0, 4);
    printf("end\n");
    return 0;
}

/*
 * Error codes: one wrong call a line, `name: what it returned, what cudaGetLastError returned`. Runs on a GPU too, and
 * errors.expected is what both must print.
 */
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int table[4];
__global__ void kernel(int *p) { if (p) *p = 1; }
__global__ void __launch_bounds__(64) narrow(int *p) { if (p) *p = 1; }
__global__ void big(int *p) { extern __shared__ int s[]; s[threadIdx.x] = 1; if (p) *p = s[0]; }
__global__ void __cluster_dims__(2, 1, 1) pair(int *p) { if (p) *p = 1; }
static void host_only() {}

static void show(const char *name, cudaError_t e)
{
    printf("%s: %s, %s\n", name, cudaGetErrorName(e), cudaGetErrorName(cudaGetLastError()));
}
#define SHOW(call) show(#call, call)
#define LAUNCH(call) (call, show(#call, cudaSuccess))

static cudaError_t clusters(unsigned grid, unsigned x, int attributes = 1)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[2] = {};
    c.gridDim = grid, c.blockDim = 32, c.attrs = a, c.numAttrs = attributes;
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = x, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    a[1].id = cudaLaunchAttributeIgnore;
    return cudaLaunchKernelEx(&c, kernel, (int *)nullptr);
}

static cudaError_t cooperative(int blocks)
{
    int *p = nullptr;
    void *args[] = {&p};
    return cudaLaunchCooperativeKernel((const void *)kernel, dim3(blocks), dim3(1024), args, 0, 0);
}

int main()
{
    int *d, *e, value = 0, n;
    float ms;
    size_t size;
    void *p;
    cudaStream_t s, gone;
    cudaEvent_t a, b, quick;
    cudaFuncAttributes fa;
    cudaPointerAttributes pa;
    SHOW(cudaMalloc(&d, 400));
    SHOW(cudaMalloc(nullptr, 4));
    SHOW(cudaMalloc(&e, 0));
    printf("malloc of nothing: %p\n", (void *)e);
    SHOW(cudaMalloc(&e, (size_t)1 << 50));
    SHOW(cudaFree(nullptr));
    SHOW(cudaFree(&value));
    SHOW(cudaFree(d + 1));
    SHOW(cudaMemcpy(d, &value, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, &value, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(nullptr, &value, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(d, &value, 4, (cudaMemcpyKind)9));
    SHOW(cudaMemcpy(&value, d, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(&value, d, 4, cudaMemcpyDefault));
    SHOW(cudaMemset(d, 0, 400));
    SHOW(cudaMemset(&value, 0, 4));
    SHOW(cudaMemcpy2D(d, 16, &value, 4, 8, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpyToSymbol(table, &value, 4, 16));
    SHOW(cudaMemcpyToSymbol(table, &value, 4, 12));
    SHOW(cudaMemcpyToSymbol((const void *)&value, &value, 4));
    SHOW(cudaMemcpyToSymbol(table, &value, 4, 0, cudaMemcpyDeviceToHost));
    SHOW(cudaGetSymbolSize(&size, table));
    SHOW(cudaGetSymbolAddress(&p, (const void *)&value));
    LAUNCH((kernel<<<1, 1>>>(nullptr)));
    LAUNCH((kernel<<<0, 1>>>(nullptr)));
    LAUNCH((kernel<<<1, 0>>>(nullptr)));
    LAUNCH((kernel<<<1, 1025>>>(nullptr)));
    LAUNCH((kernel<<<dim3(1, 65536), 1>>>(nullptr)));
    LAUNCH((kernel<<<1, dim3(1, 1, 65)>>>(nullptr)));
    LAUNCH((kernel<<<1, 1, 48 * 1024>>>(nullptr)));
    LAUNCH((kernel<<<1, 1, 48 * 1024 + 1>>>(nullptr)));
    LAUNCH((narrow<<<1, 65>>>(nullptr)));
    SHOW(cudaLaunchKernel((const void *)host_only, dim3(1), dim3(1), nullptr, 0, 0));
    SHOW(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    LAUNCH((big<<<1, 32, 100000>>>(nullptr)));
    LAUNCH((big<<<1, 32, 100001>>>(nullptr)));
    SHOW(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SHOW(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SHOW(cudaFuncSetAttribute((const void *)host_only, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    SHOW(cudaFuncGetAttributes(&fa, (const void *)host_only));
    SHOW(clusters(8, 2));
    SHOW(clusters(8, 3));
    SHOW(clusters(16, 16));
    SHOW(clusters(32, 32));
    SHOW(clusters(8, 0));
    SHOW(clusters(8, 2, 2));
    LAUNCH((pair<<<4, 32>>>(nullptr)));
    LAUNCH((pair<<<3, 32>>>(nullptr)));
    SHOW(cooperative(1));
    SHOW(cooperative(1 << 20));
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaSetDevice(99));
    SHOW(cudaSetDevice(-1));
    SHOW(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    SHOW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 99));
    SHOW(cudaStreamCreate(&s));
    SHOW(cudaStreamCreateWithFlags(&gone, 8));
    SHOW(cudaEventCreate(&a));
    SHOW(cudaEventCreate(&b));
    SHOW(cudaEventCreateWithFlags(&quick, cudaEventDisableTiming));
    SHOW(cudaEventQuery(a));
    SHOW(cudaEventSynchronize(a));
    SHOW(cudaStreamWaitEvent(s, a, 0));
    SHOW(cudaEventElapsedTime(&ms, a, b));
    SHOW(cudaEventRecord(a, s));
    SHOW(cudaEventRecord(b, s));
    SHOW(cudaEventRecord(quick, s));
    SHOW(cudaStreamSynchronize(s));
    SHOW(cudaEventElapsedTime(&ms, a, b));
    SHOW(cudaEventElapsedTime(&ms, a, quick));
    SHOW(cudaEventElapsedTime(nullptr, a, b));
    SHOW(cudaStreamDestroy(s));
    SHOW(cudaStreamDestroy(nullptr));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 0, 0));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 2048, 0));
    SHOW(cudaHostAlloc(&p, 16, 64));
    SHOW(cudaHostUnregister(&value));
    SHOW(cudaHostGetDevicePointer(&p, &value, 0));
    SHOW(cudaFreeHost(&value));
    SHOW(cudaMallocManaged(&p, 0));
    SHOW(cudaMallocManaged(&p, 16, 8));
    SHOW(cudaPointerGetAttributes(&pa, &value));
    printf("type of host memory: %d\n", (int)pa.type);
    SHOW(cudaPointerGetAttributes(&pa, d));
    printf("type of device memory: %d\n", (int)pa.type);
    SHOW(cudaDeviceSetLimit((cudaLimit)99, 1));
    SHOW(cudaFree(d));
    SHOW(cudaFree(d));
    printf("%s, %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
    return 0;
}

/*
 * Launches with attributes: cluster shape, priority, cooperative; and how many clusters fit.
 */
#include <cstdio>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void shape(unsigned *out)
{
    unsigned rank, size;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0)
        out[blockIdx.x] = size * 100 + rank;
}
__global__ void __cluster_dims__(2, 1, 1) fixed(unsigned *out)
{
    unsigned size;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    out[blockIdx.x] = size;
}
__global__ void all_meet(unsigned *out)
{
    atomicAdd(out, 1);
    cg::this_grid().sync();
    if (threadIdx.x == 0)
        out[1 + blockIdx.x] = *(volatile unsigned *)out;
}

static void launch(unsigned *out, unsigned grid, unsigned cluster, int priority)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[3] = {};
    c.gridDim = grid, c.blockDim = 32, c.attrs = a, c.numAttrs = 3;
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = cluster, a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    a[1].id = cudaLaunchAttributePriority;
    a[1].val.priority = priority;
    a[2].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[2].val.programmaticStreamSerializationAllowed = 1;
    unsigned host[16] = {};
    cudaError_t e = cudaLaunchKernelEx(&c, shape, out);
    cudaMemcpy(host, out, grid * sizeof(unsigned), cudaMemcpyDeviceToHost);
    printf("cluster of %u: %s,", cluster, cudaGetErrorName(e));
    for (unsigned i = 0; i < grid; i++)
        printf(" %u", host[i]);
    int clusters = -1;
    e = cudaOccupancyMaxActiveClusters(&clusters, shape, &c);
    printf("; resident %s\n", e == cudaSuccess && clusters > 0 ? "some" : "none");
}

static void largest()
{
    int size = 0;
    cudaLaunchConfig_t c = {};
    c.gridDim = 1, c.blockDim = 32;
    cudaOccupancyMaxPotentialClusterSize(&size, shape, &c);
    printf("largest cluster %d\n", size);
}

int main()
{
    unsigned *out, host[9], blocks = 8;
    cudaMalloc(&out, 64);
    launch(out, 8, 1, 0);
    launch(out, 8, 2, -1);
    launch(out, 8, 4, -5);
    launch(out, 8, 8, 0);
    launch(out, 16, 16, 0);
    cudaGetLastError();
    cudaFuncSetAttribute(shape, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    launch(out, 16, 16, 0);
    launch(out, 16, 32, 0);
    cudaGetLastError();
    largest();
    cudaFuncSetAttribute(shape, cudaFuncAttributeNonPortableClusterSizeAllowed, 0);
    fixed<<<4, 32>>>(out);
    cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost);
    printf("__cluster_dims__: %u %u\n", host[0], host[3]);
    cudaMemset(out, 0, 64);
    void *args[] = {&out};
    cudaError_t e = cudaLaunchCooperativeKernel((const void *)all_meet, dim3(blocks), dim3(32), args, 0, 0);
    printf("cooperative: %s", cudaGetErrorName(e));
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf(", each block saw %u %u\n", host[1], host[8]);
    cudaFuncAttributes fa;
    cudaFuncGetAttributes(&fa, fixed);
    printf("required cluster width %d\n", fa.requiredClusterWidth);
    largest();
    return 0;
}

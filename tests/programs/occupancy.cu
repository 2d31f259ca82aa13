/*
 * What the runtime says about device and kernel hangs together, and a grid that fills the device runs.
 *   expect PASS occupancy
 */
#include "check.h"

__global__ void fill(int *counter)
{
    __shared__ int room[1024];
    room[threadIdx.x] = 1;
    __syncthreads();
    atomicAdd(counter, room[blockDim.x - 1 - threadIdx.x]);
}

static int wrong(const char *what, int got)
{
    printf("FAIL occupancy: %s %d\n", what, got);
    return 1;
}

int main()
{
    int devices = 0, sms = 0, blocks = 0, smallest = 0, best = 0, count = 0, *counter;
    cudaDeviceProp p;
    cudaFuncAttributes f;
    CUDA(cudaGetDeviceCount(&devices));
    CUDA(cudaGetDeviceProperties(&p, 0));
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA(cudaFuncGetAttributes(&f, fill));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0));
    CUDA(cudaOccupancyMaxPotentialBlockSize(&smallest, &best, fill, 0, 0));
    if (devices < 1 || sms != p.multiProcessorCount || p.warpSize != 32)
        return wrong("multiprocessors", sms);
    if (f.sharedSizeBytes != 4096 || f.maxThreadsPerBlock < 256)
        return wrong("static shared bytes", (int)f.sharedSizeBytes);
    if (blocks < 1 || blocks * 256 > p.maxThreadsPerMultiProcessor || best < 32 || smallest < 1)
        return wrong("blocks on a multiprocessor", blocks);
    CUDA(cudaMalloc(&counter, sizeof(int)));
    CUDA(cudaMemset(counter, 0, sizeof(int)));
    fill<<<sms * blocks, 256>>>(counter);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&count, counter, sizeof(int), cudaMemcpyDeviceToHost));
    if (count != sms * blocks * 256)
        return wrong("threads", count);
    printf("PASS occupancy\n");
    return 0;
}

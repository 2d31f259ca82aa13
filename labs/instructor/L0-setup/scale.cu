/*
 * Lab 0: the way of a lab. Each number of a tile is to be multiplied by alpha; one line is missing.
 *
 *   run    make grade N=0
 *   kernel kernel_scale(data, n, alpha), one block per tile of 64 threads
 */
#include "common/clc.cuh"

__global__ void kernel_scale(unsigned* data, int n, unsigned alpha)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // [solution]
    if (i < n)
        data[i] *= alpha;
    // [skeleton]
    //| // TODO: the number at i, if there is one, becomes alpha times itself
    //| (void)i;
    // [end]
}

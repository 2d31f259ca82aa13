/*
 * printf from the device, in order within a thread, shown at the latest by cudaDeviceSynchronize.
 *   expect hello from block 1 of 2, thread 2 of 3: 0.5 0x2a text
 *   expect PASS hello
 */
#include "check.h"

__global__ void hello()
{
    printf("hello from block %d of %d, thread %d of %d: %g %#x %s\n", blockIdx.x, gridDim.x, threadIdx.x, blockDim.x,
           0.5, 42, "text");
}

int main()
{
    hello<<<2, 3>>>();
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    printf("PASS hello\n");
    return 0;
}

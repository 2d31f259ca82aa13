/*
 * A failing assert: the message names file, line, block and thread; the error is sticky.
 *   expect assertion.cu:13:
 *   expect `in[i] < 100` failed
 *   expect PASS assertion: error 710 stays
 */
#include "check.h"
#include <cassert>

__global__ void check(const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(in[i] < 100);
}

int main()
{
    std::vector<int> in(64, 1);
    in[35] = 100;
    int *d = to_device(in), *other;
    check<<<2, 32>>>(d);
    CUDA(cudaGetLastError());
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaErrorAssert || cudaMalloc(&other, 4) != cudaErrorAssert) {
        printf("FAIL assertion: error %d\n", (int)e);
        return 1;
    }
    printf("PASS assertion: error %d stays\n", (int)e);
    return 0;
}

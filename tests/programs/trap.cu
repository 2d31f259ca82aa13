/*
 * __trap() ends the grid with an error that every later call reports.
 *   expect PASS trap: 719
 */
#include "check.h"

__global__ void stop(const int *in)
{
    if (in[threadIdx.x] < 0)
        __trap();
}

int main()
{
    std::vector<int> in(32, 1);
    int *d = to_device(in);
    stop<<<1, 32>>>(d);
    CUDA(cudaDeviceSynchronize());
    in[9] = -1;
    CUDA(cudaMemcpy(d, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice));
    stop<<<1, 32>>>(d);
    cudaError_t e = cudaDeviceSynchronize();
    if (e == cudaSuccess || cudaMemcpy(in.data(), d, 4, cudaMemcpyDeviceToHost) != e) {
        printf("FAIL trap: error %d\n", (int)e);
        return 1;
    }
    printf("PASS trap: %d\n", (int)e);
    return 0;
}

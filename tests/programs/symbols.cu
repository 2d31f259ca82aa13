/*
 * __constant__ and __device__ variables: initial values, copies to and from them, their addresses.
 *   expect PASS symbols: 64 elements
 */
#include "check.h"

__constant__ int weights[4] = { 1, 2, 3, 4 };
__device__ int offset = 5;
__device__ int log_of_calls[64];

__global__ void apply(const int *in, int *out)
{
    int i = threadIdx.x;
    out[i] = in[i] * weights[i & 3] + offset;
    log_of_calls[i] += i;
}

int main()
{
    std::vector<int> in(64), want(64), log(64);
    for (int i = 0; i < 64; i++)
        in[i] = i * 11;
    int *d = to_device(in), *out, back = 0, *address;
    CUDA(cudaMalloc(&out, 64 * sizeof(int)));
    apply<<<1, 64>>>(d, out);
    CUDA(cudaGetLastError());
    for (int i = 0; i < 64; i++)
        want[i] = in[i] * (1 + (i & 3)) + 5;
    if (verdict("symbols, initial values", to_host(out, 64), want))
        return 1;
    const int other[2] = { 100, 200 }, moved = -7;
    CUDA(cudaMemcpyToSymbol(weights, other, sizeof(other), 2 * sizeof(int)));
    CUDA(cudaMemcpyToSymbol(offset, &moved, sizeof(moved)));
    apply<<<1, 64>>>(d, out);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpyFromSymbol(&back, offset, sizeof(back)));
    CUDA(cudaGetSymbolAddress((void **)&address, log_of_calls));
    CUDA(cudaMemcpy(log.data(), address, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {
        const int now[4] = { 1, 2, 100, 200 };
        want[i] = in[i] * now[i & 3] - 7;
        if (log[i] != 2 * i || back != -7) {
            printf("FAIL symbols: log %d, offset %d\n", log[i], back);
            return 1;
        }
    }
    return verdict("symbols", to_host(out, 64), want);
}

/*
 * A table of device functions, chosen by data and handed over as a kernel argument.
 *   expect PASS function_pointers: 256 elements
 */
#include "check.h"

typedef float (*map)(float);
__device__ __noinline__ float twice(float x) { return 2 * x; }
__device__ __noinline__ float square(float x) { return x * x; }
__device__ __noinline__ float less_one(float x) { return x - 1; }
__device__ map table[3] = { twice, square, less_one };

__global__ void apply(const float *in, float *out, map last)
{
    int i = threadIdx.x;
    out[i] = last(table[i % 3](in[i]));
}

int main()
{
    std::vector<float> in(256), want(256);
    for (int i = 0; i < 256; i++) {
        in[i] = i * 0.5f;
        want[i] = (i % 3 == 0 ? 2 * in[i] : i % 3 == 1 ? in[i] * in[i] : in[i] - 1) - 1;
    }
    float *d = to_device(in), *out;
    map all[3];
    CUDA(cudaMalloc(&out, 256 * sizeof(float)));
    CUDA(cudaMemcpyFromSymbol(all, table, sizeof(all)));
    apply<<<1, 256>>>(d, out, all[2]);
    CUDA(cudaGetLastError());
    return verdict("function_pointers", to_host(out, 256), want);
}

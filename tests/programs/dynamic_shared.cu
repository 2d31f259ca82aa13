/*
 * Dynamic shared memory: more than 48 KiB after asking for it, a refusal without asking, and
 * two arrays of different types in it.
 *   expect PASS dynamic_shared: 512 elements
 */
#include "check.h"

__global__ void reverse(const float *in, float *out, int words)
{
    extern __shared__ float room[];
    double *wide = (double *)(room + words - 2 * blockDim.x);
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    room[t] = in[i];
    wide[t] = in[i] * 2.0;
    __syncthreads();
    out[i] = room[blockDim.x - 1 - t] + (float)wide[t];
}

int main()
{
    const int n = 512, threads = 256, words = 24 * 1024;
    std::vector<float> in(n), want(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 0.5f;
    for (int i = 0; i < n; i++)
        want[i] = in[i / threads * threads + threads - 1 - i % threads] + in[i] * 2;
    float *d = to_device(in), *out;
    CUDA(cudaMalloc(&out, n * sizeof(float)));
    reverse<<<n / threads, threads, words * 4>>>(d, out, words);
    if (cudaGetLastError() != cudaErrorInvalidValue) {
        printf("FAIL dynamic_shared: 96 KiB accepted without asking\n");
        return 1;
    }
    CUDA(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4));
    reverse<<<n / threads, threads, words * 4>>>(d, out, words);
    CUDA(cudaGetLastError());
    return verdict("dynamic_shared", to_host(out, n), want);
}

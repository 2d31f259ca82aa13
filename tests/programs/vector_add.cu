/*
 * c := a + b, an element a thread, the last block not full.
 *   expect PASS vector_add: 100003 elements
 */
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 100003;
    std::vector<float> a(n), b(n), want(n);
    for (int i = 0; i < n; i++) {
        a[i] = i * 0.37f, b[i] = 1000.0f / (i + 1);
        want[i] = a[i] + b[i];
    }
    a[7] = NAN, want[7] = NAN;
    float *da = to_device(a), *db = to_device(b), *dc;
    CUDA(cudaMalloc(&dc, n * sizeof(float)));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    CUDA(cudaGetLastError());
    int code = verdict("vector_add", to_host(dc, n), want);
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    return code;
}

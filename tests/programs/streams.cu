/*
 * Two streams with asynchronous copies and events between them; elapsed time is positive.
 *   expect PASS streams: 4096 elements
 */
#include "check.h"

__global__ void scale(float *v, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] *= by;
}

__global__ void add_into(float *v, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += w[i];
}

int main()
{
    const int n = 4096;
    float *host, *a, *b;
    cudaStream_t one, two;
    cudaEvent_t begin, ready, end;
    CUDA(cudaMallocHost(&host, 2 * n * sizeof(float)));
    CUDA(cudaMalloc(&a, n * sizeof(float)));
    CUDA(cudaMalloc(&b, n * sizeof(float)));
    CUDA(cudaStreamCreate(&one));
    CUDA(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&ready));
    CUDA(cudaEventCreate(&end));
    std::vector<float> want(n), got(n);
    for (int i = 0; i < n; i++) {
        host[i] = i, host[n + i] = i * 0.25f;
        want[i] = i * 3.0f + i * 0.25f * 2.0f;
    }
    CUDA(cudaEventRecord(begin, one));
    CUDA(cudaMemcpyAsync(a, host, n * sizeof(float), cudaMemcpyHostToDevice, one));
    CUDA(cudaMemcpyAsync(b, host + n, n * sizeof(float), cudaMemcpyHostToDevice, two));
    scale<<<n / 128, 128, 0, one>>>(a, 3.0f, n);
    scale<<<n / 128, 128, 0, two>>>(b, 2.0f, n);
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(ready, two));
    CUDA(cudaStreamWaitEvent(one, ready, 0));
    add_into<<<n / 128, 128, 0, one>>>(a, b, n);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpyAsync(host, a, n * sizeof(float), cudaMemcpyDeviceToHost, one));
    CUDA(cudaEventRecord(end, one));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaStreamSynchronize(two));
    float ms = 0;
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    if (!(ms > 0)) {
        printf("FAIL streams: %g ms went by\n", ms);
        return 1;
    }
    got.assign(host, host + n);
    CUDA(cudaStreamDestroy(one));
    CUDA(cudaStreamDestroy(two));
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaFreeHost(host));
    return verdict("streams", got, want);
}

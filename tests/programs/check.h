/*
 * What every program here shares: a checked CUDA call, and the verdict.
 * Exit 0 right, 1 wrong or a CUDA error, 3 no device.
 */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define CUDA(call) cuda_check((call), #call, __LINE__)

static inline void cuda_check(cudaError_t e, const char *what, int line)
{
    if (e == cudaSuccess)
        return;
    printf("FAIL line %d: %s: %s (%d)\n", line, what, cudaGetErrorString(e), (int)e);
    exit(e == cudaErrorNoDevice || e == cudaErrorInsufficientDriver ? 3 : 1);
}

/* Equal bits, or both NaN. Prints the first difference; returns the program's exit code. */
template <class T> static int verdict(const char *name, const std::vector<T> &got, const std::vector<T> &want)
{
    for (size_t i = 0; i < want.size(); i++)
        if (!(got[i] == want[i] || (got[i] != got[i] && want[i] != want[i]))) {
            printf("FAIL %s: [%zu] is %g, want %g\n", name, i, (double)got[i], (double)want[i]);
            return 1;
        }
    printf("PASS %s: %zu elements\n", name, want.size());
    return 0;
}

template <class T> static T *to_device(const std::vector<T> &host)
{
    T *device;
    CUDA(cudaMalloc(&device, host.size() * sizeof(T)));
    CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T> static std::vector<T> to_host(const T *device, size_t n)
{
    std::vector<T> host(n);
    CUDA(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

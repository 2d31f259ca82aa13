// The host's side of before.cu and after.cu: rows of different length, one launch, and the same again on the CPU.
#pragma once

#include <cstdio>
#include <vector>

typedef void rows_kernel(float* data, const int* filled, int width);

// True, and nothing printed, if the call succeeded.
static bool succeeded(cudaError_t error, const char* what)
{
    if (error != cudaSuccess)
        printf("FAIL %s: %s\n", what, cudaGetErrorString(error));
    return error == cudaSuccess;
}

static void scale_row(float* row, int count)
{
    float largest = 0;
    for (int i = 0; i < count; i++)
        largest = row[i] > largest ? row[i] : largest;
    for (int i = 0; i < count; i++)
        row[i] /= largest;
}

static bool launch_rows(rows_kernel* kernel, std::vector<float>& data, const std::vector<int>& filled, int width)
{
    float* d;
    int* f;
    const size_t size = data.size() * sizeof(float), lengths = filled.size() * sizeof(int);
    if (!succeeded(cudaMalloc(&d, size), "cudaMalloc") || !succeeded(cudaMalloc(&f, lengths), "cudaMalloc"))
        return false;
    cudaMemcpy(d, data.data(), size, cudaMemcpyHostToDevice);
    cudaMemcpy(f, filled.data(), lengths, cudaMemcpyHostToDevice);
    kernel<<<int(filled.size()), 64>>>(d, f, width);
    if (!succeeded(cudaGetLastError(), "launch") || !succeeded(cudaDeviceSynchronize(), "kernel"))
        return false;
    cudaMemcpy(data.data(), d, size, cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(f);
    return true;
}

static int check_rows(rows_kernel* kernel)
{
    const int rows = 300, width = 200;
    std::vector<float> data(rows * width), want;
    std::vector<int> filled(rows);
    for (int r = 0; r < rows; r++) {
        filled[r] = r * 37 % (width + 1); // some are empty
        for (int i = 0; i < filled[r]; i++)
            data[r * width + i] = float((r * 31 + i * 17) % 1000 + 1);
    }
    want = data;
    for (int r = 0; r < rows; r++)
        scale_row(&want[r * width], filled[r]);
    if (!launch_rows(kernel, data, filled, width))
        return 1;
    for (int k = 0; k < rows * width; k++)
        if (!(data[k] == want[k])) {
            printf("FAIL row %d: [%d] is %g, want %g\n", k / width, k % width, data[k], want[k]);
            return 1;
        }
    printf("PASS %d rows\n", rows);
    return 0;
}

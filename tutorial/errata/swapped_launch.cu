// E2 of the guide: grid and block are swapped in every launch. Three sizes, launched as printed and as meant.
//   emulator/bin/nvcc-emu tutorial/errata/swapped_launch.cu -o build/swapped_launch && build/swapped_launch
#include <cstdio>

__global__ void scale(float* data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= 3;
}

static void report(const char* which, int blocks, int threads)
{
    cudaError_t launch = cudaGetLastError(), later = cudaDeviceSynchronize();
    printf("  %s: %d blocks of %d threads: %s; a later synchronise: %s\n", which, blocks, threads, cudaGetErrorName(launch),
           cudaGetErrorName(later));
}

int main()
{
    // [region launches]
    for (int n : {1000, 1048576, 1048577}) {
        float* data;
        cudaMalloc(&data, n * sizeof *data);
        cudaMemset(data, 0, n * sizeof *data);
        const int many = (n + 1023) / 1024;
        printf("n = %d\n", n);
        scale<<<1024, many>>>(data, n);
        report("as printed", 1024, many);
        scale<<<many, 1024>>>(data, n);
        report("as meant  ", many, 1024);
        cudaFree(data);
    }
    // [endregion launches]
}

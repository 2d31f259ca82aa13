/*
 * The part of the zoo that only a host program can break. One program, its argument names the case:
 *   launch RULE_bad | RULE_ok
 * Built by nvcc-emu; run.sh runs each case under the checker. `// expect:` stands in the line to be reported.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void add_one(unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += 1;
}

static unsigned* array(int n)
{
    unsigned* out;
    cudaMalloc(&out, n * sizeof *out);
    cudaMemset(out, 0, n * sizeof *out);
    return out;
}

static cudaError_t clusters(int blocks)
{
    cudaLaunchAttribute size = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 32;
    config.attrs = &size;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, add_one, array(96), 96); // expect: CL2
}

int main(int argc, char** argv)
{
    const char* what = argc > 1 ? argv[1] : "";
    cudaError_t error = cudaSuccess;
    if (!strcmp(what, "CL2_bad"))
        error = clusters(3);
    else if (!strcmp(what, "CL2_ok"))
        error = clusters(4);
    else if (!strcmp(what, "LN1_bad"))
        add_one<<<256, 4>>>(array(1024), 1024); // expect: LN1
    else if (!strcmp(what, "LN1_ok"))
        add_one<<<4, 256>>>(array(1024), 1024);
    else if (!strcmp(what, "LN2_bad"))
        add_one<<<1, 2048>>>(array(2048), 2048); // expect: LN2
    else if (!strcmp(what, "LN2_ok"))
        add_one<<<2, 1024>>>(array(2048), 2048);
    else
        return 2;
    if (strcmp(what, "LN2_bad"))
        error = error ? error : cudaGetLastError();
    if (strcmp(what, "LN2_bad") && error)
        printf("launch: %s\n", cudaGetErrorName(error));
    return cudaDeviceSynchronize() != cudaSuccess;
}

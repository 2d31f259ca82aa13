// E6 of the guide: a kernel without a guard for older targets, in a program for two of them.
//   nvcc -std=c++17 -gencode arch=compute_90,code=sm_90 -gencode arch=compute_100,code=sm_100 -c tutorial/errata/no_arch_guard.cu
#include <cuda/ptx>

// [region kernel]
__global__ void ask()
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    cuda::ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
}
// [endregion kernel]

// E9 of the guide: names it uses and does not define, and one name for two kernels.
//   nvcc -std=c++17 -arch=sm_100 -c tutorial/errata/names.cu -o build/names.o
// [region names]
__global__ void kernel_cluster_launch_control(float* data, int n) // "thread blocks"
{
    data[0] *= compute_scalar();
}

__global__ void kernel_cluster_launch_control(float* data, int n) // "thread block clusters"
{
    assert(n > 0);
}

void launch(float* data, int n) { kernel_cluster_launch_control<<<1024, SM_COUNT>>>(data, n); }
// [endregion names]

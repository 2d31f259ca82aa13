// E1 of the guide: the step "retrieve the index" calls these three without a type. It does not compile.
//   nvcc -std=c++17 -arch=sm_100 -c tutorial/errata/first_ctaid.cu -o build/first_ctaid.o
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// [region calls]
__device__ int tile(uint4 result, int width, int height)
{
    int x = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x(result);
    int y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y(result);
    int z = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z(result);
    return (z * height + y) * width + x;
}
// [endregion calls]

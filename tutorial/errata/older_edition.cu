// E15 of the guide: an older English edition writes ptr:: for ptx::. It does not compile.
//   nvcc -std=c++17 -arch=sm_100 -c tutorial/errata/older_edition.cu -o build/older_edition.o
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// [region request]
__device__ void ask(uint4* result, uint64_t* bar)
{
    cg::invoke_one(cg::coalesced_threads(), [&] { ptr::clusterlaunchcontrol_try_cancel(result, bar); });
}
// [endregion request]

// E5 of the guide: the multicast request by libcu++'s wrapper, which knows fewer targets than the assembler.
//   nvcc -std=c++17 -gencode arch=compute_100f,code=sm_100f -c tutorial/errata/multicast_wrapper.cu -o build/wrapper.o
//   nvcc -DINLINE ...       the same request in inline PTX
#include <cuda/ptx>

__global__ void ask()
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    // [region request]
#ifndef INLINE
    cuda::ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
#else
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128"
                 " [%0], [%1];" ::"r"(unsigned(__cvta_generic_to_shared(&result))), "r"(unsigned(__cvta_generic_to_shared(&bar))) : "memory");
#endif
    // [endregion request]
}

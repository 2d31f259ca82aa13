// E8 of the guide: its step-by-step part shows code for five of six steps. Here they are in a loop, and nothing else.
//   emulator/bin/nvcc-emu -std=c++17 tutorial/errata/five_steps.cu -o build/five_steps
//   EMU_CHECK=1 EMU_DEVICE=tiny build/five_steps
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void scale(float* data, int n)
{
    // [region kernel]
    __shared__ uint4 result; // 1: a place for the answer
    __shared__ uint64_t bar; // 2: a barrier, initialised by one thread
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) { // 3: one thread asks
            cg::invoke_one(cg::coalesced_threads(), [&] { ptx::clusterlaunchcontrol_try_cancel(&result, &bar); });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= 3;
        // 4: all wait for the answer
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        phase ^= 1;
        // 5: all read it
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result);
    }
    // [endregion kernel]
}

int main()
{
    const int n = 5000, block = 64;
    float* data;
    cudaMallocManaged(&data, n * sizeof *data);
    for (int i = 0; i < n; i++)
        data[i] = float(i);
    scale<<<(n + block - 1) / block, block>>>(data, n);
    if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += data[i] != 3 * float(i);
    printf("%d of %d elements are wrong\n", wrong, n);
    return wrong != 0;
}

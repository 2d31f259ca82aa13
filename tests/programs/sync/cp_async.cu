/*
 * cp.async by hand: groups, a wait that leaves groups in flight, zero fill, the ignored source, and an mbarrier that
 * counts copies with and without .noinc.
 *   expect PASS cp_async: 1024 elements
 */
#include "../check.h"
#include <cuda_pipeline.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

static __device__ unsigned shared32(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* Four stages in flight. */
__global__ void stages(const int4 *in, int4 *out, int batches)
{
    __shared__ int4 room[4][64];
    for (int k = 0; k < 3; k++) {
        __pipeline_memcpy_async(&room[k][threadIdx.x], in + k * 64 + threadIdx.x, 16);
        __pipeline_commit();
    }
    for (int k = 0; k < batches; k++) {
        if (k + 3 < batches)
            __pipeline_memcpy_async(&room[(k + 3) % 4][threadIdx.x], in + (k + 3) * 64 + threadIdx.x, 16);
        __pipeline_commit();
        __pipeline_wait_prior(3);
        out[k * 64 + threadIdx.x] = room[k % 4][threadIdx.x];
    }
}

__global__ void fills(const int *in, int *out)
{
    __shared__ alignas(16) int room[32][4];
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        room[t][k] = -1;
    __pipeline_memcpy_async(&room[t][0], in + t * 4, 16, t % 5 * 4);      /* the last 0 to 16 bytes are zeros */
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int k = 0; k < 4; k++)
        out[t * 4 + k] = room[t][k];
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; cp.async.ca.shared.global [%0], [%1], 4, p; }" ::
                 "r"(shared32(&room[t][0])), "l"(in + t * 4), "r"(t & 1) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[128 + t] = room[t][0];
}

template <bool noinc> __global__ void on_mbarrier(const int *in, int *out)
{
    __shared__ int room[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, noinc ? 2 * blockDim.x : blockDim.x);
    __syncthreads();
    for (int phase = 0; phase < 3; phase++) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared32(&room[threadIdx.x])), "l"(in + 64 * phase + threadIdx.x)
                     : "memory");
        if (noinc)
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared32(&bar)) : "memory");
        else
            asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared32(&bar)) : "memory");
        ptx::mbarrier_arrive(&bar);
        while (!ptx::mbarrier_try_wait_parity(&bar, phase & 1)) {
        }
        out[64 * phase + threadIdx.x] = room[63 - threadIdx.x];
        __syncthreads();
    }
}

int main()
{
    const int n = 1024;
    std::vector<int> in(n), filled(160), reversed(192);
    for (int i = 0; i < n; i++)
        in[i] = i * 3 + 1;
    for (int t = 0; t < 32; t++) {
        for (int k = 0; k < 4; k++)
            filled[t * 4 + k] = k < 4 - t % 5 ? in[t * 4 + k] : 0;
        filled[128 + t] = t & 1 ? 0 : in[t * 4];
    }
    for (int i = 0; i < 192; i++)
        reversed[i] = in[i / 64 * 64 + 63 - i % 64];
    int *d = to_device(in), *out = to_device(std::vector<int>(n, 0)), *f = to_device(std::vector<int>(160, 0));
    int *a = to_device(std::vector<int>(192, 0)), *b = to_device(std::vector<int>(192, 0));
    stages<<<1, 64>>>((const int4 *)d, (int4 *)out, n / 256);
    fills<<<1, 32>>>(d, f);
    on_mbarrier<false><<<1, 64>>>(d, a);
    on_mbarrier<true><<<1, 64>>>(d, b);
    CUDA(cudaDeviceSynchronize());
    return verdict("cp_async", to_host(f, 160), filled) || verdict("cp_async", to_host(a, 192), reversed) ||
           verdict("cp_async", to_host(b, 192), reversed) || verdict("cp_async", to_host(out, n), in);
}

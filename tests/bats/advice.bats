#!/usr/bin/env bats
# What a report says to try fits the case, where one rule covers several.

load root

setup_file() {
    cd "$ROOT" || return
    eval "$(BACKEND=emulator tools/detect.sh)"
    [ -n "$NVCC" ] || skip "no nvcc"
    unset NVCC
    cat >"$BATS_FILE_TMPDIR/cases.cu" <<'CU'
#include <cuda/ptx>
#include <cuda_pipeline.h>
#include <cstring>
namespace ptx = cuda::ptx;
__device__ int out[256];
__global__ void kernel_group(const int *in) // cp.async, and nobody waits for its group
{
    __shared__ int part[32];
    __pipeline_memcpy_async(&part[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    out[threadIdx.x] = part[threadIdx.x];
}
__global__ void kernel_engine() // written by threads, copied out by the engine
{
    __shared__ alignas(16) int part[32];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, part, sizeof part);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
__global__ void kernel_reuse() // written again while the engine still reads
{
    __shared__ alignas(16) int part[32];
    part[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, part, sizeof part);
        ptx::cp_async_bulk_commit_group();
        part[0] = 1;
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
__global__ void kernel_relaxed(const int *in) // the reader's load of the flag is relaxed, and no fence follows
{
    __shared__ int value[64], flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value[in[0]] = 7;
        asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&flag)) : "memory");
    } else if (threadIdx.x == 32) {
        int seen;
        do
            asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"((unsigned)__cvta_generic_to_shared(&flag)) : "memory");
        while (seen == 0);
        out[0] = value[in[1]];
    }
}
int main(int, char **argv)
{
    int *in;
    cudaMalloc(&in, 128);
    cudaMemset(in, 0, 128);
    if (!strcmp(argv[1], "group"))
        kernel_group<<<1, 32>>>(in);
    if (!strcmp(argv[1], "engine"))
        kernel_engine<<<1, 32>>>();
    if (!strcmp(argv[1], "reuse"))
        kernel_reuse<<<1, 32>>>();
    if (!strcmp(argv[1], "relaxed"))
        kernel_relaxed<<<1, 64>>>(in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
CU
    emulator/bin/nvcc-emu "$BATS_FILE_TMPDIR/cases.cu" -o "$BATS_FILE_TMPDIR/cases"
}

advises() { # CASE RULE TEXT
    EMU_CHECK=1 run "$BATS_FILE_TMPDIR/cases" "$1"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"[$2]"* && $output == *"try      $3"* ]]
}

@test "advice: cp.async wants a wait for its group" { advises group TC3 'cp.async.wait_group'; }
@test "advice: a copy wants a fence of both directions" { advises engine PX2 'fence_proxy_async(space_shared)'; }
@test "advice: memory the engine still reads wants a wait for that" { advises reuse TC3 'cp_async_bulk_wait_group_read'; }
@test "advice: what a relaxed load saw wants an acquire" { advises relaxed SH1 'sem_acquire'; }

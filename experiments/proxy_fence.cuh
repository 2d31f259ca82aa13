/* What proxy_fence.cu and proxy_fence_shapes.cu share: the size of a block's copy, and how wrong reads are counted. */
#pragma once

#include "alone.cuh"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

enum : uint32_t { WORDS = 4096 }; /* 16 KiB a block */

/* Different in every round, so that a read tells which round's value it saw. */
__device__ uint32_t value_of(uint32_t round, uint32_t block, uint32_t index)
{
    return round * 0x9e3779b1u + block * WORDS + index;
}

/* sum[0]: wrong reads; sum[1]: those among them that saw the value of the round before. */
__device__ void count(unsigned long long *sum, uint32_t wrong, uint32_t old)
{
    if (wrong)
        atomicAdd(&sum[0], (unsigned long long)wrong);
    if (old)
        atomicAdd(&sum[1], (unsigned long long)old);
}

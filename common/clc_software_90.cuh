/*
 * Software launch control on compute capability 9.0: how a cluster learns whether it was stolen, and how a
 * response reaches its blocks. Barriers and fences are the hardware's own; only the request is replaced.
 * Included by clc_software.cuh.
 */
#pragma once

namespace clc {
namespace software {

/* The same shared address in the block of the given rank (inline: cuda::ptx's mapa had a bug, NVIDIA/cccl#1414). */
__device__ __forceinline__ uint32_t map_rank(uint32_t address, unsigned rank)
{
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

/* One thread claims, the peers read its answer. They may read only after rank 0 has started, hence the first
   cluster barrier; and rank 0 may leave only after they have read, hence the second (PTX ISA 2.2.2). */
__device__ __forceinline__ bool enter_cluster(const pool &p)
{
    __shared__ unsigned mine;
    if (cg::cluster_group::thread_rank() == 0)
        mine = claim_own(p);
    cg::cluster_group::sync();
    unsigned claimed;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(claimed) : "r"(map_rank(smem(&mine), 0)) : "memory");
    cg::cluster_group::sync();
    return claimed == 0;
}

/* True: this block was stolen. Every thread of the cluster calls it and gets the same answer. */
__device__ __forceinline__ bool enter(const pool &p)
{
    if (cg::thread_block::thread_rank() == 0)
        here() = p; /* published by the barriers below */
    if (blocks_in_cluster() > 1)
        return enter_cluster(p);
    return __syncthreads_or(cg::thread_block::thread_rank() == 0 && !claim_own(p));
}

/* Into the block of the given rank: 16 bytes and their complete-tx. Undefined in a cluster of one block. */
__device__ __forceinline__ void store_async(void *result, uint64_t *bar, uint4 r, unsigned rank)
{
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
                 :
                 : "r"(map_rank(smem(result), rank)), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w),
                   "r"(map_rank(smem(bar), rank))
                 : "memory");
}

/* complete_tx is relaxed: the fence before it is what lets a waiter see the store. */
__device__ __forceinline__ void store_here(void *result, uint64_t *bar, uint4 r)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};\n\t"
                 "fence.acq_rel.cta;\n\t"
                 "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%5], 16;"
                 :
                 : "r"(smem(result)), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w), "r"(smem(bar))
                 : "memory");
}

__device__ __forceinline__ void deliver(void *result, uint64_t *bar, uint4 r)
{
    if (blocks_in_cluster() > 1)
        store_async(result, bar, r, cg::cluster_group::block_rank());
    else
        store_here(result, bar, r);
}

__device__ __forceinline__ void deliver_to_all(void *result, uint64_t *bar, uint4 r)
{
    const unsigned n = blocks_in_cluster();
    if (n == 1)
        store_here(result, bar, r);
    else
        for (unsigned rank = 0; rank < n; rank++)
            store_async(result, bar, r, rank);
}

} // namespace software
} // namespace clc

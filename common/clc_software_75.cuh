/*
 * Software launch control on compute capability 7.5 to 8.9: no clusters, no transaction barrier, no async
 * proxy. The barrier of the kernel (`uint64_t bar` in shared memory) becomes one word of our own,
 *     bit 63 phase | 40..60 bytes in flight, signed | 20..39 arrivals a phase | 0..19 arrivals missing
 * changed by compare-and-swap, so that the rule "a phase ends when no arrival and no byte is missing" is judged
 * and applied in one step. The two proxy fences are empty, a cluster is one block.
 * Not modelled: tokens, arrive_drop, suspend-time hints. Included by clc_software.cuh.
 */
#pragma once

namespace cooperative_groups {

/* The toolkit has no cluster_group below 9.0. A block is a cluster of one. */
struct cluster_group {
    static __device__ __forceinline__ void sync() { __syncthreads(); }
    static __device__ __forceinline__ unsigned thread_rank() { return thread_block::thread_rank(); }
    static __device__ __forceinline__ unsigned num_threads() { return thread_block::num_threads(); }
    static __device__ __forceinline__ unsigned block_rank() { return 0; }
    static __device__ __forceinline__ unsigned num_blocks() { return 1; }
    static __device__ __forceinline__ dim3 block_index() { return dim3(0, 0, 0); }
    static __device__ __forceinline__ dim3 dim_blocks() { return dim3(1, 1, 1); }
    template <typename T> static __device__ __forceinline__ T *map_shared_rank(T *p, int) { return p; }
};

} // namespace cooperative_groups

namespace clc {
namespace software {

typedef unsigned long long word;

__device__ __forceinline__ word pack(unsigned expected) { return word(expected) << 20 | expected; }

/* The word after some arrivals and a change of the bytes in flight. */
__device__ __forceinline__ word step(word w, unsigned arrivals, int bytes)
{
    const unsigned missing = (unsigned(w) - arrivals) & 0xfffff;
    const unsigned expected = unsigned(w >> 20) & 0xfffff;
    const unsigned in_flight = (unsigned(w >> 40) + unsigned(bytes)) & 0x1fffff;
    const word phase = w >> 63;
    if (missing == 0 && in_flight == 0)
        return (phase ^ 1) << 63 | pack(expected);
    return phase << 63 | word(in_flight) << 40 | word(expected) << 20 | missing;
}

/* Everything before it is released: the fence, then the word. */
__device__ __forceinline__ void update(uint64_t *bar, unsigned arrivals, int bytes)
{
    word *const w = reinterpret_cast<word *>(bar);
    __threadfence_block();
    word old = *const_cast<volatile word *>(w), seen;
    do {
        seen = old;
        old = atomicCAS(w, seen, step(seen, arrivals, bytes));
    } while (old != seen);
}

/* True once the phase of the given parity has ended; what was released into it is then visible. */
__device__ __forceinline__ bool ended(uint64_t *bar, unsigned parity)
{
    const bool yes = *reinterpret_cast<volatile word *>(bar) >> 63 != (parity & 1);
    __threadfence_block();
    return yes;
}

/* True: this block was stolen. Every thread of the block calls it and gets the same answer. */
__device__ __forceinline__ bool enter(const pool &p)
{
    const bool first = cg::thread_block::thread_rank() == 0;
    if (first)
        here() = p; /* published by the barrier below */
    return __syncthreads_or(first && !claim_own(p));
}

__device__ __forceinline__ void deliver(void *result, uint64_t *bar, uint4 r)
{
    *static_cast<volatile unsigned *>(result) = r.x;
    *(static_cast<volatile unsigned *>(result) + 1) = r.y;
    *(static_cast<volatile unsigned *>(result) + 2) = r.z;
    *(static_cast<volatile unsigned *>(result) + 3) = r.w;
    update(bar, 0, -16);
}

__device__ __forceinline__ void deliver_to_all(void *result, uint64_t *bar, uint4 r)
{
    deliver(result, bar, r);
}

} // namespace software
} // namespace clc

namespace ptx {

template <typename = void>
__device__ __forceinline__ void mbarrier_init(uint64_t *bar, const uint32_t &count)
{
    *bar = clc::software::pack(count);
}

template <dot_sem Sem, dot_scope Scope>
__device__ __forceinline__ void mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_shared_t, uint64_t *bar,
                                                const uint32_t &count = 1)
{
    clc::software::update(bar, count, 0);
}

template <typename = void>
__device__ __forceinline__ void mbarrier_arrive(uint64_t *bar)
{
    clc::software::update(bar, 1, 0);
}

/* On the barrier of another block of the cluster; here there is only this one. */
template <typename = void>
__device__ __forceinline__ void mbarrier_arrive(sem_release_t, scope_cluster_t, space_cluster_t, uint64_t *bar)
{
    clc::software::update(bar, 1, 0);
}

template <dot_sem Sem, dot_scope Scope>
__device__ __forceinline__ void mbarrier_arrive_expect_tx(sem_t<Sem>, scope_t<Scope>, space_shared_t,
                                                          uint64_t *bar, const uint32_t &bytes)
{
    clc::software::update(bar, 1, int(bytes));
}

template <dot_sem Sem, dot_scope Scope>
__device__ __forceinline__ void mbarrier_expect_tx(sem_t<Sem>, scope_t<Scope>, space_shared_t, uint64_t *bar,
                                                   const uint32_t &bytes)
{
    clc::software::update(bar, 0, int(bytes));
}

template <dot_sem Sem, dot_scope Scope>
__device__ __forceinline__ bool mbarrier_try_wait_parity(sem_t<Sem>, scope_t<Scope>, uint64_t *bar,
                                                         const uint32_t &parity)
{
    return clc::software::ended(bar, parity);
}

template <typename = void>
__device__ __forceinline__ bool mbarrier_try_wait_parity(uint64_t *bar, const uint32_t &parity)
{
    return clc::software::ended(bar, parity);
}

/* The cluster's barrier is the block's; both halves are in the wait. */
template <dot_sem Sem> __device__ __forceinline__ void barrier_cluster_arrive(sem_t<Sem>) {}
template <dot_sem Sem> __device__ __forceinline__ void barrier_cluster_wait(sem_t<Sem>) { __syncthreads(); }

/* One block, one proxy: a barrier's init is published by __syncthreads(), and there is nothing to fence. */
template <typename = void>
__device__ __forceinline__ void fence_mbarrier_init(sem_release_t, scope_cluster_t)
{
}

template <typename = void>
__device__ __forceinline__ void fence_proxy_async_generic_sync_restrict(sem_acquire_t, space_cluster_t,
                                                                        scope_cluster_t)
{
}

template <typename = void>
__device__ __forceinline__ void fence_proxy_async_generic_sync_restrict(sem_release_t, space_shared_t,
                                                                        scope_cluster_t)
{
}

template <typename = void>
__device__ __forceinline__ void fence_proxy_async(space_shared_t)
{
}

} // namespace ptx

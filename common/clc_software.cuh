/*
 * Cluster Launch Control without the instruction, for compute capability 7.5 to 9.0.
 * The whole grid is launched, and every cluster is claimed exactly once in a bitmap: by itself when it
 * starts, or by a request that came first; a cluster that finds itself claimed leaves at once.
 *   request   take the next ticket; claim that cluster, or try the next if it had started by itself; deliver
 *   deliver   16 bytes into `result` of each block concerned, and 16 bytes of complete-tx on its barrier:
 *               9.0, cluster of several   st.async does both
 *               9.0, cluster of one       store, release fence, complete_tx (st.async is undefined there)
 *               7.5 to 8.9                the same, on a barrier of our own: these have no transaction count
 * It keeps the contract: a request may be refused (clc::pool::yield), nobody may count on a steal, and what
 * nobody claimed starts by itself later. Not modelled: the undefined behaviour of launch control (a second
 * request after a refusal is just refused again, the coordinates of a refusal are 0xdeadbeef).
 */
#pragma once

namespace clc {
namespace software {

namespace cg = cooperative_groups;

/* Fourth word of a response; the first three are x, y, z of the first block. Read it through ptx:: only. */
enum : unsigned { refused = 0, granted = 1, poison = 0xdeadbeef };

/* The pool of this launch, for the requests, whose signature has no room for it. Set by enter(). */
__device__ __forceinline__ pool &here()
{
    __shared__ pool p;
    return p;
}

/* What is claimed as a whole: the cluster, or the block where there are no clusters. */
#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ unsigned blocks_in_cluster() { return cg::cluster_group::num_blocks(); }
__device__ __forceinline__ unsigned cluster_id() { return unsigned(cg::grid_group::cluster_rank()); }
__device__ __forceinline__ dim3 grid_of_clusters() { return cg::grid_group::dim_clusters(); }
__device__ __forceinline__ dim3 cluster_shape() { return cg::cluster_group::dim_blocks(); }
#else
__device__ __forceinline__ unsigned blocks_in_cluster() { return 1; }
__device__ __forceinline__ unsigned cluster_id() { return unsigned(cg::grid_group::block_rank()); }
__device__ __forceinline__ dim3 grid_of_clusters() { return gridDim; }
__device__ __forceinline__ dim3 cluster_shape() { return dim3(1, 1, 1); }
#endif

/* True for the one caller who is first to claim the cluster. */
__device__ __forceinline__ bool claim(const pool &p, unsigned id)
{
    const unsigned bit = 1u << id % 32;
    return (atomicOr(&p.state[first_bit + id / 32], bit) & bit) == 0;
}

/* The same for a starting cluster. One that was stolen only looks: most are, and a load is cheaper than an atomic
   (seen on an H200: without the look the guide's light tiles took up to a tenth longer). */
__device__ __forceinline__ bool claim_own(const pool &p)
{
    const unsigned id = cluster_id();
    const volatile unsigned *word = &p.state[first_bit + id / 32];
    return (*word >> id % 32 & 1) == 0 && claim(p, id);
}

/* Index of the first block of a cluster, x running fastest. */
__device__ __forceinline__ uint4 first_block(unsigned id)
{
    const dim3 n = grid_of_clusters(), c = cluster_shape();
    if (n.y * n.z == 1) /* no divisions for a grid in one dimension */
        return make_uint4(id * c.x, 0, 0, granted);
    return make_uint4(id % n.x * c.x, id / n.x % n.y * c.y, id / n.x / n.y * c.z, granted);
}

/* A request's answer. A ticket drawn while yielding is dropped: its cluster will start by itself. */
__device__ __forceinline__ uint4 ask(const pool &p)
{
    const dim3 n = grid_of_clusters();
    const unsigned count = n.x * n.y * n.z;
    for (;;) {
        const unsigned id = atomicAdd(&p.state[next_ticket], 1);
        const unsigned yield = *static_cast<const volatile unsigned *>(p.yield);
        if (id >= count || yield != 0)
            return make_uint4(poison, poison, poison, refused);
        if (claim(p, id))
            return first_block(id);
    }
}

} // namespace software
} // namespace clc

#if __CUDA_ARCH__ >= 900
#include "clc_software_90.cuh"
#else
#include "clc_software_75.cuh"
#endif

namespace ptx {

template <typename = void>
__device__ __forceinline__ void clusterlaunchcontrol_try_cancel(void *result, uint64_t *bar)
{
    clc::software::deliver(result, bar, clc::software::ask(clc::software::here()));
}

template <typename = void>
__device__ __forceinline__ void clusterlaunchcontrol_try_cancel_multicast(void *result, uint64_t *bar)
{
    clc::software::deliver_to_all(result, bar, clc::software::ask(clc::software::here()));
}

template <typename B128>
__device__ __forceinline__ bool clusterlaunchcontrol_query_cancel_is_canceled(B128 result)
{
    static_assert(sizeof(B128) == 16, "a response has 16 bytes");
    return reinterpret_cast<const uint4 &>(result).w == clc::software::granted;
}

#define CLC_GET_FIRST_CTAID(dim)                                                                        \
    template <typename B32, typename B128>                                                              \
    __device__ __forceinline__ B32 clusterlaunchcontrol_query_cancel_get_first_ctaid_##dim(B128 result) \
    {                                                                                                   \
        static_assert(sizeof(B32) == 4 && sizeof(B128) == 16, "an index has 4 bytes, a response 16");   \
        return static_cast<B32>(reinterpret_cast<const uint4 &>(result).dim);                           \
    }
CLC_GET_FIRST_CTAID(x)
CLC_GET_FIRST_CTAID(y)
CLC_GET_FIRST_CTAID(z)
#undef CLC_GET_FIRST_CTAID

template <typename B32, typename B128>
__device__ __forceinline__ void clusterlaunchcontrol_query_cancel_get_first_ctaid(B32 (&id)[4], B128 result)
{
    static_assert(sizeof(B32) == 4 && sizeof(B128) == 16, "an index has 4 bytes, a response 16");
    const uint4 r = reinterpret_cast<const uint4 &>(result);
    id[0] = static_cast<B32>(r.x), id[1] = static_cast<B32>(r.y), id[2] = static_cast<B32>(r.z);
    id[3] = static_cast<B32>(clc::software::poison); /* unspecified in PTX too */
}

} // namespace ptx

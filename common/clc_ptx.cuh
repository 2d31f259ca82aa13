/*
 * Inline PTX for what libcu++ lacks, with libcu++'s own signatures (PTX ISA 9.1, 9.7.13.15-18).
 *   always            clusterlaunchcontrol_try_cancel_multicast: libcu++ allows it on 100a and 110a only,
 *                     the assembler on every `a` and `f` target from 10.0 on; cp_async_bulk_multicast likewise
 *   CCCL before 2.8   (CUDA 12.8) the launch control functions, the two halves of the proxy fence and the
 *                     relaxed arrive.expect_tx
 * Included by clc.cuh; below 10.0 the request and the query come from clc_software.cuh instead.
 */
#pragma once

#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_SPECIFIC__) ||                     \
    defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM101_ALL) ||                    \
    defined(__CUDA_ARCH_FEAT_SM103_ALL) || defined(__CUDA_ARCH_FEAT_SM110_ALL) ||                    \
    defined(__CUDA_ARCH_FEAT_SM120_ALL) || defined(__CUDA_ARCH_FEAT_SM121_ALL)
#define CLC_MULTICAST 1
#else
#define CLC_MULTICAST 0
#endif

/* libcu++ wrapped launch control in CCCL 2.8. */
#if CCCL_VERSION < 2008000 || __cccl_ptx_isa < 860
#define CLC_OLD_LIBCUXX 1
#else
#define CLC_OLD_LIBCUXX 0
#endif

namespace clc {

/* Address in the window of shared memory, as PTX's shared:: operands want it. */
__device__ __forceinline__ uint32_t smem(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

} // namespace clc

#if CLC_INSTRUCTION

/* No target without `a` or `f` has the instruction: the linker prints this name. */
extern "C" __device__ void clc_multicast_needs_a_target_ending_in_a_or_f_such_as_sm_100a();

namespace ptx {

/* One request for the whole cluster; the response goes to the same offset in every block. */
template <typename = void>
__device__ __forceinline__ void clusterlaunchcontrol_try_cancel_multicast(void *result, uint64_t *bar)
{
#if !defined(__CUDA_ARCH__) || CLC_MULTICAST
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
                 ".multicast::cluster::all.b128 [%0], [%1];"
                 :
                 : "r"(clc::smem(result)), "r"(clc::smem(bar))
                 : "memory");
#else
    clc_multicast_needs_a_target_ending_in_a_or_f_such_as_sm_100a();
#endif
}

} // namespace ptx

#if CLC_OLD_LIBCUXX

namespace ptx {

/* One request; the response goes to this block. */
template <typename = void>
__device__ __forceinline__ void clusterlaunchcontrol_try_cancel(void *result, uint64_t *bar)
{
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];"
                 :
                 : "r"(clc::smem(result)), "r"(clc::smem(bar))
                 : "memory");
}

template <typename B128>
__device__ __forceinline__ bool clusterlaunchcontrol_query_cancel_is_canceled(B128 result)
{
    static_assert(sizeof(B128) == 16, "a response has 16 bytes");
    const longlong2 r = reinterpret_cast<const longlong2 &>(result);
    uint32_t yes;
    asm("{\n\t.reg .b128 r;\n\t.reg .pred p;\n\t"
        "mov.b128 r, {%1, %2};\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n\t"
        "selp.b32 %0, 1, 0, p;\n\t}"
        : "=r"(yes)
        : "l"(r.x), "l"(r.y));
    return yes != 0;
}

#define CLC_GET_FIRST_CTAID(dim)                                                                      \
    template <typename B32, typename B128>                                                            \
    __device__ __forceinline__ B32 clusterlaunchcontrol_query_cancel_get_first_ctaid_##dim(B128 result) \
    {                                                                                                 \
        static_assert(sizeof(B32) == 4 && sizeof(B128) == 16, "an index has 4 bytes, a response 16"); \
        const longlong2 r = reinterpret_cast<const longlong2 &>(result);                              \
        uint32_t id;                                                                                  \
        asm("{\n\t.reg .b128 r;\n\t"                                                                  \
            "mov.b128 r, {%1, %2};\n\t"                                                               \
            "clusterlaunchcontrol.query_cancel.get_first_ctaid::" #dim ".b32.b128 %0, r;\n\t}"        \
            : "=r"(id)                                                                                \
            : "l"(r.x), "l"(r.y));                                                                    \
        return static_cast<B32>(id);                                                                  \
    }
CLC_GET_FIRST_CTAID(x)
CLC_GET_FIRST_CTAID(y)
CLC_GET_FIRST_CTAID(z)
#undef CLC_GET_FIRST_CTAID

template <typename B32, typename B128>
__device__ __forceinline__ void clusterlaunchcontrol_query_cancel_get_first_ctaid(B32 (&id)[4], B128 result)
{
    static_assert(sizeof(B32) == 4 && sizeof(B128) == 16, "an index has 4 bytes, a response 16");
    const longlong2 r = reinterpret_cast<const longlong2 &>(result);
    asm("{\n\t.reg .b128 r;\n\t"
        "mov.b128 r, {%4, %5};\n\t"
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%0, %1, %2, %3}, r;\n\t}"
        : "=r"(id[0]), "=r"(id[1]), "=r"(id[2]), "=r"(id[3])
        : "l"(r.x), "l"(r.y));
}

} // namespace ptx

#endif // CLC_OLD_LIBCUXX
#endif // CLC_INSTRUCTION

#if CLC_OLD_LIBCUXX && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)

namespace ptx {

/* Added to libcu++'s overloads, which know only the release form. */
using cuda::ptx::mbarrier_arrive_expect_tx;

template <dot_scope Scope>
__device__ __forceinline__ void mbarrier_arrive_expect_tx(sem_relaxed_t, scope_t<Scope>, space_shared_t,
                                                          uint64_t *bar, const uint32_t &bytes)
{
    if (Scope == dot_scope::cluster)
        asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%0], %1;"
                     :
                     : "r"(clc::smem(bar)), "r"(bytes)
                     : "memory");
    else
        asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], %1;"
                     :
                     : "r"(clc::smem(bar)), "r"(bytes)
                     : "memory");
}

/* The two halves of the proxy fence: the reader releases `result`, the issuer acquires it. */
template <typename = void>
__device__ __forceinline__ void fence_proxy_async_generic_sync_restrict(sem_acquire_t, space_cluster_t,
                                                                        scope_cluster_t)
{
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
}

template <typename = void>
__device__ __forceinline__ void fence_proxy_async_generic_sync_restrict(sem_release_t, space_shared_t,
                                                                        scope_cluster_t)
{
    asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
}

} // namespace ptx

#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

namespace ptx {

/* cp.async.bulk to the same offset in every block of the cluster whose bit is set; whole 16 bytes, aligned. */
template <typename = void>
__device__ __forceinline__ void cp_async_bulk_multicast(void *to, const void *from, uint32_t bytes, uint64_t *bar,
                                                        uint16_t blocks)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1], %2, [%3], %4;"
                 :
                 : "r"(clc::smem(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(clc::smem(bar)), "h"(blocks)
                 : "memory");
}

} // namespace ptx

#endif

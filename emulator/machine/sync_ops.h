/*
 * Operations of the synchronising instruction classes: what `sub`, `flags` and
 * the operands of struct instr (code.h) mean there. lower.c fills them, sync/
 * executes them, the checker reads `sub` out of events.
 *
 * Conventions of all classes below
 *  - an absent operand (or the sink `_`) is OPREF_NONE;
 *  - sem and scope hold what is written or, where nothing is written, the
 *    default that the table of the class names;
 *  - `space` is that of the first address; bit k of `addr32` is set when the
 *    register of the k-th address (in the order of the PTX text) is 32 bits wide;
 *  - an instruction with several addresses keeps their constant offsets packed,
 *    see sync_offset(): the k-th address in the order of the PTX text.
 */
#ifndef EMU_MACHINE_SYNC_OPS_H
#define EMU_MACHINE_SYNC_OPS_H

#include "machine/code.h"

/* Offset of the k-th address (k = 0, 1, 2): imm's low half, imm's high half, list. */
#define SYNC_IMM(offset0, offset1) \
    ((int64_t)((uint64_t)(uint32_t)(int32_t)(offset0) | (uint64_t)(uint32_t)(int32_t)(offset1) << 32))
static inline int32_t sync_offset(const struct instr *i, int k)
{
    return (int32_t)(uint32_t)(k == 0 ? (uint64_t)i->imm : k == 1 ? (uint64_t)i->imm >> 32 : i->list);
}

/* CLASS_MBARRIER (PTX ISA 9.7.13.15).
 *   r[0] result: state token (64 bits), waitComplete (predicate), count (32 bits); NONE for `_` or none
 *   r[1] address of the mbarrier, imm its offset (NONE for PENDING_COUNT)
 *   r[2] count | bytes (32 bits) | token (64 bits) | parity (32 bits); NONE: an arrive of 1
 *   r[3] suspendTimeHint of try_wait (32 bits, ns), or NONE
 * PENDING_COUNT: r[0] count, r[2] token. space: MEM_GENERIC, MEM_SHARED, MEM_CLUSTER.
 * Defaults: arrives SEM_RELEASE, waits SEM_ACQUIRE, expect_tx and complete_tx SEM_RELAXED, all SCOPE_CTA;
 * init, inval, pending_count SEM_WEAK, SCOPE_NONE. */
enum mbarrier_op {
    MBARRIER_INIT, MBARRIER_INVAL, MBARRIER_EXPECT_TX, MBARRIER_COMPLETE_TX,
    MBARRIER_ARRIVE, MBARRIER_ARRIVE_EXPECT_TX, MBARRIER_ARRIVE_NOCOMPLETE,
    MBARRIER_DROP, MBARRIER_DROP_EXPECT_TX, MBARRIER_DROP_NOCOMPLETE,   /* arrive_drop... */
    MBARRIER_TEST_WAIT, MBARRIER_TEST_WAIT_PARITY, MBARRIER_TRY_WAIT, MBARRIER_TRY_WAIT_PARITY,
    MBARRIER_PENDING_COUNT,
    /* Never in an instruction, only in events: cp.async.mbarrier.arrive when its copies are done,
     * the count it adds first, and complete-tx by an asynchronous operation. */
    MBARRIER_ASYNC_ARRIVE, MBARRIER_ASYNC_ADD, MBARRIER_ASYNC_COMPLETE_TX
};

/* CLASS_CLUSTER_BAR: no operands; `aligned`. Defaults: arrive SEM_RELEASE, wait SEM_ACQUIRE, SCOPE_CLUSTER. */
enum cluster_bar_op { CLUSTER_ARRIVE, CLUSTER_WAIT };

/* CLASS_MAPA: r[0] d, r[1] a (imm: offset of a variable+constant), r[2] rank (32 bits); type U32 or U64 is
 * the width of d and a; space MEM_CLUSTER (mapa.shared::cluster: a and d are shared addresses) or MEM_GENERIC.
 * CLASS_GETCTARANK: r[0] d (32 bits), r[1] a (imm); type the width of a; space as for mapa. */

/* CLASS_CP_ASYNC (PTX ISA 9.7.9.25.3, 9.7.13.15.14).
 *   COPY            r[0] destination (shared), r[1] source (global); count = cp-size 4, 8, 16;
 *                   r[2] src-size (32 bits) or NONE; r[3] ignore-src predicate or NONE (negate bit 3)
 *   WAIT_GROUP      imm = N
 *   MBARRIER_ARRIVE r[0] address of the mbarrier (space); flags CP_ASYNC_NOINC
 * Cache hints and prefetch sizes are accepted and dropped. */
enum cp_async_op {
    CP_ASYNC_COPY, CP_ASYNC_COMMIT_GROUP, CP_ASYNC_WAIT_GROUP, CP_ASYNC_WAIT_ALL, CP_ASYNC_MBARRIER_ARRIVE
};
enum { CP_ASYNC_NOINC = 1 };

/* CLASS_CP_BULK (PTX ISA 9.7.9.25.4); addresses in order of the text.
 *   TO_SHARED      cp.async.bulk.shared::{cluster,cta}.global.mbarrier::complete_tx::bytes
 *                  r[0] dst (space MEM_CLUSTER or MEM_SHARED), r[1] src (global), r[2] size, r[3] mbarrier,
 *                  r[4] ctaMask (16 bits) with BULK_MULTICAST
 *   TO_CLUSTER     ....shared::cluster.shared::cta: r[0] dst, r[1] src (own shared), r[2] size, r[3] mbarrier
 *   TO_GLOBAL      ....global.shared::cta.bulk_group: r[0] dst, r[1] src, r[2] size,
 *                  r[4] byteMask (16 bits) with BULK_CP_MASK
 *   REDUCE_CLUSTER, REDUCE_GLOBAL   cp.reduce.async.bulk: operands as TO_CLUSTER, TO_GLOBAL;
 *                  count = enum atom_op, type the element (f16 and bf16 adds are .noftz)
 *   COMMIT_GROUP; WAIT_GROUP: imm = N, flags BULK_READ for .read
 *   PREFETCH       cp.async.bulk.prefetch.L2.global: r[0] address, r[2] size
 * Cache policies are dropped. Tensor forms are CLASS_REFUSED. */
enum cp_bulk_op {
    BULK_TO_SHARED, BULK_TO_CLUSTER, BULK_TO_GLOBAL, BULK_REDUCE_CLUSTER, BULK_REDUCE_GLOBAL,
    BULK_COMMIT_GROUP, BULK_WAIT_GROUP, BULK_PREFETCH
};
enum { BULK_MULTICAST = 1, BULK_READ = 2, BULK_CP_MASK = 4 };

/* CLASS_ST_ASYNC (PTX ISA 9.7.9.12, 9.7.13.7); space MEM_CLUSTER or MEM_GENERIC.
 *   ST_ASYNC   r[0] dst, r[1] value (count == 1) or count = 2, 4 with the elements at `list`,
 *              r[2] mbarrier (second address); type the element
 *   RED_ASYNC  r[0] dst, r[1] value, r[2] mbarrier; count = enum atom_op
 * Defaults: SEM_WEAK for st.async; red.async is SEM_RELAXED, SCOPE_CLUSTER. The .global (.mmio) forms without an
 * mbarrier are CLASS_REFUSED. */
enum st_async_op { ST_ASYNC, RED_ASYNC };

/* CLASS_CLC, clusterlaunchcontrol (PTX ISA 9.7.13.17, 9.7.13.18).
 *   TRY_CANCEL   r[0] address of the response, r[1] mbarrier; space MEM_SHARED or MEM_GENERIC; CLC_MULTICAST
 *   IS_CANCELED  r[0] predicate, r[1] response (128-bit register)
 *   FIRST_X, FIRST_Y, FIRST_Z   r[0] 32-bit register, r[1] response
 *   FIRST_V4     count = 4 destinations at `list` (NONE for `_`), r[1] response */
enum clc_op { CLC_TRY_CANCEL, CLC_IS_CANCELED, CLC_FIRST_X, CLC_FIRST_Y, CLC_FIRST_Z, CLC_FIRST_V4 };
enum { CLC_MULTICAST = 1 };

/* CLASS_FENCE (PTX ISA 9.7.13.4): sem, scope, and `space`, the memory it is restricted to (MEM_GENERIC: none).
 *   THREAD         fence{.sc,.acq_rel,.acquire,.release}.scope; membar.{cta,gl,sys} is SEM_SC with that scope
 *   SYNC_RESTRICT  fence.acquire.sync_restrict::shared::cluster.cluster   SEM_ACQUIRE, space MEM_CLUSTER
 *                  fence.release.sync_restrict::shared::cta.cluster       SEM_RELEASE, space MEM_SHARED
 *   MBARRIER_INIT  fence.mbarrier_init.release.cluster                    SEM_RELEASE, SCOPE_CLUSTER
 *   PROXY_ASYNC    fence.proxy.async[.global, .shared::cta, .shared::cluster]; none: MEM_GENERIC. Both ways. SEM_WEAK
 *   PROXY_HALF     fence.proxy.async::generic.{acquire,release}.sync_restrict::...; as SYNC_RESTRICT
 *   PROXY_ALIAS    fence.proxy.alias, membar.proxy.alias
 *   PROXY_TENSORMAP  fence.proxy.tensormap::generic.{acquire,release}: r[0] address or NONE
 * SEM_WEAK and SCOPE_NONE where the form has none. */
enum fence_op {
    FENCE_THREAD, FENCE_SYNC_RESTRICT, FENCE_MBARRIER_INIT,
    FENCE_PROXY_ASYNC, FENCE_PROXY_HALF, FENCE_PROXY_ALIAS, FENCE_PROXY_TENSORMAP
};

#endif

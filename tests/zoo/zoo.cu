/*
 * The zoo: for each rule of the checker a kernel that breaks it and nothing else, RULE_bad, and its nearest
 * legal twin, RULE_ok. run.sh compiles this one file and runs every kernel under the checker.
 *   // launch: WORDS     above a kernel: `grid 8 block 64 cluster 2`, and if need be `refuse 1`, `seed 3`, `steps N`
 *   // expect: RULE      on the line where the report must point; on several lines: on any of them
 * A word may follow (RULE_bad_word) where one rule has several faces. Kernels of correct.cu end in _right: they
 * must be silent under many schedules. Rules that only a host program can break are in launch_*.cu.
 * Nothing here is a model to copy, except the twins.
 */
#include "common/clc.cuh"

namespace cg = cooperative_groups;

#define ZOO extern "C" __global__ void

/* Macros, so that a report names the line in the kernel. */
#define WAIT(bar, parity)                                                                           \
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, parity)) {         \
    }
#define WAIT_CLUSTER(bar, parity)                                                                   \
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, parity)) {     \
    }
#define ARRIVE(bar) ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar)
#define EXPECT(bar, bytes) ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar, bytes)
#define INVAL(bar) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(clc::smem(bar)) : "memory")
#define REQUEST(result, bar) ptx::clusterlaunchcontrol_try_cancel(result, bar)
#define MULTICAST(result, bar) ptx::clusterlaunchcontrol_try_cancel_multicast(result, bar)
#define CANCELED(result) ptx::clusterlaunchcontrol_query_cancel_is_canceled(result)
#define FIRST(result) ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result)
#define RELEASE_HALF ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster)
#define ACQUIRE_HALF ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster)
#define INIT_FENCE ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster)
#define TILE(bx) out[(bx) * blockDim.x + threadIdx.x] += 1

#include "races.cu"
#include "mbarrier.cu"
#include "phases.cu"
#include "async.cu"
#include "proxy.cu"
#include "clc.cu"
#include "clusters.cu"
#include "correct.cu"

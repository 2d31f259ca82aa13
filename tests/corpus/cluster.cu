/*
 * Corpus: four blocks in a cluster. Each reads, writes and signals its peers' shared memory; results
 * depend on no schedule. A line is as corpus.cuh says. Needs capability 9.0.
 */
#include "corpus.cuh"

enum { BLOCKS = 4 };

#define ALL_BLOCKS asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" : : : "memory")

#define BEGIN \
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; \
    __shared__ __align__(16) volatile u32 s[256 * 4]; \
    u32 at = (u32)__cvta_generic_to_shared((void *)s), rank, peer, far; \
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); \
    peer = (rank + 1 + (t & 1)) % BLOCKS; \
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at + t * 16), "r"(peer)); \
    (void)i, (void)a, (void)b, (void)c, (void)p, (void)far

#define SREG(k, name) { u32 d; asm volatile("mov.u32 %0, %%" name ";" : "=r"(d)); PUT(k, d); }

extern "C" __global__ void __cluster_dims__(BLOCKS) registers(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    SREG(0, "cluster_ctarank")
    SREG(1, "cluster_nctarank")
    SREG(2, "cluster_ctaid.x")
    SREG(3, "cluster_nctaid.x")
    SREG(4, "clusterid.x")
    SREG(5, "nclusterid.x")
    SREG(6, "cluster_ctaid.y")
    SREG(7, "cluster_nctaid.z")
    u32 d, e;
    u64 generic, remote;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(d) : "r"(far));
    PUT(8, d == peer);
    asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(remote) : "l"((u64)far));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(d) : "l"(remote));
    PUT(9, d == peer);
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"((u64)(s + t * 4)), "r"(peer));
    PUT(10, generic == remote);
    asm volatile("{ .reg .pred q; isspacep.shared::cluster q, %1; selp.b32 %0, 1, 0, q; }" : "=r"(d) : "l"(remote));
    asm volatile("{ .reg .pred q; isspacep.shared::cta q, %1; selp.b32 %0, 1, 0, q; }" : "=r"(e) : "l"(remote));
    PUT(11, d << 1 | e);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(at + t * 16), "r"(rank));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(e) : "r"(at));
    PUT(12, e == rank);
    s[t * 4] = (u32)a[i];
    __syncthreads();
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(e) : "r"(d) : "memory");
    PUT(13, e);
}

static const struct spelling register_names[] = {
    { "cluster %cluster_ctarank", 8, 2, 16 }, { "cluster %cluster_nctarank", 8, 2, 2 },
    { "cluster %cluster_ctaid.x", 8, 2, 16 }, { "cluster %cluster_nctaid.x", 8, 2, 2 },
    { "cluster %clusterid.x", 8, 2, 16 }, { "cluster %nclusterid.x", 8, 2, 2 },
    { "cluster %cluster_ctaid.y", 8, 2, 2 }, { "cluster %cluster_nctaid.z", 8, 2, 2 },
    { "cluster getctarank.shared::cluster.u32", 1, 2, 2 }, { "cluster getctarank.u64", 1, 2, 2 },
    { "cluster mapa.u64", 1, 2, 2 }, { "cluster isspacep", 1, 2, 2 },
    { "cluster getctarank of the own block", 1, 2, 2 }, { "cluster mapa to the own rank", 8, 4, 4 },
};

/* Peer's word, written by it before the barrier. */
#define READ(k, text, reg, type) { \
    type x; \
    asm volatile(text " %0, [%1];" : "=" reg(x) : "r"(far) : "memory"); \
    PUT(k, x); }

/* Into the peer's slot, which nobody else writes: thread t of a block has one writer. */
#define WRITE(k, body, ...) { \
    ALL_BLOCKS; \
    s[t * 4] = (u32)b[i], s[t * 4 + 1] = s[t * 4 + 2] = s[t * 4 + 3] = 0; \
    ALL_BLOCKS; \
    asm volatile(body : : "r"(far), __VA_ARGS__ : "memory"); \
    ALL_BLOCKS; \
    PUT(k, mix((u64)s[t * 4] << 32 | s[t * 4 + 1], (u64)s[t * 4 + 2] << 32 | s[t * 4 + 3])); }

extern "C" __global__ void __cluster_dims__(BLOCKS) peers(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    u32 x = (u32)a[i];
    s[t * 4] = x, s[t * 4 + 1] = ~x;
    ALL_BLOCKS;
    READ(0, "ld.shared::cluster.u32", "r", u32)
    READ(1, "ld.relaxed.cluster.shared::cluster.u64", "l", u64)
    READ(2, "ld.acquire.cluster.shared::cluster.b32", "r", u32)
    u64 generic;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"((u64)(s + t * 4)), "r"(peer));
    PUT(3, *(volatile u32 *)generic);
    WRITE(4, "st.shared::cluster.u32 [%0+4], %1;", "r"(x))
    WRITE(5, "st.release.cluster.shared::cluster.v2.b32 [%0], {%1, %1};", "r"(x))
    WRITE(6, "atom.shared::cluster.add.u32 _, [%0], %1;", "r"(x))
    WRITE(7, "{ .reg .b32 o; atom.relaxed.cluster.shared::cluster.max.u32 o, [%0], %1; st.shared::cluster.u32 [%0+8], o; }", "r"(x))
    WRITE(8, "red.release.cluster.shared::cluster.xor.b32 [%0], %1;", "r"(x))
    ALL_BLOCKS;
    s[t * 4] = 0;
    ALL_BLOCKS;
    u32 sum;                                                        /* all blocks add to one word */
    asm volatile("mapa.shared::cluster.u32 %0, %1, 2;" : "=r"(sum) : "r"(at + (t & 15) * 16));
    asm volatile("red.shared::cluster.add.u32 [%0], %1;" : : "r"(sum), "r"(x & 0xffff) : "memory");
    ALL_BLOCKS;
    READ(9, "ld.shared::cluster.u32", "r", u32)
    ALL_BLOCKS;
}

static const struct spelling peer_names[] = {
    { "cluster ld.shared::cluster.u32", 8, 8, 8 }, { "cluster ld.relaxed.cluster.shared::cluster.u64", 16, 8, 8 },
    { "cluster ld.acquire.cluster.shared::cluster.b32", 8, 8, 8 }, { "cluster ld of a peer's generic address", 8, 8, 8 },
    { "cluster st.shared::cluster.u32", 16, 4, 8 }, { "cluster st.release.cluster.shared::cluster.v2.b32", 16, 4, 8 },
    { "cluster atom.shared::cluster.add.u32", 16, 4, 8 }, { "cluster atom.relaxed.cluster.shared::cluster.max.u32", 16, 4, 8 },
    { "cluster red.release.cluster.shared::cluster.xor.b32", 16, 4, 8 }, { "cluster sums of all blocks", 8, 16, 8 },
};

/* Waits for the phase of this block's barrier; all threads of a block may. */
static __device__ void wait_cluster(u32 bar, u32 parity)
{
    asm volatile("{ .reg .pred q; AGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 q, [%0], %1; @!q bra AGAIN; }"
                 : : "r"(bar), "r"(parity) : "memory");
}

extern "C" __global__ void __cluster_dims__(BLOCKS) signals(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    __shared__ __align__(8) u64 word[3];
    __shared__ __align__(16) u32 row[64];
    u32 bar = (u32)__cvta_generic_to_shared(word), there, x = (u32)a[i];
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(bar), "r"(peer));
    s[t * 4] = 0;
    if (t < 64)
        row[t] = (u32)b[i];
    if (t == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 256; mbarrier.init.shared::cta.b64 [%0+8], 1; "
                     "mbarrier.init.shared::cta.b64 [%0+16], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;"
                     : : "r"(bar) : "memory");
    ALL_BLOCKS;
    /* each thread stores to a peer, then arrives at the peer's barrier: 256 arrivals come from two blocks */
    asm volatile("st.shared::cluster.u32 [%0], %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%2];"
                 : : "r"(far), "r"(x), "r"(there) : "memory");
    wait_cluster(bar, 0);
    PUT(0, s[t * 4]);
    ALL_BLOCKS;
    /* st.async: 4 bytes a thread complete at the peer's second barrier */
    if (t == 0)
        asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], 1024;" : : "r"(bar + 8) : "memory");
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 : : "r"(far + 4), "r"(x * 3), "r"(there + 8) : "memory");
    wait_cluster(bar + 8, 0);
    PUT(1, s[t * 4 + 1]);
    ALL_BLOCKS;
    /* a row of 256 bytes: from global memory to blocks 0, 1 and 3, issued by block 1; 3 rows later by a peer's copy */
    if (t == 0 && rank != 2)
        asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], 256;" : : "r"(bar + 16) : "memory");
    if (t == 0 && rank == 1)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;"
                     : : "r"((u32)__cvta_generic_to_shared(row)), "l"(a + blockIdx.x / BLOCKS * 32), "r"(bar + 16), "h"((u16)0xb) : "memory");
    if (rank != 2)
        wait_cluster(bar + 16, 0);
    PUT(2, row[t & 63]);
    ALL_BLOCKS;
    /* block 0 sends its row to block 2 */
    if (t == 0 && rank == 2)
        asm volatile("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%0], 256;" : : "r"(bar + 16) : "memory");
    ALL_BLOCKS;
    if (t == 0 && rank == 0) {
        u32 to, to_bar;
        asm volatile("mapa.shared::cluster.u32 %0, %2, 2; mapa.shared::cluster.u32 %1, %3, 2;" : "=&r"(to), "=r"(to_bar)
                     : "r"((u32)__cvta_generic_to_shared(row)), "r"(bar + 16));
        asm volatile("fence.proxy.async; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                     : : "r"(to), "r"((u32)__cvta_generic_to_shared(row)), "r"(to_bar) : "memory");
    }
    if (rank == 2)
        wait_cluster(bar + 16, 0);
    PUT(3, row[t & 63]);
    ALL_BLOCKS;
}

static const struct spelling signal_names[] = {
    { "cluster remote arrive", 8, 8, 8 }, { "cluster st.async to a peer", 8, 8, 8 },
    { "cluster multicast copy", 8, 8, 16 }, { "cluster copy to a peer", 8, 8, 16 },
};

#define COUNT(l) (int)(sizeof(l) / sizeof((l)[0]))
static const struct group groups[] = {
    { registers, { K_I32, K_NONE, K_NONE }, register_names, COUNT(register_names) },
    { peers, { K_I32, K_I32, K_NONE }, peer_names, COUNT(peer_names) },
    { signals, { K_I64, K_I32, K_NONE }, signal_names, COUNT(signal_names) },
};

int main(int argc, char **argv)
{
    return corpus_main(groups, COUNT(groups), argc, argv);
}

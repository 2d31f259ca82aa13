/*
 * Corpus: block barriers and reductions over them, fences, waiting, special registers, address
 * conversions, packing moves, guarded instructions. A line is as corpus.cuh says; operations that
 * only order memory report what a neighbour wrote before them.
 */
#include "corpus.cuh"

#define BEGIN \
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; \
    __shared__ volatile u32 s[256]; \
    (void)a, (void)b, (void)c, (void)p, (void)t, (void)s

/* Write, wait, read what another thread wrote. */
#define EXCHANGE(k, far, text, ...) { \
    __syncthreads(); \
    s[t] = (u32)a[i] + k; \
    asm volatile(text : : __VA_ARGS__ : "memory"); \
    PUT(k, s[(t + far) & 255]); }

extern "C" __global__ void barriers(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    u32 zero = p.w[0] & 0, all = 256 + zero;
    EXCHANGE(0, 77, "bar.sync 0;")
    EXCHANGE(1, 78, "bar.sync 1, 256;")
    EXCHANGE(2, 79, "bar.sync %0, %1;", "r"(2 + zero), "r"(all))
    EXCHANGE(3, 80, "bar.cta.sync 3;")
    EXCHANGE(4, 81, "barrier.sync 4;")
    EXCHANGE(5, 82, "barrier.sync %0, %1;", "r"(15 + zero), "r"(all))
    EXCHANGE(6, 83, "barrier.sync.aligned 5;")
    EXCHANGE(7, 84, "barrier.cta.sync 6;")
    EXCHANGE(8, 85, "barrier.cta.sync.aligned 7, 256;")
    EXCHANGE(9, 86, "bar.arrive 1, 512; bar.sync 1, 512;")
    __syncthreads();
    u32 r = 0;
    s[t] = (u32)b[i];
    if (t < 64) {                                /* two warps of eight */
        asm volatile("bar.sync 8, 64;" : : : "memory");
        r = s[63 - t];
    }
    PUT(10, r);
    __syncthreads();
    s[t] = (u32)b[i] + 1;
    if (t < 128)                                 /* four warps hand over to the other four */
        asm volatile("bar.arrive 9, 256;" : : : "memory");
    else {
        asm volatile("bar.sync 9, 256;" : : : "memory");
        r = s[255 - t];
    }
    PUT(11, r);
    __syncthreads();
    s[t] = (u32)b[i] + 2;
    if (t < 128)
        asm volatile("barrier.cta.arrive %0, %1;" : : "r"(10 + zero), "r"(all) : "memory");
    else {
        asm volatile("barrier.cta.sync %0, %1;" : : "r"(10 + zero), "r"(all) : "memory");
        r = s[255 - t];
    }
    PUT(12, r);
    __syncthreads();
#define HAND_OVER(k, text) \
    s[t] = (u32)b[i] + k; \
    if (t < 128) \
        asm volatile(text " 11, 256;" : : : "memory"); \
    else { \
        asm volatile("bar.sync 11, 256;" : : : "memory"); \
        r = s[255 - t]; \
    } \
    PUT(k, r); \
    __syncthreads();
    HAND_OVER(13, "bar.cta.arrive")
    HAND_OVER(14, "barrier.arrive")
    HAND_OVER(15, "barrier.arrive.aligned")
    HAND_OVER(16, "barrier.cta.arrive.aligned")
    EXCHANGE(17, 87, "barrier.cluster.arrive; barrier.cluster.wait;")
    EXCHANGE(18, 88, "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;")
    EXCHANGE(19, 89, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
    EXCHANGE(20, 90, "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;")
    EXCHANGE(21, 91, "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; barrier.cluster.wait;")
    EXCHANGE(22, 92, "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;")
    EXCHANGE(23, 93, "barrier.cluster.arrive; barrier.cluster.wait;")
    EXCHANGE(24, 94, "barrier.cluster.arrive; barrier.cluster.wait.acquire;")
    EXCHANGE(25, 95, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;")
    EXCHANGE(26, 96, "barrier.cluster.arrive.aligned; barrier.cluster.wait.acquire.aligned;")
}

static const struct spelling barrier_names[] = {
    { "bar.sync", 8, 16, 8 }, { "bar.sync@count", 8, 16, 8 }, { "bar.sync@register", 8, 16, 8 },
    { "bar.cta.sync", 8, 16, 8 }, { "barrier.sync", 8, 16, 8 }, { "barrier.sync@register", 8, 16, 8 },
    { "barrier.sync.aligned", 8, 16, 8 }, { "barrier.cta.sync", 8, 16, 8 },
    { "barrier.cta.sync.aligned", 8, 16, 8 }, { "bar.arrive@self", 8, 16, 8 },
    { "bar.sync@two warps", 8, 16, 8 }, { "bar.arrive", 8, 16, 8 }, { "barrier.cta.arrive", 8, 16, 8 },
    { "bar.cta.arrive", 8, 4, 4 }, { "barrier.arrive", 8, 4, 4 }, { "barrier.arrive.aligned", 8, 4, 4 },
    { "barrier.cta.arrive.aligned", 8, 4, 4 },
    { "barrier.cluster.arrive", 8, 4, 4 }, { "barrier.cluster.arrive.release", 8, 4, 4 },
    { "barrier.cluster.arrive.aligned", 8, 4, 4 }, { "barrier.cluster.arrive.release.aligned", 8, 4, 4 },
    { "barrier.cluster.arrive.relaxed", 8, 4, 4 }, { "barrier.cluster.arrive.relaxed.aligned", 8, 4, 4 },
    { "barrier.cluster.wait", 8, 4, 4 }, { "barrier.cluster.wait.acquire", 8, 4, 4 },
    { "barrier.cluster.wait.aligned", 8, 4, 4 }, { "barrier.cluster.wait.acquire.aligned", 8, 4, 4 },
};

/* Predicate of a thread: mixed in most blocks, all true in block 1, all false in block 2. */
#define PREDICATE (blockIdx.x == 1 ? 1u : blockIdx.x == 2 ? 0u : (u32)a[i] & 1)

#define RED_COUNT(k, text) { u32 d; \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; " text " }" : "=r"(d) : "r"(PREDICATE) : "memory"); \
    PUT(k, d); }

#define RED_PRED(k, text) { u32 d; \
    asm volatile("{ .reg .pred p, q; setp.ne.b32 p, %1, 0; " text " selp.b32 %0, 1, 0, q; }" \
                 : "=r"(d) : "r"(PREDICATE) : "memory"); \
    PUT(k, d); }

extern "C" __global__ void reductions(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    RED_COUNT(0, "bar.red.popc.u32 %0, 0, p;")
    RED_COUNT(1, "bar.red.popc.u32 %0, 1, 256, !p;")
    RED_PRED(2, "bar.red.and.pred q, 0, p;")
    RED_PRED(3, "bar.red.or.pred q, 2, p;")
    RED_PRED(4, "bar.red.and.pred q, 3, 256, !p;")
    RED_PRED(5, "bar.red.or.pred q, 4, 256, !p;")
    RED_COUNT(6, "bar.cta.red.popc.u32 %0, 5, p;")
    RED_PRED(7, "bar.cta.red.and.pred q, 5, p;")
    RED_PRED(8, "bar.cta.red.or.pred q, 5, p;")
    RED_COUNT(9, "barrier.red.popc.u32 %0, 6, p;")
    RED_PRED(10, "barrier.red.and.pred q, 6, p;")
    RED_PRED(11, "barrier.red.or.pred q, 6, p;")
    RED_COUNT(12, "barrier.cta.red.popc.u32 %0, 7, p;")
    RED_PRED(13, "barrier.cta.red.and.pred q, 7, p;")
    RED_PRED(14, "barrier.cta.red.or.pred q, 7, p;")
    RED_COUNT(15, "barrier.cta.red.popc.aligned.u32 %0, 8, p;")
    RED_PRED(16, "barrier.cta.red.and.aligned.pred q, 8, p;")
    RED_PRED(17, "barrier.cta.red.or.aligned.pred q, 8, p;")
    RED_COUNT(18, "barrier.red.popc.aligned.u32 %0, 9, p;")
    RED_PRED(19, "barrier.red.and.aligned.pred q, 9, p;")
    RED_PRED(20, "barrier.red.or.aligned.pred q, 9, p;")
}

static const struct spelling reduction_names[] = {
    { "bar.red.popc.u32", 8, 8, 16 }, { "bar.red.popc.u32@not", 8, 8, 16 },
    { "bar.red.and.pred", 1, 8, 16 }, { "bar.red.or.pred", 1, 8, 16 },
    { "bar.red.and.pred@not", 1, 8, 16 }, { "bar.red.or.pred@not", 1, 8, 16 },
    { "bar.cta.red.popc.u32", 8, 8, 16 }, { "bar.cta.red.and.pred", 1, 8, 16 },
    { "bar.cta.red.or.pred", 1, 8, 16 }, { "barrier.red.popc.u32", 8, 8, 16 },
    { "barrier.red.and.pred", 1, 8, 16 }, { "barrier.red.or.pred", 1, 8, 16 },
    { "barrier.cta.red.popc.u32", 8, 8, 16 }, { "barrier.cta.red.and.pred", 1, 8, 16 },
    { "barrier.cta.red.or.pred", 1, 8, 16 }, { "barrier.cta.red.popc.aligned.u32", 8, 8, 16 },
    { "barrier.cta.red.and.aligned.pred", 1, 8, 16 }, { "barrier.cta.red.or.aligned.pred", 1, 8, 16 },
    { "barrier.red.popc.aligned.u32", 8, 8, 16 }, { "barrier.red.and.aligned.pred", 1, 8, 16 },
    { "barrier.red.or.aligned.pred", 1, 8, 16 },
};

/* A thread of another warp writes data, orders, raises a flag; this one sees the flag, orders, reads. */
#define PASS(k, text) { \
    __shared__ volatile u32 flag[128]; \
    __syncthreads(); \
    if (t < 128) \
        flag[t] = 0; \
    s[t] = 0; \
    __syncthreads(); \
    u32 got = 0; \
    if (t < 128) { \
        s[t] = (u32)a[i] + k; \
        asm volatile(text : : : "memory"); \
        flag[t] = 1; \
    } else { \
        while (!flag[t - 128]) \
            ; \
        asm volatile(text : : : "memory"); \
        got = s[t - 128]; \
    } \
    PUT(k, got); }

extern "C" __global__ void fences(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    PASS(0, "membar.cta;")
    PASS(1, "membar.gl;")
    PASS(2, "membar.sys;")
    PASS(3, "fence.sc.cta;")
    PASS(4, "fence.sc.cluster;")
    PASS(5, "fence.sc.gpu;")
    PASS(6, "fence.sc.sys;")
    PASS(7, "fence.acq_rel.cta;")
    PASS(8, "fence.acq_rel.cluster;")
    PASS(9, "fence.acq_rel.gpu;")
    PASS(10, "fence.acq_rel.sys;")
    PASS(11, "nanosleep.u32 20; membar.cta;")
    u32 ns = 1 + ((u32)a[i] & 63);
    asm volatile("nanosleep.u32 %0;" : : "r"(ns));
    PUT(12, ns);
}

static const struct spelling fence_names[] = {
    { "membar.cta", 8, 2, 2 }, { "membar.gl", 8, 2, 2 }, { "membar.sys", 8, 2, 2 },
    { "fence.sc.cta", 8, 2, 2 }, { "fence.sc.cluster", 8, 2, 2 }, { "fence.sc.gpu", 8, 2, 2 },
    { "fence.sc.sys", 8, 2, 2 }, { "fence.acq_rel.cta", 8, 2, 2 }, { "fence.acq_rel.cluster", 8, 2, 2 },
    { "fence.acq_rel.gpu", 8, 2, 2 }, { "fence.acq_rel.sys", 8, 2, 2 }, { "nanosleep.u32@immediate", 8, 2, 2 },
    { "nanosleep.u32", 8, 2, 2 },
};

#define SREG(k, type, reg, name) { type d; asm volatile("mov." name ";" : "=" reg(d)); PUT(k, d); }

/* Two readings of a clock, the second after some work: 1 if time did not go back. */
#define CLOCK(k, type, reg, name) { \
    type first, second; \
    asm volatile("mov." name ";" : "=" reg(first)); \
    __syncthreads(); \
    asm volatile("mov." name ";" : "=" reg(second)); \
    PUT(k, second >= first || second + 0x10000000 >= first + 0x10000000); }

extern "C" __global__ void registers(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    SREG(0, u32, "r", "u32 %0, %%tid.x")
    SREG(1, u32, "r", "u32 %0, %%ntid.x")
    SREG(2, u32, "r", "u32 %0, %%ctaid.x")
    SREG(3, u32, "r", "u32 %0, %%nctaid.x")
    SREG(4, u32, "r", "u32 %0, %%tid.y")
    SREG(5, u32, "r", "u32 %0, %%ntid.z")
    SREG(6, u32, "r", "u32 %0, %%laneid")
    SREG(7, u32, "r", "u32 %0, %%lanemask_eq")
    SREG(8, u32, "r", "u32 %0, %%lanemask_lt")
    SREG(9, u32, "r", "u32 %0, %%lanemask_le")
    SREG(10, u32, "r", "u32 %0, %%lanemask_gt")
    SREG(11, u32, "r", "u32 %0, %%lanemask_ge")
    SREG(12, u32, "r", "u32 %0, %%cluster_ctarank")
    SREG(13, u32, "r", "u32 %0, %%cluster_nctarank")
    SREG(14, u32, "r", "u32 %0, %%cluster_ctaid.x")
    SREG(15, u32, "r", "u32 %0, %%cluster_nctaid.x")
    SREG(16, u32, "r", "u32 %0, %%clusterid.x")
    SREG(17, u32, "r", "u32 %0, %%nclusterid.x")
    SREG(18, u32, "r", "u32 %0, %%dynamic_smem_size")
    SREG(19, u32, "r", "u32 %0, WARP_SZ")
    CLOCK(20, u32, "r", "u32 %0, %%clock")
    CLOCK(21, u64, "l", "u64 %0, %%clock64")
    CLOCK(22, u64, "l", "u64 %0, %%globaltimer")
    CLOCK(23, u32, "r", "u32 %0, %%globaltimer_lo")
    u32 sm, sms, warp, warps;
    asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%nsmid; mov.u32 %2, %%warpid; mov.u32 %3, %%nwarpid;"
                 : "=r"(sm), "=r"(sms), "=r"(warp), "=r"(warps));
    PUT(24, sm < sms);
    PUT(25, warp < warps);
    u16 half;
    asm volatile("{ .reg .u32 w; mov.u32 w, %%tid.x; cvt.u16.u32 %0, w; }" : "=h"(half));
    PUT(26, half);
    SREG(27, u32, "r", "b32 %0, %%tid.x")
    SREG(28, u32, "r", "s32 %0, %%ctaid.x")
}

static const struct spelling register_names[] = {
    { "mov.u32@tid.x", 8, 8, 8 }, { "mov.u32@ntid.x", 8, 2, 2 }, { "mov.u32@ctaid.x", 8, 2, 16 },
    { "mov.u32@nctaid.x", 8, 2, 2 }, { "mov.u32@tid.y", 8, 2, 2 }, { "mov.u32@ntid.z", 8, 2, 2 },
    { "mov.u32@laneid", 8, 64, 2 }, { "mov.u32@lanemask_eq", 8, 32, 2 }, { "mov.u32@lanemask_lt", 8, 32, 2 },
    { "mov.u32@lanemask_le", 8, 32, 2 }, { "mov.u32@lanemask_gt", 8, 32, 2 }, { "mov.u32@lanemask_ge", 8, 32, 2 },
    { "mov.u32@cluster_ctarank", 8, 2, 2 }, { "mov.u32@cluster_nctarank", 8, 2, 2 },
    { "mov.u32@cluster_ctaid.x", 8, 2, 2 }, { "mov.u32@cluster_nctaid.x", 8, 2, 2 },
    { "mov.u32@clusterid.x", 8, 2, 16 }, { "mov.u32@nclusterid.x", 8, 2, 2 },
    { "mov.u32@dynamic_smem_size", 8, 2, 2 }, { "mov.u32@WARP_SZ", 8, 2, 2 }, { "mov.u32@clock", 1, 2, 2 },
    { "mov.u64@clock64", 1, 2, 2 }, { "mov.u64@globaltimer", 1, 2, 2 }, { "mov.u32@globaltimer_lo", 1, 2, 2 },
    { "mov.u32@smid", 1, 2, 2 }, { "mov.u32@warpid", 1, 2, 2 }, { "cvt.u16.u32@tid.x", 4, 2, 2 },
    { "mov.b32@tid.x", 8, 8, 8 }, { "mov.s32@ctaid.x", 8, 2, 16 },
};

#define ISSPACE(k, name) { u32 d; \
    asm volatile("{ .reg .pred p; isspacep." name " p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(d) : "l"(q)); \
    PUT(k, d); }

/* To the space and back; the value read through the space's own load. */
#define CVTA(k, space, pointer) { u64 d, back; u32 x; \
    asm volatile("cvta.to." space ".u64 %0, %3; cvta." space ".u64 %1, %0; ld." space ".u32 %2, [%0];" \
                 : "=l"(d), "=l"(back), "=r"(x) : "l"(pointer) : "memory"); \
    PUT(k, (u64)(back == (u64)(pointer)) << 32 | x); }

extern "C" __global__ void spaces(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, const __grid_constant__ blob p)
{
    BEGIN;
    volatile u32 loc[2] = { (u32)a[i], (u32)b[i] };
    s[t] = (u32)c[i];
    __syncthreads();
    const void *at[5] = { a + i, (const void *)(s + t), (const void *)loc, &corpus_constant[i & 255], &p };
    const void *q = at[i % 5];
    ISSPACE(0, "global")
    ISSPACE(1, "shared")
    ISSPACE(2, "shared::cta")
    ISSPACE(3, "shared::cluster")
    ISSPACE(4, "local")
    ISSPACE(5, "const")
    CVTA(6, "global", a + i)
    CVTA(7, "shared", s + t)
    CVTA(8, "local", loc + 1)
    CVTA(9, "const", &corpus_constant[i & 255])
    PUT(10, *(const volatile u32 *)q);                        /* generic load from five spaces */
    ISSPACE(11, "param")
    ISSPACE(12, "param::entry")
}

static const struct spelling space_names[] = {
    { "isspacep.global", 1, 8, 2 }, { "isspacep.shared", 1, 8, 2 }, { "isspacep.shared::cta", 1, 8, 2 },
    { "isspacep.shared::cluster", 1, 8, 2 }, { "isspacep.local", 1, 8, 2 }, { "isspacep.const", 1, 8, 2 },
    { "cvta.to.global.u64", 16, 8, 2 }, { "cvta.to.shared.u64", 16, 8, 2 }, { "cvta.to.local.u64", 16, 8, 2 },
    { "cvta.to.const.u64", 16, 8, 2 }, { "generic load", 8, 16, 2 },
    { "isspacep.param", 1, 8, 2 }, { "isspacep.param::entry", 1, 8, 2 },
};

extern "C" __global__ void packs(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    u32 r, w; u64 d; u16 h, g; u64 x, y;
    asm volatile("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"((u16)a[i]), "h"((u16)b[i]));
    PUT(0, r);
    asm volatile("mov.b64 %0, {%1, %2};" : "=l"(d) : "r"((u32)a[i]), "r"((u32)b[i]));
    PUT(1, d);
    asm volatile("mov.b64 %0, {%1, %2, %3, %4};" : "=l"(d)
                 : "h"((u16)a[i]), "h"((u16)b[i]), "h"((u16)c[i]), "h"((u16)(a[i] >> 16)));
    PUT(2, d);
    asm volatile("mov.b32 {%0, %1}, %2;" : "=h"(h), "=h"(g) : "r"((u32)a[i]));
    PUT(3, h | (u64)g << 32);
    asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(r), "=r"(w) : "l"(a[i]));
    PUT(4, r ^ (u64)w << 24);
    asm volatile("{ .reg .b16 e, f; mov.b64 {e, f, %0, %1}, %2; add.u16 %0, %0, e; xor.b16 %1, %1, f; }"
                 : "=h"(h), "=h"(g) : "l"(a[i]));
    PUT(5, h | (u64)g << 32);
    asm volatile("{ .reg .b128 q; mov.b128 q, {%2, %3}; mov.b128 {%0, %1}, q; }"
                 : "=l"(x), "=l"(y) : "l"(a[i]), "l"(b[i]));
    PUT(6, mix(x, y));
    asm volatile("mov.b64 {_, %0}, %1;" : "=r"(r) : "l"(a[i]));
    PUT(7, r);
    asm volatile("{ .reg .pred q; setp.lt.s32 q, %1, %2; mov.b32 %0, 5; @q mov.b32 %0, 6; @!q add.s32 %0, %0, 7; }"
                 : "=r"(r) : "r"((u32)a[i]), "r"((u32)b[i]));
    PUT(8, r);
    asm volatile("{ .reg .pred q; setp.lt.s32 q, %1, %2; mov.b32 %0, 1; @q bra L; add.s32 %0, %0, 8; L: shl.b32 %0, %0, 2; }"
                 : "=r"(r) : "r"((u32)a[i]), "r"((u32)b[i]));
    PUT(9, r);
    asm volatile("{ mov.u32 %0, 3; bra.uni L; mov.u32 %0, 4; L: add.u32 %0, %0, 1; }" : "=r"(r));
    PUT(10, r);
    PUT(11, 1);
    if ((i & 7) == 5)
        asm volatile("exit;");
    PUT(11, 2);
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 0; @q exit; }" : : "r"(i & 3));
    PUT(11, 3);
    if ((i & 7) == 2)
        asm volatile("ret;");
    PUT(11, 4);
}

static const struct spelling pack_names[] = {
    { "mov.b32@pack", 8, 16, 8 }, { "mov.b64@pack", 16, 16, 8 }, { "mov.b64@pack4", 16, 16, 8 },
    { "mov.b32@unpack", 16, 16, 8 }, { "mov.b64@unpack", 16, 16, 8 }, { "mov.b64@unpack4", 16, 16, 8 },
    { "mov.b128", 16, 16, 8 }, { "mov.b64@sink", 8, 16, 8 }, { "mov.b32@guarded", 8, 16, 8 },
    { "bra", 8, 16, 8 }, { "bra.uni", 8, 2, 2 }, { "exit", 1, 32, 2 },
};

extern "C" __device__ __noinline__ __attribute__((used)) u32 corpus_sum(u32 x, u32 y)
{
    if (x == 77)
        asm volatile("trap;");
    return x + 2 * y;
}

#define CALL(k, how, guard) { u32 r = 5; \
    asm volatile("{ .reg .pred q; .param .b32 x, y, z; setp.ne.u32 q, %3, 0; " guard \
                 "st.param.b32 [x], %1; st.param.b32 [y], %2; " how " (z), corpus_sum, (x, y); ld.param.b32 %0, [z]; L: }" \
                 : "+r"(r) : "r"((u32)a[i] | 128), "r"((u32)b[i]), "r"(i & 1) : "memory"); \
    PUT(k, r); }

extern "C" __global__ void calls(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    CALL(0, "call.uni", "")
    CALL(1, "call", "")
    CALL(2, "call.uni", "@q bra L; ")
    CALL(3, "call", "@!q bra L; ")
    u32 r;
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 12345; @q trap; add.u32 %0, %1, 1; }" : "=r"(r) : "r"(i));
    PUT(4, r);
    asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 12345; @q brkpt; add.u32 %0, %1, 2; }" : "=r"(r) : "r"(i));
    PUT(5, r);
    PUT(6, 1);
    PUT(7, 1);
    if (blockIdx.x == 3)
        asm volatile("ret.uni;");
    PUT(6, 2);
    if ((i & 7) == 2)
        asm volatile("ret;");
    PUT(7, 2);
}

static const struct spelling call_names[] = {
    { "call.uni", 8, 8, 8 }, { "call", 8, 8, 8 }, { "call.uni@some lanes", 8, 8, 8 }, { "call@some lanes", 8, 8, 8 },
    { "trap@not taken", 8, 2, 2 }, { "brkpt@not taken", 8, 2, 2 }, { "ret.uni", 1, 2, 16 }, { "ret", 1, 16, 8 },
};

#define COUNT(l) (int)(sizeof(l) / sizeof((l)[0]))
static const struct group groups[] = {
    { barriers, { K_I32, K_I32, K_NONE }, barrier_names, COUNT(barrier_names) },
    { reductions, { K_I32, K_NONE, K_NONE }, reduction_names, COUNT(reduction_names) },
    { fences, { K_I32, K_NONE, K_NONE }, fence_names, COUNT(fence_names) },
    { registers, { K_I32, K_NONE, K_NONE }, register_names, COUNT(register_names) },
    { spaces, { K_I64, K_I64, K_I64 }, space_names, COUNT(space_names) },
    { packs, { K_I64, K_I64, K_I64 }, pack_names, COUNT(pack_names) },
    { calls, { K_I32, K_I32, K_NONE }, call_names, COUNT(call_names) },
};

int main(int argc, char **argv)
{
    return corpus_main(groups, COUNT(groups), argc, argv);
}

/*
 * Corpus: operations on the threads of a warp, with full and partial masks and in divergent code.
 * Each of the 128 warps has a mask of its own; only the lanes in it execute the operation, the
 * others report OUTSIDE. What a shuffle from an inactive lane delivers is not defined: those
 * cases report INACTIVE. A line is as corpus.cuh says.
 */
#include "corpus.cuh"

#define OUTSIDE 0xeeeeeeeeeeeeeeeeull
#define INACTIVE 0xddddddddddddddddull

static __device__ u32 scramble(u32 x)
{
    x ^= x >> 16, x *= 0x7feb352du;
    x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static __device__ u32 mask_of(int warp)
{
    switch (warp & 7) {
    case 0: case 1: return 0xffffffff;
    case 2: return 0x55555555u << (warp >> 3 & 1);
    case 3: return 0x0000ffff;
    case 4: return 0xffffff00;
    case 5: return 1u << (warp >> 3 & 31);
    default: return scramble(warp) | 1u << (warp & 31);
    }
}

/* The lane that a shuffle reads, after the PTX manual's pseudocode. */
static __device__ int source_lane(char mode, int lane, u32 b, u32 c)
{
    int bval = b & 31, cval = c & 31, seg = c >> 8 & 31;
    int max = (lane & seg) | (cval & ~seg), min = lane & seg, j = lane;
    switch (mode) {
    case 'u': j = lane - bval; return j >= max ? j : lane;
    case 'd': j = lane + bval; break;
    case 'b': j = lane ^ bval; break;
    case 'i': j = min | (bval & ~seg); break;
    }
    return j <= max ? j : lane;
}

#define BEGIN \
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = i >> 5; \
    u32 mask = mask_of(warp); \
    bool in = mask >> lane & 1; \
    (void)in, (void)a, (void)b, (void)c, (void)p

/* c operand of a shuffle: segments of 32, 16, 8 or 4 lanes, one width a warp. */
static __device__ u32 segments(char mode, int warp)
{
    u32 width = 32u >> (warp >> 1 & 3);
    return (32 - width) << 8 | (mode == 'u' ? 0 : 31);
}

#define SHUFFLE(k, mode, text, distance) { \
    u32 d = 0, ok = 0, cc = segments(mode, warp), bb = (distance); u64 r = OUTSIDE; \
    if (in) { \
        asm volatile("{ .reg .pred q; " text " %0|q, %2, %3, %4, %5; selp.b32 %1, 1, 0, q; }" \
                     : "=r"(d), "=r"(ok) : "r"((u32)a[i]), "r"(bb), "r"(cc), "r"(mask)); \
        r = mask >> source_lane(mode, lane, bb, cc) & 1 ? (u64)ok << 32 | d : INACTIVE; \
    } \
    PUT(k, r); }

extern "C" __global__ void shuffles(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    SHUFFLE(0, 'i', "shfl.sync.idx.b32", (u32)b[i])
    SHUFFLE(1, 'u', "shfl.sync.up.b32", (u32)b[i])
    SHUFFLE(2, 'd', "shfl.sync.down.b32", (u32)b[i])
    SHUFFLE(3, 'b', "shfl.sync.bfly.b32", (u32)b[i])
    SHUFFLE(4, 'i', "shfl.sync.idx.b32", scramble(warp))
    SHUFFLE(5, 'u', "shfl.sync.up.b32", 1u << (warp % 5))
    SHUFFLE(6, 'd', "shfl.sync.down.b32", 1u << (warp % 5))
    SHUFFLE(7, 'b', "shfl.sync.bfly.b32", 1u << (warp % 5))
    u32 d;
    asm volatile("shfl.sync.idx.b32 %0, %1, 5, 31, -1;" : "=r"(d) : "r"((u32)a[i]));
    PUT(8, d);
    asm volatile("shfl.sync.up.b32 %0, %1, 3, 0, 0xffffffff;" : "=r"(d) : "r"((u32)a[i]));
    PUT(9, d);
    asm volatile("shfl.sync.down.b32 %0, %1, 4, 0x1f, -1;" : "=r"(d) : "r"((u32)a[i]));
    PUT(10, d);
    asm volatile("shfl.sync.bfly.b32 %0, %1, 16, 0x181f, -1;" : "=r"(d) : "r"((u32)a[i]));
    PUT(11, d);
}

static const struct spelling shuffle_names[] = {
    { "shfl.sync.idx.b32", 16, 64, 8 }, { "shfl.sync.up.b32", 16, 64, 8 },
    { "shfl.sync.down.b32", 16, 64, 8 }, { "shfl.sync.bfly.b32", 16, 64, 8 },
    { "shfl.sync.idx.b32@uniform", 16, 32, 8 }, { "shfl.sync.up.b32@uniform", 16, 32, 8 },
    { "shfl.sync.down.b32@uniform", 16, 32, 8 }, { "shfl.sync.bfly.b32@uniform", 16, 32, 8 },
    { "shfl.sync.idx.b32@immediate", 8, 32, 8 }, { "shfl.sync.up.b32@immediate", 8, 32, 8 },
    { "shfl.sync.down.b32@immediate", 8, 32, 8 }, { "shfl.sync.bfly.b32@immediate", 8, 32, 8 },
};

/* Predicate of a lane: mixed, and in some warps the same for all. */
#define PREDICATE ((warp & 3) == 1 ? 1u : (warp & 15) == 8 ? 0u : (u32)a[i] & 1)

#define VOTE(k, text, neg) { \
    u32 d = 0; \
    if (in) \
        asm volatile("{ .reg .pred p, q; setp.ne.b32 p, %1, 0; " text " q, " neg "p, %2; selp.b32 %0, 1, 0, q; }" \
                     : "=r"(d) : "r"(PREDICATE), "r"(mask)); \
    PUT(k, in ? d : OUTSIDE); }

#define BALLOT(k, text, neg) { \
    u32 d = 0; \
    if (in) \
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; " text " %0, " neg "p, %2; }" \
                     : "=r"(d) : "r"(PREDICATE), "r"(mask)); \
    PUT(k, in ? d : OUTSIDE); }

extern "C" __global__ void votes(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    VOTE(0, "vote.sync.all.pred", "")
    VOTE(1, "vote.sync.any.pred", "")
    VOTE(2, "vote.sync.uni.pred", "")
    VOTE(3, "vote.sync.all.pred", "!")
    VOTE(4, "vote.sync.any.pred", "!")
    VOTE(5, "vote.sync.uni.pred", "!")
    BALLOT(6, "vote.sync.ballot.b32", "")
    BALLOT(7, "vote.sync.ballot.b32", "!")
    u32 d = 0;
    if (in)
        asm volatile("activemask.b32 %0;" : "=r"(d));
    PUT(8, in ? d : OUTSIDE);
}

static const struct spelling vote_names[] = {
    { "vote.sync.all.pred", 1, 64, 8 }, { "vote.sync.any.pred", 1, 64, 8 }, { "vote.sync.uni.pred", 1, 64, 8 },
    { "vote.sync.all.pred@not", 1, 64, 8 }, { "vote.sync.any.pred@not", 1, 64, 8 },
    { "vote.sync.uni.pred@not", 1, 64, 8 }, { "vote.sync.ballot.b32", 8, 64, 8 },
    { "vote.sync.ballot.b32@not", 8, 64, 8 }, { "activemask.b32", 8, 64, 8 },
};

/* Values that meet: few different ones, in some warps a single one. */
#define FEW ((warp & 3) == 1 ? 7ull : a[i] % 5 * 0x100000001ull)

#define MATCH_ANY(k, text, reg, type) { \
    u32 d = 0; \
    if (in) \
        asm volatile(text " %0, %1, %2;" : "=r"(d) : reg((type)FEW), "r"(mask)); \
    PUT(k, in ? d : OUTSIDE); }

#define MATCH_ALL(k, text, reg, type) { \
    u32 d = 0, ok = 0; \
    if (in) \
        asm volatile("{ .reg .pred q; " text " %0|q, %2, %3; selp.b32 %1, 1, 0, q; }" \
                     : "=r"(d), "=r"(ok) : reg((type)FEW), "r"(mask)); \
    PUT(k, in ? (u64)ok << 32 | d : OUTSIDE); }

#define REDUX(k, text) { \
    u32 d = 0; \
    if (in) \
        asm volatile(text " %0, %1, %2;" : "=r"(d) : "r"((u32)a[i]), "r"(mask)); \
    PUT(k, in ? d : OUTSIDE); }

extern "C" __global__ void matches(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    MATCH_ANY(0, "match.any.sync.b32", "r", u32)
    MATCH_ANY(1, "match.any.sync.b64", "l", u64)
    MATCH_ALL(2, "match.all.sync.b32", "r", u32)
    MATCH_ALL(3, "match.all.sync.b64", "l", u64)
    REDUX(4, "redux.sync.add.u32")
    REDUX(5, "redux.sync.add.s32")
    REDUX(6, "redux.sync.min.u32")
    REDUX(7, "redux.sync.min.s32")
    REDUX(8, "redux.sync.max.u32")
    REDUX(9, "redux.sync.max.s32")
    REDUX(10, "redux.sync.and.b32")
    REDUX(11, "redux.sync.or.b32")
    REDUX(12, "redux.sync.xor.b32")
}

static const struct spelling match_names[] = {
    { "match.any.sync.b32", 8, 64, 8 }, { "match.any.sync.b64", 8, 64, 8 },
    { "match.all.sync.b32", 16, 64, 8 }, { "match.all.sync.b64", 16, 64, 8 },
    { "redux.sync.add.u32", 8, 64, 8 }, { "redux.sync.add.s32", 8, 64, 8 },
    { "redux.sync.min.u32", 8, 64, 8 }, { "redux.sync.min.s32", 8, 64, 8 },
    { "redux.sync.max.u32", 8, 64, 8 }, { "redux.sync.max.s32", 8, 64, 8 },
    { "redux.sync.and.b32", 8, 64, 8 }, { "redux.sync.or.b32", 8, 64, 8 }, { "redux.sync.xor.b32", 8, 64, 8 },
};

extern "C" __global__ void warp_barriers(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    __shared__ volatile u32 s[256];
    u32 next = lane, x = 0;                      /* the next lane of the mask, cyclically */
    do
        next = (next + 1) & 31;
    while (!(mask >> next & 1));
    if (in) {
        s[threadIdx.x] = (u32)a[i];
        asm volatile("bar.warp.sync %0;" : : "r"(mask) : "memory");
        x = s[(threadIdx.x & ~31u) + next];
    }
    PUT(0, in ? x : OUTSIDE);
    __syncthreads();
    s[threadIdx.x] = (u32)b[i];
    asm volatile("bar.warp.sync -1;" : : : "memory");
    PUT(1, s[threadIdx.x ^ 21]);
    u32 leader = 0, won = 0;
    if (in)
        asm volatile("{ .reg .pred q; elect.sync %0|q, %2; selp.b32 %1, 1, 0, q; }"
                     : "=r"(leader), "=r"(won) : "r"(mask));
    u32 winners = __ballot_sync(0xffffffff, won);
    PUT(2, in ? (winners == 1u << (leader & 31) && (mask & winners)) : OUTSIDE);
    PUT(3, in ? leader : OUTSIDE);
}

static const struct spelling barrier_names[] = {
    { "bar.warp.sync", 8, 64, 8 }, { "bar.warp.sync@immediate", 8, 32, 8 }, { "elect.sync", 1, 32, 8 },
    { "elect.sync@leader", 8, 32, 8 },
};

/* The two halves of a warp run different synchronising operations, in either order, in a loop. */
extern "C" __global__ void divergent(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)
{
    BEGIN;
    u32 x = (u32)a[i], low = mask, high = ~mask, r = 0, s = 0;
    for (int round = 0; round < 3; round++)
        if (in)
            r += __shfl_sync(low, x + round, __ffs(low) - 1);
        else
            r ^= __reduce_add_sync(high, x * 3 + round);
    PUT(0, r);
    u32 left[4] = { 0xffffffff, 0xeeeeeeee, 0xcccccccc, 0x88888888 };   /* lanes still in the loop */
    for (int round = 0; round <= lane % 4; round++)
        s = s * 5 + __popc(__ballot_sync(left[round], x >> round & 1));
    PUT(1, s);
    if (lane < 20) {
        if (lane < 10)
            r = __shfl_down_sync(0x3ff, x, 1);
        else if (x & 1)
            r = 1;
        else
            r = 2;
        __syncwarp(0xfffff);
        r += __shfl_xor_sync(0xfffff, lane < 16 ? r : 0, 1);
    }
    PUT(2, lane == 9 || lane == 8 ? 0 : r);
}

static const struct spelling divergent_names[] = {
    { "divergent halves", 8, 64, 8 }, { "divergent loop", 8, 32, 8 }, { "divergent nested", 8, 64, 8 },
};

#define COUNT(l) (int)(sizeof(l) / sizeof((l)[0]))
static const struct group groups[] = {
    { shuffles, { K_I32, K_I32, K_NONE }, shuffle_names, COUNT(shuffle_names) },
    { votes, { K_I32, K_NONE, K_NONE }, vote_names, COUNT(vote_names) },
    { matches, { K_I32, K_NONE, K_NONE }, match_names, COUNT(match_names) },
    { warp_barriers, { K_I32, K_I32, K_NONE }, barrier_names, COUNT(barrier_names) },
    { divergent, { K_I32, K_NONE, K_NONE }, divergent_names, COUNT(divergent_names) },
};

int main(int argc, char **argv)
{
    return corpus_main(groups, COUNT(groups), argc, argv);
}

/*
 * The corpus's common part: operand values, the launch of a group of
 * spellings, and the lines of results.
 *  - A group is one kernel that runs several spellings over the same inputs.
 *    Case i of spelling k writes 64 bits to out[k * n + i].
 *  - A line is `spelling: r0 r1 ... | s0 s1 ...`: the first results in hex and
 *    checksums, each over as many consecutive cases.
 *  - The same source is compiled for a GPU and for the emulator; all values come
 *    from fixed tables and one LCG, so that the lines can be compared bit by bit.
 * Not covered here: operations on several threads (warp.cu, block.cu, cluster.cu, flow.cu).
 */
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;

#define CASES 4096 /* cases a spelling */
#define SLOT 4     /* 64-bit words of memory that belong to one case */

#define CUDA(call) cuda_check((call), #call, __LINE__)

static inline void cuda_check(cudaError_t e, const char *what, int line)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(e));
    exit(e == cudaErrorNoDevice || e == cudaErrorInsufficientDriver ? 3 : 1);
}

/* ---- values ----------------------------------------------------------- */

/* Knuth's MMIX generator; the high half is used. Same numbers everywhere. */
static inline u64 lcg(u64 *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    u64 high = *s >> 32;
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return high << 32 | *s >> 32;
}

enum kind {
    K_NONE, K_I8, K_I16, K_I32, K_I64, K_NZ16, K_NZ32, K_NZ64, K_SH, K_P,
    K_F16, K_BF16, K_F32, K_F64, K_F16X2, K_BF16X2,
    K_ANGLE, K_POSITIVE, K_EXPONENT, K_DIVISOR, K_MODERATE, K_MEM,
    K_EXPONENT16, K_MODERATE16, K_BYTE, K_LANE, K_STEP
};

static const u64 edges_int[] = {
    0, 1, ~0ull, 2, 3, 7, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
    0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
    ~1ull, 0xffffffffffffff80, 0xffffffffffffff7f, 0xffffffffffff8000, 0xffffffffffff7fff,
    0xffffffff80000000, 0xffffffff7fffffff, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa,
    0x0123456789abcdef, 0x01000001, 0x01000003, 0x7fffff80, 0x7fffffbf, 0x0020000000000001,
    0x0020000000000003, 0xfffffffffffffbff, 0xfffffffffffffc00, 2049, 2051, 65519, 65520 };

static const u64 edges_shift[] = {
    0, 1, 31, 32, 33, 15, 16, 17, 63, 64, 65, 7, 8, 5, 30, 255, 256, 257, 288, 0x7fffffff,
    0x80000000, 0xffffffff, 0xffffffe0, 0x10000, 0x1001f };

static const u64 edges_pred[] = { 0, 1 };

static const u64 edges_f16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3bff,
    0x4000, 0x3800, 0x3e00, 0x4100, 0xb800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00,
    0x7fff, 0x7c01, 0xfd55, 0x7e2a, 0x6400, 0x6401, 0x5bff, 0x5c00, 0xd800, 0x57f8 };

static const u64 edges_bf16[] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3f7f,
    0x4000, 0x3f00, 0x3fc0, 0x4020, 0xbf00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc0,
    0x7fff, 0x7f81, 0xffaa, 0x7fd5, 0x4f00, 0xcf00, 0x4f80, 0x5f00, 0x4380, 0x437f };

static const u64 edges_f32[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00000, 0x7fffffff, 0x7fc12345, 0x7f800001, 0xffabcdef, 0x00000001, 0x80000001,
    0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00ffffff, 0x3f800001, 0x3f7fffff,
    0x40000000, 0x3f000000, 0xbf000000, 0x3fc00000, 0xbfc00000, 0x40200000, 0x40600000,
    0x3effffff, 0x3f000001, 0x7f7fffff, 0xff7fffff, 0x7f000000, 0x4b000000, 0x4affffff,
    0x4b7fffff, 0x4b800001, 0x42fe0000, 0x42ff0000, 0x43000000, 0xc3000000, 0xc3008000,
    0x437f0000, 0x437f8000, 0x43800000, 0x46fffe00, 0x46ffff00, 0x47000000, 0xc7000080,
    0x477fff00, 0x477fff80, 0x47800000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
    0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff,
    0x5f800000, 0x40490fdb, 0x33800000, 0x33000000, 0x477fe000, 0x477ff000, 0x477fefff,
    0x38800000, 0x387fe000, 0x387ff000, 0x33c00000, 0x7f7f8000, 0x7f7f7fff };

static const u64 edges_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000,
    0x7fffffffffffffff, 0x7ff8123456789abc, 0x7ff0000000000001, 0xfff7cdef01234567,
    0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000000, 0x001fffffffffffff, 0x3ff0000000000001,
    0x3fefffffffffffff, 0x4000000000000000, 0x3fe0000000000000, 0xbfe0000000000000,
    0x3ff8000000000000, 0xbff8000000000000, 0x4004000000000000, 0x400c000000000000,
    0x3fdfffffffffffff, 0x3fe0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
    0x7fe0000000000000, 0x4330000000000000, 0x432fffffffffffff, 0x433fffffffffffff,
    0x405fc00000000000, 0x405fe00000000000, 0x4060000000000000, 0xc060000000000000,
    0xc060100000000000, 0x406fe00000000000, 0x406ff00000000000, 0x40dfffc000000000,
    0x40dfffe000000000, 0x40e0000000000000, 0xc0e0001000000000, 0x40efffe000000000,
    0x40effff000000000, 0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000,
    0xc1e0000000000000, 0xc1e0000000100000, 0x41efffffffe00000, 0x41effffffff00000,
    0x41f0000000000000, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000,
    0xc3e0000000000001, 0x43efffffffffffff, 0x43f0000000000000, 0x47efffffe0000000,
    0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000,
    0x3690000000000001, 0x380fffffe0000000, 0x380ffffff0000000, 0x3ff0000010000000,
    0x3ff0000030000000, 0x40effc0000000000, 0x40effe0000000000, 0x3e70000000000000 };

static inline double as_f64(u64 v) { double d; memcpy(&d, &v, 8); return d; }
static inline float as_f32(u64 v) { float f; u32 w = (u32)v; memcpy(&f, &w, 4); return f; }
static inline u64 bits_f64(double d) { u64 v; memcpy(&v, &d, 8); return v; }
static inline u64 bits_f32(float f) { u32 w; memcpy(&w, &f, 4); return w; }

/* An integer of any magnitude: random bits shifted down by a random amount. */
static u64 draw_int(u64 *s)
{
    u64 v = lcg(s), r = lcg(s);
    v >>= r & 63;
    return r & 64 ? ~v : v;
}

/* f32: any bits | near one | halfway between two f16 or bf16 | integer and a half. */
static u64 draw_f32(u64 *s)
{
    u64 v = lcg(s), r = v >> 32;
    u32 w = (u32)v;
    switch (r % 6) {
    case 0: return w;
    case 1: return (w & 0x80ffffff) | 0x3f000000;
    case 2: return (w & 0xffff0000) | 0x8000;                               /* bf16 midpoint */
    case 3: return (w & 0x8fffe000) | 0x38000000 | 0x1000 | (r >> 8 & 1);   /* f16 midpoint  */
    case 4: return bits_f32((float)(int32_t)(w >> (r >> 8 & 31)) * ((w & 1) ? 0.5f : -0.25f));
    default: return (w & 0x807fffff) | (u32)(0x50 + (r >> 8) % 0x60) << 23;
    }
}

/* f64: any bits | near one | halfway between two f32 | integer and a half. */
static u64 draw_f64(u64 *s)
{
    u64 v = lcg(s), r = lcg(s);
    switch (r % 6) {
    case 0: return v;
    case 1: return (v & 0x801fffffffffffff) | 0x3fe0000000000000;
    case 2: return (bits_f64((double)as_f32(v & 0x7f7fffff)) | (v & 0x8000000000000000)) + 0x10000000;
    case 3: return bits_f64((double)as_f32(v & 0x80ffffff));                /* small f32     */
    case 4: return bits_f64((double)(int64_t)(v >> (r >> 8 & 63)) * ((v & 1) ? 0.5 : -0.25));
    default: return (v & 0x800fffffffffffff) | (0x3c0 + (r >> 8) % 0x80) << 52;
    }
}

static u64 draw_f16(u64 *s)
{
    u64 v = lcg(s);
    return v & 1 << 20 ? v & 0xffff : (v & 0x8fff) | 0x3000;
}

static u64 draw_bf16(u64 *s)
{
    u64 v = lcg(s);
    return v & 1 << 20 ? v & 0xffff : (v & 0x83ff) | 0x3c00;
}

/* A float between -limit and limit, on a grid fine enough to matter. */
static float spread(u64 *s, float limit)
{
    return ((float)(u32)(lcg(s) >> 40) / 8388608.0f - 1.0f) * limit;
}

static u64 to_f16(float f)
{
    u32 w = (u32)bits_f32(f), sign = w >> 16 & 0x8000;
    int e = (int)(w >> 23 & 255) - 112;
    return e <= 0 ? sign : sign | (u32)e << 10 | (w >> 13 & 0x3ff);
}

static u64 draw(enum kind k, u64 *s)
{
    switch (k) {
    case K_I8: return lcg(s) & 0xff;
    case K_I16: case K_NZ16: return draw_int(s) & 0xffff;
    case K_I32: case K_NZ32: return draw_int(s) & 0xffffffff;
    case K_I64: case K_NZ64: return draw_int(s);
    case K_SH: return lcg(s) % 72;
    case K_P: return lcg(s) >> 17 & 1;
    case K_F16: return draw_f16(s);
    case K_BF16: return draw_bf16(s);
    case K_F16X2: { u64 low = draw_f16(s); return low | draw_f16(s) << 16; }
    case K_BF16X2: { u64 low = draw_bf16(s); return low | draw_bf16(s) << 16; }
    case K_F32: return draw_f32(s);
    case K_F64: return draw_f64(s);
    case K_ANGLE: return bits_f32(spread(s, 3.1415926f));
    case K_POSITIVE: return draw_f32(s) & 0x7fffffff;
    case K_EXPONENT: return bits_f32(spread(s, 150.0f));
    case K_DIVISOR: { u64 v = lcg(s); return (v & 0x807fffff) | (2 + (v >> 32) % 250) << 23; }
    case K_MODERATE: return bits_f32(spread(s, 8.0f));
    case K_EXPONENT16: return to_f16(spread(s, 14.0f)) | to_f16(spread(s, 14.0f)) << 16;
    case K_MODERATE16: return to_f16(spread(s, 4.0f)) | to_f16(spread(s, 4.0f)) << 16;
    case K_BYTE: return lcg(s) % 5 ? lcg(s) % 72 : lcg(s) & 255;
    case K_LANE: return lcg(s) & 31;
    case K_STEP: return (u32)(lcg(s) % 15) - 7;
    default: return lcg(s);
    }
}

static int edge_list(enum kind k, const u64 **list)
{
#define LIST(l) (*list = (l), (int)(sizeof(l) / sizeof((l)[0])))
    switch (k) {
    case K_I8: case K_I16: case K_I32: case K_I64:
    case K_NZ16: case K_NZ32: case K_NZ64: return LIST(edges_int);
    case K_SH: return LIST(edges_shift);
    case K_P: return LIST(edges_pred);
    case K_F16: case K_F16X2: return LIST(edges_f16);
    case K_BF16: case K_BF16X2: return LIST(edges_bf16);
    case K_F32: case K_POSITIVE: return LIST(edges_f32);
    case K_F64: return LIST(edges_f64);
    default: *list = nullptr; return 0;
    }
#undef LIST
}

/* Bits of the operand's register; divisors are never 0, positives have no sign. */
static u64 narrow(enum kind k, u64 v)
{
    switch (k) {
    case K_I8: return v & 0xff;
    case K_I16: return v & 0xffff;
    case K_NZ16: return v & 0xffff ? v & 0xffff : 1;
    case K_I32: return v & 0xffffffff;
    case K_NZ32: return v & 0xffffffff ? v & 0xffffffff : 1;
    case K_NZ64: return v ? v : 1;
    case K_POSITIVE: return v & 0x7fffffff;
    default: return v;
    }
}

static u64 edge_of(enum kind k, const u64 *list, u64 i, u64 n)
{
    u64 v = list[i % n];
    if (k == K_F16X2 || k == K_BF16X2)
        v |= list[(i * 5 + 3) % n] << 16;
    return narrow(k, v);
}

/* The addend that leaves only the rounding error of a * b; a NaN's bits would differ between hosts. */
static u64 cancel(float a, float b, u64 otherwise)
{
    float c = -(a * b);
    return std::isnan(c) ? otherwise : bits_f32(c);
}

static u64 cancel(double a, double b, u64 otherwise)
{
    double c = -(a * b);
    return std::isnan(c) ? otherwise : bits_f64(c);
}

/*
 * Inputs of a group. The first cases are edge values: all of them for one operand, pairs in a
 * scattered order for two (up to 3/4 of the cases), drawn from the edges for three; then random ones.
 */
static void fill(std::vector<u64> in[3], const enum kind k[3])
{
    const u64 *list[3];
    u64 n[3], all = 1, s = 20250917;
    int used = 0;
    for (int o = 0; o < 3; o++) {
        n[o] = (u64)edge_list(k[o], &list[o]);
        all *= n[o] ? n[o] : 1;
        used += k[o] != K_NONE;
    }
    u64 edgy = all < CASES * 3 / 4 ? all : CASES * 3 / 4;
    for (u64 i = 0; i < CASES; i++) {
        u64 at = used == 1 ? i : i * 2039 % all;
        for (int o = 0; o < 3; o++) {
            u64 v = narrow(k[o], draw(k[o], &s)), pick = used == 3 ? lcg(&s) >> 20 : at;
            if (n[o]) {
                at /= n[o];
                if (i < edgy)
                    v = edge_of(k[o], list[o], pick, n[o]);
            }
            in[o][i] = v;
        }
    }
    if (used == 3 && k[0] == K_F32 && k[1] == K_F32 && k[2] == K_F32) /* cancellation: c near -a * b */
        for (u64 i = 3; i < CASES; i += 4)
            in[2][i] = cancel(as_f32(in[0][i]), as_f32(in[1][i]), in[2][i]);
    if (used == 3 && k[0] == K_F64 && k[1] == K_F64 && k[2] == K_F64)
        for (u64 i = 3; i < CASES; i += 4)
            in[2][i] = cancel(as_f64(in[0][i]), as_f64(in[1][i]), in[2][i]);
}

/* ---- groups ----------------------------------------------------------- */

struct spelling {
    const char *name;
    int digits; /* hex digits of a result */
    int show;   /* results printed; the rest is in the checksums */
    int sums;   /* checksums of n / sums cases each; 0: none (approximate operations) */
};

struct __align__(16) blob { u64 w[16]; }; /* a by-value parameter for ld.param */

typedef void (*group_kernel)(const u64 *, const u64 *, const u64 *, u64 *, int, blob);

struct group {
    group_kernel kernel;
    enum kind in[3];
    const struct spelling *list;
    int count;
};

static __constant__ u64 corpus_constant[256 * SLOT];

/* FNV-1a over the results' bytes. */
static u32 checksum(const u64 *v, int n)
{
    u32 h = 2166136261u;
    for (int i = 0; i < n; i++)
        for (int b = 0; b < 64; b += 8)
            h = (h ^ (v[i] >> b & 255)) * 16777619u;
    return h;
}

static void print_line(const struct spelling *s, const u64 *result)
{
    printf("%s:", s->name);
    for (int i = 0; i < s->show; i++)
        printf(" %0*llx", s->digits, (unsigned long long)result[i]);
    if (s->sums)
        printf(" |");
    for (int i = 0; i < s->sums; i++)
        printf(" %08x", checksum(result + i * (CASES / s->sums), CASES / s->sums));
    printf("\n");
}

static void run_group(const struct group *g, u64 *device[4])
{
    static std::vector<u64> in[3], out;
    for (auto &v : in)
        v.resize(CASES * SLOT);
    u64 s = 4711;
    for (int o = 0; o < 3; o++)
        for (auto &w : in[o])
            w = lcg(&s);
    blob b;
    for (auto &w : b.w)
        w = lcg(&s);
    fill(in, g->in);
    for (int o = 0; o < 3; o++)
        CUDA(cudaMemcpy(device[o], in[o].data(), CASES * SLOT * 8, cudaMemcpyHostToDevice));
    size_t bytes = (size_t)g->count * CASES * 8;
    out.resize(bytes / 8);
    CUDA(cudaMalloc(&device[3], bytes));
    CUDA(cudaMemset(device[3], 0, bytes));
    g->kernel<<<CASES / 256, 256>>>(device[0], device[1], device[2], device[3], CASES, b);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(out.data(), device[3], bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(device[3]));
    for (int k = 0; k < g->count; k++)
        print_line(&g->list[k], &out[(size_t)k * CASES]);
    fflush(stdout);
}

/* --list: a line for each group with the names of its spellings. */
static int list_groups(const struct group *groups, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < groups[i].count; k++)
            printf("%s%c", groups[i].list[k].name, k + 1 < groups[i].count ? '\t' : '\n');
    return 0;
}

/* Runs all groups; with two arguments only argv[2] groups from number argv[1] on (collect.sh, after a fault). */
static int corpus_main(const struct group *groups, int count, int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list"))
        return list_groups(groups, count);
    u64 *device[4];
    std::vector<u64> constant(256 * SLOT);
    u64 s = 99;
    for (auto &w : constant)
        w = lcg(&s);
    CUDA(cudaMemcpyToSymbol(corpus_constant, constant.data(), constant.size() * 8));
    for (int o = 0; o < 3; o++)
        CUDA(cudaMalloc(&device[o], CASES * SLOT * 8));
    int first = argc > 2 ? atoi(argv[1]) : 0, last = argc > 2 ? first + atoi(argv[2]) : count;
    for (int i = first; i < last && i < count; i++)
        run_group(&groups[i], device);
    return 0;
}

/* ---- device side ------------------------------------------------------ */

#define PUT(k, v) out[(size_t)(k) * n + i] = (v)

/* One word out of several: for a single one, that one. */
static __device__ __forceinline__ u64 mix(u64 h, u64 x) { return (h << 17 | h >> 47) ^ x; }

/* The four words of a slot, as they lie in memory now. */
static __device__ __forceinline__ u64 mix_slot(const u64 *p)
{
    const volatile u64 *v = p;
    return mix(mix(mix(mix(0, v[0]), v[1]), v[2]), v[3]);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* ---- device side: mbarriers, one a thread at shared address `at` ------- */

static __device__ __forceinline__ void mbar_init(u32 at, u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; fence.mbarrier_init.release.cluster; fence.proxy.async;"
                 : : "r"(at), "r"(count) : "memory");
}

static __device__ __forceinline__ u64 mbar_arrive(u32 at)
{
    u64 token;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
    return token;
}

static __device__ __forceinline__ u32 mbar_count(u64 token)
{
    u32 count;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}

static __device__ __forceinline__ u32 mbar_parity(u32 at, u32 parity)
{
    u32 done;
    asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2; selp.b32 %0, 1, 0, q; }"
                 : "=r"(done) : "r"(at), "r"(parity) : "memory");
    return done;
}

static __device__ __forceinline__ void mbar_wait(u32 at)
{
    while (!mbar_parity(at, 0))
        ;
}

/*
 * All that can be seen of a barrier that lacks `left` arrivals and `bytes`: the count and the phase after
 * every step, until the phase after it has seen two arrivals.
 */
static __device__ u64 mbar_observe(u32 at, u32 left, u32 bytes)
{
    u64 seen = 0;
    for (u32 k = 0; k < left + 2; k++) {
        if (k == left && bytes) {
            seen = mix(seen, mbar_parity(at, 0));
            asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(at), "r"(bytes) : "memory");
        }
        if (k == left)
            seen = mix(seen, mbar_parity(at, 0) << 1 | mbar_parity(at, 1));
        u64 token = mbar_arrive(at);
        seen = mix(seen, (u64)mbar_count(token) << 1 | mbar_parity(at, 0));
    }
    return seen;
}

#endif

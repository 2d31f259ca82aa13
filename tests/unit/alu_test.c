/*
 * The lane functions: one line per fact about an instruction, for the portable
 * and the AVX2 variant; and for every row of the table that both variants
 * agree, that lanes switched off keep their value, and that a destination may
 * be one of the sources.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/opcode.h"

/* ---- A bank of a few registers ------------------------------------------------ */

enum { REGISTER = 512, REGISTERS = 8 };      /* one register has room for 32 lanes of 128 bits */
struct registers { uint8_t bytes[REGISTERS * REGISTER]; };
enum { D = 0, A = 1, B = 2, C = 3, E = 4, Q = 5 };   /* instr.r[k] is register k */

static int width_of(char letter)
{
    return strchr("hH", letter) ? 2 : strchr("wfzi", letter) ? 4 : strchr("dg", letter) ? 8 : letter == 'q' ? 16 : 0;
}
static void set_lane(struct registers *b, int reg, int lane, char letter, uint64_t v)
{
    int n = width_of(letter);
    uint32_t mask;
    if (n) {
        memcpy(b->bytes + reg * REGISTER + lane * n, &v, n > 8 ? 8 : (size_t)n);
    } else {
        memcpy(&mask, b->bytes + reg * REGISTER, 4);
        mask = (mask & ~(1u << lane)) | (uint32_t)(v & 1) << lane;
        memcpy(b->bytes + reg * REGISTER, &mask, 4);
    }
}
static uint64_t lane_of(const struct registers *b, int reg, int lane, char letter)
{
    int n = width_of(letter);
    uint64_t v = 0;
    uint32_t mask;
    if (n) memcpy(&v, b->bytes + reg * REGISTER + lane * n, n > 8 ? 8 : (size_t)n);
    else {
        memcpy(&mask, b->bytes + reg * REGISTER, 4);
        v = mask >> lane & 1;
    }
    return v;
}

static alu_function *const *tables[2];
static int table_count;

static void find_tables(void)
{
    tables[table_count++] = alu_table_base;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) tables[table_count++] = alu_table_avx2;
#endif
}

static struct opcode decode(const char *spelling)
{
    struct opcode o;
    if (opcode_decode(spelling, &o) != OPCODE_ACCEPTED) fail_msg("%s is not accepted", spelling);
    for (uint32_t k = 0; k < 6; k++) o.instr.r[k] = OPREF(BANK_REG, k * REGISTER);
    return o;
}

static void execute(const struct opcode *o, int table, struct registers *b, uint32_t mask)
{
    uint8_t *const banks[4] = {b->bytes, NULL, NULL, NULL};
    tables[table][o->instr.op](banks, &o->instr, mask);
}

/* ---- Facts ----------------------------------------------------------------------- */

/* Runs one lane (all lanes hold the same) and compares the result's bits. */
static void check(const char *spelling, uint64_t want, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
    const uint64_t in[4] = {a, b, c, e};
    struct opcode o = decode(spelling);
    if (!o.shape) {
        fail_msg("%s has no shape", spelling);
        return;
    }
    const char *sources = strchr(o.shape, '_') + 1;
    for (int t = 0; t < table_count; t++) {
        struct registers bank = {{0}};
        for (int k = 0; sources[k] && sources[k] != 'c'; k++)
            for (int l = 0; l < LANES; l++) set_lane(&bank, A + k, l, sources[k], in[k]);
        execute(&o, t, &bank, UINT32_MAX);
        for (int l = 0; l < LANES; l += 31) {
            uint64_t got = lane_of(&bank, D, l, o.shape[0]);
            if (got != want)
                fail_msg("%s variant %d lane %d: 0x%llx, want 0x%llx", spelling, t, l, (unsigned long long)got, (unsigned long long)want);
        }
    }
}
#define IS1(spelling, a, want) check(spelling, want, a, 0, 0, 0)
#define IS2(spelling, a, b, want) check(spelling, want, a, b, 0, 0)
#define IS3(spelling, a, b, c, want) check(spelling, want, a, b, c, 0)
#define IS4(spelling, a, b, c, e, want) check(spelling, want, a, b, c, e)

static uint32_t f(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static uint64_t g(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
#define NAN_F 0x7fffffffu
#define NAN_D UINT64_C(0xfff8000000000000)
#define INF_F 0x7f800000u
#define MINUS 0x80000000u

static void integers(void **state)
{
    (void)state;
    IS2("add.s32", 0x7fffffff, 1, 0x80000000);
    IS2("add.s16", 0xffff, 2, 1);
    IS2("add.sat.s32", 0x7fffffff, 1, 0x7fffffff);
    IS2("sub.sat.s32", 0x80000000, 1, 0x80000000);
    IS2("mul.lo.s32", 0x10001, 0x10001, 0x20001);
    IS2("mul.hi.s32", 0xffffffff, 2, 0xffffffff);
    IS2("mul.hi.u32", 0xffffffff, 2, 1);
    IS2("mul.hi.u64", UINT64_MAX, UINT64_MAX, UINT64_MAX - 1);
    IS2("mul.hi.s64", UINT64_MAX, 5, UINT64_MAX);
    IS2("mul.wide.s32", 0xffffffff, 4, (uint64_t)-4);
    IS2("mul.wide.u16", 0xffff, 0xffff, 0xfffe0001);
    IS3("mad.wide.s32", 0xffffffff, 4, 100, 96);
    IS3("mad.lo.s64", 3, 4, 5, 17);
    IS3("mad.hi.sat.s32", 0x40000000, 0x40000000, 0x7fffffff, 0x7fffffff);
    IS2("mul24.lo.s32", 0xffffff, 2, 0xfffffffe);            /* 24 bits, signed: -1 */
    IS2("mul24.hi.u32", 0xffffff, 0xffffff, 0xfffffe00);
    IS3("sad.s32", 0xffffffff, 1, 10, 12);
    IS2("div.s32", 0x80000000, 0xffffffff, 0x80000000);
    IS2("div.s32", (uint32_t)-7, 2, (uint32_t)-3);
    IS2("rem.s32", (uint32_t)-7, 2, (uint32_t)-1);
    IS2("div.u32", 7, 0, 0xffffffff);
    IS2("rem.u64", 7, 4, 3);
    IS2("div.s16", 0x8000, 0xffff, 0x8000);
    IS1("abs.s32", 0x80000000, 0x80000000);
    IS1("neg.s64", 1, UINT64_MAX);
    IS2("min.s32", 1, 0xffffffff, 0xffffffff);
    IS2("min.u32", 1, 0xffffffff, 1);
    IS2("max.s16x2", 0x0001ffff, 0xffff0002, 0x00010002);
    IS2("add.u16x2", 0xffff0001, 0x00010001, 0x00000002);
}

static void bits(void **state)
{
    (void)state;
    IS1("popc.b32", 0xf0f0f0f1, 17);
    IS1("popc.b64", UINT64_MAX, 64);
    IS1("clz.b32", 0, 32);
    IS1("clz.b64", 1, 63);
    IS1("bfind.u32", 0, 0xffffffff);
    IS1("bfind.u32", 0x100, 8);
    IS1("bfind.s32", 0xfffffeff, 8);                          /* the highest bit unlike the sign */
    IS1("bfind.shiftamt.u32", 0x100, 23);
    IS1("brev.b32", 1, 0x80000000);
    IS1("brev.b64", 2, UINT64_C(0x4000000000000000));
    IS3("bfe.u32", 0x12345678, 8, 12, 0x456);
    IS3("bfe.s32", 0x00000f00, 8, 4, 0xffffffff);
    IS3("bfe.s32", 0x80000000, 40, 4, 0xffffffff);            /* beyond the top: the sign */
    IS3("bfe.u32", 0xffffffff, 28, 16, 0xf);
    IS4("bfi.b32", 0xff, 0x12345678, 8, 4, 0x12345f78);
    IS4("bfi.b64", 1, 0, 40, 1, UINT64_C(1) << 40);
    IS2("bmsk.clamp.b32", 4, 3, 0x70);
    IS2("bmsk.wrap.b32", 36, 35, 0x70);
    IS2("szext.clamp.s32", 0x8, 4, 0xfffffff8);
    IS3("fns.b32", 0xaaaaaaaa, 3, 2, 5);
    IS3("fns.b32", 0xaaaaaaaa, 3, (uint32_t)-1, 3);
    IS3("prmt.b32", 0x33221100, 0x77665544, 0x7531, 0x77553311);
    IS3("prmt.b32", 0x00000080, 0, 0x8888, 0xffffffff);       /* bit 3 replicates the sign */
    IS3("prmt.b32.rc16", 0x33221100, 0, 1, 0x33223322);
    IS4("lop3.b32", 0xf0, 0xcc, 0xaa, 0x96, 0xf0 ^ 0xcc ^ 0xaa);
    IS4("lop3.b32", 0xf0, 0xcc, 0xaa, 0xea, (0xf0 & 0xcc) | 0xaa);
    IS3("dp4a.s32.s32", 0xff010203, 0x01010101, 10, 15);
    IS3("dp2a.lo.u32.u32", 0x00020003, 0x00000504, 1, 3 * 4 + 2 * 5 + 1);
    IS3("shf.l.wrap.b32", 0x80000000, 0x1, 33, 0x3);
    IS3("shf.r.clamp.b32", 0x1, 0x80000001, 40, 0x80000001);
    IS1("cnot.b32", 0, 1);
    IS1("not.b16", 0x00ff, 0xff00);
}

static void shifts_clamp(void **state)
{
    (void)state;
    IS2("shl.b32", 1, 31, 0x80000000);
    IS2("shl.b32", 1, 32, 0);
    IS2("shl.b32", 1, 0xffffffff, 0);
    IS2("shl.b64", 1, 63, UINT64_C(1) << 63);
    IS2("shl.b64", 1, 64, 0);
    IS2("shr.u32", 0x80000000, 33, 0);
    IS2("shr.s32", 0x80000000, 33, 0xffffffff);
    IS2("shr.s64", UINT64_C(1) << 63, 200, UINT64_MAX);
    IS2("shr.s16", 0x8000, 20, 0xffff);
    IS2("shl.b16", 1, 16, 0);
}

static void floats(void **state)
{
    (void)state;
    IS2("add.f32", f(1), f(2), f(3));
    IS2("add.f32", INF_F, INF_F | MINUS, NAN_F);
    IS2("add.f32", 0x7f800001, f(1), NAN_F);                  /* any NaN: the canonical one */
    IS2("add.f32", 1, 1, 2);                                  /* subnormals are kept */
    IS2("add.ftz.f32", 1, 1, 0);
    IS2("mul.ftz.f32", 0x80000001, f(1), MINUS);              /* the sign stays */
    IS2("mul.ftz.f32", 0x00800000, f(0.5f), 0);               /* a subnormal result */
    IS2("mul.ftz.f32", 0x3f7ffffe, 0x00800001, 0x00800000);   /* 2^-126 (1 - 2^-46): the smallest normal in 24 bits */
    IS2("mul.ftz.f32", 0x3f7fffff, 0x00800000, 0);            /* 2^-126 (1 - 2^-24): 24 bits suffice, so it is subnormal */
    IS2("mul.f32", 0x3f7fffff, 0x00800000, 0x00800000);
    IS2("add.sat.f32", f(1), f(2), f(1));
    IS2("sub.sat.f32", f(1), f(2), 0);
    IS2("add.sat.f32", NAN_F, f(2), 0);
    IS2("add.rz.f32", f(1), 1, f(1));
    IS2("add.rp.f32", f(1), 1, 0x3f800001);
    IS2("add.rm.f32", f(1), 0x80000001, 0x3f7fffff);
    IS2("sub.rp.f32", f(1), 0x80000001, 0x3f800001);
    IS3("fma.rn.f32", 0x3f800003, 0x3f800003, f(-1), 0x35400002);   /* 6 * 2^-23 + 9 * 2^-46, in one rounding */
    IS3("fma.rn.f32", f(0x1p-100f), f(0x1p-49f), f(0), 1);
    IS3("fma.rn.f32", INF_F, 0, f(1), NAN_F);
    IS3("fma.rn.f32", f(0x1.000002p0f), f(0x1.000002p0f), f(0x1p60f), f(0x1p60f));
    IS3("fma.rp.f32", f(1), f(1), 1, 0x3f800001);
    IS2("div.rn.f32", f(1), f(3), f(1.0f / 3.0f));
    IS2("div.rn.f32", f(1), MINUS, INF_F | MINUS);
    IS2("div.rn.f32", 0, 0, NAN_F);
    IS2("div.rz.f32", f(2), f(3), 0x3f2aaaaa);
    IS1("rcp.rn.f32", f(4), f(0.25f));
    IS1("sqrt.rn.f32", f(-1), NAN_F);
    IS1("sqrt.rn.f32", MINUS, MINUS);
    IS1("sqrt.rp.f32", f(2), 0x3fb504f4);
    IS2("add.f64", g(0.1), g(0.2), g(0.1 + 0.2));
    IS2("add.f64", g(INFINITY), g(-INFINITY), NAN_D);
    IS2("add.rm.f64", g(1), g(-0x1p-80), g(0x1.fffffffffffffp-1));
    IS3("fma.rn.f64", g(0x1.0000000000003p0), g(0x1.0000000000003p0), g(-1), g(0x1.8000000000002p-50));
    IS2("add.f64", UINT64_C(0x7ff0000000000001), g(1), UINT64_C(0x7ff8000000000001));    /* f64: the operand, quieted */
    IS2("sub.f64", UINT64_C(0x7ff8000000000001), UINT64_C(0xfff8000000000002), UINT64_C(0xfff8000000000002));
    IS2("div.rn.f64", UINT64_C(0x7ff8000000000001), UINT64_C(0xfff8000000000002), UINT64_C(0x7ff8000000000001));
    IS3("fma.rn.f64", UINT64_C(0x7ff8000000000001), g(1), UINT64_C(0x7ff8000000000003), UINT64_C(0x7ff8000000000003));
    IS1("neg.f64", UINT64_C(0x7ff8000000000001), UINT64_C(0x7ff8000000000001));
    IS1("sqrt.rn.f64", g(-1), NAN_D);
    IS2("mul.rp.f64", g(0), g(INFINITY), NAN_D);
    IS1("abs.f32", f(-2), f(2));
    IS1("neg.f32", 0, MINUS);
    IS2("copysign.f32", f(-1), f(2), f(-2));
    IS1("testp.subnormal.f32", 1, 1);
    IS1("testp.normal.f32", 1, 0);
    IS1("testp.normal.f32", MINUS, 1);                        /* a zero counts */
    IS1("testp.notanumber.f64", NAN_D, 1);
    IS1("testp.infinite.f64", g(-INFINITY), 1);
}

static void minimum_and_maximum(void **state)
{
    (void)state;
    IS2("min.f32", f(1), NAN_F, f(1));
    IS2("min.f32", NAN_F, f(1), f(1));
    IS2("min.f32", 0x7f800001, 0xffffffff, NAN_F);
    IS2("min.NaN.f32", f(1), 0x7f800001, NAN_F);
    IS2("min.f32", 0, MINUS, MINUS);
    IS2("min.f32", MINUS, 0, MINUS);
    IS2("max.f32", MINUS, 0, 0);
    IS2("max.ftz.f32", MINUS, 1, 0);
    IS2("min.xorsign.abs.f32", f(-3), f(2), f(-2));
    IS2("max.f64", g(NAN), g(-1), g(-1));
    IS2("min.f16", 0x7e00, 0x3c00, 0x3c00);
    IS2("max.NaN.bf16", 0x7fc0, 0x3f80, 0x7fff);
}

static void halves(void **state)
{
    (void)state;
    IS2("add.f16", 0x3c00, 0x3c00, 0x4000);
    IS2("add.f16", 0x7bff, 0x7bff, 0x7c00);
    IS2("add.f16", 0x7c00, 0xfc00, 0x7fff);
    IS2("add.ftz.f16", 0x0001, 0x0001, 0);
    IS2("mul.f16x2", 0x40003c00, 0x42003c00, 0x46003c00);
    IS3("fma.rn.f16", 0x3c03, 0x3c03, 0xbc00, 0x1e02);        /* 6 * 2^-10 + 9 * 2^-20, in one rounding */
    IS3("fma.rn.relu.f16", 0x3c00, 0xbc00, 0, 0);
    IS2("add.bf16x2", 0x3f803f80, 0x3f804000, 0x40004040);
    IS3("fma.rn.bf16", 0x3f80, 0x3f80, 0x3f80, 0x4000);
    IS1("neg.f16x2", 0x3c00bc00, 0xbc003c00);
    IS1("ex2.approx.f16", 0x4000, 0x4400);
    IS1("tanh.approx.bf16", 0, 0);
    IS2("add.f32.f16", 0x3c00, f(1), f(2));
}

static void comparisons(void **state)
{
    (void)state;
    IS2("setp.lt.s32", 0xffffffff, 0, 1);
    IS2("setp.lt.u32", 0xffffffff, 0, 0);
    IS2("setp.lo.u32", 0, 1, 1);
    IS2("setp.ge.s64", UINT64_MAX, 0, 0);
    IS2("setp.eq.b16", 0x1234, 0x1234, 1);
    IS2("setp.gt.s16", 0x8000, 0, 0);
    IS2("setp.eq.f32", 0, MINUS, 1);
    IS2("setp.ne.f32", NAN_F, f(1), 0);                       /* ordered: a NaN makes it false */
    IS2("setp.neu.f32", NAN_F, f(1), 1);
    IS2("setp.equ.f32", NAN_F, f(1), 1);
    IS2("setp.ltu.f32", NAN_F, f(1), 1);
    IS2("setp.geu.f32", f(0), f(1), 0);
    IS2("setp.num.f64", g(1), g(NAN), 0);
    IS2("setp.nan.f64", g(1), g(NAN), 1);
    IS2("setp.eq.ftz.f32", 1, 0, 1);
    IS2("setp.eq.f32", 1, 0, 0);
    IS2("setp.lt.f16", 0xbc00, 0x3c00, 1);
    IS3("selp.b32", 1, 2, 1, 1);
    IS3("selp.f64", g(1), g(2), 0, g(2));
    IS3("slct.s32.s32", 1, 2, 0xffffffff, 2);
    IS3("slct.u64.f32", 1, 2, MINUS, 1);                      /* -0 >= 0 */
    IS3("slct.f32.f32", f(1), f(2), NAN_F, f(2));
}

/* setp p|q, a, b, c with a mixed c, and the lanes that were off. */
static void setp_combines_with_a_predicate(void **state)
{
    (void)state;
    struct opcode o = decode("setp.lt.and.s32");
    for (int t = 0; t < table_count; t++) {
        struct registers b = {{0}};
        for (int l = 0; l < LANES; l++) set_lane(&b, A, l, 'w', (uint64_t)l);
        for (int l = 0; l < LANES; l++) set_lane(&b, B, l, 'w', 16);
        for (int l = 0; l < LANES; l++) set_lane(&b, C, l, 'p', (uint64_t)l & 1);
        o.instr.negate = 0;
        execute(&o, t, &b, UINT32_MAX);
        assert_int_equal(*(uint32_t *)(void *)(b.bytes + D * REGISTER), 0x0000aaaa);
        assert_int_equal(*(uint32_t *)(void *)(b.bytes + Q * REGISTER), 0xaaaa0000);
        o.instr.negate = 1 << 3;                              /* !c */
        execute(&o, t, &b, 0x000000ff);
        assert_int_equal(*(uint32_t *)(void *)(b.bytes + D * REGISTER), 0x0000aa55);
        assert_int_equal(*(uint32_t *)(void *)(b.bytes + Q * REGISTER), 0xaaaa0000);
    }
}

/* Lane 3 of a general form; r[1], r[2] as wide as `bytes`. */
static uint64_t general(const char *spelling, int bytes, uint64_t a, uint64_t b, bool c, uint32_t *q)
{
    struct opcode o = decode(spelling);
    struct registers r = {{0}};
    set_lane(&r, A, 3, bytes == 2 ? 'h' : bytes == 4 ? 'w' : 'd', a);
    set_lane(&r, B, 3, bytes == 2 ? 'h' : bytes == 4 ? 'w' : 'd', b);
    set_lane(&r, C, 3, 'p', c);
    execute(&o, 0, &r, 1 << 3);
    if (q) *q = (uint32_t)lane_of(&r, Q, 3, 'p');
    return lane_of(&r, D, 3, q ? 'p' : ptx_type_bytes((enum ptx_type)o.instr.type) == 2 ? 'h' : 'w');
}

static void set_and_setp_on_pairs(void **state)
{
    uint32_t q;
    (void)state;
    assert_int_equal(general("set.lt.u32.s64", 8, UINT64_MAX, 0, false, NULL), 0xffffffff);
    assert_int_equal(general("set.lt.f32.u32", 4, 1, 2, false, NULL), f(1));
    assert_int_equal(general("set.ge.and.s32.f32", 4, f(2), f(1), false, NULL), 0);
    assert_int_equal(general("set.eq.ftz.u32.f32", 4, 1, 0, false, NULL), 0xffffffff);
    assert_int_equal(general("set.eq.f16.f16", 2, 0x8000, 0, false, NULL), 0x3c00);
    assert_int_equal(general("set.gt.bf16x2.bf16x2", 4, 0x3f803f80, 0x40000000, false, NULL), 0x00003f80);
    assert_int_equal(general("set.neu.u32.f16x2", 4, 0x7e003c00, 0x3c003c00, false, NULL), 0xffff0000);
    assert_int_equal(general("setp.lt.f16x2", 4, 0x3c004000, 0x40003c00, false, &q), 0);
    assert_int_equal(q, 1);
    assert_int_equal(general("setp.lt.or.bf16x2", 4, 0x3f804000, 0x40003f80, true, &q), 1);
}

static void carries(void **state)
{
    (void)state;
    struct opcode low = decode("add.cc.u32"), high = decode("addc.u32"), borrow = decode("sub.cc.u64"),
                  rest = decode("subc.u64"), wide = decode("madc.hi.cc.u32");
    struct registers b = {{0}};
    set_lane(&b, A, 3, 'w', 0xffffffff);
    set_lane(&b, B, 3, 'w', 2);
    execute(&low, 0, &b, 8);
    assert_int_equal(lane_of(&b, D, 3, 'w'), 1);
    assert_int_equal(lane_of(&b, Q, 3, 'p'), 1);              /* the carry flag */
    execute(&high, 0, &b, 8);
    assert_int_equal(lane_of(&b, D, 3, 'w'), 2);
    assert_int_equal(lane_of(&b, Q, 3, 'p'), 1);              /* addc leaves it alone */
    set_lane(&b, A, 3, 'w', 0xffffffff);
    set_lane(&b, B, 3, 'w', 0xffffffff);
    set_lane(&b, C, 3, 'w', 1);
    execute(&wide, 0, &b, 8);
    assert_int_equal(lane_of(&b, D, 3, 'w'), 0);              /* 0xfffffffe + 1 + carry */
    assert_int_equal(lane_of(&b, Q, 3, 'p'), 1);
    set_lane(&b, A, 0, 'd', 1);
    set_lane(&b, B, 0, 'd', 2);
    execute(&borrow, 0, &b, 1);
    assert_true(lane_of(&b, D, 0, 'd') == UINT64_MAX);
    assert_int_equal(lane_of(&b, Q, 0, 'p'), 0);              /* borrowed: no carry out of 1 + ~2 + 1 */
    execute(&rest, 0, &b, 1);
    assert_true(lane_of(&b, D, 0, 'd') == UINT64_MAX - 1);    /* subc takes what sub.cc borrowed */
    set_lane(&b, A, 0, 'd', 2);
    execute(&borrow, 0, &b, 1);
    assert_int_equal(lane_of(&b, Q, 0, 'p'), 1);
    execute(&rest, 0, &b, 1);
    assert_true(lane_of(&b, D, 0, 'd') == 0);
}

static void conversions_with_rows(void **state)
{
    (void)state;
    IS1("cvt.u64.u32", 0xffffffff, 0xffffffff);
    IS1("cvt.s64.s32", 0xffffffff, UINT64_MAX);
    IS1("cvt.u32.s16", 0x8000, 0xffff8000);
    IS1("cvt.u16.u32", 0x12345678, 0x5678);
    IS1("cvt.rn.f32.s32", 0xffffffff, f(-1));
    IS1("cvt.rn.f32.u32", 0xffffffff, f(4294967296.0f));
    IS1("cvt.rn.f32.s32", 0x01000001, f(16777216.0f));        /* a tie, to even */
    IS1("cvt.rn.f32.f64", g(1e300), INF_F);
    IS1("cvt.f64.f32", 0xff800001, UINT64_C(0xfff8000020000000));   /* sign and payload stay */
    IS1("cvt.rn.f32.f64", UINT64_C(0x7ff0000020000000), 0x7fc00001);
    IS1("cvt.rzi.s32.f32", f(-1.9f), (uint32_t)-1);
    IS1("cvt.rzi.s32.f32", f(3e9f), 0x7fffffff);
    IS1("cvt.rzi.s32.f32", f(-3e9f), 0x80000000);
    IS1("cvt.rzi.s32.f32", NAN_F, 0);
    IS1("cvt.rzi.u32.f32", f(-1), 0);
    IS1("cvt.rzi.u32.f32", f(3e9f), 3000000000u);
    IS1("cvt.rzi.u32.f32", f(5e9f), 0xffffffff);
    IS1("cvt.rni.s32.f32", f(2.5f), 2);
    IS1("cvt.rni.s32.f32", f(-3.5f), (uint32_t)-4);
    IS1("cvt.sat.f32.f32", f(7), f(1));
    IS1("cvt.rn.f16.f32", f(65519.9f), 0x7bff);
    IS1("cvt.rn.f16.f32", f(65520.0f), 0x7c00);
    IS1("cvt.rn.f16.f32", f(0x1p-25f), 0);
    IS1("cvt.rn.f16.f32", f(0x1.8p-25f), 1);
    IS1("cvt.f32.f16", 0x0001, f(0x1p-24f));
    IS1("cvt.rn.bf16.f32", 0x3f808000, 0x3f80);
    IS1("cvt.rn.bf16.f32", 0x3f818000, 0x3f82);
    IS1("cvt.f32.bf16", 0xff81, 0xff810000);
    IS2("cvt.rn.bf16x2.f32", f(1), f(2), 0x3f804000);
}

/* cvt_any, with registers as wide as `dst` and `src` bytes. */
static void convert(const char *spelling, int dst, int src, uint64_t a, uint64_t want)
{
    struct opcode o = decode(spelling);
    char to = dst == 2 ? 'h' : dst == 4 ? 'w' : 'd', from = src == 2 ? 'h' : src == 4 ? 'w' : 'd';
    o.instr.op = OP_cvt_any;
    o.instr.flags = (uint8_t)((o.instr.flags & 15) | (dst == 2 ? 1 : dst == 4 ? 2 : 3) << CVT_DST_SHIFT | (src == 2 ? 1 : src == 4 ? 2 : 3) << CVT_SRC_SHIFT);
    for (int t = 0; t < table_count; t++) {
        struct registers b = {{0}};
        set_lane(&b, A, 5, from, a);
        execute(&o, t, &b, 1 << 5);
        uint64_t got = lane_of(&b, D, 5, to);
        if (got != want) fail_msg("%s: 0x%llx, want 0x%llx", spelling, (unsigned long long)got, (unsigned long long)want);
    }
}

static void conversions_of_any_width(void **state)
{
    (void)state;
    convert("cvt.s32.s8", 4, 4, 0x12345680, 0xffffff80);
    convert("cvt.u32.u8", 4, 2, 0xff80, 0x80);
    convert("cvt.s8.s32", 4, 4, 0x1ff, 0xffffffff);           /* sign-extended to the register */
    convert("cvt.u8.u32", 8, 4, 0x1ff, 0xff);
    convert("cvt.sat.s8.s32", 2, 4, 200, 127);
    convert("cvt.sat.u8.s32", 2, 4, (uint32_t)-5, 0);
    convert("cvt.sat.s32.u64", 4, 8, UINT64_MAX, 0x7fffffff);
    convert("cvt.rzi.s64.f32", 8, 4, NAN_F, UINT64_C(1) << 63);
    convert("cvt.rzi.s32.f64", 4, 8, NAN_D, 0x80000000);
    convert("cvt.rzi.u64.f64", 8, 8, g(1.8e19), 18000000000000000000u);
    convert("cvt.rzi.u64.f64", 8, 8, g(2e19), UINT64_MAX);
    convert("cvt.rpi.s32.f64", 4, 8, g(1.0000001), 2);
    convert("cvt.rmi.s8.f32", 4, 4, f(-200.5f), 0xffffff80);
    convert("cvt.rn.f32.u64", 4, 8, UINT64_MAX, f(0x1p64f));
    convert("cvt.rz.f32.u64", 4, 8, UINT64_MAX, 0x5f7fffff);
    convert("cvt.rn.f64.s64", 8, 8, (uint64_t)-3, g(-3));
    convert("cvt.rp.f64.u64", 8, 8, (UINT64_C(1) << 53) + 1, g(0x1p53 + 2));
    convert("cvt.rz.f32.f64", 4, 8, g(1e300), 0x7f7fffff);
    convert("cvt.rp.f32.f64", 4, 8, g(1 + 1e-12), 0x3f800001);
    convert("cvt.rm.f32.f64", 4, 8, g(-1e-300), 0x80000001);
    convert("cvt.rn.ftz.f32.f64", 4, 8, g(1e-40), 0);
    convert("cvt.rni.f32.f32", 4, 4, f(0.5f), 0);
    convert("cvt.rpi.f64.f64", 8, 8, g(-0.5), UINT64_C(1) << 63);
    convert("cvt.rn.f16.s32", 2, 4, 2049, 0x6800);
    convert("cvt.rzi.s16.f16", 2, 2, 0xc580, 0xfffb);         /* -5.5 */
    convert("cvt.sat.f64.f64", 8, 8, NAN_D, 0);
    convert("cvt.ftz.f32.bf16", 4, 2, 0x7fc0, NAN_F);
    convert("cvt.rzi.s8.f64", 4, 8, NAN_D, 0xffffff80);
}

/* ---- Every row ------------------------------------------------------------------------ */

static uint64_t seed = 88172645463325252u;
static uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Bits that arithmetic finds interesting, as one of three kinds of operand. */
static uint64_t operand_bits(char letter)
{
    static const uint32_t words[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x3f800000, 0xbf800000, 0x00800000, 0x807fffff, 0x7f7fffff, 0x3c003c00, 0x7c00fc00, 0x00017fff};
    uint64_t r = random64();
    if (r % 3 == 0) return letter == 'd' || letter == 'g' ? (uint64_t)words[r / 3 % 20] << (r >> 40 & 32) : words[r / 3 % 20];
    if (r % 3 == 1 && strchr("fz", letter)) return f((float)(int32_t)r / 65536.0f);
    if (r % 3 == 1 && letter == 'g') return g((double)(int64_t)r / 65536.0);
    return random64();
}

static void fill(struct registers *b, const char *sources)
{
    for (size_t k = 0; k < sizeof b->bytes; k++) b->bytes[k] = (uint8_t)random64();
    for (int k = 0; sources[k] && sources[k] != 'c'; k++)
        for (int l = 0; l < LANES; l++) set_lane(b, A + k, l, sources[k], operand_bits(sources[k]));
}

struct row { const char *spelling, *shape; enum op_id id; };
static const struct row rows[] = {
#define OP(id, spelling, shape, cost, ...) {spelling, #shape, OP_##id},
#include "ptx/opcodes.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static void both_variants_agree(void **state)
{
    (void)state;
    if (table_count < 2) skip();
    for (int k = 0; k < ROWS; k++) {
        struct opcode o = decode(rows[k].spelling);
        assert_int_equal(o.instr.op, rows[k].id);
        for (int round = 0; round < 20; round++) {
            struct registers one, two;
            uint32_t mask = round % 2 ? (uint32_t)random64() : UINT32_MAX;
            fill(&one, strchr(rows[k].shape, '_') + 1);
            two = one;
            execute(&o, 0, &one, mask);
            execute(&o, 1, &two, mask);
            if (memcmp(&one, &two, sizeof one) != 0) fail_msg("%s differs between the variants, mask 0x%08x", rows[k].spelling, mask);
        }
    }
}

/* Lane by lane gives the same as all lanes at once, and other lanes stay. */
static void lanes_are_independent(void **state)
{
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        struct opcode o = decode(rows[k].spelling);
        for (int t = 0; t < table_count; t++) {
            struct registers all, each;
            fill(&all, strchr(rows[k].shape, '_') + 1);
            each = all;
            execute(&o, t, &all, 0x0ff0f0ffu);
            for (int l = 0; l < LANES; l++)
                if (0x0ff0f0ffu >> l & 1) execute(&o, t, &each, 1u << l);
            if (memcmp(&all, &each, sizeof all) != 0) fail_msg("%s differs lane by lane, variant %d", rows[k].spelling, t);
        }
    }
}

static void a_destination_may_be_a_source(void **state)
{
    (void)state;
    for (int k = 0; k < ROWS; k++) {
        struct opcode o = decode(rows[k].spelling);
        const char *shape = rows[k].shape, *sources = strchr(shape, '_') + 1;
        for (int s = 0; sources[s] && sources[s] != 'c'; s++) {
            if (width_of(shape[0]) != width_of(sources[s])) continue;
            for (int t = 0; t < table_count; t++) {
                struct registers apart, same;
                struct opcode in_place = o;
                fill(&apart, sources);
                same = apart;
                execute(&o, t, &apart, UINT32_MAX);
                in_place.instr.r[D] = o.instr.r[A + s];
                execute(&in_place, t, &same, UINT32_MAX);
                size_t bytes = width_of(shape[0]) ? (size_t)width_of(shape[0]) * LANES : 4;
                if (memcmp(apart.bytes + D * REGISTER, same.bytes + (A + s) * REGISTER, bytes) != 0)
                    fail_msg("%s writes what it still reads (source %d), variant %d", rows[k].spelling, s + 1, t);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(bits),
        cmocka_unit_test(shifts_clamp),
        cmocka_unit_test(floats),
        cmocka_unit_test(minimum_and_maximum),
        cmocka_unit_test(halves),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(setp_combines_with_a_predicate),
        cmocka_unit_test(set_and_setp_on_pairs),
        cmocka_unit_test(carries),
        cmocka_unit_test(conversions_with_rows),
        cmocka_unit_test(conversions_of_any_width),
        cmocka_unit_test(both_variants_agree),
        cmocka_unit_test(lanes_are_independent),
        cmocka_unit_test(a_destination_may_be_a_source),
    };
    find_tables();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

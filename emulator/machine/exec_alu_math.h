/*
 * Arithmetic of one lane: the helpers that the expressions of ptx/opcodes.def
 * use. All are total: any bits in, no trap, no undefined behaviour, because
 * lanes that are switched off are computed as well.
 *
 * IEEE results are bit-exact. A NaN result in f32, f16 and bf16 is NVIDIA's
 * canonical NaN; in f64 it is one of the operands, quieted; both as measured on
 * an H200 (the corpus in tests/ compares every spelling). The directed
 * roundings of f32 and f64 are in exec_alu_round.c, which may switch the
 * rounding direction of the processor.
 * Not modelled: the errors of the approximate instructions (they are exact
 * or as good as libm), floating-point exceptions.
 */
#ifndef EMU_MACHINE_EXEC_ALU_MATH_H
#define EMU_MACHINE_EXEC_ALU_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "machine/code.h"

/* What NVIDIA hardware returns where IEEE 754 leaves the payload open. */
#define NAN32 0x7fffffffu                     /* PTX ISA 9.7.3 */
#define NAN64 UINT64_C(0xfff8000000000000)    /* an invalid f64 operation without a NaN operand (H200) */
#define NAN16 0x7fffu                         /* f16 and bf16, PTX ISA 9.7.4 */
#define SIGN64 (UINT64_C(1) << 63)

/* Integer division by zero on NVIDIA hardware: all bits set, remainder too. */
#define DIV_ZERO UINT64_MAX
#define REM_ZERO UINT64_MAX

/* ---- Bits ---------------------------------------------------------------- */

static inline float u2f(uint32_t u) { float f; memcpy(&f, &u, sizeof f); return f; }
static inline uint32_t f2u(float f) { uint32_t u; memcpy(&u, &f, sizeof u); return u; }
static inline double u2d(uint64_t u) { double d; memcpy(&d, &u, sizeof d); return d; }
static inline uint64_t d2u(double d) { uint64_t u; memcpy(&u, &d, sizeof u); return u; }

#define S16(x) ((int16_t)(x))
#define S32(x) ((int32_t)(x))
#define S64(x) ((int64_t)(x))
static inline uint32_t sext16(uint32_t x) { return (uint32_t)(int32_t)(int16_t)x; }
static inline uint64_t sext32(uint32_t x) { return (uint64_t)(int64_t)(int32_t)x; }
static inline int64_t s24(uint32_t x) { return (int32_t)(x << 8) >> 8; }

static inline uint32_t clamp_s32(int64_t x)
{
    return x > INT32_MAX ? 0x7fffffffu : x < INT32_MIN ? 0x80000000u : (uint32_t)x;
}
static inline uint32_t relu_s32(uint32_t x) { return (int32_t)x < 0 ? 0 : x; }

static inline uint32_t popcount32(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
static inline uint32_t popcount64(uint64_t x) { return popcount32((uint32_t)x) + popcount32((uint32_t)(x >> 32)); }
static inline uint32_t clz32(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }
static inline uint32_t clz64(uint64_t x) { return x ? (uint32_t)__builtin_clzll(x) : 64; }
static inline uint32_t shiftamt32(uint32_t x) { return x ? clz32(x) : UINT32_MAX; }
static inline uint32_t shiftamt64(uint64_t x) { return x ? clz64(x) : UINT32_MAX; }
static inline uint32_t brev32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
static inline uint64_t brev64(uint64_t x)
{
    return (uint64_t)brev32((uint32_t)x) << 32 | brev32((uint32_t)(x >> 32));
}

/* fns: position of the |n|-th set bit counted from `base`, upwards for n > 0. */
static inline uint32_t fns32(uint32_t mask, uint32_t base, uint32_t n)
{
    int32_t offset = (int32_t)n, step = offset < 0 ? -1 : 1;
    if (base > 31) return UINT32_MAX;
    if (offset == 0) return mask >> base & 1 ? base : UINT32_MAX;
    int32_t left = offset < 0 ? (offset == INT32_MIN ? 32 : -offset) : offset;
    for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0) return (uint32_t)at;
    return UINT32_MAX;
}

/* bfe, bfi (PTX ISA 9.7.1.19, 9.7.1.20): position and length are 8 bits. */
static inline uint64_t bfe_u64(uint64_t a, uint32_t b, uint32_t c, uint32_t msb)
{
    uint32_t pos = b & 255, len = c & 255;
    if (len == 0 || pos > msb) return 0;
    a >>= pos;
    return len > 63 ? a : a & ((UINT64_C(1) << len) - 1);
}
static inline uint64_t bfe_s64(uint64_t a, uint32_t b, uint32_t c, uint32_t msb)
{
    uint32_t pos = b & 255, len = c & 255;
    if (len == 0) return 0;
    uint32_t top = pos + len - 1 < msb ? pos + len - 1 : msb;
    uint64_t sign = 0 - (a >> top & 1);
    if (pos > msb) return sign;
    uint64_t field = a >> pos;
    uint32_t have = top - pos + 1;
    if (have > 63) return field;
    return (field & ((UINT64_C(1) << have) - 1)) | sign << have;
}
static inline uint64_t bfi64(uint64_t a, uint64_t b, uint32_t c, uint32_t d, uint32_t bits)
{
    uint32_t pos = c & 255, len = d & 255;
    if (len == 0 || pos >= bits) return b;
    uint64_t field = len > 63 ? UINT64_MAX : (UINT64_C(1) << len) - 1;
    return (b & ~(field << pos)) | (a & field) << pos;
}
static inline uint32_t bmsk(uint32_t pos, uint32_t len)
{
    if (pos > 31 || len == 0) return 0;
    uint32_t ones = len > 31 ? UINT32_MAX : (UINT32_C(1) << len) - 1;
    return ones << pos;
}
static inline uint32_t szext(uint32_t a, uint32_t bits, bool is_signed)
{
    if (bits >= 32) return a;
    if (bits == 0) return 0;
    uint32_t low = a & ((UINT32_C(1) << bits) - 1);
    return is_signed && low >> (bits - 1) & 1 ? low | UINT32_MAX << bits : low;
}

static inline uint32_t funnel(uint32_t high, uint32_t low, uint32_t right)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> right);
}

static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t lut)
{
    uint32_t r = 0;
    r |= (0 - (lut >> 0 & 1)) & ~a & ~b & ~c;
    r |= (0 - (lut >> 1 & 1)) & ~a & ~b & c;
    r |= (0 - (lut >> 2 & 1)) & ~a & b & ~c;
    r |= (0 - (lut >> 3 & 1)) & ~a & b & c;
    r |= (0 - (lut >> 4 & 1)) & a & ~b & ~c;
    r |= (0 - (lut >> 5 & 1)) & a & ~b & c;
    r |= (0 - (lut >> 6 & 1)) & a & b & ~c;
    r |= (0 - (lut >> 7 & 1)) & a & b & c;
    return r;
}

/* prmt: four selectors of four bits; bit 3 copies the byte's sign. */
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t s = selectors >> (4 * k) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * k);
    }
    return r;
}
enum prmt_mode { PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
static inline uint32_t prmt_mode(enum prmt_mode mode, uint32_t a, uint32_t b, uint32_t c)
{
    static const uint16_t selectors[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
        {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    return prmt(a, b, selectors[mode][c & 3]);
}

static inline uint32_t dp_part(uint32_t x, int bits, bool is_signed)
{
    return szext(x, (uint32_t)bits, is_signed);
}
static inline uint32_t dp4a(uint32_t a, bool as, uint32_t b, bool bs, uint32_t c)
{
    for (int k = 0; k < 4; k++) c += dp_part(a >> (8 * k), 8, as) * dp_part(b >> (8 * k), 8, bs);
    return c;
}
static inline uint32_t dp2a(uint32_t a, bool as, uint32_t b, bool bs, uint32_t c)
{
    for (int k = 0; k < 2; k++) c += dp_part(a >> (16 * k), 16, as) * dp_part(b >> (8 * k), 8, bs);
    return c;
}

/* ---- Wide and carried integers -------------------------------------------- */

static inline uint64_t mulhi_u64(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t mid = ah * bl + (al * bl >> 32);
    uint64_t mid2 = al * bh + (uint32_t)mid;
    return ah * bh + (mid >> 32) + (mid2 >> 32);
}
static inline uint64_t mulhi_s64(uint64_t a, uint64_t b)
{
    return mulhi_u64(a, b) - (S64(a) < 0 ? b : 0) - (S64(b) < 0 ? a : 0);
}
static inline uint32_t mulhi_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
static inline uint32_t mulhi_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)S32(a) * S32(b)) >> 32);
}
static inline uint32_t add_carry32(uint32_t a, uint32_t b, unsigned in, unsigned *carry)
{
    uint64_t sum = (uint64_t)a + b + in;
    *carry = (unsigned)(sum >> 32);
    return (uint32_t)sum;
}
static inline uint64_t add_carry64(uint64_t a, uint64_t b, unsigned in, unsigned *carry)
{
    uint64_t sum = a + b, all = sum + in;
    *carry = (sum < a) | (all < sum);
    return all;
}
/* Subtraction adds the complement: the flag says that nothing was borrowed, as in the machine and unlike the letter of
 * PTX ISA 9.7.2.3. Code that asks for it with addc, such as nvcc's division of 128-bit integers, tells the two apart. */
static inline uint32_t sub_carry32(uint32_t a, uint32_t b, unsigned in, unsigned *carry) { return add_carry32(a, ~b, in, carry); }
static inline uint64_t sub_carry64(uint64_t a, uint64_t b, unsigned in, unsigned *carry) { return add_carry64(a, ~b, in, carry); }

static inline uint32_t div_u32(uint32_t a, uint32_t b) { return b ? a / b : (uint32_t)DIV_ZERO; }
static inline uint32_t rem_u32(uint32_t a, uint32_t b) { return b ? a % b : (uint32_t)REM_ZERO; }
static inline uint64_t div_u64(uint64_t a, uint64_t b) { return b ? a / b : DIV_ZERO; }
static inline uint64_t rem_u64(uint64_t a, uint64_t b) { return b ? a % b : REM_ZERO; }
static inline uint32_t div_s32(uint32_t a, uint32_t b)
{
    if (b == 0) return (uint32_t)DIV_ZERO;
    return b == UINT32_MAX ? 0 - a : (uint32_t)(S32(a) / S32(b));   /* INT_MIN / -1 stays INT_MIN */
}
static inline uint32_t rem_s32(uint32_t a, uint32_t b)
{
    if (b == 0) return (uint32_t)REM_ZERO;
    return b == UINT32_MAX ? 0 : (uint32_t)(S32(a) % S32(b));
}
static inline uint64_t div_s64(uint64_t a, uint64_t b)
{
    if (b == 0) return DIV_ZERO;
    return b == UINT64_MAX ? 0 - a : (uint64_t)(S64(a) / S64(b));
}
static inline uint64_t rem_s64(uint64_t a, uint64_t b)
{
    if (b == 0) return REM_ZERO;
    return b == UINT64_MAX ? 0 : (uint64_t)(S64(a) % S64(b));
}

/* Two 16-bit integers in a word. */
#define PAIR16(name, T, rel)                                                   \
    static inline uint32_t name(uint32_t a, uint32_t b)                        \
    {                                                                          \
        uint16_t low = (T)a rel (T)b ? (uint16_t)a : (uint16_t)b;              \
        uint16_t high = (T)(a >> 16) rel (T)(b >> 16) ? (uint16_t)(a >> 16) : (uint16_t)(b >> 16); \
        return (uint32_t)high << 16 | low;                                     \
    }
PAIR16(min_u16x2, uint16_t, <)
PAIR16(max_u16x2, uint16_t, >)
PAIR16(min_s16x2, int16_t, <)
PAIR16(max_s16x2, int16_t, >)
#undef PAIR16

/* ---- f32 and f64 ------------------------------------------------------------ */

/* f64: which operand a NaN result is. nan_ba: b if it is one, else a, else the invalid one. */
#define QUIET64 (UINT64_C(1) << 51)
static inline double quiet64(double x) { return u2d(d2u(x) | QUIET64); }
static inline double nan_of64(double r, double first, double second)
{
    double n = second != second ? quiet64(second) : u2d(NAN64);
    n = first != first ? quiet64(first) : n;
    return r == r ? r : n;
}
#define nan_ba(r, a, b) nan_of64(r, b, a)
#define nan_ab(r, a, b) nan_of64(r, a, b)
#define nan_bca(r, a, b, c) ((r) == (r) ? (r) : (b) != (b) ? quiet64(b) : nan_of64(r, c, a))
/* NaNs that change their format keep sign and leading payload bits. */
static inline double nan_f64_of_f32(float x)
{
    uint64_t u = f2u(x);
    return u2d(u >> 31 << 63 | UINT64_C(0x7ff8) << 48 | (u & 0x3fffff) << 29);
}
static inline uint32_t nan_f32_of_f64(double x)
{
    uint64_t u = d2u(x);
    return (uint32_t)(u >> 63) << 31 | 0x7fc00000u | (uint32_t)(u >> 29 & 0x3fffff);
}

static inline float nan32(float x) { return x == x ? x : u2f(NAN32); }
/* .ftz: a subnormal becomes a zero of its sign. */
static inline float ftz32(float x)
{
    uint32_t u = f2u(x);
    return u2f(u & 0x7f800000u ? u : u & 0x80000000u);
}
static inline double ftz64(double x)
{
    uint64_t u = d2u(x);
    return u << 1 >> 53 ? x : u2d(u & SIGN64);
}
/* .sat: into [0, 1]; NaN and -0 become +0. */
static inline float sat32(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline double sat64(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }
/* The .approx.ftz.f64 instructions read and write the upper half of a double only. */
static inline double upper64(double x) { return u2d(d2u(x) & ~(uint64_t)UINT32_MAX); }
static inline double approx64(double x) { return upper64(ftz64(x)); }
static inline bool top64(uint64_t u) { return (u << 1 >> 53) == 2047; }

/* p + c rounded to odd: a later rounding to at most 51 bits is then right.
 * (Boldo and Melquiond 2008; the error of the sum by Knuth's two-sum.) */
static inline double add_odd(double p, double c)
{
    double s = p + c, t = s - p;
    double e = (p - (s - t)) + (c - t);
    uint64_t u = d2u(s);
    uint64_t inexact = (uint64_t)(e > 0.0) | (uint64_t)(e < 0.0);
    uint64_t away = (uint64_t)(e > 0.0) ^ (u >> 63);     /* 1: the error points away from zero */
    uint64_t step = inexact & ~u & 1;
    return u2d(u + step * (2 * away - 1));
}

static inline float fma32(float a, float b, float c)
{
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    return (float)add_odd((double)a * (double)b, (double)c);
#endif
}
static inline double fma64(double a, double b, double c) { return fma(a, b, c); }

/* .ftz: whether a result is subnormal is decided after rounding it to 24 bits as
 * if small exponents existed; so the operation is done again 2^64 higher up. */
static inline float ftz_scaled(float r, float scaled)
{
    return fabsf(scaled) < 0x1p-62f ? u2f(f2u(r) & 0x80000000u) : r;
}
#define ftz_mul(a, b) ftz_scaled((a) * (b), ((a) * 0x1p64f) * (b))
#define ftz_div(a, b) ftz_scaled((a) / (b), ((a) * 0x1p64f) / (b))
#define ftz_fma(a, b, c) ftz_scaled(fma32(a, b, c), fma32((a) * 0x1p64f, b, (c) * 0x1p64f))
#define ftz_add(a, b) ((a) + (b))
#define ftz_sub(a, b) ((a) - (b))

#define TEST_EQ(a, b) ((a) == (b))
#define TEST_NE(a, b) ((a) < (b) || (a) > (b))
#define TEST_LT(a, b) ((a) < (b))
#define TEST_LE(a, b) ((a) <= (b))
#define TEST_GT(a, b) ((a) > (b))
#define TEST_GE(a, b) ((a) >= (b))
#define TEST_EQU(a, b) (!((a) < (b) || (a) > (b)))
#define TEST_NEU(a, b) ((a) != (b))
#define TEST_LTU(a, b) (!((a) >= (b)))
#define TEST_LEU(a, b) (!((a) > (b)))
#define TEST_GTU(a, b) (!((a) <= (b)))
#define TEST_GEU(a, b) (!((a) < (b)))
#define TEST_NUM(a, b) ((a) == (a) && (b) == (b))
#define TEST_NAN(a, b) ((a) != (a) || (b) != (b))

/* min and max (PTX ISA 9.7.3.11): of a number and a NaN the number, -0 < +0. */
static inline float min_num32(float a, float b)
{
    float r = a < b ? a : b;
    r = a == b ? u2f(f2u(a) | f2u(b)) : r;
    r = a != a ? b : r;
    return b != b ? a : r;
}
static inline float max_num32(float a, float b)
{
    float r = a > b ? a : b;
    r = a == b ? u2f(f2u(a) & f2u(b)) : r;
    r = a != a ? b : r;
    return b != b ? a : r;
}
static inline double min_num64(double a, double b)
{
    double r = a < b ? a : b;
    r = a == b ? u2d(d2u(a) | d2u(b)) : r;
    r = a != a ? b : r;
    return b != b ? a : r;
}
static inline double max_num64(double a, double b)
{
    double r = a > b ? a : b;
    r = a == b ? u2d(d2u(a) & d2u(b)) : r;
    r = a != a ? b : r;
    return b != b ? a : r;
}
static inline float min_nan32(float a, float b) { return TEST_NAN(a, b) ? u2f(NAN32) : min_num32(a, b); }
static inline float max_nan32(float a, float b) { return TEST_NAN(a, b) ? u2f(NAN32) : max_num32(a, b); }
static inline float xorsign32(float r, float a, float b)
{
    return u2f((f2u(r) & 0x7fffffffu) | ((f2u(a) ^ f2u(b)) & 0x80000000u));
}

/* Round to nearest even; exact for |x| >= 2^23, where x is an integer. */
static inline float rint32(float x)
{
    float y = fabsf(x);
    float r = y < 8388608.0f ? (y + 8388608.0f) - 8388608.0f : y;
    return u2f(f2u(r) | (f2u(x) & 0x80000000u));
}
/* Float to integer clamps, NaN gives 0 (PTX ISA 9.7.9.21). */
static inline uint32_t trunc_s32(float x)
{
    float y = x < 2147483520.0f ? x : 2147483520.0f;
    y = y > -2147483648.0f ? y : -2147483648.0f;
    uint32_t r = (uint32_t)(int32_t)y;
    r = x >= 2147483648.0f ? 0x7fffffffu : r;
    return x == x ? r : 0;
}
static inline uint32_t trunc_u32(float x)
{
    float y = x > 0.0f ? x : 0.0f;                       /* NaN too */
    float low = y < 2147483648.0f ? y : 0.0f, high = y < 4294967296.0f ? y - 2147483648.0f : 0.0f;
    uint32_t r = y < 2147483648.0f ? (uint32_t)(int32_t)low : (uint32_t)(int32_t)(high > 0.0f ? high : 0.0f) + 0x80000000u;
    return y >= 4294967296.0f ? UINT32_MAX : r;
}

/* ---- Roundings by hand: into f16, bf16, f32, f64 from exact values (exec_alu_half.c) --- */

/* Format of a binary float: bits of the significand, smallest exponent. */
struct float_format { int precision, min_exponent; uint64_t infinity; };
extern const struct float_format format_f16, format_bf16, format_f32, format_f64;
/* The magnitude bits of m * 2^e2 in the format (the caller adds the sign). */
uint64_t round_format(const struct float_format *f, enum rounding mode, bool negative, uint64_t m, int e2);
/* A double in the format, its sign in the bit named; NaN is the caller's. */
uint64_t round_double(const struct float_format *f, enum rounding mode, double x, int sign_bit);
uint16_t f16_round(enum rounding mode, double x);
uint16_t bf16_round(enum rounding mode, double x);

static inline double f16_value(uint32_t h)
{
    int e = (int)(h >> 10 & 31);
    uint64_t m = h & 1023, sign = (uint64_t)(h & 0x8000) << 48;
    if (e == 31) return u2d(sign | UINT64_C(0x7ff) << 52 | m << 42);
    if (e == 0) {
        double tiny = (double)m * 0x1p-24;
        return u2d(d2u(tiny) | sign);
    }
    return u2d(sign | (uint64_t)(e + 1008) << 52 | m << 42);
}
static inline double bf16_value(uint32_t h) { return (double)u2f(h << 16); }
static inline uint16_t f16_ftz(uint32_t h) { return (uint16_t)(h & 0x7c00 ? h : h & 0x8000); }
static inline uint16_t f16_relu(uint16_t h) { return h & 0x8000 ? 0 : h; }
static inline uint16_t bf16_relu(uint16_t h) { return h & 0x8000 ? 0 : h; }

/* ---- Half precision (exec_alu_half.c) ------------------------------------------ */

enum op2 { OP2_ADD, OP2_SUB, OP2_MUL, OP2_FMA, OP2_MIN, OP2_MAX, OP2_NEG, OP2_ABS, OP2_EX2, OP2_TANH };
enum half_flags { HALF_FTZ = 1, HALF_SAT = 2, HALF_RELU = 4, HALF_NAN = 8, HALF_XORSIGN = 16 };

uint16_t f16_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags);
uint16_t bf16_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags);
uint32_t f16x2_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags);
uint32_t bf16x2_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags);
/* Two f32 in a 64-bit register. */
uint64_t pair32(enum op2 op, uint64_t a, uint64_t b, uint64_t c, bool ftz);

/* ---- Directed roundings (exec_alu_round.c) -------------------------------------- */

float round_add32(enum rounding mode, float a, float b);
float round_mul32(enum rounding mode, float a, float b);
float round_fma32(enum rounding mode, float a, float b, float c);
float round_div32(enum rounding mode, float a, float b);
float round_sqrt32(enum rounding mode, float a);
static inline float ftz_round_add32(enum rounding mode, float a, float b) { return round_add32(mode, a, b); }
static inline float ftz_round_mul32(enum rounding mode, float a, float b)
{
    return ftz_scaled(round_mul32(mode, a, b), round_mul32(mode, a * 0x1p64f, b));
}
static inline float ftz_round_div32(enum rounding mode, float a, float b)
{
    return ftz_scaled(round_div32(mode, a, b), round_div32(mode, a * 0x1p64f, b));
}
static inline float ftz_round_fma32(enum rounding mode, float a, float b, float c)
{
    return ftz_scaled(round_fma32(mode, a, b, c), round_fma32(mode, a * 0x1p64f, b, c * 0x1p64f));
}
double round_add64(enum rounding mode, double a, double b);
double round_mul64(enum rounding mode, double a, double b);
double round_fma64(enum rounding mode, double a, double b, double c);
double round_div64(enum rounding mode, double a, double b);
double round_sqrt64(enum rounding mode, double a);

#endif

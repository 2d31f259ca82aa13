/*
 * Rounding by hand into any binary format, and arithmetic on f16, bf16 and
 * pairs of them or of f32 (exec_alu_math.h declares it).
 *
 * Half precision is computed in double: sums and products of two halves are
 * exact there or survive the second rounding (53 >= 2 * 11 + 2 bits), fma
 * rounds to odd first. No rounding mode of the processor is touched.
 */
#include "machine/exec_alu_math.h"

/* ---- Rounding ---------------------------------------------------------------- */

const struct float_format format_f16 = {11, -14, 0x7c00};
const struct float_format format_bf16 = {8, -126, 0x7f80};
const struct float_format format_f32 = {24, -126, 0x7f800000};
const struct float_format format_f64 = {53, -1022, UINT64_C(0x7ff0000000000000)};

static bool round_up(enum rounding mode, bool negative, uint64_t odd, uint64_t rest, uint64_t half)
{
    switch (mode) {
    case ROUND_RN: return rest > half || (rest == half && odd);
    case ROUND_RNA: return rest >= half;
    case ROUND_RP: return rest && !negative;
    case ROUND_RM: return rest && negative;
    default: return false;
    }
}

uint64_t round_format(const struct float_format *f, enum rounding mode, bool negative, uint64_t m, int e2)
{
    if (m == 0) return 0;
    int up = (int)clz64(m);
    m <<= up;
    int e = e2 - up + 63, shift = 64 - f->precision;
    uint64_t base = 0;
    if (e < f->min_exponent) shift += f->min_exponent - e;
    else base = (uint64_t)(e - f->min_exponent) << (f->precision - 1);
    uint64_t kept, rest, half;
    if (shift > 64) { kept = 0; rest = 1; half = 2; }
    else if (shift == 64) { kept = 0; rest = m; half = UINT64_C(1) << 63; }
    else {
        kept = m >> shift;
        rest = m & ((UINT64_C(1) << shift) - 1);
        half = UINT64_C(1) << (shift - 1);
    }
    uint64_t bits = base + kept + round_up(mode, negative, kept & 1, rest, half);
    if (bits < f->infinity) return bits;
    bool to_infinity = mode == ROUND_RN || mode == ROUND_RNA || (mode == ROUND_RP && !negative) || (mode == ROUND_RM && negative);
    return to_infinity ? f->infinity : f->infinity - 1;
}

uint64_t round_double(const struct float_format *f, enum rounding mode, double x, int sign_bit)
{
    uint64_t u = d2u(x), m = u & ((UINT64_C(1) << 52) - 1);
    int e = (int)(u << 1 >> 53);
    bool negative = u >> 63;
    uint64_t bits;
    if (e == 2047) bits = f->infinity;
    else bits = round_format(f, mode, negative, e ? m | UINT64_C(1) << 52 : m, (e ? e : 1) - 1075);
    return bits | (uint64_t)negative << sign_bit;
}

uint16_t f16_round(enum rounding mode, double x)
{
    return x == x ? (uint16_t)round_double(&format_f16, mode, x, 15) : NAN16;
}
uint16_t bf16_round(enum rounding mode, double x)
{
    return x == x ? (uint16_t)round_double(&format_bf16, mode, x, 15) : NAN16;
}
/* ---- Half precision ----------------------------------------------------------- */

static double half_pick(enum op2 op, double a, double b, int flags)
{
    double x = flags & HALF_XORSIGN ? fabs(a) : a, y = flags & HALF_XORSIGN ? fabs(b) : b;
    if (flags & HALF_NAN && TEST_NAN(a, b)) return u2d(NAN64);
    double r = op == OP2_MIN ? min_num64(x, y) : max_num64(x, y);
    if (flags & HALF_XORSIGN && r == r) r = u2d((d2u(r) & ~SIGN64) | ((d2u(a) ^ d2u(b)) & SIGN64));
    return r;
}

static double half_compute(enum op2 op, double a, double b, double c, int flags)
{
    double r = 0;
    switch (op) {
    case OP2_ADD: r = a + b; break;
    case OP2_SUB: r = a - b; break;
    case OP2_MUL: r = a * b; break;
    case OP2_FMA: r = add_odd(a * b, c); break;
    case OP2_MIN:
    case OP2_MAX: r = half_pick(op, a, b, flags); break;
    case OP2_NEG: r = -a; break;
    case OP2_ABS: r = fabs(a); break;
    case OP2_EX2: r = exp2(a); break;
    case OP2_TANH: r = tanh(a); break;
    }
    if (flags & HALF_SAT) r = sat64(r);
    if (flags & HALF_RELU && r < 0.0) r = 0.0;
    if (flags & HALF_RELU && r == 0.0) r = 0.0;
    return r;
}

uint16_t f16_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags)
{
    if (flags & HALF_FTZ) {
        a = f16_ftz(a & 0xffff);
        b = f16_ftz(b & 0xffff);
        c = f16_ftz(c & 0xffff);
    }
    double r = half_compute(op, f16_value(a & 0xffff), f16_value(b & 0xffff), f16_value(c & 0xffff), flags);
    uint16_t h = f16_round(ROUND_RN, r);
    /* subnormal once rounded to 11 bits, small exponents allowed: the same 2^10 higher up */
    if (flags & HALF_FTZ && fabs(r) < 0x1p-13 && (f16_round(ROUND_RN, r * 0x1p10) & 0x7fff) < 0x2c00) h &= 0x8000;
    return flags & HALF_FTZ ? f16_ftz(h) : h;
}
uint16_t bf16_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags)
{
    return bf16_round(ROUND_RN, half_compute(op, bf16_value(a & 0xffff), bf16_value(b & 0xffff), bf16_value(c & 0xffff), flags));
}
uint32_t f16x2_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags)
{
    return (uint32_t)f16_op(op, a >> 16, b >> 16, c >> 16, flags) << 16 | f16_op(op, a, b, c, flags);
}
uint32_t bf16x2_op(enum op2 op, uint32_t a, uint32_t b, uint32_t c, int flags)
{
    return (uint32_t)bf16_op(op, a >> 16, b >> 16, c >> 16, flags) << 16 | bf16_op(op, a, b, c, flags);
}

static uint32_t pair32_half(enum op2 op, uint32_t a, uint32_t b, uint32_t c, bool ftz)
{
    float x = u2f(a), y = u2f(b), z = u2f(c), r;
    if (ftz) { x = ftz32(x); y = ftz32(y); z = ftz32(z); }
    switch (op) {
    case OP2_ADD: r = x + y; break;
    case OP2_SUB: r = x - y; break;
    case OP2_MUL: r = x * y; break;
    default: r = fma32(x, y, z); break;
    }
    if (ftz && op == OP2_MUL) r = ftz_mul(x, y);
    if (ftz && op == OP2_FMA) r = ftz_fma(x, y, z);
    r = nan32(r);
    return f2u(ftz ? ftz32(r) : r);
}
uint64_t pair32(enum op2 op, uint64_t a, uint64_t b, uint64_t c, bool ftz)
{
    return (uint64_t)pair32_half(op, (uint32_t)(a >> 32), (uint32_t)(b >> 32), (uint32_t)(c >> 32), ftz) << 32
         | pair32_half(op, (uint32_t)a, (uint32_t)b, (uint32_t)c, ftz);
}

/*
 * The general forms of cvt, set, setp and mov: any pair of types, the modifiers
 * read from the instruction at run time, lane by lane. Spellings that programs
 * use often have rows of their own in ptx/opcodes.def; these serve the rest,
 * and conversions between registers wider than their types.
 * Not modelled: tf32, fp8, fp6 and fp4 formats (the decoder refuses them).
 */
#include "machine/exec_alu_math.h"
#include "machine/exec_alu_any.h"

#define EACH_ACTIVE(l)                                                         \
    for (uint32_t left = mask, l = 0; left && ((l = (uint32_t)__builtin_ctz(left)), true); left &= left - 1)

static uint64_t get(const uint8_t *p, uint32_t l, uint32_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, p + (size_t)l * bytes, bytes);   /* little-endian hosts only, as everywhere in the banks */
    return v;
}
static void put(uint8_t *p, uint32_t l, uint32_t bytes, uint64_t v)
{
    memcpy(p + (size_t)l * bytes, &v, bytes);
}

static bool is_float(int type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}
static bool is_signed(int type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

static uint64_t extend(uint64_t v, int bits, bool sign)
{
    if (bits == 64) return v;
    uint64_t ones = (UINT64_C(1) << bits) - 1;
    v &= ones;
    return sign && v >> (bits - 1) & 1 ? v | ~ones : v;
}

/* The value of a floating-point source: exact in double. */
static double float_value(int type, uint64_t bits, bool ftz)
{
    switch (type) {
    case PTX_F16: return f16_value(bits & 0xffff);
    case PTX_BF16: return bf16_value(bits & 0xffff);
    case PTX_F32: return (double)(ftz ? ftz32(u2f((uint32_t)bits)) : u2f((uint32_t)bits));
    default: return u2d(bits);
    }
}

static const struct float_format *format_of(int type, int *sign_bit)
{
    *sign_bit = type == PTX_F64 ? 63 : type == PTX_F32 ? 31 : 15;
    switch (type) {
    case PTX_F16: return &format_f16;
    case PTX_BF16: return &format_bf16;
    case PTX_F32: return &format_f32;
    default: return &format_f64;
    }
}
/* A NaN in another format, as an H200 converts it: to and from f64 sign and leading
 * payload bits stay and it is quiet, bf16 widens by its bits, the rest is canonical. */
static uint64_t convert_nan(const struct instr *i, uint64_t bits)
{
    uint64_t quiet = UINT64_C(0x7ff8) << 48;
    switch (i->type2) {
    case PTX_F64:
        if (i->type == PTX_F64) return bits | QUIET64;
        if (i->type == PTX_F32) return (bits >> 63) << 31 | 0x7fc00000u | (bits >> 29 & 0x3fffff);
        if (i->type == PTX_F16) return (bits >> 63) << 15 | 0x7e00u | (bits >> 42 & 0x1ff);
        return (bits >> 63) << 15 | 0x7fc0u | (bits >> 45 & 0x3f);
    case PTX_F32:
        if (i->type == PTX_F64) return i->flags & CVT_FTZ ? UINT64_C(0x7fffffffe0000000) : (bits >> 31 & 1) << 63 | quiet | (bits & 0x3fffff) << 29;
        break;
    case PTX_F16:
        if (i->type == PTX_F64) return (bits >> 15 & 1) << 63 | quiet | (bits & 0x1ff) << 42;
        break;
    default:
        if (i->type == PTX_F64) return (bits >> 15 & 1) << 63 | quiet | (bits & 0x3f) << 45;
        if (i->type == PTX_F32 && !(i->flags & CVT_FTZ)) return (bits & 0xffff) << 16;
        break;
    }
    return i->type == PTX_F32 ? NAN32 : NAN16;
}

static double integral(double x, enum rounding mode)
{
    switch (mode) {
    case ROUND_RZ: return trunc(x);
    case ROUND_RM: return floor(x);
    case ROUND_RP: return ceil(x);
    default: return nearbyint(x);
    }
}

static uint64_t float_to_float(const struct instr *i, uint64_t bits)
{
    enum rounding mode = i->flags & CVT_TO_INTEGRAL ? ROUND_RN : (enum rounding)i->sub;
    /* measured: cvt.rm.ftz.f16.f32 does not flush its operand */
    bool flushes = i->flags & CVT_FTZ && !(i->type == PTX_F16 && mode == ROUND_RM);
    double x = float_value(i->type2, bits, flushes);
    int sign_bit;
    const struct float_format *f = format_of(i->type, &sign_bit);
    if (i->flags & CVT_TO_INTEGRAL) x = integral(x, (enum rounding)i->sub);
    if (i->flags & CVT_SAT) x = sat64(x);
    if (x != x) return convert_nan(i, bits);
    if (i->flags & CVT_RELU && (x < 0.0 || x == 0.0)) x = 0.0;
    if (i->flags & CVT_FTZ && i->type == PTX_F32 && fabs(x) < 0x1p-100 &&
        (round_double(f, mode, x * 0x1p64, 31) & 0x7fffffffu) < f2u(0x1p-62f))
        x = copysign(0.0, x);                 /* subnormal after rounding to 24 bits */
    return i->type == PTX_F64 ? d2u(x) : round_double(f, mode, x, sign_bit);
}

/* Clamps to the range of the integer; NaN is 0, or the lowest bit pattern with
 * only the top bit set where a 64-bit type takes part (PTX ISA 9.7.9.21). */
static uint64_t float_to_int(const struct instr *i, uint64_t bits)
{
    double x = float_value(i->type2, bits, i->flags & CVT_FTZ);
    int width = 8 * ptx_type_bytes((enum ptx_type)i->type);
    bool wide = i->type2 == PTX_F64 || width == 64;
    if (x != x) return !wide ? 0 : is_signed(i->type) ? 0 - (UINT64_C(1) << (width - 1)) : UINT64_C(1) << (width - 1);
    x = integral(x, (enum rounding)i->sub);
    if (is_signed(i->type)) {
        double limit = ldexp(1.0, width - 1);
        if (x >= limit) return (UINT64_C(1) << (width - 1)) - 1;
        if (x < -limit) return 0 - (UINT64_C(1) << (width - 1));
        return (uint64_t)(int64_t)x;
    }
    if (x >= ldexp(1.0, width)) return UINT64_MAX >> (64 - width);
    return x > 0.0 ? (uint64_t)x : 0;
}

static uint64_t int_to_float(const struct instr *i, uint64_t v)
{
    bool negative = is_signed(i->type2) && v >> 63;
    int sign_bit;
    const struct float_format *f = format_of(i->type, &sign_bit);
    if (i->flags & CVT_SAT && (negative || v > 0)) {     /* into [0, 1] */
        if (negative) return 0;
        v = 1;
    }
    uint64_t r = round_format(f, (enum rounding)i->sub, negative, negative ? 0 - v : v, 0);
    return negative ? r | UINT64_C(1) << sign_bit : r;
}

static uint64_t int_to_int(const struct instr *i, uint64_t v)
{
    int width = 8 * ptx_type_bytes((enum ptx_type)i->type);
    if (i->flags & CVT_SAT) {
        bool from_signed = is_signed(i->type2), negative = from_signed && v >> 63;
        if (is_signed(i->type)) {
            uint64_t most = (UINT64_C(1) << (width - 1)) - 1;
            if (!negative && v > most) v = most;
            if (negative && S64(v) < -S64(most) - 1) v = ~most;
        } else {
            uint64_t most = UINT64_MAX >> (64 - width);
            if (negative) v = 0;
            else if (v > most) v = most;
        }
    }
    return extend(v, width, is_signed(i->type));
}

void alu_cvt_any(uint8_t *const bank[4], const struct instr *i, uint32_t mask)
{
    uint8_t *d = operand_at(bank, i->r[0]);
    const uint8_t *s = operand_at(bank, i->r[1]);
    uint32_t dst = 1u << (i->flags >> CVT_DST_SHIFT & 3), src = 1u << (i->flags >> CVT_SRC_SHIFT & 3);
    int src_bits = 8 * ptx_type_bytes((enum ptx_type)i->type2);
    EACH_ACTIVE(l) {
        uint64_t v = get(s, l, src);
        if (!is_float(i->type2)) v = extend(v, src_bits, is_signed(i->type2));
        uint64_t r;
        if (is_float(i->type2)) r = is_float(i->type) ? float_to_float(i, v) : float_to_int(i, v);
        else r = is_float(i->type) ? int_to_float(i, v) : int_to_int(i, v);
        put(d, l, dst, r);
    }
}

static bool compare_int(enum compare cmp, uint64_t a, uint64_t b, bool sign)
{
    if (sign) {
        a ^= SIGN64;
        b ^= SIGN64;
    }
    switch (cmp) {
    case CMP_EQ: return a == b;
    case CMP_NE: return a != b;
    case CMP_LT: return a < b;
    case CMP_LE: return a <= b;
    case CMP_GT: return a > b;
    default: return a >= b;
    }
}
static bool compare_float(enum compare cmp, double a, double b)
{
    switch (cmp) {
    case CMP_EQ: return TEST_EQ(a, b);
    case CMP_NE: return TEST_NE(a, b);
    case CMP_LT: return TEST_LT(a, b);
    case CMP_LE: return TEST_LE(a, b);
    case CMP_GT: return TEST_GT(a, b);
    case CMP_GE: return TEST_GE(a, b);
    case CMP_EQU: return TEST_EQU(a, b);
    case CMP_NEU: return TEST_NEU(a, b);
    case CMP_LTU: return TEST_LTU(a, b);
    case CMP_LEU: return TEST_LEU(a, b);
    case CMP_GTU: return TEST_GTU(a, b);
    case CMP_GEU: return TEST_GEU(a, b);
    case CMP_NUM: return TEST_NUM(a, b);
    default: return TEST_NAN(a, b);
    }
}

/* One comparison of set and setp: sub compares, flags has the boolean operator and .ftz. */
static bool holds(const struct instr *i, int type, uint64_t a, uint64_t b, bool with)
{
    int bits = 8 * ptx_type_bytes((enum ptx_type)type);
    bool ftz = i->flags & 1, r;
    if (ftz && type == PTX_F16) {
        a = f16_ftz(a & 0xffff);
        b = f16_ftz(b & 0xffff);
    }
    if (is_float(type)) r = compare_float((enum compare)i->sub, float_value(type, a, ftz), float_value(type, b, ftz));
    else r = compare_int((enum compare)i->sub, extend(a, bits, is_signed(type)), extend(b, bits, is_signed(type)), is_signed(type));
    switch ((enum bool_op)(i->flags >> 1)) {
    case BOOL_AND: return r && with;
    case BOOL_OR: return r || with;
    case BOOL_XOR: return r != with;
    case BOOL_NONE: break;
    }
    return r;
}
static uint32_t third(uint8_t *const bank[4], const struct instr *i)
{
    uint32_t c = 0;
    if (i->flags >> 1 == BOOL_NONE) return 0;
    memcpy(&c, operand_at(bank, i->r[3]), 4);
    return i->negate >> 3 & 1 ? ~c : c;
}
static int half_of(int type) { return type == PTX_F16X2 ? PTX_F16 : PTX_BF16; }

/* What set writes where the comparison holds: all ones, or 1.0. */
static uint64_t yes(int type)
{
    switch (type) {
    case PTX_F32: return 0x3f800000u;
    case PTX_F16: case PTX_F16X2: return 0x3c00u;
    case PTX_BF16: case PTX_BF16X2: return 0x3f80u;
    default: return UINT32_MAX;
    }
}

/* set d, a, b {, c}: type is d's, type2 that of a and b. */
void alu_set_any(uint8_t *const bank[4], const struct instr *i, uint32_t mask)
{
    uint8_t *d = operand_at(bank, i->r[0]);
    const uint8_t *pa = operand_at(bank, i->r[1]), *pb = operand_at(bank, i->r[2]);
    uint32_t src = (uint32_t)ptx_type_bytes((enum ptx_type)i->type2), dst = (uint32_t)ptx_type_bytes((enum ptx_type)i->type);
    uint32_t c = third(bank, i);
    EACH_ACTIVE(l) {
        uint64_t a = get(pa, l, src), b = get(pb, l, src), r = 0;
        if (i->type2 == PTX_F16X2 || i->type2 == PTX_BF16X2) {
            int half = half_of(i->type2);
            if (holds(i, half, a & 0xffff, b & 0xffff, c >> l & 1)) r |= yes(i->type) & 0xffff;
            if (holds(i, half, a >> 16, b >> 16, c >> l & 1)) r |= (yes(i->type) & 0xffff) << 16;
        } else if (holds(i, i->type2, a, b, c >> l & 1)) {
            r = yes(i->type);
        }
        put(d, l, dst, r);
    }
}

/* setp p|q, a, b {, c} on pairs: p from the low halves, q from the high ones. */
void alu_setp_x2(uint8_t *const bank[4], const struct instr *i, uint32_t mask)
{
    const uint8_t *pa = operand_at(bank, i->r[1]), *pb = operand_at(bank, i->r[2]);
    uint32_t c = third(bank, i), bits[2] = {0, 0};
    EACH_ACTIVE(l)
        for (int h = 0; h < 2; h++)
            if (holds(i, half_of(i->type2), get(pa, l, 4) >> (16 * h) & 0xffff, get(pb, l, 4) >> (16 * h) & 0xffff, c >> l & 1))
                bits[h] |= 1u << l;
    for (int h = 0; h < 2; h++) {
        opref r = i->r[h ? 5 : 0];
        uint32_t p;
        if (r == OPREF_NONE) continue;
        memcpy(&p, operand_at(bank, r), 4);
        p = (p & ~mask) | (bits[h] & mask);
        memcpy(operand_at(bank, r), &p, 4);
    }
}

/* mov d, {a, b, ...}: count sources of equal width in r[1..4], lowest first. */
void alu_mov_pack(uint8_t *const bank[4], const struct instr *i, uint32_t mask)
{
    uint32_t part = (uint32_t)ptx_type_bytes((enum ptx_type)i->type) / i->count;
    uint8_t *d = operand_at(bank, i->r[0]);
    EACH_ACTIVE(l) {
        uint8_t v[16];
        for (uint32_t k = 0; k < i->count; k++)
            memcpy(v + k * part, (const uint8_t *)operand_at(bank, i->r[1 + k]) + (size_t)l * part, part);
        memcpy(d + (size_t)l * part * i->count, v, (size_t)part * i->count);
    }
}

/* mov {a, b, ...}, s: count destinations in r[0..3] (NONE for `_`), the source in r[5]. */
void alu_mov_unpack(uint8_t *const bank[4], const struct instr *i, uint32_t mask)
{
    uint32_t part = (uint32_t)ptx_type_bytes((enum ptx_type)i->type) / i->count;
    const uint8_t *s = operand_at(bank, i->r[5]);
    EACH_ACTIVE(l) {
        uint8_t v[16];
        memcpy(v, s + (size_t)l * part * i->count, (size_t)part * i->count);
        for (uint32_t k = 0; k < i->count; k++)
            if (i->r[k] != OPREF_NONE)
                memcpy((uint8_t *)operand_at(bank, i->r[k]) + (size_t)l * part, v + k * part, part);
    }
}

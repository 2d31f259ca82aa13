/*
 * How a row of ptx/opcodes.def becomes a lane function: registers by letter,
 * loops, shapes.
 *
 * OP rows compute all 32 lanes in a loop without branches that the compiler
 * vectorises; with lanes switched off the result goes to a scratch array and
 * is blended in (WIDE). LANE rows visit the active lanes one by one (SLOW).
 * Lanes are read and written with memcpy, since one register holds floats now
 * and integers later. A destination may be one of the sources: each lane is
 * read before it is written, which LANES_INDEPENDENT tells the compiler.
 */
#ifndef EMU_MACHINE_EXEC_ALU_LOOPS_H
#define EMU_MACHINE_EXEC_ALU_LOOPS_H

#include "machine/exec_alu_math.h"
#include "ptx/opcode.h"

#if defined(__clang__)
#define LANES_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define LANES_INDEPENDENT _Pragma("GCC ivdep")
#else
#define LANES_INDEPENDENT
#endif

#define ALL_LANES UINT32_MAX

/* ---- Registers by letter (ptx/opcodes.def, "shape") ------------------------ */

typedef uint16_t reg_h;
typedef uint32_t reg_w;
typedef uint64_t reg_d;
typedef float reg_f;
typedef float reg_z;
typedef double reg_g;

#define ACCESS(letter, bytes, in, out)                                         \
    static inline reg_##letter get_##letter(const uint8_t *p, int l)           \
    {                                                                          \
        reg_##letter x;                                                        \
        memcpy(&x, p + bytes * l, bytes);                                      \
        return in;                                                             \
    }                                                                          \
    static inline void put_##letter(uint8_t *p, int l, reg_##letter x)         \
    {                                                                          \
        x = out;                                                               \
        memcpy(p + bytes * l, &x, bytes);                                      \
    }
ACCESS(h, 2, x, x)
ACCESS(w, 4, x, x)
ACCESS(d, 8, x, x)
ACCESS(f, 4, x, nan32(x))
ACCESS(z, 4, ftz32(x), ftz32(nan32(x)))
ACCESS(g, 8, x, x)

static const uint32_t bit32[LANES] = {
    1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7,
    1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
static const uint64_t bit64[LANES] = {
    1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7,
    1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* How the active lanes of a scratch array get into a register (exec_alu_wide.h). */
#define BLEND_h blend16
#define BLEND_w blend32
#define BLEND_f blend32
#define BLEND_z blend32
#define BLEND_d blend64
#define BLEND_g blend64

/* A predicate source as a mask, the `!` of PTX applied. */
static inline uint32_t predicate(uint8_t *const bank[4], const struct instr *i, int k)
{
    uint32_t m;
    memcpy(&m, operand_at(bank, i->r[k]), 4);
    return i->negate >> k & 1 ? ~m : m;
}
static inline void put_predicate(uint8_t *const bank[4], opref r, uint32_t mask, uint32_t value)
{
    uint32_t m;
    uint8_t *p = operand_at(bank, r);
    memcpy(&m, p, 4);
    m = (m & ~mask) | (value & mask);
    memcpy(p, &m, 4);
}

/* ---- Loops ------------------------------------------------------------------- */

#define SOURCE(k) const uint8_t *const p##k = operand_at(bank, i->r[k])
#define READ1(A) const reg_##A a = get_##A(p1, l)
#define READ2(A, B) READ1(A); const reg_##B b = get_##B(p2, l)
#define READ3(A, B, C) READ2(A, B); const reg_##C c = get_##C(p3, l)
#define READ4(A, B, C, E) READ3(A, B, C); const reg_##E e = get_##E(p4, l)
#define OPEN1 SOURCE(1)
#define OPEN2 OPEN1; SOURCE(2)
#define OPEN3 OPEN2; SOURCE(3)
#define OPEN4 OPEN3; SOURCE(4)

/* All lanes; D destination letter. */
#define WIDE(D, OPEN, READ, ...)                                               \
    OPEN;                                                                      \
    uint8_t *const dest = operand_at(bank, i->r[0]);                           \
    uint8_t hold[LANES * 8];                                                   \
    uint8_t *const out = mask == ALL_LANES ? dest : hold;                      \
    LANES_INDEPENDENT                                                          \
    for (int l = 0; l < LANES; l++) {                                          \
        READ;                                                                  \
        put_##D(out, l, (reg_##D)(__VA_ARGS__));                               \
    }                                                                          \
    if (mask != ALL_LANES)                                                     \
        BLEND_##D(dest, hold, mask);

/* Active lanes only. */
#define EACH_ACTIVE(l)                                                         \
    for (uint32_t left = mask, l##_ = 0; left && ((l##_ = (uint32_t)__builtin_ctz(left)), true); left &= left - 1)
#define SLOW(D, OPEN, READ, ...)                                               \
    OPEN;                                                                      \
    uint8_t *const dest = operand_at(bank, i->r[0]);                           \
    EACH_ACTIVE(l) {                                                           \
        const int l = (int)l_;                                                 \
        READ;                                                                  \
        put_##D(dest, l, (reg_##D)(__VA_ARGS__));                              \
    }

/* setp p|q, a, b, c: p = a CMP b BOOL c, q = !(a CMP b) BOOL c (PTX ISA 9.7.6.2). */
static void finish_setp(uint8_t *const bank[4], const struct instr *i, uint32_t mask, uint32_t p)
{
    uint32_t q = ~p;
    if (i->sub != BOOL_NONE) {
        uint32_t c = predicate(bank, i, 3);
        switch ((enum bool_op)i->sub) {
        case BOOL_AND: p &= c; q &= c; break;
        case BOOL_OR: p |= c; q |= c; break;
        case BOOL_XOR: p ^= c; q ^= c; break;
        case BOOL_NONE: break;
        }
    }
    if (i->r[0] != OPREF_NONE) put_predicate(bank, i->r[0], mask, p);
    if (i->r[5] != OPREF_NONE) put_predicate(bank, i->r[5], mask, q);
}
/* A mask from 32 comparisons: the bits of the lanes that hold, or-ed together.
 * The accumulator is as wide as the operands, so that one vector serves both. */
#define WIDE_P(acc, bits, OPEN, READ, ...)                                     \
    OPEN;                                                                      \
    acc m = 0;                                                                 \
    for (int l = 0; l < LANES; l++) {                                          \
        READ;                                                                  \
        m |= (__VA_ARGS__) ? bits[l] : 0;                                      \
    }                                                                          \
    finish_setp(bank, i, mask, (uint32_t)m);
#define SLOW_P(acc, bits, OPEN, READ, ...)                                     \
    OPEN;                                                                      \
    uint32_t m = 0;                                                            \
    EACH_ACTIVE(l) {                                                           \
        const int l = (int)l_;                                                 \
        READ;                                                                  \
        m |= (__VA_ARGS__) ? bit32[l] : 0;                                     \
    }                                                                          \
    finish_setp(bank, i, mask, m);

/* selp: the third source is a predicate. */
#define SELECT(D, bits, ...)                                                   \
    OPEN2;                                                                     \
    const uint32_t chosen = predicate(bank, i, 3);                             \
    uint8_t *const dest = operand_at(bank, i->r[0]);                           \
    uint8_t hold[LANES * 8];                                                   \
    uint8_t *const out = mask == ALL_LANES ? dest : hold;                      \
    LANES_INDEPENDENT                                                          \
    for (int l = 0; l < LANES; l++) {                                          \
        READ2(D, D);                                                           \
        const bool c = (chosen & bits[l]) != 0;                                \
        put_##D(out, l, __VA_ARGS__);                                          \
    }                                                                          \
    if (mask != ALL_LANES)                                                     \
        BLEND_##D(dest, hold, mask);

/* The carry flag of each lane is a predicate of the frame, at r[5]. */
#define CARRIED(D, OPEN, READ, writes, ...)                                    \
    OPEN;                                                                      \
    uint8_t *const dest = operand_at(bank, i->r[0]);                           \
    uint32_t flags;                                                            \
    memcpy(&flags, operand_at(bank, i->r[5]), 4);                              \
    EACH_ACTIVE(l) {                                                           \
        const int l = (int)l_;                                                 \
        unsigned carry = flags >> l & 1;                                       \
        READ;                                                                  \
        put_##D(dest, l, (reg_##D)(__VA_ARGS__));                              \
        flags = (flags & ~bit32[l]) | (uint32_t)carry << l;                    \
    }                                                                          \
    if (writes) memcpy(operand_at(bank, i->r[5]), &flags, 4);

#define LOGIC1(...)                                                            \
    const uint32_t a = predicate(bank, i, 1);                                  \
    put_predicate(bank, i->r[0], mask, __VA_ARGS__);
#define LOGIC2(...)                                                            \
    const uint32_t a = predicate(bank, i, 1), b = predicate(bank, i, 2);       \
    put_predicate(bank, i->r[0], mask, __VA_ARGS__);

/* Source and destination of 128 bits: only copied. */
#define COPY128                                                                \
    const uint8_t *from = operand_at(bank, i->r[1]);                           \
    uint8_t *to = operand_at(bank, i->r[0]);                                   \
    EACH_ACTIVE(l) memmove(to + 16 * l_, from + 16 * l_, 16);

/* ---- Shapes: RUN is WIDE or SLOW, by the kind of row ----------------------------- */

#define SHAPE1(RUN, D, A, ...) RUN(D, OPEN1, READ1(A), __VA_ARGS__)
#define SHAPE2(RUN, D, A, B, ...) RUN(D, OPEN2, READ2(A, B), __VA_ARGS__)
#define SHAPE3(RUN, D, A, B, C, ...) RUN(D, OPEN3, READ3(A, B, C), __VA_ARGS__)
#define SHAPE4(RUN, D, A, B, C, E, ...) RUN(D, OPEN4, READ4(A, B, C, E), __VA_ARGS__)

#define SHAPE_d_d(RUN, ...) SHAPE1(RUN, d, d, __VA_ARGS__)
#define SHAPE_d_dd(RUN, ...) SHAPE2(RUN, d, d, d, __VA_ARGS__)
#define SHAPE_d_ddc(RUN, ...) CARRIED(d, OPEN2, READ2(d, d), false, __VA_ARGS__)
#define SHAPE_d_ddd(RUN, ...) SHAPE3(RUN, d, d, d, d, __VA_ARGS__)
#define SHAPE_d_dddc(RUN, ...) CARRIED(d, OPEN3, READ3(d, d, d), false, __VA_ARGS__)
#define SHAPE_d_ddf(RUN, ...) SHAPE3(RUN, d, d, d, f, __VA_ARGS__)
#define SHAPE_d_ddp(RUN, ...) SELECT(d, bit64, __VA_ARGS__)
#define SHAPE_d_ddw(RUN, ...) SHAPE3(RUN, d, d, d, w, __VA_ARGS__)
#define SHAPE_d_ddww(RUN, ...) SHAPE4(RUN, d, d, d, w, w, __VA_ARGS__)
#define SHAPE_d_ddz(RUN, ...) SHAPE3(RUN, d, d, d, z, __VA_ARGS__)
#define SHAPE_d_dw(RUN, ...) SHAPE2(RUN, d, d, w, __VA_ARGS__)
#define SHAPE_d_dww(RUN, ...) SHAPE3(RUN, d, d, w, w, __VA_ARGS__)
#define SHAPE_d_h(RUN, ...) SHAPE1(RUN, d, h, __VA_ARGS__)
#define SHAPE_d_w(RUN, ...) SHAPE1(RUN, d, w, __VA_ARGS__)
#define SHAPE_d_ww(RUN, ...) SHAPE2(RUN, d, w, w, __VA_ARGS__)
#define SHAPE_d_wwd(RUN, ...) SHAPE3(RUN, d, w, w, d, __VA_ARGS__)
#define SHAPE_dc_dd(RUN, ...) CARRIED(d, OPEN2, READ2(d, d), true, __VA_ARGS__)
#define SHAPE_dc_ddc(RUN, ...) CARRIED(d, OPEN2, READ2(d, d), true, __VA_ARGS__)
#define SHAPE_dc_ddd(RUN, ...) CARRIED(d, OPEN3, READ3(d, d, d), true, __VA_ARGS__)
#define SHAPE_dc_dddc(RUN, ...) CARRIED(d, OPEN3, READ3(d, d, d), true, __VA_ARGS__)
#define SHAPE_f_f(RUN, ...) SHAPE1(RUN, f, f, __VA_ARGS__)
#define SHAPE_f_ff(RUN, ...) SHAPE2(RUN, f, f, f, __VA_ARGS__)
#define SHAPE_f_fff(RUN, ...) SHAPE3(RUN, f, f, f, f, __VA_ARGS__)
#define SHAPE_f_g(RUN, ...) SHAPE1(RUN, f, g, __VA_ARGS__)
#define SHAPE_f_h(RUN, ...) SHAPE1(RUN, f, h, __VA_ARGS__)
#define SHAPE_f_hf(RUN, ...) SHAPE2(RUN, f, h, f, __VA_ARGS__)
#define SHAPE_f_hhf(RUN, ...) SHAPE3(RUN, f, h, h, f, __VA_ARGS__)
#define SHAPE_f_w(RUN, ...) SHAPE1(RUN, f, w, __VA_ARGS__)
#define SHAPE_g_f(RUN, ...) SHAPE1(RUN, g, f, __VA_ARGS__)
#define SHAPE_g_g(RUN, ...) SHAPE1(RUN, g, g, __VA_ARGS__)
#define SHAPE_g_gg(RUN, ...) SHAPE2(RUN, g, g, g, __VA_ARGS__)
#define SHAPE_g_ggg(RUN, ...) SHAPE3(RUN, g, g, g, g, __VA_ARGS__)
#define SHAPE_g_w(RUN, ...) SHAPE1(RUN, g, w, __VA_ARGS__)
#define SHAPE_h_d(RUN, ...) SHAPE1(RUN, h, d, __VA_ARGS__)
#define SHAPE_h_f(RUN, ...) SHAPE1(RUN, h, f, __VA_ARGS__)
#define SHAPE_h_h(RUN, ...) SHAPE1(RUN, h, h, __VA_ARGS__)
#define SHAPE_h_hh(RUN, ...) SHAPE2(RUN, h, h, h, __VA_ARGS__)
#define SHAPE_h_hhf(RUN, ...) SHAPE3(RUN, h, h, h, f, __VA_ARGS__)
#define SHAPE_h_hhh(RUN, ...) SHAPE3(RUN, h, h, h, h, __VA_ARGS__)
#define SHAPE_h_hhp(RUN, ...) SELECT(h, bit32, __VA_ARGS__)
#define SHAPE_h_hhw(RUN, ...) SHAPE3(RUN, h, h, h, w, __VA_ARGS__)
#define SHAPE_h_hhz(RUN, ...) SHAPE3(RUN, h, h, h, z, __VA_ARGS__)
#define SHAPE_h_hw(RUN, ...) SHAPE2(RUN, h, h, w, __VA_ARGS__)
#define SHAPE_h_w(RUN, ...) SHAPE1(RUN, h, w, __VA_ARGS__)
#define SHAPE_p_d(RUN, ...) RUN##_P(uint64_t, bit64, OPEN1, READ1(d), __VA_ARGS__)
#define SHAPE_p_dd(RUN, ...) RUN##_P(uint64_t, bit64, OPEN2, READ2(d, d), __VA_ARGS__)
#define SHAPE_p_ff(RUN, ...) RUN##_P(uint32_t, bit32, OPEN2, READ2(f, f), __VA_ARGS__)
#define SHAPE_p_gg(RUN, ...) RUN##_P(uint64_t, bit64, OPEN2, READ2(g, g), __VA_ARGS__)
#define SHAPE_p_hh(RUN, ...) RUN##_P(uint32_t, bit32, OPEN2, READ2(h, h), __VA_ARGS__)
#define SHAPE_p_p(RUN, ...) LOGIC1(__VA_ARGS__)
#define SHAPE_p_pp(RUN, ...) LOGIC2(__VA_ARGS__)
#define SHAPE_p_w(RUN, ...) RUN##_P(uint32_t, bit32, OPEN1, READ1(w), __VA_ARGS__)
#define SHAPE_p_ww(RUN, ...) RUN##_P(uint32_t, bit32, OPEN2, READ2(w, w), __VA_ARGS__)
#define SHAPE_p_zz(RUN, ...) RUN##_P(uint32_t, bit32, OPEN2, READ2(z, z), __VA_ARGS__)
#define SHAPE_q_q(RUN, ...) COPY128
#define SHAPE_w_g(RUN, ...) SHAPE1(RUN, w, g, __VA_ARGS__)
#define SHAPE_w_d(RUN, ...) SHAPE1(RUN, w, d, __VA_ARGS__)
#define SHAPE_w_f(RUN, ...) SHAPE1(RUN, w, f, __VA_ARGS__)
#define SHAPE_w_ff(RUN, ...) SHAPE2(RUN, w, f, f, __VA_ARGS__)
#define SHAPE_w_h(RUN, ...) SHAPE1(RUN, w, h, __VA_ARGS__)
#define SHAPE_w_hh(RUN, ...) SHAPE2(RUN, w, h, h, __VA_ARGS__)
#define SHAPE_w_hhw(RUN, ...) SHAPE3(RUN, w, h, h, w, __VA_ARGS__)
#define SHAPE_w_w(RUN, ...) SHAPE1(RUN, w, w, __VA_ARGS__)
#define SHAPE_w_ww(RUN, ...) SHAPE2(RUN, w, w, w, __VA_ARGS__)
#define SHAPE_w_wwc(RUN, ...) CARRIED(w, OPEN2, READ2(w, w), false, __VA_ARGS__)
#define SHAPE_w_wwf(RUN, ...) SHAPE3(RUN, w, w, w, f, __VA_ARGS__)
#define SHAPE_w_wwp(RUN, ...) SELECT(w, bit32, __VA_ARGS__)
#define SHAPE_w_www(RUN, ...) SHAPE3(RUN, w, w, w, w, __VA_ARGS__)
#define SHAPE_w_wwwc(RUN, ...) CARRIED(w, OPEN3, READ3(w, w, w), false, __VA_ARGS__)
#define SHAPE_w_wwwi(RUN, ...) SHAPE4(RUN, w, w, w, w, w, __VA_ARGS__)
#define SHAPE_w_wwww(RUN, ...) SHAPE4(RUN, w, w, w, w, w, __VA_ARGS__)
#define SHAPE_w_wwz(RUN, ...) SHAPE3(RUN, w, w, w, z, __VA_ARGS__)
#define SHAPE_wc_ww(RUN, ...) CARRIED(w, OPEN2, READ2(w, w), true, __VA_ARGS__)
#define SHAPE_wc_wwc(RUN, ...) CARRIED(w, OPEN2, READ2(w, w), true, __VA_ARGS__)
#define SHAPE_wc_www(RUN, ...) CARRIED(w, OPEN3, READ3(w, w, w), true, __VA_ARGS__)
#define SHAPE_wc_wwwc(RUN, ...) CARRIED(w, OPEN3, READ3(w, w, w), true, __VA_ARGS__)
#define SHAPE_z_z(RUN, ...) SHAPE1(RUN, z, z, __VA_ARGS__)
#define SHAPE_z_zz(RUN, ...) SHAPE2(RUN, z, z, z, __VA_ARGS__)
#define SHAPE_z_zzz(RUN, ...) SHAPE3(RUN, z, z, z, z, __VA_ARGS__)

#endif

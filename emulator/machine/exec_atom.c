/*
 * Atomic operations: atom and red (PTX ISA 9.7.13.5, 9.7.13.6).
 *
 * Lanes go one after the other, lowest first; the rules promise no order.
 * Floating-point additions round to nearest even.
 */
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"
#include "machine/halves.h"

static uint32_t operand_bytes(const struct instr *i)
{
    return (uint32_t)ptx_type_bytes(i->type) * (i->count ? i->count : 1u);
}

static float f32_of(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

static uint64_t bits_of_f32(float f)
{
    uint32_t u;
    if (f != f)
        return 0x7fffffffu;
    memcpy(&u, &f, 4);
    return u;
}

/* As an H200 does it: which NaN comes out depends on where the cell is. inf - inf is the canonical NaN. */
static uint64_t add_f64(uint64_t a, uint64_t b, bool global)
{
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    if ((x != x || y != y) && global)
        return y != y ? b : a;
    if (x != x || y != y)
        return (x != x ? a : b) | UINT64_C(1) << 51;
    x += y;
    memcpy(&a, &x, 8);
    return x == x ? a : UINT64_C(0xfff8000000000000);
}

static uint64_t flushed(uint64_t bits) { return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits; }

/* In global memory subnormal numbers count as zero (PTX ISA 9.7.13.5), in shared memory they do not. */
static uint64_t add_f32(uint64_t a, uint64_t b, bool global)
{
    if (!global)
        return bits_of_f32(f32_of(a) + f32_of(b));
    return flushed(bits_of_f32(f32_of(flushed(a)) + f32_of(flushed(b))));
}

static uint64_t add(enum ptx_type type, uint64_t a, uint64_t b, bool global)
{
    switch (type) {
    case PTX_F32: return add_f32(a, b, global);
    case PTX_F64: return add_f64(a, b, global);
    case PTX_F16: return half_add((uint16_t)a, (uint16_t)b);
    case PTX_BF16: return bfloat_add((uint16_t)a, (uint16_t)b);
    case PTX_F16X2:
        return half_add((uint16_t)a, (uint16_t)b) | (uint64_t)half_add((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
    case PTX_BF16X2:
        return bfloat_add((uint16_t)a, (uint16_t)b) | (uint64_t)bfloat_add((uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16;
    default: return a + b;
    }
}

static bool is_half(enum ptx_type type) { return type == PTX_F16 || type == PTX_BF16; }

/* Minimum or maximum of numbers; a NaN loses. */
static uint64_t half_pick(enum ptx_type type, uint64_t a, uint64_t b, bool larger)
{
    float x = half_value(type == PTX_BF16, (uint16_t)a), y = half_value(type == PTX_BF16, (uint16_t)b);
    if (x != x || y != y)
        return x == x ? a : y == y ? b : 0x7fff;
    if (x == y)                              /* zeros of both signs */
        return larger ? a & b : a | b;
    return (x < y) == larger ? b : a;
}

static bool less(enum ptx_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case PTX_S32: return (int32_t)a < (int32_t)b;
    case PTX_S64: return (int64_t)a < (int64_t)b;
    default: return a < b;
    }
}

/* What memory holds afterwards; a: before, b and c: operands (PTX ISA 9.7.13.5, "operation"). */
uint64_t atom_combine(enum atom_op op, enum ptx_type type, bool global, uint64_t a, uint64_t b, uint64_t c)
{
    switch (op) {
    case ATOM_ADD: return add(type, a, b, global);
    case ATOM_MIN: return is_half(type) ? half_pick(type, a, b, false) : less(type, b, a) ? b : a;
    case ATOM_MAX: return is_half(type) ? half_pick(type, a, b, true) : less(type, a, b) ? b : a;
    case ATOM_AND: return a & b;
    case ATOM_OR: return a | b;
    case ATOM_XOR: return a ^ b;
    case ATOM_EXCH: return b;
    case ATOM_CAS: return a == b ? c : a;
    case ATOM_INC: return (uint32_t)a >= (uint32_t)b ? 0 : a + 1;
    case ATOM_DEC: return (uint32_t)a == 0 || (uint32_t)a > (uint32_t)b ? b : a - 1;
    }
    return a;
}

/* 2, 4 or 8 bytes. Each by a load of its own width: the cell was stored by the lane before, and a wider load would wait for it. */
static uint64_t bits_at(const void *at, uint32_t bytes)
{
    uint16_t narrow;
    uint32_t word;
    uint64_t wide;
    switch (bytes) {
    case 4: memcpy(&word, at, 4); return word;
    case 8: memcpy(&wide, at, 8); return wide;
    default: memcpy(&narrow, at, 2); return narrow;
    }
}

static void put_bits(void *at, uint32_t bytes, uint64_t v)
{
    const uint16_t narrow = (uint16_t)v;
    const uint32_t word = (uint32_t)v;
    switch (bytes) {
    case 4: memcpy(at, &word, 4); break;
    case 8: memcpy(at, &v, 8); break;
    default: memcpy(at, &narrow, 2);
    }
}

static uint64_t operand(const struct warp *w, opref r, uint32_t lane, uint32_t bytes)
{
    return r != OPREF_NONE ? bits_at((const uint8_t *)operand_at(w->bank, r) + (size_t)lane * bytes, bytes) : 0;
}

/* 16 bytes: exch and cas only. */
static void exchange_wide(struct warp *w, const struct instr *i, uint32_t lane, uint8_t *at)
{
    uint8_t old[16], b[16], c[16];
    memcpy(old, at, 16);
    memcpy(b, (const uint8_t *)operand_at(w->bank, i->r[2]) + 16u * lane, 16);
    if (i->sub == ATOM_EXCH) {
        memcpy(at, b, 16);
    } else if (memcmp(old, b, 16) == 0) {
        memcpy(c, (const uint8_t *)operand_at(w->bank, i->r[3]) + 16u * lane, 16);
        memcpy(at, c, 16);
    }
    if (i->r[0] != OPREF_NONE)
        memcpy((uint8_t *)operand_at(w->bank, i->r[0]) + 16u * lane, old, 16);
}

static void one_lane(struct warp *w, const struct instr *i, uint32_t lane, uint8_t *at, bool global)
{
    bool red = i->klass == CLASS_RED;
    uint32_t size = (uint32_t)ptx_type_bytes(i->type), count = i->count ? i->count : 1;
    for (uint32_t k = 0; k < count; k++) {
        opref result = red ? OPREF_NONE : i->r[0], value = red ? i->r[1] : i->r[2], third = red ? i->r[2] : i->r[3];
        if (count > 1) {                     /* vector forms: results first, then values */
            const opref *list = &w->frame->function->list[i->list];
            result = red ? OPREF_NONE : list[k];
            value = red ? list[k] : list[count + k];
        }
        uint64_t old = bits_at(at + (size_t)k * size, size);
        uint64_t b = operand(w, value, lane, size), c = i->sub == ATOM_CAS ? operand(w, third, lane, size) : 0;
        uint64_t now = atom_combine((enum atom_op)i->sub, (enum ptx_type)i->type, global, old, b, c);
        put_bits(at + (size_t)k * size, size, now);
        if (result != OPREF_NONE)
            put_bits((uint8_t *)operand_at(w->bank, result) + (size_t)lane * size, size, old);
    }
}

/* Lanes that share a cell, as those of a counter or a lock do, look it up once: outside local memory it is the same for all. */
bool exec_atom(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    opref base = i->klass == CLASS_RED ? i->r[0] : i->r[1];
    uint32_t bytes = operand_bytes(i);
    uint64_t last = 0;
    struct place p = {.bytes = NULL};
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        uint64_t address = lane_address(w, i, base, l);
        bool shared = p.bytes != NULL && address == last && (p.space == MEM_GLOBAL || p.space == MEM_SHARED);
        if (!shared)
            p = resolve(m, w, l, (enum mem_space)i->space, address, bytes, FOR_BOTH);
        last = address;
        if (p.bytes == NULL)
            return false;
        if (i->type == PTX_B128)
            exchange_wide(w, i, l, p.bytes);
        else
            one_lane(w, i, l, p.bytes, p.space == MEM_GLOBAL);
        if (p.init != NULL && !shared)
            bits_set(p.init, p.init_bit, bytes);
    }
    return true;
}

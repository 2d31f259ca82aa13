/*
 * The lane functions of the OP rows and the table of all of them. Included
 * once per processor variant by exec_alu_base.c and exec_alu_avx2.c, which
 * define ALU_TABLE. The functions of LANE rows exist once (exec_alu_lane.c):
 * they gain nothing from wider vectors.
 */
#include "machine/exec_alu_any.h"
#include "machine/exec_alu_loops.h"

/* Takes the lanes of `mask` from `from`, leaves the others. */
static void blend16(uint8_t *to, const uint8_t *from, uint32_t mask)
{
    for (int l = 0; l < LANES; l++)
        put_h(to, l, mask >> l & 1 ? get_h(from, l) : get_h(to, l));
}
static void blend32(uint8_t *to, const uint8_t *from, uint32_t mask)
{
    LANES_INDEPENDENT
    for (int l = 0; l < LANES; l++) {
        uint32_t a = get_w(from, l), b = get_w(to, l);
        put_w(to, l, mask & bit32[l] ? a : b);
    }
}
static void blend64(uint8_t *to, const uint8_t *from, uint32_t mask)
{
    LANES_INDEPENDENT
    for (int l = 0; l < LANES; l++) {
        uint64_t a = get_d(from, l), b = get_d(to, l);
        put_d(to, l, mask & bit64[l] ? a : b);
    }
}
#define OP(id, spelling, shape, cost, ...)                                     \
    static void alu_##id(uint8_t *const bank[4], const struct instr *i, uint32_t mask) \
    {                                                                          \
        SHAPE_##shape(WIDE, __VA_ARGS__)                                       \
    }
#define LANE(id, spelling, shape, cost, ...) alu_function alu_##id;
#include "ptx/opcodes.def"

alu_function *const ALU_TABLE[OP_COUNT] = {
#define OP(id, spelling, shape, cost, ...) [OP_##id] = alu_##id,
#include "ptx/opcodes.def"
    [OP_cvt_any] = alu_cvt_any,
    [OP_set_any] = alu_set_any,
    [OP_setp_x2] = alu_setp_x2,
    [OP_mov_pack] = alu_mov_pack,
    [OP_mov_unpack] = alu_mov_unpack,
};

/*
 * The lane functions of the LANE rows: one active lane after the other.
 * See exec_alu_loops.h.
 */
#include "machine/exec_alu_loops.h"

#define OP(id, spelling, shape, cost, ...)
#define LANE(id, spelling, shape, cost, ...)                                   \
    alu_function alu_##id;                                                     \
    void alu_##id(uint8_t *const bank[4], const struct instr *i, uint32_t mask) \
    {                                                                          \
        SHAPE_##shape(SLOW, __VA_ARGS__)                                       \
    }
#include "ptx/opcodes.def"

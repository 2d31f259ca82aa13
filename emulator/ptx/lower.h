/*
 * What the parts of the lowering share: lower.c (which functions, where
 * variables lie, statement after statement), lower_registers.c (which registers
 * share a place), lower_operand.c (operands and the constant bank) and
 * lower_forms.c (the operands of each class of instruction). Nobody else
 * includes this.
 *
 * Trouble: lower_fail notes the first mistake of the module and the lowering
 * stops after the statement; lower_refuse makes the instruction one that stops
 * when it is reached.
 */
#ifndef EMU_PTX_LOWER_H
#define EMU_PTX_LOWER_H

#include <stdbool.h>
#include <stddef.h>

#include "ptx/arena.h"
#include "ptx/opcode.h"

enum { NOWHERE = 0x7fffffff };    /* a variable without a place */

/* Growing array of elements of one size. */
struct pile { uint8_t *data; size_t count, room, size; };

/* The constant bank of the function being lowered: broadcast values, each once. */
struct constant { uint64_t low, high; uint32_t bytes, offset; };
struct constants {
    struct pile bank;         /* bytes */
    struct pile all;          /* struct constant */
    uint32_t *slots; size_t slot_count;
};

struct lowering {
    const struct ptx_module *module;
    const struct ptx_function *entry;
    const struct code_env *env;
    struct ptx_error *error;
    bool failed;
    struct ptx_arena *arena;          /* the code's */
    struct code *code;

    /* Per module. */
    uint32_t *module_shared;          /* offset of each module-scope .shared variable, or NOWHERE */
    uint32_t dynamic_align;
    bool *reachable;                  /* per function */
    struct pile queue;                /* int: reachable functions, in order of discovery */
    struct { const char *name; struct opcode opcode; } *decoded;   /* by spelling, open addressing */
    size_t decoded_room, decoded_count;

    /* The function being lowered. */
    const struct ptx_function *f;
    struct code_function *out;
    const struct ptx_statement *statement;
    uint32_t *reg_offset;             /* per register */
    uint32_t *var_offset;             /* per variable of the function: frame or shared offset, or NOWHERE */
    uint32_t carry_offset;            /* the flag of add.cc and its like: a predicate of the frame */
    uint32_t frame_bytes;
    struct constants constants;
    struct pile list;                 /* opref */
    struct pile calls;                /* struct code_call */
};

/* lower.c */
void *lower_alloc(struct lowering *x, size_t bytes);              /* zeroed, lives as long as the code */
void *pile_add(struct lowering *x, struct pile *p, size_t count); /* the new elements, zeroed; NULL: out of memory */
void lower_fail(struct lowering *x, const char *format, ...);
void lower_refuse(struct instr *i);
const struct opcode *lower_decode(struct lowering *x, const char *spelling);

/* lower_registers.c: fills reg_offset, carry_offset and the function's reg_bytes. */
void lower_place_registers(struct lowering *x);

/* lower_operand.c */
opref lower_constant(struct lowering *x, uint32_t bytes, uint64_t low, uint64_t high);
opref lower_predicate_constant(struct lowering *x, bool value);
/* A source of the shape's letter (opcodes.def); type says what a bare literal means. */
opref lower_source(struct lowering *x, const struct ptx_operand *o, char letter, enum ptx_type type);
/* A predicate source, its `!` noted in i->negate for r[k]. */
void lower_predicate(struct lowering *x, struct instr *i, int k, const struct ptx_operand *o);
/* A register to write, or OPREF_NONE for `_`. */
opref lower_target(struct lowering *x, const struct ptx_operand *o, char letter);
/* d|p: d into r[0], p into r[5]; without a bar only r[0]. */
void lower_pair(struct lowering *x, struct instr *i, const struct ptx_operand *o, char letter);
char letter_of_bytes(int bytes);
int lower_register_bytes(struct lowering *x, const struct ptx_operand *o);   /* 0: no register */
/* The value of a variable's address in its own space; *in_frame: an offset in the function's frame. */
uint64_t lower_variable(struct lowering *x, const struct ptx_operand *o, bool *in_frame);
bool lower_is_kernel_param(const struct lowering *x, const struct ptx_var *var);
/* Operands of a vector appended to the function's list; returns where they start. */
uint32_t lower_vector(struct lowering *x, const struct ptx_operand *o, char letter, enum ptx_type type, bool write);

/* lower_forms.c: completes i (made from the opcode) with the statement's operands. */
void lower_operands(struct lowering *x, const struct opcode *o, struct instr *i);

#endif

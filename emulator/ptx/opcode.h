/*
 * From the spelling of an instruction to its row of the opcode table.
 *
 * opcodes.def is the one table; here are its readers: the decoder, the printed
 * list of spellings and the coverage page. A decoded opcode is an instruction
 * (machine/code.h) without operands, which lower.c completes.
 * Not modelled: what operands a spelling takes (lower.c) and on which targets
 * ptxas accepts it.
 */
#ifndef EMU_PTX_OPCODE_H
#define EMU_PTX_OPCODE_H

#include <stdbool.h>
#include <stdio.h>

#include "machine/code.h"
#include "machine/device.h"

enum op_id {
#define OP(id, spelling, shape, cost, ...) OP_##id,
#define FAMILY(id, prefix, klass, cost, modifiers) OP_##id,
#include "ptx/opcodes.def"
    OP_REFUSED,      /* outside the coverage */
    OP_COUNT
};

struct opcode {
    struct instr instr;      /* op, klass, cost, type, type2, space, sem, scope, sub, count, flags, aligned */
    const char *shape;       /* operands of an arithmetic row ("w_ww"), NULL for families */
    enum op_id family;       /* the family it came from; OP_COUNT for a plain row */
};

enum opcode_verdict { OPCODE_ACCEPTED, OPCODE_REFUSED /* known, outside the coverage */, OPCODE_UNKNOWN };

/* Decodes a full spelling without guard ("setp.lt.s32"). Unless it is
 * accepted, out->instr is CLASS_REFUSED. */
enum opcode_verdict opcode_decode(const char *spelling, struct opcode *out);
/* Why a spelling is refused ("textures"); NULL when no reason is recorded. */
const char *opcode_refusal(const char *spelling);
/* What is refused, for a person: "`tex.2d.v4.f32.f32` (textures)", or for a call the name of the function. */
void opcode_refusal_text(const struct ptx_statement *st, char *text, size_t size);
/* The row's canonical spelling, a family's prefix. */
const char *opcode_name(enum op_id op);

/* Every accepted spelling, one a line; cache hints, which have no effect on
 * values and are accepted everywhere the PTX ISA has them, are left out. */
void opcode_print_list(FILE *out);
/* The coverage page, Markdown. */
void opcode_print_coverage(FILE *out);

/* For the families (opcode_family.c): what was found of each group of
 * modifiers, -1 where nothing was. */
enum mod_group {
    MOD_sem, MOD_scope, MOD_level_of, MOD_space, MOD_from, MOD_mmio, MOD_nc, MOD_to, MOD_uni, MOD_sync, MOD_aligned,
    MOD_ftz, MOD_sat, MOD_relu, MOD_noftz, MOD_cop, MOD_evict, MOD_evict2, MOD_second, MOD_hint, MOD_prefetch,
    MOD_level, MOD_vec, MOD_atomop, MOD_redbulk, MOD_rnd, MOD_irnd, MOD_cmp, MOD_boolop, MOD_incdec, MOD_mask,
    MOD_tensormap, MOD_griddep, MOD_cta, MOD_barop, MOD_redop, MOD_shflop, MOD_voteop, MOD_matchop, MOD_reduxop,
    MOD_proxy, MOD_restrict, MOD_expect, MOD_nocomplete, MOD_parity, MOD_cachea, MOD_noinc, MOD_read,
    MOD_completion, MOD_multicast, MOD_bytemask, MOD_multiall, MOD_async, MOD_type, MOD_type2,
    MOD_GROUP_COUNT
};
enum { UNSIGNED_ONLY = 16 };   /* lo, ls, hi, hs */
enum { PARAM_ENTRY = 16, PLAIN_SHARED };   /* spaces spelled param::entry (read only) and shared */
enum { LEVEL_EVICT = 3 };       /* prefetch into L2 with an eviction priority */
enum { PROXY_ASYNC, PROXY_ASYNC_GENERIC, PROXY_ALIAS };
enum { COMPLETION_MBARRIER, COMPLETION_BULK_GROUP };
struct mods { int value[MOD_GROUP_COUNT]; };

/* Completes o->instr from the modifiers; false: no such instruction. */
bool opcode_finish(enum op_id family, const struct mods *m, struct opcode *o);
/* The row spelled exactly so, OP_COUNT when there is none. */
enum op_id opcode_row(const char *spelling);
/* Fills o with an arithmetic row (types from the row's spelling). */
void opcode_take_row(enum op_id row, struct opcode *o);

#endif

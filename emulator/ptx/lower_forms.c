/*
 * The operands of each class of instruction: which stand where in the PTX
 * text, and where struct instr (machine/code.h, machine/sync_ops.h) has them.
 * A statement with too few or too many operands is a mistake of the module.
 */
#include "ptx/lower.h"

#include <string.h>

#include "machine/sync_ops.h"

static const struct ptx_operand *operand(struct lowering *x, int k)
{
    static const struct ptx_operand none = {.kind = PTX_OPR_SINK};
    if (k < x->statement->oprs) return &x->statement->opr[k];
    lower_fail(x, "operand %d is missing", k + 1);
    return &none;
}
static bool has(const struct lowering *x, int k) { return k < x->statement->oprs; }
static void want(struct lowering *x, int least, int most)
{
    int have = x->statement->oprs;
    if (have < least || have > most) lower_fail(x, "%d operands instead of %d", have, have < least ? least : most);
}
static opref source(struct lowering *x, int k, char letter)
{
    return lower_source(x, operand(x, k), letter, PTX_NOTYPE);
}
static int bytes_of(uint8_t type) { return ptx_type_bytes((enum ptx_type)type); }

/* An integer that the instruction needs at once. */
static int64_t literal(struct lowering *x, int k)
{
    const struct ptx_operand *o = operand(x, k);
    if (o->kind != PTX_OPR_INT) lower_fail(x, "operand %d must be an integer constant", k + 1);
    return (int64_t)o->bits;
}

/* ---- Arithmetic -------------------------------------------------------------------- */

/* The row's shape gives letters for destination and sources. */
static void lower_row(struct lowering *x, const struct opcode *o, struct instr *i)
{
    const char *sources = strchr(o->shape, '_') + 1;
    int k = 1;
    if (strchr(o->shape, 'c')) i->r[5] = OPREF(BANK_REG, x->carry_offset);
    if (o->shape[0] == 'p') lower_pair(x, i, operand(x, 0), 'p');
    else i->r[0] = lower_target(x, operand(x, 0), o->shape[0]);
    if (i->r[0] == OPREF_NONE && o->shape[0] != 'p') lower_fail(x, "the result must be a register");
    for (; *sources && *sources != 'c'; sources++, k++) {
        if (*sources == 'p') lower_predicate(x, i, k, operand(x, k));
        else i->r[k] = lower_source(x, operand(x, k), *sources, (enum ptx_type)i->type);
    }
    if (o->family == OP_setp && i->sub != BOOL_NONE) {
        lower_predicate(x, i, k, operand(x, k));
        k++;
    }
    want(x, k, k);
}

static bool matches(struct lowering *x, int k, char letter)
{
    const struct ptx_operand *o = operand(x, k);
    int bytes = lower_register_bytes(x, o);
    return bytes == 0 || letter_of_bytes(bytes) == letter;
}
static char integer_letter(char letter) { return strchr("fz", letter) ? 'w' : letter == 'g' ? 'd' : letter; }

/* The width of cvt's register k, at least that of its type; more only for integers. */
static int cvt_width(struct lowering *x, int k, uint8_t type)
{
    const char *name = ptx_type_name((enum ptx_type)type);
    int least = bytes_of(type) < 2 ? 2 : bytes_of(type), bytes = lower_register_bytes(x, operand(x, k));
    bool integer = name[0] == 'u' || name[0] == 's';
    if (bytes == 0) return least;
    if (bytes > 8 || bytes < least || (bytes > least && !integer))
        lower_fail(x, "register %s does not fit .%s", x->f->regs[operand(x, k)->reg].name, name);
    return bytes;
}
static int width_code(int bytes) { return bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }
static char float_letter(uint8_t type, char otherwise)
{
    return type == PTX_F32 ? 'f' : type == PTX_F64 ? 'g' : otherwise;
}

/* The fast row when the registers are as wide as the types, else the general one. */
static void lower_cvt(struct lowering *x, const struct opcode *o, struct instr *i)
{
    if (o->shape && matches(x, 0, integer_letter(o->shape[0])) && matches(x, 1, integer_letter(o->shape[2]))) {
        lower_row(x, o, i);
        return;
    }
    want(x, 2, 2);
    if (x->failed) return;
    int dst = cvt_width(x, 0, i->type), src = cvt_width(x, 1, i->type2);
    int modifiers = i->flags & ((1 << CVT_DST_SHIFT) - 1);
    i->op = OP_cvt_any;
    i->flags = (uint8_t)(modifiers | width_code(dst) << CVT_DST_SHIFT | width_code(src) << CVT_SRC_SHIFT);
    i->r[0] = lower_target(x, operand(x, 0), letter_of_bytes(dst));
    i->r[1] = lower_source(x, operand(x, 1), float_letter(i->type2, letter_of_bytes(src)), (enum ptx_type)i->type2);
}

/* set, and setp on pairs of halves. */
static void lower_set(struct lowering *x, struct instr *i)
{
    char letter = float_letter(i->type2, letter_of_bytes(bytes_of(i->type2)));
    bool with = i->flags >> 1;
    if (i->op == OP_setp_x2) lower_pair(x, i, operand(x, 0), 'p');
    else i->r[0] = lower_target(x, operand(x, 0), letter_of_bytes(bytes_of(i->type)));
    i->r[1] = lower_source(x, operand(x, 1), letter, (enum ptx_type)i->type2);
    i->r[2] = lower_source(x, operand(x, 2), letter, (enum ptx_type)i->type2);
    if (with) lower_predicate(x, i, 3, operand(x, 3));
    want(x, 3 + with, 3 + with);
}

/* ---- mov ---------------------------------------------------------------------------- */

static void use_row(struct instr *i, enum op_id row)
{
    i->op = (uint16_t)row;
    i->klass = CLASS_ALU;
}

/* mov.b64 d, {a, b} and mov.b64 {a, b}, s (PTX ISA 9.7.9.4). */
static void lower_pack(struct lowering *x, struct instr *i, bool unpack)
{
    const struct ptx_operand *vector = operand(x, unpack ? 0 : 1);
    int bytes = bytes_of(i->type), part = vector->count ? bytes / vector->count : 0;
    if ((vector->count != 2 && vector->count != 4) || part < 2) {
        lower_refuse(i);
        return;
    }
    i->count = (uint8_t)vector->count;
    use_row(i, unpack ? OP_mov_unpack : OP_mov_pack);
    for (int k = 0; k < vector->count; k++) {
        if (unpack) i->r[k] = lower_target(x, &vector->elem[k], letter_of_bytes(part));
        else i->r[1 + k] = lower_source(x, &vector->elem[k], letter_of_bytes(part), PTX_NOTYPE);
    }
    if (unpack) i->r[5] = source(x, 1, letter_of_bytes(bytes));
    else i->r[0] = lower_target(x, operand(x, 0), letter_of_bytes(bytes));
}

static void lower_mov_special(struct lowering *x, struct instr *i)
{
    const struct ptx_operand *o = operand(x, 1);
    int bytes = bytes_of(i->type);
    if (i->type == PTX_PRED) {                       /* %is_explicit_cluster: not zero */
        use_row(i, OP_setp_ne_b32);
        i->r[0] = lower_target(x, operand(x, 0), 'p');
        i->r[1] = source(x, 1, 'w');
        i->r[2] = lower_constant(x, 4, 0, 0);
        return;
    }
    i->r[0] = lower_target(x, operand(x, 0), letter_of_bytes(bytes));
    if (sreg_is_dynamic(o->sreg)) {
        i->klass = CLASS_MOV_SREG;
        i->imm = (int64_t)o->sreg;
        return;
    }
    if (bytes == 8) use_row(i, OP_cvt_u64_u32);
    if (bytes == 2) use_row(i, OP_cvt_u16_u32);
    i->r[1] = source(x, 1, 'w');
}

static void lower_mov_address(struct lowering *x, struct instr *i)
{
    bool in_frame;
    uint64_t value = lower_variable(x, operand(x, 1), &in_frame);
    int bytes = bytes_of(i->type);
    i->r[0] = lower_target(x, operand(x, 0), letter_of_bytes(bytes));
    if (bytes < 4 || bytes > 8) lower_fail(x, "an address has 32 or 64 bits");
    if (in_frame) {
        i->klass = CLASS_MOV_FRAME;
        i->imm = (int64_t)value;
    } else {
        i->r[1] = lower_constant(x, (uint32_t)bytes, value, 0);
    }
}

static void lower_mov(struct lowering *x, const struct opcode *o, struct instr *i)
{
    want(x, 2, 2);
    if (operand(x, 0)->kind == PTX_OPR_VEC) lower_pack(x, i, true);
    else if (operand(x, 1)->kind == PTX_OPR_VEC) lower_pack(x, i, false);
    else if (operand(x, 1)->kind == PTX_OPR_SREG) lower_mov_special(x, i);
    else if (operand(x, 1)->kind == PTX_OPR_VAR) lower_mov_address(x, i);
    else lower_row(x, o, i);
}

static void lower_alu(struct lowering *x, const struct opcode *o, struct instr *i)
{
    if (o->family == OP_cvt_any) lower_cvt(x, o, i);
    else if (o->family == OP_set_any || i->op == OP_setp_x2) lower_set(x, i);
    else if (o->family == OP_createpolicy) {          /* policies have no effect here */
        i->r[0] = lower_target(x, operand(x, 0), 'd');
        i->r[1] = lower_constant(x, 8, 0, 0);
    } else if (strncmp(x->statement->name, "mov.", 4) == 0) lower_mov(x, o, i);
    else lower_row(x, o, i);
}

/* ---- Addresses ---------------------------------------------------------------------- */

struct place { opref base; int64_t offset; bool narrow, frame, kernel_param; };

/* [reg + offset], [variable + offset], [constant]: what the text says, as base and offset. */
static struct place address(struct lowering *x, const struct ptx_operand *o)
{
    struct place p = {.base = OPREF_NONE};
    if (o->kind != PTX_OPR_ADDR || o->count < 1) {
        lower_fail(x, "an address in brackets is missing");
        return p;
    }
    const struct ptx_operand *base = &o->elem[0];
    p.offset = o->offset;
    if (base->kind == PTX_OPR_REG) {
        int bytes = lower_register_bytes(x, base);
        p.narrow = bytes == 4;
        if (bytes != 4 && bytes != 8) lower_fail(x, "an address has 32 or 64 bits");
        else p.base = lower_source(x, base, letter_of_bytes(bytes), PTX_NOTYPE);
    } else if (base->kind == PTX_OPR_VAR) {
        p.offset += (int64_t)lower_variable(x, base, &p.frame);
        p.kernel_param = lower_is_kernel_param(x, base->var);
    } else if (base->kind == PTX_OPR_INT) {
        p.offset += (int64_t)base->bits;
    } else {
        lower_fail(x, "an operand of this kind cannot be an address");
    }
    return p;
}

/* Where .param and .local accesses really go. */
static void set_private_space(struct lowering *x, struct instr *i, const struct place *p)
{
    bool param = i->space == MEM_KPARAM || i->space == MEM_FRAME;
    if (param) {
        if (p->base == OPREF_NONE) i->space = p->frame ? MEM_FRAME : MEM_KPARAM;
        else i->space = x->f->is_entry ? MEM_KPARAM : MEM_LOCAL;
        i->cost = i->space == MEM_KPARAM ? COST_CONST : COST_LOCAL;
    } else if (p->frame) {
        i->space = MEM_FRAME;
    }
}

static void set_address(struct lowering *x, struct instr *i, int r, int k)
{
    struct place p = address(x, operand(x, k));
    i->r[r] = p.base;
    i->imm = p.offset;
    i->addr32 = p.narrow;
    if (i->klass == CLASS_LD || i->klass == CLASS_ST) set_private_space(x, i, &p);
    else if (p.frame) lower_refuse(i);
}

/* The k-th of several addresses: offsets packed, variables as constant bases (machine/sync_ops.h). */
static void set_packed_address(struct lowering *x, struct instr *i, int r, int k, int number)
{
    struct place p = address(x, operand(x, k));
    if (p.base == OPREF_NONE) {
        p.base = lower_constant(x, 8, (uint64_t)p.offset, 0);
        p.offset = 0;
    }
    if (p.frame) lower_refuse(i);
    if (p.offset != (int32_t)p.offset) lower_fail(x, "the offset of an address does not fit 32 bits");
    i->r[r] = p.base;
    i->addr32 |= (uint8_t)(p.narrow << number);
    uint64_t offset = (uint32_t)(int32_t)p.offset;
    if (number == 0) i->imm = (int64_t)(((uint64_t)i->imm & ~(uint64_t)UINT32_MAX) | offset);
    else if (number == 1) i->imm = (int64_t)(((uint64_t)i->imm & UINT32_MAX) | offset << 32);
    else i->list = (uint32_t)offset;
}

/* ---- ld, st, atom, red ------------------------------------------------------------------- */

/* Widest register of a value operand; literals take the type's own width. */
static int value_bytes(struct lowering *x, const struct ptx_operand *o, uint8_t type)
{
    int least = bytes_of(type) < 2 ? 2 : bytes_of(type), bytes = 0;
    if (o->kind == PTX_OPR_VEC) {
        for (int k = 0; k < o->count; k++)
            if (lower_register_bytes(x, &o->elem[k]) > bytes) bytes = lower_register_bytes(x, &o->elem[k]);
    } else {
        bytes = lower_register_bytes(x, o);
    }
    return bytes > least ? bytes : least;
}

static void set_value(struct lowering *x, struct instr *i, int r, int k, bool write)
{
    const struct ptx_operand *o = operand(x, k);
    int least = bytes_of(i->type) < 2 ? 2 : bytes_of(i->type), bytes = value_bytes(x, o, i->type);
    if (bytes > least && (i->type == PTX_F32 || i->type == PTX_F64 || bytes > 8))
        lower_fail(x, "the register is too wide for .%s", ptx_type_name((enum ptx_type)i->type));
    if (bytes > least) i->flags |= bytes == 4 ? LD_WIDE_REG32 : LD_WIDE_REG64;
    char letter = letter_of_bytes(bytes);
    if ((o->kind == PTX_OPR_VEC ? o->count : 1) != i->count) {
        lower_fail(x, "%d elements instead of %d", o->kind == PTX_OPR_VEC ? o->count : 1, i->count);
    } else if (o->kind == PTX_OPR_VEC && i->count > 1) {
        i->list = lower_vector(x, o, letter, (enum ptx_type)i->type, write);
    } else {
        if (o->kind == PTX_OPR_VEC) o = &o->elem[0];
        i->r[r] = write ? lower_target(x, o, letter) : lower_source(x, o, letter, (enum ptx_type)i->type);
    }
}

static void lower_ld(struct lowering *x, struct instr *i)
{
    set_value(x, i, 0, 0, true);
    set_address(x, i, 1, 1);
    want(x, 2, 3);                    /* a cache policy may follow */
}
static void lower_st(struct lowering *x, struct instr *i)
{
    set_address(x, i, 0, 0);
    set_value(x, i, 1, 1, false);
    want(x, 2, 3);
}

/* Values of atomics have exactly the type's width. */
static void set_atomic_vector(struct lowering *x, struct instr *i, int k, bool write)
{
    const struct ptx_operand *o = operand(x, k);
    if (o->kind != PTX_OPR_VEC || o->count != i->count) lower_fail(x, "a vector of %d elements is needed", i->count);
    else lower_vector(x, o, letter_of_bytes(bytes_of(i->type)), (enum ptx_type)i->type, write);
}

static void lower_atom(struct lowering *x, struct instr *i)
{
    bool red = i->klass == CLASS_RED;
    int k = red ? 0 : 1;
    char letter = letter_of_bytes(bytes_of(i->type));
    set_address(x, i, k, k);
    if (i->count > 1) {
        i->list = (uint32_t)x->list.count;
        if (!red) set_atomic_vector(x, i, 0, true);
        set_atomic_vector(x, i, k + 1, false);
    } else {
        if (!red) i->r[0] = lower_target(x, operand(x, 0), letter);
        i->r[k + 1] = lower_source(x, operand(x, k + 1), letter, (enum ptx_type)i->type);
        if (i->sub == ATOM_CAS) i->r[k + 2] = lower_source(x, operand(x, k + 2), letter, (enum ptx_type)i->type);
    }
    int least = k + 2 + (i->sub == ATOM_CAS);
    want(x, least, least + 1);
}

/* cvta: a register or a variable's address. */
static void lower_cvta(struct lowering *x, struct instr *i)
{
    char letter = letter_of_bytes(bytes_of(i->type));
    const struct ptx_operand *o = operand(x, 1);
    want(x, 2, 2);
    i->addr32 = letter == 'w';
    i->r[0] = lower_target(x, operand(x, 0), letter);
    bool in_frame = false;
    if (o->kind == PTX_OPR_VAR) lower_variable(x, o, &in_frame);
    if (in_frame) lower_refuse(i);
    else i->r[1] = source(x, 1, letter);
}

static void lower_isspacep(struct lowering *x, struct instr *i)
{
    int bytes = lower_register_bytes(x, operand(x, 1));
    want(x, 2, 2);
    i->addr32 = bytes == 4;
    i->r[0] = lower_target(x, operand(x, 0), 'p');
    i->r[1] = source(x, 1, bytes == 4 ? 'w' : 'd');
}

/* ---- Control ------------------------------------------------------------------------------- */

static void lower_bra(struct lowering *x, struct instr *i)
{
    const struct ptx_operand *o = operand(x, 0);
    want(x, 1, 1);
    if (o->kind != PTX_OPR_LABEL || o->target < 0 || o->target > x->f->statement_count)
        lower_fail(x, "a branch needs a label");
    i->imm = o->target;
}

static const struct { const char *name; enum call_kind kind; } builtins[] = {
    {"vprintf", CALL_VPRINTF}, {"__assertfail", CALL_ASSERTFAIL}, {"malloc", CALL_MALLOC}, {"free", CALL_FREE}};

static bool set_callee(struct lowering *x, struct code_call *call, const struct ptx_operand *o)
{
    call->function = -1;
    call->target = OPREF_NONE;
    if (o->kind == PTX_OPR_REG) {
        call->kind = CALL_INDIRECT;
        call->target = lower_source(x, o, 'd', PTX_NOTYPE);
        return true;
    }
    const struct ptx_function *f = o->name ? ptx_function_find(x->module, o->name) : NULL;
    if (f && f->has_body) {
        call->kind = CALL_FUNCTION;
        call->function = (int)(f - x->module->functions);
        return !f->is_entry;
    }
    for (size_t k = 0; k < sizeof builtins / sizeof *builtins; k++)
        if (o->name && strcmp(o->name, builtins[k].name) == 0) {
            call->kind = builtins[k].kind;
            return true;
        }
    return false;
}

/* What the callee declares; vars NULL: nothing is known. */
struct declared { const struct ptx_var *vars; int count; };
struct passed { uint32_t *offset, *bytes; int count; };

/* Arguments or results: .param variables of the caller. false: something else. */
static bool pass(struct lowering *x, const struct ptx_operand *list, struct declared callee, struct passed *p)
{
    p->count = list ? list->count : 0;
    p->offset = lower_alloc(x, (size_t)p->count * sizeof *p->offset);
    p->bytes = lower_alloc(x, (size_t)p->count * sizeof *p->bytes);
    if (!p->offset || !p->bytes) return false;
    if (callee.vars && p->count != callee.count)
        lower_fail(x, "the call has %d arguments or results, the function %d", p->count, callee.count);
    for (int k = 0; k < p->count && !x->failed; k++) {
        bool in_frame;
        const struct ptx_operand *o = &list->elem[k];
        if (o->kind != PTX_OPR_VAR) return false;
        p->offset[k] = (uint32_t)lower_variable(x, o, &in_frame);
        p->bytes[k] = (uint32_t)o->var->size;
        if (!in_frame) return false;
        if (callee.vars && o->var->size != callee.vars[k].size)
            lower_fail(x, "argument or result %d has %zu bytes, the function's %zu", k + 1, o->var->size, callee.vars[k].size);
    }
    return true;
}

/* The parameters (or results) that function or prototype declare. */
static struct declared declared_by(const struct ptx_function *f, const struct ptx_proto *proto, bool results)
{
    static const struct ptx_var nothing;
    struct declared d = {NULL, 0};
    if (f) d = results ? (struct declared){f->rets, f->ret_count} : (struct declared){f->params, f->param_count};
    else if (proto) d = results ? (struct declared){proto->rets, proto->ret_count} : (struct declared){proto->params, proto->param_count};
    if ((f || proto) && !d.vars) d.vars = &nothing;
    return d;
}

/* call [(results),] callee [, (arguments)] [, prototype] (PTX ISA 9.7.12.5). */
static void lower_call(struct lowering *x, struct instr *i)
{
    struct code_call call = {0};
    const struct ptx_operand *rets = NULL, *args = NULL;
    const struct ptx_proto *proto = NULL;
    int k = 0;
    if (operand(x, k)->kind == PTX_OPR_LIST) rets = operand(x, k++);
    const struct ptx_operand *callee = operand(x, k++);
    if (has(x, k) && operand(x, k)->kind == PTX_OPR_LIST) args = operand(x, k++);
    if (has(x, k) && operand(x, k)->kind == PTX_OPR_PROTO) proto = &x->f->protos[operand(x, k++)->target];
    want(x, k, k);
    if (x->failed) return;
    if (!set_callee(x, &call, callee)) {
        lower_refuse(i);
        return;
    }
    const struct ptx_function *f = call.function >= 0 ? &x->module->functions[call.function] : NULL;
    struct passed in, out;
    if (!pass(x, args, declared_by(f, proto, false), &in) || !pass(x, rets, declared_by(f, proto, true), &out)) {
        if (!x->failed) lower_refuse(i);
        return;
    }
    call.arg_offset = in.offset; call.arg_bytes = in.bytes; call.arg_count = in.count;
    call.ret_offset = out.offset; call.ret_bytes = out.bytes; call.ret_count = out.count;
    struct code_call *kept = pile_add(x, &x->calls, 1);
    if (!kept) return;
    *kept = call;
    i->imm = (int64_t)x->calls.count - 1;
    i->count = (uint8_t)(call.arg_count < 255 ? call.arg_count : 255);
}

/* ---- Warps and blocks ------------------------------------------------------------------------ */

static void lower_warp(struct lowering *x, struct instr *i)
{
    int n = 0;
    switch ((enum warp_op)i->sub) {
    case WARP_ACTIVEMASK:
        i->r[0] = lower_target(x, operand(x, 0), 'w');
        n = 1;
        break;
    case WARP_SYNC:
        i->r[1] = source(x, 0, 'w');
        n = 1;
        break;
    case WARP_ELECT:
        lower_pair(x, i, operand(x, 0), 'w');
        i->r[1] = source(x, 1, 'w');
        n = 2;
        break;
    case WARP_SHFL_UP: case WARP_SHFL_DOWN: case WARP_SHFL_BFLY: case WARP_SHFL_IDX:
        lower_pair(x, i, operand(x, 0), 'w');
        for (n = 1; n < 5; n++) i->r[n] = lower_source(x, operand(x, n), 'w', n == 1 ? PTX_F32 : PTX_B32);
        break;
    case WARP_VOTE_ALL: case WARP_VOTE_ANY: case WARP_VOTE_UNI: case WARP_VOTE_BALLOT:
        i->r[0] = lower_target(x, operand(x, 0), i->sub == WARP_VOTE_BALLOT ? 'w' : 'p');
        lower_predicate(x, i, 1, operand(x, 1));
        i->r[2] = source(x, 2, 'w');
        n = 3;
        break;
    case WARP_MATCH_ANY: case WARP_MATCH_ALL:
        lower_pair(x, i, operand(x, 0), 'w');
        i->r[1] = source(x, 1, letter_of_bytes(bytes_of(i->type)));
        i->r[2] = source(x, 2, 'w');
        n = 3;
        break;
    default:
        i->r[0] = lower_target(x, operand(x, 0), 'w');
        i->r[1] = source(x, 1, 'w');
        i->r[2] = source(x, 2, 'w');
        n = 3;
        break;
    }
    want(x, n, n);
}

/* bar.sync a {,b}; bar.arrive a, b; bar.red.op d, a {,b}, {!}c (PTX ISA 9.7.13.1). */
static void lower_bar(struct lowering *x, struct instr *i)
{
    int k = 0, count = x->statement->oprs;
    bool red = i->sub >= BAR_RED_POPC;
    if (red) i->r[0] = lower_target(x, operand(x, k++), i->sub == BAR_RED_POPC ? 'w' : 'p');
    i->r[1] = source(x, k++, 'w');
    if (count - k > (red ? 1 : 0)) i->r[2] = source(x, k++, 'w');
    if (red) lower_predicate(x, i, 3, operand(x, k++));
    if (i->sub == BAR_ARRIVE && i->r[2] == OPREF_NONE) lower_fail(x, "arrive needs the number of threads");
    want(x, k, k);
}

/* ---- mbarrier, clusters, asynchronous copies, launch control ------------------------------------ */

static void lower_mbarrier(struct lowering *x, struct instr *i)
{
    int k = 0;
    bool wait = i->sub >= MBARRIER_TEST_WAIT && i->sub <= MBARRIER_TRY_WAIT_PARITY;
    bool parity = i->sub == MBARRIER_TEST_WAIT_PARITY || i->sub == MBARRIER_TRY_WAIT_PARITY;
    bool arrive = i->sub >= MBARRIER_ARRIVE && i->sub <= MBARRIER_DROP_NOCOMPLETE;
    bool may_omit = i->sub == MBARRIER_ARRIVE || i->sub == MBARRIER_DROP;      /* a count of 1 */
    if (i->sub == MBARRIER_PENDING_COUNT) {
        i->r[0] = lower_target(x, operand(x, 0), 'w');
        i->r[2] = source(x, 1, 'd');
        want(x, 2, 2);
        return;
    }
    if (wait) i->r[0] = lower_target(x, operand(x, k++), 'p');
    if (arrive && operand(x, 0)->kind != PTX_OPR_ADDR) i->r[0] = lower_target(x, operand(x, k++), 'd');
    set_address(x, i, 1, k++);
    if (wait) {
        i->r[2] = source(x, k++, parity ? 'w' : 'd');
        if (has(x, k)) i->r[3] = source(x, k++, 'w');
    } else if (i->sub != MBARRIER_INVAL && !(may_omit && !has(x, k))) {
        i->r[2] = source(x, k++, 'w');
    }
    want(x, k, k);
}

/* mapa d, a, b; getctarank d, a (PTX ISA 9.7.9.23, 9.7.9.24). */
static void lower_mapa(struct lowering *x, struct instr *i)
{
    char letter = letter_of_bytes(bytes_of(i->type));
    bool mapa = i->klass == CLASS_MAPA;
    i->addr32 = letter == 'w';
    i->r[0] = lower_target(x, operand(x, 0), mapa ? letter : 'w');
    i->r[1] = source(x, 1, letter);
    if (mapa) i->r[2] = source(x, 2, 'w');
    want(x, mapa ? 3 : 2, mapa ? 3 : 2);
}

static void lower_cp_async(struct lowering *x, struct instr *i)
{
    switch ((enum cp_async_op)i->sub) {
    case CP_ASYNC_COMMIT_GROUP: case CP_ASYNC_WAIT_ALL:
        want(x, 0, 0);
        return;
    case CP_ASYNC_WAIT_GROUP:
        i->imm = literal(x, 0);
        want(x, 1, 1);
        return;
    case CP_ASYNC_MBARRIER_ARRIVE:
        set_address(x, i, 0, 0);
        want(x, 1, 1);
        return;
    case CP_ASYNC_COPY:
        break;
    }
    set_packed_address(x, i, 0, 0, 0);
    set_packed_address(x, i, 1, 1, 1);
    int64_t bytes = literal(x, 2);
    if (bytes != 4 && bytes != 8 && bytes != 16) lower_fail(x, "cp.async copies 4, 8 or 16 bytes");
    i->count = (uint8_t)bytes;
    if (has(x, 3)) {
        const struct ptx_operand *o = operand(x, 3);
        bool predicate = o->kind == PTX_OPR_REG && x->f->regs[o->reg].type == PTX_PRED;
        if (predicate) lower_predicate(x, i, 3, o);
        else if (lower_register_bytes(x, o) != 8) i->r[2] = source(x, 3, 'w');   /* 64 bits: a cache policy */
    }
    want(x, 3, 5);
}

static void lower_cp_bulk(struct lowering *x, struct instr *i)
{
    bool counted = i->sub == BULK_TO_SHARED || i->sub == BULK_TO_CLUSTER || i->sub == BULK_REDUCE_CLUSTER;
    switch ((enum cp_bulk_op)i->sub) {
    case BULK_COMMIT_GROUP:
        want(x, 0, 0);
        return;
    case BULK_WAIT_GROUP:
        i->imm = literal(x, 0);
        want(x, 1, 1);
        return;
    case BULK_PREFETCH:
        set_packed_address(x, i, 0, 0, 0);
        i->r[2] = source(x, 1, 'w');
        want(x, 2, 3);
        return;
    default:
        break;
    }
    set_packed_address(x, i, 0, 0, 0);
    set_packed_address(x, i, 1, 1, 1);
    i->r[2] = source(x, 2, 'w');
    int k = 3;
    if (counted) set_packed_address(x, i, 3, k++, 2);
    if (counted && i->flags & BULK_MULTICAST) i->r[4] = source(x, k++, 'h');
    if (has(x, k) && lower_register_bytes(x, operand(x, k)) == 8) k++;           /* a cache policy */
    if (!counted && i->flags & BULK_CP_MASK) i->r[4] = source(x, k++, 'h');
    want(x, k, k);
}

static void lower_st_async(struct lowering *x, struct instr *i)
{
    char letter = letter_of_bytes(bytes_of(i->type));
    set_packed_address(x, i, 0, 0, 0);
    set_packed_address(x, i, 2, 2, 1);
    const struct ptx_operand *o = operand(x, 1);
    int count = i->sub == ST_ASYNC ? i->count : 1;
    if ((o->kind == PTX_OPR_VEC ? o->count : 1) != count) lower_fail(x, "%d elements are needed", count);
    else if (o->kind == PTX_OPR_VEC) i->list = lower_vector(x, o, letter, (enum ptx_type)i->type, false);
    else i->r[1] = lower_source(x, o, letter, (enum ptx_type)i->type);
    want(x, 3, 3);
}

static void lower_clc(struct lowering *x, struct instr *i)
{
    const struct ptx_operand *o = operand(x, 0);
    want(x, 2, 2);
    switch ((enum clc_op)i->sub) {
    case CLC_TRY_CANCEL:
        set_packed_address(x, i, 0, 0, 0);
        set_packed_address(x, i, 1, 1, 1);
        return;
    case CLC_IS_CANCELED:
        i->r[0] = lower_target(x, o, 'p');
        break;
    case CLC_FIRST_V4:
        if (o->kind != PTX_OPR_VEC || o->count != 4) lower_fail(x, "a vector of 4 elements is needed");
        else i->list = lower_vector(x, o, 'w', PTX_B32, true);
        break;
    default:
        i->r[0] = lower_target(x, o, 'w');
        break;
    }
    i->r[1] = source(x, 1, 'q');
}

void lower_operands(struct lowering *x, const struct opcode *o, struct instr *i)
{
    switch ((enum op_class)i->klass) {
    case CLASS_ALU: lower_alu(x, o, i); break;
    case CLASS_CVTA: lower_cvta(x, i); break;
    case CLASS_ISSPACEP: lower_isspacep(x, i); break;
    case CLASS_LD: lower_ld(x, i); break;
    case CLASS_ST: lower_st(x, i); break;
    case CLASS_ATOM: case CLASS_RED: lower_atom(x, i); break;
    case CLASS_BRA: lower_bra(x, i); break;
    case CLASS_CALL: lower_call(x, i); break;
    case CLASS_BAR: lower_bar(x, i); break;
    case CLASS_WARP: lower_warp(x, i); break;
    case CLASS_NANOSLEEP: i->r[0] = source(x, 0, 'w'); want(x, 1, 1); break;
    case CLASS_MBARRIER: lower_mbarrier(x, i); break;
    case CLASS_MAPA: case CLASS_GETCTARANK: lower_mapa(x, i); break;
    case CLASS_CP_ASYNC: lower_cp_async(x, i); break;
    case CLASS_CP_BULK: lower_cp_bulk(x, i); break;
    case CLASS_ST_ASYNC: lower_st_async(x, i); break;
    case CLASS_CLC: lower_clc(x, i); break;
    case CLASS_RET: case CLASS_EXIT: case CLASS_TRAP: case CLASS_BRKPT: case CLASS_CLUSTER_BAR: case CLASS_FENCE:
    case CLASS_GRIDDEP: want(x, 0, 0); break;
    case CLASS_NOP: case CLASS_MOV_SREG: case CLASS_MOV_FRAME: case CLASS_REFUSED: break;
    }
}

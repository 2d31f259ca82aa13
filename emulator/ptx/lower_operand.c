/*
 * Operands: registers, literals, addresses of variables, special registers.
 *
 * A literal becomes 32 equal lanes in the function's constant bank, once per
 * value and width. Register widths are checked against what the instruction
 * reads, because a wrong one would read or write a neighbour's lanes; types of
 * equal width are interchangeable, as ptxas has judged them before.
 */
#include "ptx/lower.h"

#include <string.h>

/* ---- The constant bank --------------------------------------------------------- */

static uint32_t hash(const struct constant *c)
{
    uint64_t h = (c->low ^ c->high * 31 ^ c->bytes) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static bool grow_slots(struct lowering *x, struct constants *k)
{
    size_t count = k->slot_count ? k->slot_count * 2 : 64;
    uint32_t *slots = lower_alloc(x, count * sizeof *slots);
    if (!slots) return false;
    const struct constant *all = (const struct constant *)(void *)k->all.data;
    for (size_t n = 0; n < k->all.count; n++) {
        size_t at = hash(&all[n]) & (count - 1);
        while (slots[at]) at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)n + 1;
    }
    k->slots = slots;
    k->slot_count = count;
    return true;
}

/* Lays 32 copies into the bank; a predicate (bytes 0) is one mask. */
static bool place(struct lowering *x, struct constant *c)
{
    size_t bytes = c->bytes ? (size_t)c->bytes * LANES : 32;
    c->offset = (uint32_t)x->constants.bank.count;
    uint8_t *at = pile_add(x, &x->constants.bank, bytes);
    if (!at) return false;
    if (c->bytes == 0) memcpy(at, &c->low, 4);
    for (size_t l = 0; l < LANES && c->bytes; l++) {
        memcpy(at + l * c->bytes, &c->low, c->bytes < 8 ? c->bytes : 8);
        if (c->bytes == 16) memcpy(at + l * 16 + 8, &c->high, 8);
    }
    return true;
}

static opref constant(struct lowering *x, struct constant c)
{
    struct constants *k = &x->constants;
    if (k->all.count * 2 >= k->slot_count && !grow_slots(x, k)) return OPREF_NONE;
    size_t at = hash(&c) & (k->slot_count - 1);
    for (; k->slots[at]; at = (at + 1) & (k->slot_count - 1)) {
        const struct constant *have = (const struct constant *)(void *)k->all.data + (k->slots[at] - 1);
        if (have->low == c.low && have->high == c.high && have->bytes == c.bytes) return OPREF(BANK_CONST, have->offset);
    }
    if (!place(x, &c)) return OPREF_NONE;
    struct constant *kept = pile_add(x, &k->all, 1);
    if (!kept) return OPREF_NONE;
    *kept = c;
    k->slots[at] = (uint32_t)k->all.count;
    return OPREF(BANK_CONST, c.offset);
}

opref lower_constant(struct lowering *x, uint32_t bytes, uint64_t low, uint64_t high)
{
    if (bytes < 8) low &= (UINT64_C(1) << 8 * bytes) - 1;
    return constant(x, (struct constant){.low = low, .high = high, .bytes = bytes});
}

opref lower_predicate_constant(struct lowering *x, bool value)
{
    return constant(x, (struct constant){.low = value ? UINT32_MAX : 0});
}

/* ---- Letters and widths ----------------------------------------------------------- */

static int bytes_of_letter(char letter)
{
    switch (letter) {
    case 'h': return 2;
    case 'w': case 'f': case 'z': case 'i': return 4;
    case 'd': case 'g': return 8;
    case 'q': return 16;
    default: return 0;
    }
}
char letter_of_bytes(int bytes)
{
    return bytes <= 2 ? 'h' : bytes == 4 ? 'w' : bytes == 8 ? 'd' : 'q';
}

static bool is_predicate(const struct lowering *x, int reg) { return x->f->regs[reg].type == PTX_PRED; }

/* 8-bit registers live in 16 bits. */
static int register_bytes(const struct lowering *x, int reg)
{
    int bytes = ptx_type_bytes(x->f->regs[reg].type);
    return bytes < 2 ? 2 : bytes;
}
int lower_register_bytes(struct lowering *x, const struct ptx_operand *o)
{
    return o->kind == PTX_OPR_REG && !is_predicate(x, o->reg) ? register_bytes(x, o->reg) : 0;
}

static opref reg(struct lowering *x, const struct ptx_operand *o, char letter)
{
    const struct ptx_reg *r = &x->f->regs[o->reg];
    bool fits = letter == 'p' ? is_predicate(x, o->reg)
                              : !is_predicate(x, o->reg) && register_bytes(x, o->reg) == bytes_of_letter(letter);
    if (!fits) {
        if (letter == 'p') lower_fail(x, "register %s is no predicate", r->name);
        else lower_fail(x, "register %s has type .%s, the instruction needs %d bits", r->name, ptx_type_name(r->type), 8 * bytes_of_letter(letter));
        return OPREF_NONE;
    }
    return OPREF(BANK_REG, x->reg_offset[o->reg]);
}

/* ---- Literals ------------------------------------------------------------------------ */

static opref integer(struct lowering *x, const struct ptx_operand *o, char letter)
{
    if (letter == 'p') return lower_predicate_constant(x, o->bits != 0);
    if (strchr("fzg", letter)) {
        lower_fail(x, "a floating-point operand cannot be an integer");
        return OPREF_NONE;
    }
    return lower_constant(x, (uint32_t)bytes_of_letter(letter), o->bits, letter == 'q' && o->bits >> 63 ? UINT64_MAX : 0);
}

static double as_double(const struct ptx_operand *o)
{
    float f;
    double d;
    uint32_t u = (uint32_t)o->bits;
    memcpy(&f, &u, 4);
    memcpy(&d, &o->bits, 8);
    return o->float_bytes == 4 ? (double)f : d;
}

/* 0f and 0d literals, and decimal ones, which take the operand's own width. */
static opref floating(struct lowering *x, const struct ptx_operand *o, char letter, enum ptx_type type)
{
    bool single = strchr("fz", letter) || (letter == 'w' && (o->float_bytes == 4 || type == PTX_F32));
    if (single) {
        float f = (float)as_double(o);
        uint32_t u;
        memcpy(&u, &f, 4);
        return lower_constant(x, 4, o->float_bytes == 4 ? o->bits : u, 0);
    }
    if (letter == 'g' || (letter == 'd' && (o->float_bytes == 8 || type == PTX_F64))) {
        double d = as_double(o);
        uint64_t u;
        memcpy(&u, &d, 8);
        return lower_constant(x, 8, o->float_bytes == 8 ? o->bits : u, 0);
    }
    lower_fail(x, "a floating-point number cannot stand here");
    return OPREF_NONE;
}

/* ---- Special registers and addresses ---------------------------------------------------- */

static opref special(struct lowering *x, const struct ptx_operand *o, char letter)
{
    int row = block_row(o->sreg);
    if (sreg_is_dynamic(o->sreg) || bytes_of_letter(letter) != 4) {
        lower_fail(x, "this special register can only be read by mov");
        return OPREF_NONE;
    }
    return row >= 0 ? OPREF(BANK_BLOCK, (uint32_t)row * SREG_ROW) : OPREF(BANK_WARP, (uint32_t)o->sreg * SREG_ROW);
}

static bool within(const struct ptx_var *var, const struct ptx_var *all, int count)
{
    return count > 0 && var >= all && var < all + count;
}
bool lower_is_kernel_param(const struct lowering *x, const struct ptx_var *var)
{
    return x->f->is_entry && within(var, x->f->params, x->f->param_count);
}

uint64_t lower_variable(struct lowering *x, const struct ptx_operand *o, bool *in_frame)
{
    const struct ptx_var *var = o->var;
    const struct ptx_function *f = x->f;
    uint64_t at = NOWHERE;
    *in_frame = false;
    if (var == NULL) lower_fail(x, "a variable is missing");
    else if (within(var, f->params, f->param_count)) {
        *in_frame = !f->is_entry;
        at = f->is_entry ? var->offset : x->out->param_offset[var - f->params];
    } else if (within(var, f->rets, f->ret_count)) {
        *in_frame = true;
        at = x->out->ret_offset[var - f->rets];
    } else if (within(var, f->vars, f->var_count)) {
        *in_frame = var->space == PTX_LOCAL || var->space == PTX_PARAM;
        at = x->var_offset[var - f->vars];
    } else if (var->space == PTX_SHARED) {
        at = x->module_shared[var->index];
    } else if (var->space == PTX_GLOBAL || var->space == PTX_CONST) {
        return x->env->var_address[var->index] + (uint64_t)o->offset;
    }
    if (at == NOWHERE && var) lower_fail(x, "variable %s cannot be used here", var->name);
    return at + (uint64_t)o->offset;
}

static opref address(struct lowering *x, const struct ptx_operand *o, char letter)
{
    bool in_frame;
    uint64_t value = lower_variable(x, o, &in_frame);
    if (in_frame) lower_fail(x, "the address of %s can only be taken by mov", o->var->name);
    if (letter != 'w' && letter != 'd') lower_fail(x, "an address has 32 or 64 bits");
    return lower_constant(x, letter == 'w' ? 4 : 8, value, 0);
}

static opref function_address(struct lowering *x, const struct ptx_operand *o)
{
    const struct ptx_function *f = ptx_function_find(x->module, o->name);
    if (f == NULL) {
        lower_fail(x, "function %s does not exist", o->name);
        return OPREF_NONE;
    }
    return lower_constant(x, 8, FUNCTION_ADDRESS(f - x->module->functions), 0);
}

/* ---- Sources and targets -------------------------------------------------------------------- */

opref lower_source(struct lowering *x, const struct ptx_operand *o, char letter, enum ptx_type type)
{
    switch (o->kind) {
    case PTX_OPR_REG: return reg(x, o, letter);
    case PTX_OPR_SREG: return special(x, o, letter);
    case PTX_OPR_INT: return integer(x, o, letter);
    case PTX_OPR_FLOAT: return floating(x, o, letter, type);
    case PTX_OPR_VAR: return address(x, o, letter);
    case PTX_OPR_FUNC:
        if (letter == 'd') return function_address(x, o);
        break;
    default: break;
    }
    lower_fail(x, "an operand of this kind cannot stand here");
    return OPREF_NONE;
}

void lower_predicate(struct lowering *x, struct instr *i, int k, const struct ptx_operand *o)
{
    i->r[k] = lower_source(x, o, 'p', PTX_PRED);
    if (o->kind == PTX_OPR_REG && o->negated) i->negate |= (uint8_t)(1u << k);
}

opref lower_target(struct lowering *x, const struct ptx_operand *o, char letter)
{
    if (o->kind == PTX_OPR_SINK) return OPREF_NONE;
    if (o->kind == PTX_OPR_REG && !o->negated) return reg(x, o, letter);
    lower_fail(x, "the result must be a register");
    return OPREF_NONE;
}

void lower_pair(struct lowering *x, struct instr *i, const struct ptx_operand *o, char letter)
{
    if (o->kind == PTX_OPR_PAIR) {
        i->r[0] = lower_target(x, &o->elem[0], letter);
        i->r[5] = lower_target(x, &o->elem[1], 'p');
    } else {
        i->r[0] = lower_target(x, o, letter);
    }
}

uint32_t lower_vector(struct lowering *x, const struct ptx_operand *o, char letter, enum ptx_type type, bool write)
{
    uint32_t start = (uint32_t)x->list.count;
    for (int k = 0; k < o->count; k++) {
        opref r = write ? lower_target(x, &o->elem[k], letter) : lower_source(x, &o->elem[k], letter, type);
        opref *at = pile_add(x, &x->list, 1);
        if (!at) break;
        *at = r;
    }
    return start;
}

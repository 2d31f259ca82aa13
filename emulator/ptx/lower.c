/*
 * From PTX statements to the executable form: what code_build does.
 *
 *   1. find the functions that the entry can reach;
 *   2. lay out shared memory for all of them together;
 *   3. for each: lay out registers (lower_registers.c) and the frame of .local
 *      and .param variables, then turn statement k into instruction k.
 *
 * Time is linear in the text: spellings are decoded once each, literals are
 * found by hashing, nothing is searched per statement.
 * Not modelled: recursion limits.
 */
#include "ptx/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sync_ops.h"

/* ---- Trouble and memory ------------------------------------------------------------ */

/* "NAME:LINE: INSTRUCTION: " into e->text; its length, at most what fits. */
static size_t fail_prefix(const struct lowering *x, struct ptx_error *e)
{
    int n = x->statement ? snprintf(e->text, sizeof e->text, "%s:%d: %s: ", x->module->name, e->line, x->statement->name)
                         : snprintf(e->text, sizeof e->text, "%s:%d: ", x->module->name, e->line);
    return n < 0 ? 0 : (size_t)n < sizeof e->text ? (size_t)n : sizeof e->text - 1;
}

void lower_fail(struct lowering *x, const char *format, ...)
{
    struct ptx_error *e = x->error;
    if (!x->failed && e) {
        e->unsupported = false;
        e->line = x->statement ? x->statement->line : x->f ? x->f->line : 0;
        size_t n = fail_prefix(x, e);
        va_list args;
        va_start(args, format);
        vsnprintf(e->text + n, sizeof e->text - n, format, args);
        va_end(args);
    }
    x->failed = true;
}

void lower_refuse(struct instr *i)
{
    i->op = OP_REFUSED;
    i->klass = CLASS_REFUSED;
    i->cost = COST_FREE;
}

void *lower_alloc(struct lowering *x, size_t bytes)
{
    void *p = ptx_arena_alloc(x->arena, bytes ? bytes : 1);
    if (!p) lower_fail(x, "out of memory");
    return p;
}

void *pile_add(struct lowering *x, struct pile *p, size_t count)
{
    if (p->count + count > p->room) {
        size_t room = p->room ? p->room * 2 : 64;
        while (room < p->count + count) room *= 2;
        uint8_t *data = realloc(p->data, room * p->size);
        if (!data) {
            lower_fail(x, "out of memory");
            return NULL;
        }
        p->data = data;
        p->room = room;
    }
    uint8_t *at = p->data + p->count * p->size;
    memset(at, 0, count * p->size);
    p->count += count;
    return at;
}

/* Copies a pile into the arena. */
static void *keep(struct lowering *x, const struct pile *p)
{
    void *kept = lower_alloc(x, p->count * p->size);
    if (kept && p->count) memcpy(kept, p->data, p->count * p->size);
    return kept;
}

/* ---- Spellings, decoded once each ----------------------------------------------------- */

static size_t name_slot(const struct lowering *x, const char *name)
{
    size_t at = (size_t)((uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (x->decoded_room - 1);
    while (x->decoded[at].name && x->decoded[at].name != name) at = (at + 1) & (x->decoded_room - 1);
    return at;
}

static bool grow_decoded(struct lowering *x)
{
    struct lowering old = *x;
    size_t room = x->decoded_room ? x->decoded_room * 2 : 256;
    void *grown = calloc(room, sizeof *x->decoded);
    if (!grown) {
        lower_fail(x, "out of memory");
        return false;
    }
    x->decoded = grown;
    x->decoded_room = room;
    for (size_t k = 0; k < old.decoded_room; k++)
        if (old.decoded[k].name) x->decoded[name_slot(x, old.decoded[k].name)] = old.decoded[k];
    free(old.decoded);
    return true;
}

const struct opcode *lower_decode(struct lowering *x, const char *spelling)
{
    if (x->decoded_count * 2 >= x->decoded_room && !grow_decoded(x)) return NULL;
    size_t at = name_slot(x, spelling);
    if (!x->decoded[at].name) {
        x->decoded[at].name = spelling;
        x->decoded_count++;
        opcode_decode(spelling, &x->decoded[at].opcode);
    }
    return &x->decoded[at].opcode;
}

/* ---- 1. Reachable functions -------------------------------------------------------------- */

static void reach(struct lowering *x, const char *name)
{
    const struct ptx_function *f = name ? ptx_function_find(x->module, name) : NULL;
    if (!f || !f->has_body) return;
    int index = (int)(f - x->module->functions);
    if (x->reachable[index]) return;
    x->reachable[index] = true;
    int *at = pile_add(x, &x->queue, 1);
    if (at) *at = index;
}

/* Functions named by an operand, directly or inside a list. */
static void reach_operand(struct lowering *x, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPR_FUNC) reach(x, o->name);
    for (int k = 0; k < o->count && o->elem; k++) reach_operand(x, &o->elem[k]);
}

/* true when the function calls through a register. */
static bool reach_from(struct lowering *x, const struct ptx_function *f)
{
    bool indirect = false;
    for (int s = 0; s < f->statement_count; s++) {
        const struct ptx_statement *st = &f->statements[s];
        bool call = strncmp(st->name, "call", 4) == 0;
        for (int k = 0; k < st->oprs; k++) {
            reach_operand(x, &st->opr[k]);
            indirect = indirect || (call && st->opr[k].kind == PTX_OPR_REG);
        }
    }
    return indirect;
}

/* Tables of function addresses in initialised variables. */
static void reach_tables(struct lowering *x)
{
    for (int v = 0; v < x->module->var_count; v++)
        for (const struct ptx_reloc *r = x->module->vars[v].relocs; r; r = r->next) reach(x, r->symbol);
}

static void find_reachable(struct lowering *x)
{
    bool tables = false;
    x->queue.size = sizeof(int);
    x->reachable = lower_alloc(x, (size_t)x->module->function_count * sizeof *x->reachable);
    if (!x->reachable) return;
    reach(x, x->entry->name);
    for (size_t k = 0; k < x->queue.count && !x->failed; k++) {
        int index = ((const int *)(void *)x->queue.data)[k];
        if (reach_from(x, &x->module->functions[index]) && !tables) {
            tables = true;
            reach_tables(x);
        }
    }
}

/* ---- 2. Shared memory ------------------------------------------------------------------------ */

static uint32_t round_up(uint32_t n, uint32_t align) { return (n + align - 1) / align * align; }

/* Remembered for messages. */
static void note_shared(struct lowering *x, const struct ptx_var *var, uint32_t offset)
{
    struct code *c = x->code;
    if (c->shared_var_count == c->shared_var_room) {
        int room = c->shared_var_room ? 2 * c->shared_var_room : 8;
        struct code_shared *vars = lower_alloc(x, (size_t)room * sizeof *vars);
        if (!vars) return;
        for (int k = 0; k < c->shared_var_count; k++) vars[k] = c->shared_vars[k];
        c->shared_vars = vars;
        c->shared_var_room = room;
    }
    c->shared_vars[c->shared_var_count++] = (struct code_shared){ var, offset };
}

static void place_shared(struct lowering *x, const struct ptx_var *var, uint32_t *offset)
{
    uint32_t align = var->align > 0 ? (uint32_t)var->align : 1;
    if (var->is_extern || var->size == 0) {
        if (align > x->dynamic_align) x->dynamic_align = align;
        *offset = NOWHERE - 1;                /* replaced when the static part is known */
        return;
    }
    uint32_t at = round_up(x->code->shared_bytes, align);
    if (var->size > (size_t)(NOWHERE - 2) - at) {
        lower_fail(x, "shared variable %s is too large", var->name);
        return;
    }
    *offset = at;
    note_shared(x, var, at);
    x->code->shared_bytes = at + (uint32_t)var->size;
}

static void share_operand(struct lowering *x, const struct ptx_function *f, const struct ptx_operand *o)
{
    const struct ptx_var *v = o->var;
    bool own = v && f->var_count && v >= f->vars && v < f->vars + f->var_count;
    if (o->kind == PTX_OPR_VAR && v && v->space == PTX_SHARED && !own && x->module_shared[v->index] == NOWHERE)
        place_shared(x, v, &x->module_shared[v->index]);
    for (int k = 0; k < o->count && o->elem; k++) share_operand(x, f, &o->elem[k]);
}

static void share_function(struct lowering *x, const struct ptx_function *f)
{
    for (int s = 0; s < f->statement_count; s++)
        for (int k = 0; k < f->statements[s].oprs; k++) share_operand(x, f, &f->statements[s].opr[k]);
}

/* Offsets of the variables inside each function, until the function is lowered. */
static uint32_t **place_all_shared(struct lowering *x)
{
    const struct ptx_module *m = x->module;
    uint32_t **own = lower_alloc(x, (size_t)m->function_count * sizeof *own);
    x->module_shared = lower_alloc(x, (size_t)m->var_count * sizeof *x->module_shared);
    if (!own || !x->module_shared) return NULL;
    for (int v = 0; v < m->var_count; v++) x->module_shared[v] = NOWHERE;
    x->dynamic_align = 16;
    for (size_t q = 0; q < x->queue.count && !x->failed; q++) {
        int index = ((const int *)(void *)x->queue.data)[q];
        const struct ptx_function *f = &m->functions[index];
        share_function(x, f);
        own[index] = lower_alloc(x, (size_t)f->var_count * sizeof **own);
        if (!own[index]) return NULL;
        for (int v = 0; v < f->var_count; v++) {
            own[index][v] = NOWHERE;
            if (f->vars[v].space == PTX_SHARED) place_shared(x, &f->vars[v], &own[index][v]);
        }
    }
    uint32_t dynamic = x->code->dynamic_shared_offset = round_up(x->code->shared_bytes, x->dynamic_align);
    for (int v = 0; v < m->var_count; v++)
        if (x->module_shared[v] == NOWHERE - 1) x->module_shared[v] = dynamic;
    for (size_t q = 0; q < x->queue.count; q++) {
        int index = ((const int *)(void *)x->queue.data)[q];
        for (int v = 0; v < m->functions[index].var_count; v++)
            if (own[index][v] == NOWHERE - 1) own[index][v] = dynamic;
    }
    return own;
}

/* ---- 3. One function --------------------------------------------------------------------------- */

static uint32_t place_in_frame(struct lowering *x, const struct ptx_var *var)
{
    uint32_t align = var->align > 0 ? (uint32_t)var->align : 1;
    uint32_t at = round_up(x->frame_bytes, align);
    if (var->size > (size_t)(1u << 30) || at > (1u << 30)) {
        lower_fail(x, "variable %s is too large", var->name);
        return 0;
    }
    x->frame_bytes = at + (uint32_t)var->size;
    return at;
}

static uint32_t *place_list(struct lowering *x, const struct ptx_var *vars, int count)
{
    uint32_t *offset = lower_alloc(x, (size_t)count * sizeof *offset);
    for (int v = 0; v < count && offset; v++) offset[v] = place_in_frame(x, &vars[v]);
    return offset;
}

static void place_frame(struct lowering *x)
{
    const struct ptx_function *f = x->f;
    x->frame_bytes = 0;
    if (!f->is_entry) {
        x->out->param_offset = place_list(x, f->params, f->param_count);
        x->out->ret_offset = place_list(x, f->rets, f->ret_count);
    }
    for (int v = 0; v < f->var_count; v++)
        if (f->vars[v].space == PTX_LOCAL || f->vars[v].space == PTX_PARAM) x->var_offset[v] = place_in_frame(x, &f->vars[v]);
    x->out->frame_bytes = x->frame_bytes;
}

/* What ptxas says of launch control on targets that lack it, in its words. */
static void check_target(struct lowering *x, const struct instr *i)
{
    if (i->klass != CLASS_CLC) return;
    if (x->module->target_cc < 100)
        lower_fail(x, "Feature '%s' requires .target sm_100 or higher",
                   i->sub == CLC_TRY_CANCEL ? "clusterlaunchcontrol.try_cancel.async" : "clusterlaunchcontrol.query_cancel");
    if (i->sub == CLC_TRY_CANCEL && i->flags & CLC_MULTICAST && x->module->target_kind == 0)
        lower_fail(x, "Feature '.multicast::cluster::all' not supported on .target '%s'", x->module->target);
}

static void lower_statement(struct lowering *x, const struct ptx_statement *st, struct instr *i)
{
    x->statement = st;
    const struct opcode *o = lower_decode(x, st->name);
    if (!o) return;
    *i = o->instr;
    check_target(x, i);
    if (st->guard >= 0) {
        if (x->f->regs[st->guard].type != PTX_PRED) lower_fail(x, "the guard is no predicate");
        i->guard = OPREF(BANK_REG, x->reg_offset[st->guard]);
        i->guard_not = st->guard_negated;
    }
    lower_operands(x, o, i);
}

static void lower_function(struct lowering *x, int index, uint32_t *own)
{
    const struct ptx_function *f = x->f = &x->module->functions[index];
    struct code_function *out = x->out = &x->code->functions[index];
    x->statement = NULL;
    x->var_offset = own;
    x->constants.bank.count = x->constants.all.count = x->list.count = x->calls.count = 0;
    x->constants.slots = NULL;
    x->constants.slot_count = 0;
    out->source = f;
    lower_place_registers(x);
    place_frame(x);
    out->count = f->statement_count + 1;
    out->code = lower_alloc(x, (size_t)out->count * sizeof *out->code);
    for (int s = 0; s < f->statement_count && !x->failed; s++) lower_statement(x, &f->statements[s], &out->code[s]);
    x->statement = NULL;
    if (x->failed) return;
    const struct opcode *ret = lower_decode(x, "ret");
    if (ret) out->code[f->statement_count] = ret->instr;
    out->consts = keep(x, &x->constants.bank);
    out->const_bytes = (uint32_t)x->constants.bank.count;
    out->list = keep(x, &x->list);
    out->list_count = (uint32_t)x->list.count;
    out->calls = keep(x, &x->calls);
    out->call_count = (int)x->calls.count;
}

static void lower_all(struct lowering *x)
{
    x->code->functions = lower_alloc(x, (size_t)x->module->function_count * sizeof *x->code->functions);
    find_reachable(x);
    uint32_t **own = x->failed ? NULL : place_all_shared(x);
    x->constants.bank.size = 1;
    x->constants.all.size = sizeof(struct constant);
    x->list.size = sizeof(opref);
    x->calls.size = sizeof(struct code_call);
    for (size_t q = 0; q < x->queue.count && own && !x->failed; q++) {
        int index = ((const int *)(void *)x->queue.data)[q];
        lower_function(x, index, own[index]);
    }
}

struct code *code_build(const struct ptx_module *module, const struct ptx_function *entry, const struct code_env *env,
                        struct ptx_error *error)
{
    struct ptx_arena *arena = ptx_arena_new();
    struct code *code = arena ? ptx_arena_alloc(arena, sizeof *code) : NULL;
    struct lowering x = {.module = module, .entry = entry, .env = env, .error = error, .arena = arena, .code = code};
    if (code) {
        code->module = module;
        code->entry = entry;
        code->arena = arena;
        lower_all(&x);
    } else {
        lower_fail(&x, "out of memory");
    }
    free(x.queue.data);
    free(x.decoded);
    free(x.constants.bank.data);
    free(x.constants.all.data);
    free(x.list.data);
    free(x.calls.data);
    if (x.failed) {
        if (arena) ptx_arena_free(arena);
        return NULL;
    }
    return code;
}

void code_free(struct code *code)
{
    if (code) ptx_arena_free(code->arena);
}

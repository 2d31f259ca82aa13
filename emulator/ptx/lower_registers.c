/*
 * Where the registers of a function lie: PTX has as many as the compiler
 * liked, most of them short-lived, so places are shared by registers that are
 * never needed at the same time. Small frames stay in the cache.
 *
 *  - A register that lives inside one basic block and begins with a write
 *    without guard needs its place from that write to its last use.
 *  - Any other needs it from its first to its last mention in the text,
 *    stretched over every loop (backward branch) that this range touches; loops
 *    that overlap count as one. Between backward branches execution follows the
 *    text, so this covers whatever a lane may do.
 *
 * Each lane has a slot of its own in a place, so what other lanes of the warp
 * do meanwhile does not matter. Places are handed out in one pass over the
 * text, per width; the whole is linear in the text.
 * Not modelled: live ranges with holes, moving a register.
 */
#include "ptx/lower.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTHS = 5 };       /* 128, 64, 32, 16 bits, predicate */
static const uint32_t width_bytes[WIDTHS] = {16 * LANES, 8 * LANES, 4 * LANES, 2 * LANES, 4};

/* What is known of one register while the text is read. */
struct life {
    int first, last;       /* statements that mention it; first -1: none */
    int block;             /* the basic block, as long as there is one only */
    bool local;            /* one block, begins with a write */
};

struct registers {
    struct lowering *x;
    struct life *life;
    bool *leader;          /* statement begins a basic block */
    int *loop_first, *loop_last;   /* per statement: the loop around it, or itself */
    int block;
};

static int width_class(enum ptx_type type)
{
    if (type == PTX_PRED) return 4;
    switch (ptx_type_bytes(type)) {
    case 16: return 0;
    case 8: return 1;
    case 4: return 2;
    default: return 3;
    }
}

/* ---- Blocks and loops ------------------------------------------------------------ */

static bool ends_block(const char *name)
{
    return strncmp(name, "bra", 3) == 0 || strncmp(name, "ret", 3) == 0 || strcmp(name, "exit") == 0 || strcmp(name, "trap") == 0;
}

/* loop_last[t] = the farthest branch back to t; then overlapping loops are joined. */
static void find_blocks(struct registers *r)
{
    const struct ptx_function *f = r->x->f;
    int n = f->statement_count;
    for (int s = 0; s < n; s++) r->loop_first[s] = r->loop_last[s] = s;
    for (int s = 0; s < n; s++) {
        const struct ptx_statement *st = &f->statements[s];
        if (!ends_block(st->name)) continue;
        if (s + 1 < n) r->leader[s + 1] = true;
        if (st->oprs < 1 || st->opr[0].kind != PTX_OPR_LABEL || st->opr[0].target < 0 || st->opr[0].target >= n) continue;
        int target = st->opr[0].target;
        r->leader[target] = true;
        if (target <= s && s > r->loop_last[target]) r->loop_last[target] = s;
    }
    for (int s = 0; s < n;) {
        int end = r->loop_last[s];
        for (int k = s + 1; k <= end; k++)
            if (r->loop_last[k] > end) end = r->loop_last[k];
        for (int k = s; k <= end; k++) {
            r->loop_first[k] = s;
            r->loop_last[k] = end;
        }
        s = end + 1;
    }
}

/* ---- Lives ------------------------------------------------------------------------- */

static void mention(struct registers *r, int reg, int s, bool write)
{
    struct life *l = &r->life[reg];
    if (l->first < 0) {
        l->first = s;
        l->block = r->block;
        l->local = write;
    }
    l->last = s;
    if (l->block != r->block) l->local = false;
}

static void mention_operand(struct registers *r, const struct ptx_operand *o, int s, bool write)
{
    if (o->kind == PTX_OPR_REG) mention(r, o->reg, s, write);
    for (int k = 0; k < o->count && o->elem; k++) mention_operand(r, &o->elem[k], s, write && o->kind != PTX_OPR_ADDR);
}

/* Whether operand 0 is only written, by every lane that gets here. */
static bool writes_first(struct lowering *x, const struct ptx_statement *st)
{
    const struct opcode *o = lower_decode(x, st->name);
    if (!o || st->guard >= 0) return false;
    switch ((enum op_class)o->instr.klass) {
    case CLASS_ALU: case CLASS_LD: case CLASS_ATOM: case CLASS_CVTA: case CLASS_ISSPACEP: return true;
    case CLASS_WARP: return o->instr.sub != WARP_SYNC;
    default: return false;
    }
}

static void find_lives(struct registers *r)
{
    const struct ptx_function *f = r->x->f;
    for (int k = 0; k < f->reg_count; k++) r->life[k].first = -1;
    for (int s = 0; s < f->statement_count; s++) {
        const struct ptx_statement *st = &f->statements[s];
        bool write = st->oprs > 0 && writes_first(r->x, st);
        if (r->leader[s]) r->block++;
        if (st->guard >= 0) mention(r, st->guard, s, false);
        for (int k = write ? 1 : 0; k < st->oprs; k++) mention_operand(r, &st->opr[k], s, false);
        if (write) mention_operand(r, &st->opr[0], s, true);
    }
    for (int k = 0; k < f->reg_count; k++) {
        struct life *l = &r->life[k];
        if (l->first < 0 || l->local) continue;
        l->first = r->loop_first[l->first];
        l->last = r->loop_last[l->last];
    }
}

/* ---- Places --------------------------------------------------------------------------- */

/* Registers chained by the statement at which they begin or end; -1 ends a chain. */
struct chains { int *begin, *end, *next_begin, *next_end; };

static void chain_lives(const struct registers *r, const struct chains *c)
{
    const struct ptx_function *f = r->x->f;
    for (int s = 0; s < f->statement_count; s++) c->begin[s] = c->end[s] = -1;
    for (int k = f->reg_count - 1; k >= 0; k--) {
        const struct life *l = &r->life[k];
        if (l->first < 0) continue;
        c->next_begin[k] = c->begin[l->first];
        c->begin[l->first] = k;
        c->next_end[k] = c->end[l->last];
        c->end[l->last] = k;
    }
}

/* One pass over the text: numbers of places within each width. Free places form a stack per width. */
static void number_places(struct registers *r, const struct chains *c, int *place, uint32_t used[WIDTHS], int *free_next)
{
    const struct ptx_function *f = r->x->f;
    int free_top[WIDTHS] = {-1, -1, -1, -1, -1};      /* registers whose place is free */
    for (int s = 0; s < f->statement_count; s++) {
        for (int k = c->begin[s]; k >= 0; k = c->next_begin[k]) {
            int w = width_class(f->regs[k].type), donor = free_top[w];
            if (donor >= 0) {
                free_top[w] = free_next[donor];
                place[k] = place[donor];
            } else {
                place[k] = (int)used[w]++;
            }
        }
        for (int k = c->end[s]; k >= 0; k = c->next_end[k]) {
            int w = width_class(f->regs[k].type);
            free_next[k] = free_top[w];
            free_top[w] = k;
        }
    }
}

static void set_offsets(struct lowering *x, const struct life *life, const int *place, const uint32_t used[WIDTHS])
{
    uint64_t start[WIDTHS], at = 0;
    for (int w = 0; w < WIDTHS; w++) {
        start[w] = at;
        at += (uint64_t)used[w] * width_bytes[w];
    }
    if (at + 64 >= UINT64_C(1) << 30) {
        lower_fail(x, "too many registers");
        return;
    }
    for (int k = 0; k < x->f->reg_count; k++) {
        int w = width_class(x->f->regs[k].type);
        x->reg_offset[k] = life[k].first < 0 ? 0 : (uint32_t)(start[w] + (uint64_t)place[k] * width_bytes[w]);
    }
    x->carry_offset = (uint32_t)at;
    x->out->reg_bytes = ((uint32_t)at + 4 + 31) / 32 * 32;
}

void lower_place_registers(struct lowering *x)
{
    const struct ptx_function *f = x->f;
    size_t n = (size_t)f->statement_count + 1, regs = (size_t)f->reg_count + 1;
    uint32_t used[WIDTHS] = {0};
    struct registers r = {.x = x, .life = calloc(regs, sizeof *r.life), .leader = calloc(n, sizeof *r.leader),
                          .loop_first = calloc(n, sizeof(int)), .loop_last = calloc(n, sizeof(int))};
    struct chains c = {calloc(n, sizeof(int)), calloc(n, sizeof(int)), calloc(regs, sizeof(int)), calloc(regs, sizeof(int))};
    int *place = calloc(regs, sizeof *place), *free_next = calloc(regs, sizeof *free_next);
    x->reg_offset = lower_alloc(x, regs * sizeof *x->reg_offset);
    if (r.life && r.leader && r.loop_first && r.loop_last && c.begin && c.end && c.next_begin && c.next_end && place && free_next && x->reg_offset) {
        find_blocks(&r);
        find_lives(&r);
        chain_lives(&r, &c);
        number_places(&r, &c, place, used, free_next);
        set_offsets(x, r.life, place, used);
    } else {
        lower_fail(x, "out of memory");
    }
    free(r.life); free(r.leader); free(r.loop_first); free(r.loop_last);
    free(c.begin); free(c.end); free(c.next_begin); free(c.next_end);
    free(place); free(free_next);
}

/*
 * Operations that join lanes of a warp: shfl, vote, match, redux, elect,
 * activemask, bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13.11 and neighbours).
 *
 * A .sync operation names its lanes. Lanes that come early wait; the last one
 * computes for all. They need not stand at the same instruction, only at the
 * same kind with the same lanes named, so diverged code works as on hardware
 * since compute capability 7.0. Lanes that have exited are not waited for.
 */
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"

/* What the joined lanes brought, and what each takes away. */
struct join {
    uint32_t mask;                   /* lanes taking part */
    const struct lane_wait *in;
    uint64_t d[LANES];
    uint32_t p;                      /* predicate per lane */
};

static uint32_t read32(const struct warp *w, opref r, uint32_t lane)
{
    return r == OPREF_NONE ? 0 : ((const uint32_t *)operand_at(w->bank, r))[lane];
}

static bool read_predicate(const struct warp *w, const struct instr *i, int k, uint32_t lane)
{
    uint32_t p = *(const uint32_t *)operand_at(w->bank, i->r[k]);
    return ((i->negate >> k & 1 ? ~p : p) >> lane & 1) != 0;
}

/* Which operand of each kind is the member mask, and what the lane brings. */
static void bring(const struct warp *w, const struct instr *i, uint32_t lane, struct lane_wait *in)
{
    in->instr = i;
    in->a = 0;
    in->b = in->c = 0;
    switch ((enum warp_op)i->sub) {
    case WARP_ACTIVEMASK:
        break;
    case WARP_SYNC: case WARP_ELECT:
        in->mask = read32(w, i->r[1], lane);
        break;
    case WARP_SHFL_UP: case WARP_SHFL_DOWN: case WARP_SHFL_BFLY: case WARP_SHFL_IDX:
        in->a = read32(w, i->r[1], lane);
        in->b = read32(w, i->r[2], lane);
        in->c = read32(w, i->r[3], lane);
        in->mask = read32(w, i->r[4], lane);
        break;
    case WARP_VOTE_ALL: case WARP_VOTE_ANY: case WARP_VOTE_UNI: case WARP_VOTE_BALLOT:
        in->a = read_predicate(w, i, 1, lane);
        in->mask = read32(w, i->r[2], lane);
        break;
    case WARP_MATCH_ANY: case WARP_MATCH_ALL:
        if (ptx_type_bytes((enum ptx_type)i->type) == 8)
            in->a = ((const uint64_t *)operand_at(w->bank, i->r[1]))[lane];
        else
            in->a = read32(w, i->r[1], lane);
        in->mask = read32(w, i->r[2], lane);
        break;
    default:
        in->a = read32(w, i->r[1], lane);
        in->mask = read32(w, i->r[2], lane);
        break;
    }
}

static void compute_shfl(struct join *j)
{
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(j->mask >> l & 1))
            continue;
        const struct lane_wait *in = &j->in[l];
        uint32_t bound = in->c & 31, segment = in->c >> 8 & 31, b = in->b & 31;
        uint32_t low = l & segment, high = low | (bound & ~segment), from;
        bool ok = false;
        switch ((enum warp_op)in->instr->sub) {
        case WARP_SHFL_UP:   from = l - b; ok = (int32_t)from >= (int32_t)high; break;
        case WARP_SHFL_DOWN: from = l + b; ok = from <= high; break;
        case WARP_SHFL_BFLY: from = l ^ b; ok = from <= high; break;
        default:             from = low | (b & ~segment); ok = from <= high; break;
        }
        if (!ok)
            from = l;
        j->d[l] = j->mask >> from & 1 ? j->in[from].a : 0;
        j->p |= (uint32_t)ok << l;
    }
}

static void compute_vote(struct join *j, enum warp_op op)
{
    uint32_t ballot = 0;
    for (uint32_t l = 0; l < LANES; l++)
        if ((j->mask >> l & 1) && j->in[l].a)
            ballot |= 1u << l;
    bool answer = op == WARP_VOTE_ALL ? ballot == j->mask
                : op == WARP_VOTE_ANY ? ballot != 0
                                      : ballot == 0 || ballot == j->mask;
    for (uint32_t l = 0; l < LANES; l++)
        j->d[l] = ballot;
    j->p = answer ? j->mask : 0;
}

static void compute_match(struct join *j, enum warp_op op)
{
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t same = 0;
        if (!(j->mask >> l & 1))
            continue;
        for (uint32_t k = 0; k < LANES; k++)
            if ((j->mask >> k & 1) && j->in[k].a == j->in[l].a)
                same |= 1u << k;
        if (op == WARP_MATCH_ANY) {
            j->d[l] = same;
        } else {
            bool all = same == j->mask;
            j->d[l] = all ? j->mask : 0;
            j->p |= (uint32_t)all << l;
        }
    }
}

static uint32_t reduce(enum warp_op op, bool is_signed, uint32_t a, uint32_t b)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (op) {
    case WARP_REDUX_ADD: return a + b;
    case WARP_REDUX_MIN: return less ? a : b;
    case WARP_REDUX_MAX: return less ? b : a;
    case WARP_REDUX_AND: return a & b;
    case WARP_REDUX_OR: return a | b;
    default: return a ^ b;
    }
}

static void compute_redux(struct join *j, const struct instr *i)
{
    bool first = true;
    uint32_t value = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(j->mask >> l & 1))
            continue;
        value = first ? (uint32_t)j->in[l].a
                      : reduce((enum warp_op)i->sub, i->type == PTX_S32, value, (uint32_t)j->in[l].a);
        first = false;
    }
    for (uint32_t l = 0; l < LANES; l++)
        j->d[l] = value;
}

/* elect.sync: the lowest lane of the mask (PTX ISA 9.7.13.15 leaves the choice to the implementation). */
static void compute_elect(struct join *j)
{
    uint32_t leader = 0;
    while (leader < LANES - 1 && !(j->mask >> leader & 1))
        leader++;
    for (uint32_t l = 0; l < LANES; l++)
        j->d[l] = leader;
    j->p = 1u << leader;
}

static void compute(struct join *j, const struct instr *i)
{
    switch ((enum warp_op)i->sub) {
    case WARP_ACTIVEMASK: case WARP_SYNC: break;
    case WARP_ELECT: compute_elect(j); break;
    case WARP_SHFL_UP: case WARP_SHFL_DOWN: case WARP_SHFL_BFLY: case WARP_SHFL_IDX: compute_shfl(j); break;
    case WARP_VOTE_ALL: case WARP_VOTE_ANY: case WARP_VOTE_UNI: case WARP_VOTE_BALLOT:
        compute_vote(j, (enum warp_op)i->sub);
        break;
    case WARP_MATCH_ANY: case WARP_MATCH_ALL: compute_match(j, (enum warp_op)i->sub); break;
    default: compute_redux(j, i); break;
    }
}

/* Writes what one lane takes away into the registers of its own frame and instruction. */
static void take(const struct frame *f, const struct instr *i, uint32_t lane, const struct join *j)
{
    opref d = i->r[0], p = i->r[5];
    bool only_predicate = i->sub == WARP_VOTE_ALL || i->sub == WARP_VOTE_ANY || i->sub == WARP_VOTE_UNI;
    if (only_predicate) {
        p = d;
        d = OPREF_NONE;
    }
    if (d != OPREF_NONE && i->sub != WARP_SYNC)
        ((uint32_t *)(void *)(f->regs + (d & 0x3fffffffu)))[lane] = (uint32_t)j->d[lane];
    if (p != OPREF_NONE) {
        uint32_t *bits = (uint32_t *)(void *)(f->regs + (p & 0x3fffffffu));
        *bits = (*bits & ~(1u << lane)) | (j->p & 1u << lane);
    }
}

static void emit_join(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    struct event e = {.kind = EVENT_WARP_SYNC, .time = w->time, .grid = w->block->grid, .block = w->block, .warp = w,
                      .function = w->frame->function, .pc = w->pc, .mask = mask, .sub = i->sub};
    for (struct observer *o = m->observers; o != NULL; o = o->next)
        o->event(o, &e);
}

/* The lanes waiting for `mask` in the same kind of operation as `i`. */
static uint32_t waiting_with(const struct warp *w, const struct instr *i, uint32_t mask)
{
    uint32_t set = 0;
    for (uint32_t l = 0; l < LANES; l++)
        if (w->wait[l] == WAIT_WARP && w->sync[l].mask == mask && w->sync[l].instr->klass == i->klass &&
            w->sync[l].instr->sub == i->sub)
            set |= 1u << l;
    return set;
}

static void release(struct machine *m, struct warp *w, const struct instr *i, uint32_t lanes)
{
    struct join j = {.mask = lanes, .in = w->sync, .p = 0};
    memset(j.d, 0, sizeof j.d);
    compute(&j, i);
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        take(w->lane_frame[l], w->sync[l].instr, l, &j);
        w->wait[l] = WAIT_NONE;
    }
    w->blocked &= ~lanes;
    w->yielded &= ~lanes;
    if (m->observe)
        emit_join(m, w, i, lanes);
}

static bool sync_space(struct machine *m, struct warp *w)
{
    if (w->sync == NULL)
        w->sync = heap_alloc(m->heap, LANES * sizeof *w->sync);
    if (w->sync == NULL)
        fault_plain(m, FAULT_INTERNAL, "out of memory");
    return w->sync != NULL;
}

/* All named lanes are here together: the common case needs no waiting. */
static enum exec_result together(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    struct join j = {.mask = mask, .in = w->sync, .p = 0};
    memset(j.d, 0, sizeof j.d);
    if (i->sub == WARP_ACTIVEMASK)
        for (uint32_t l = 0; l < LANES; l++)
            j.d[l] = mask;
    compute(&j, i);
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1)
            take(w->frame, i, l, &j);
    if (m->observe && i->sub != WARP_ACTIVEMASK)
        emit_join(m, w, i, mask);
    return EXEC_NEXT;
}

enum exec_result exec_warp_op(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    if (!sync_space(m, w))
        return EXEC_FAULT;
    uint32_t named = 0, first = LANES;
    bool agree = true;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        bring(w, i, l, &w->sync[l]);
        if (first == LANES)
            first = l;
        agree = agree && w->sync[l].mask == w->sync[first].mask;
    }
    named = w->sync[first].mask;
    if (i->sub == WARP_ACTIVEMASK)
        return together(m, w, i, mask);
    if (agree && (named & w->live) == mask)
        return together(m, w, i, mask);
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        if (!(w->sync[l].mask >> l & 1)) {
            fault_at(m, w, 1u << l, FAULT_RULE, "`%s` with member mask 0x%08x, which does not name the lane that executes it",
                     w->frame->function->source->statements[w->pc].name, w->sync[l].mask);
            return EXEC_FAULT;
        }
        w->wait[l] = WAIT_WARP;
        w->blocked |= 1u << l;
    }
    warp_sync_recheck(m, w);
    return EXEC_BLOCKED;
}

/* Releases every set of lanes that is complete, exited lanes not counted. */
void warp_sync_recheck(struct machine *m, struct warp *w)
{
    if (w->sync == NULL)
        return;
    for (uint32_t l = 0; l < LANES; l++) {
        if (w->wait[l] != WAIT_WARP)
            continue;
        const struct instr *i = w->sync[l].instr;
        uint32_t named = w->sync[l].mask & w->live, here = waiting_with(w, i, w->sync[l].mask);
        if ((named & ~here) == 0)
            release(m, w, i, here & named);
    }
}

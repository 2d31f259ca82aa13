/*
 * Block barriers: bar and barrier without .cluster (PTX ISA 9.7.13.1).
 *
 * A block has 16. Each counts threads: all that have not exited, or the number
 * the instruction gives. Lanes of a warp may come one after the other, but with
 * .aligned (and bar, which means it) all lanes of a warp must have come through
 * the same instruction when the barrier opens; otherwise the run ends there.
 */
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"

static void emit(struct machine *m, struct warp *w, enum event_kind kind, uint32_t mask, uint32_t number, uint64_t threads,
                 const struct instr *i)
{
    if (!m->observe)
        return;
    struct event e = {.kind = kind, .time = w->time, .grid = w->block->grid, .block = w->block, .warp = w,
                      .function = w->frame->function, .pc = w->pc, .mask = mask, .a = number, .b = threads,
                      .sub = i != NULL ? i->sub : 0, .flags = i != NULL ? i->aligned : 0};
    for (struct observer *o = m->observers; o != NULL; o = o->next)
        o->event(o, &e);
}

static bool is_reduction(const struct instr *i) { return i->sub >= BAR_RED_POPC; }

/* Writes the result of a bar.red into one lane's registers. */
static void take_result(const struct warp *w, uint32_t lane, const struct instr *i, const struct named_barrier *bar)
{
    uint8_t *regs = w->lane_frame[lane]->regs;
    uint32_t *d = (uint32_t *)(void *)(regs + (i->r[0] & 0x3fffffffu));
    if (i->sub == BAR_RED_POPC) {
        d[lane] = bar->popc;
        return;
    }
    uint32_t answer = i->sub == BAR_RED_AND ? bar->all : bar->any;
    *d = (*d & ~(1u << lane)) | (answer != 0 ? 1u << lane : 0);
}

/* Lanes of one warp stand at different instructions of an .aligned barrier. */
static bool diverged(struct machine *m, struct warp *w, uint32_t lanes)
{
    uint32_t first = LANES;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1))
            continue;
        if (first == LANES)
            first = l;
        if (w->lane_pc[l] == w->lane_pc[first] && w->lane_frame[l] == w->lane_frame[first])
            continue;
        w->pc = w->lane_pc[first] - 1;
        w->frame = w->lane_frame[first];
        fault_at(m, w, 1u << l, FAULT_RULE, "divergent block barrier: lanes of one warp wait at different barrier instructions");
        fault_rule(m, "FE6");
        return true;
    }
    return false;
}

/* The lanes of a warp that wait at the barrier. */
static uint32_t lanes_at(const struct warp *w, uint32_t number)
{
    uint32_t lanes = 0;
    if (w->bar_whole != 0)
        return w->bar_whole == number + 1 ? w->live : 0;
    for (uint32_t l = 0; l < LANES; l++)
        if (w->wait[l] == WAIT_BAR && w->bar[l] == number)
            lanes |= 1u << l;
    return lanes;
}

/* Gives the lanes of a bar.red its result; false: lanes of an .aligned barrier stand at different instructions. */
static bool settle(struct machine *m, struct warp *w, uint32_t lanes, const struct named_barrier *bar)
{
    bool aligned = false, reduces = false;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(lanes >> l & 1) || (l > 0 && (lanes >> (l - 1) & 1) && w->lane_pc[l] == w->lane_pc[l - 1] &&
                                  w->lane_frame[l] == w->lane_frame[l - 1] && !reduces))
            continue;                /* as the lane before */
        const struct instr *i = &w->lane_frame[l]->function->code[w->lane_pc[l] - 1];
        aligned |= i->aligned;
        reduces = is_reduction(i);
        if (reduces)
            take_result(w, l, i, bar);
        else if (w->bar_whole != 0)
            return true;             /* all stand at this one */
    }
    return !aligned || !diverged(m, w, lanes);
}

static void stop(struct warp *w, uint32_t lanes, uint32_t number)
{
    w->blocked |= lanes;
    w->bar_whole = lanes == w->live ? (uint8_t)(number + 1) : 0;
    for (uint32_t l = 0; l < LANES; l++)
        if (lanes >> l & 1) {
            w->wait[l] = WAIT_BAR;
            w->bar[l] = (uint8_t)number;
        }
}

static void go_on(struct warp *w, uint32_t lanes)
{
    if (lanes == UINT32_MAX)
        memset(w->wait, WAIT_NONE, sizeof w->wait);
    for (uint32_t l = 0; l < LANES && lanes != UINT32_MAX; l++)
        if (lanes >> l & 1)
            w->wait[l] = WAIT_NONE;
    w->bar_whole = 0;
    w->blocked &= ~lanes;
    w->yielded &= ~lanes;
}

static void open_barrier(struct machine *m, struct block *b, uint32_t number)
{
    struct named_barrier *bar = &b->bar[number];
    uint64_t time = bar->time + (uint64_t)m->device->latency[COST_BARRIER];
    for (uint32_t k = 0; k < b->warp_count; k++) {
        struct warp *w = b->warps[k];
        const uint32_t lanes = lanes_at(w, number);
        if (lanes == 0)
            continue;
        if (!settle(m, w, lanes, bar))
            return;
        go_on(w, lanes);
        emit(m, w, EVENT_BAR_WAIT, lanes, number, 0, NULL);
        warp_wake(m, w, time);
    }
    memset(bar, 0, sizeof *bar);
    m->steps_since_progress = 0;
    m->epoch++;
}

static uint32_t needed(const struct block *b, const struct named_barrier *bar)
{
    return bar->expected != 0 ? bar->expected : b->live_threads;
}

static bool parse(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, uint32_t *number, uint32_t *threads)
{
    uint32_t lane = 0;
    while (!(mask >> lane & 1))
        lane++;
    *number = i->r[1] == OPREF_NONE ? 0 : ((const uint32_t *)operand_at(w->bank, i->r[1]))[lane];
    *threads = i->r[2] == OPREF_NONE ? 0 : ((const uint32_t *)operand_at(w->bank, i->r[2]))[lane];
    if (*number > 15) {
        fault_at(m, w, mask, FAULT_RULE, "block barrier %u: there are 16, numbered from 0", *number);
        return false;
    }
    if (*threads % LANES != 0) {
        fault_at(m, w, mask, FAULT_RULE, "block barrier for %u threads: the number must be a multiple of 32", *threads);
        return false;
    }
    return true;
}

static void count_predicate(const struct warp *w, const struct instr *i, uint32_t mask, struct named_barrier *bar)
{
    uint32_t p = *(const uint32_t *)operand_at(w->bank, i->r[3]);
    p = (i->negate >> 3 & 1 ? ~p : p) & mask;
    if (bar->arrived == 0)
        bar->all = 1;
    bar->popc += lanes_count(p);
    bar->any |= p != 0;
    bar->all &= p == mask;
}

/* lane_pc of the group already points behind the barrier. */
enum exec_result exec_bar(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    uint32_t number, threads;
    struct block *b = w->block;
    if (!parse(m, w, i, mask, &number, &threads))
        return EXEC_FAULT;
    struct named_barrier *bar = &b->bar[number];
    if (bar->arrived > 0 && bar->expected != threads) {
        fault_at(m, w, mask, FAULT_RULE, "block barrier %u is used for %u threads while others wait at it for %u", number,
                 threads ? threads : b->live_threads, needed(b, bar));
        return EXEC_FAULT;
    }
    if (is_reduction(i))
        count_predicate(w, i, mask, bar);
    bar->expected = threads;
    bar->arrived += lanes_count(mask);
    bar->time = w->time > bar->time ? w->time : bar->time;
    emit(m, w, EVENT_BAR_ARRIVE, mask, number, needed(b, bar), i);
    if (i->sub != BAR_ARRIVE)
        stop(w, mask, number);
    if (bar->arrived >= needed(b, bar))
        open_barrier(m, b, number);
    if (m->fault.kind != FAULT_NONE)
        return EXEC_FAULT;
    /* A group that came last goes on with the lanes it has woken, not ahead of them. */
    return (w->blocked & mask) == 0 && w->active == mask && mask == w->live ? EXEC_NEXT : EXEC_BLOCKED;
}

void block_barrier_recheck(struct machine *m, struct block *b, uint64_t time)
{
    for (uint32_t n = 0; n < 16; n++) {
        struct named_barrier *bar = &b->bar[n];
        if (bar->arrived == 0 || bar->expected != 0 || bar->arrived < b->live_threads)
            continue;
        bar->time = time > bar->time ? time : bar->time;
        open_barrier(m, b, n);
    }
}

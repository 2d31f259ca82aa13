/*
 * A block's life: it gets memory and warps when it starts, and gives its place
 * back when its last thread has exited.
 *
 * Ended blocks are kept by their grid and used again, so memory is bounded by
 * what is resident, not by the grid. Registers of a new block hold what the
 * old one left: PTX gives a register no value before it is written.
 */
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"
#include "machine/rows.h"
#include "sync/exec_sync.h"

static struct warp *warp_new(struct machine *m, struct grid *g, struct block *b, uint32_t index)
{
    struct warp *w = heap_alloc(m->heap, sizeof *w);
    const struct code_function *entry = &g->code->functions[g->entry_index];
    if (w == NULL)
        return NULL;
    w->entry_frame = heap_alloc(m->heap, sizeof *w->entry_frame);
    if (w->entry_frame == NULL)
        return NULL;
    *w->entry_frame = (struct frame){.function = entry, .regs = heap_alloc(m->heap, entry->reg_bytes)};
    w->index = index;
    w->block = b;
    uint32_t left = g->threads - index * LANES;
    w->lanes_exist = left >= LANES ? 0xffffffffu : (1u << left) - 1;
    bool ok = w->entry_frame->regs != NULL && local_reserve(m, w, entry->frame_bytes ? entry->frame_bytes : 1);
    return ok ? w : NULL;
}

static struct block *block_new(struct machine *m, struct grid *g)
{
    struct block *b = heap_alloc(m->heap, sizeof *b);
    if (b == NULL)
        return NULL;
    b->grid = g;
    b->warp_count = g->warps_per_block;
    b->warps = heap_alloc(m->heap, b->warp_count * sizeof *b->warps);
    b->shared = heap_alloc(m->heap, g->shared_bytes + 16);
    b->shared_init = heap_alloc(m->heap, g->shared_bytes / 8 + 16);
    b->rows = heap_alloc(m->heap, (size_t)block_row_count() * SREG_ROW);
    if (!b->warps || !b->shared || !b->shared_init || !b->rows)
        return NULL;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        b->warps[i] = warp_new(m, g, b, i);
        if (b->warps[i] == NULL)
            return NULL;
    }
    return b;
}

static void frames_drop(struct machine *m, struct warp *w)
{
    for (uint32_t l = 0; l < LANES; l++)
        if (w->live >> l & 1)
            frames_leave(m, w, l);
    while (w->free_frames != NULL) {
        struct frame *f = w->free_frames;
        w->free_frames = f->next_free;
        heap_free(m->heap, f, sizeof *f);
    }
}

void block_delete(struct machine *m, struct block *b)
{
    struct grid *g = b->grid;
    const struct code_function *entry = &g->code->functions[g->entry_index];
    sync_block_forget(m, b);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct warp *w = b->warps[i];
        frames_drop(m, w);
        heap_free(m->heap, w->entry_frame->regs, entry->reg_bytes);
        heap_free(m->heap, w->entry_frame, sizeof *w->entry_frame);
        heap_free(m->heap, w->local, (size_t)LANES * w->local_stride);
        heap_free(m->heap, w->sync, w->sync ? LANES * sizeof *w->sync : 0);
        heap_free(m->heap, w, sizeof *w);
    }
    heap_free(m->heap, b->warps, b->warp_count * sizeof *b->warps);
    heap_free(m->heap, b->shared, g->shared_bytes + 16);
    heap_free(m->heap, b->shared_init, g->shared_bytes / 8 + 16);
    heap_free(m->heap, b->rows, (size_t)block_row_count() * SREG_ROW);
    heap_free(m->heap, b, sizeof *b);
}

static void warp_start(struct grid *g, struct warp *w, uint64_t time)
{
    w->live = w->lanes_exist;
    w->blocked = w->yielded = 0;
    w->active = 0;
    w->frame = w->entry_frame;
    w->entry_frame->lanes = w->live;
    w->spins = 0;
    w->time = time;
    w->bank[BANK_WARP] = g->warp_rows[w->index];
    w->bank[BANK_BLOCK] = w->block->rows;
    memset(w->wait, WAIT_NONE, sizeof w->wait);
    w->pc = 0;
    w->whole = true;
    for (uint32_t l = 0; l < LANES; l++)
        w->lane_frame[l] = w->entry_frame;
}

/* Takes a block slot and warp slots of the SM. The caller has checked that there is room. */
static uint32_t reserve(struct machine *m, const struct grid *g, uint32_t number, uint64_t time)
{
    struct sm *sm = &m->sms[number];
    uint32_t slot = 0, warp_slot = 0;
    while (sm->block_slots >> slot & 1)
        slot++;
    sm->block_slots |= 1u << slot;
    for (uint32_t i = 0; i < g->warps_per_block; i++) {
        while (sm->used >> warp_slot & 1)
            warp_slot++;
        sm->used |= UINT64_C(1) << warp_slot;
        sm->owner[warp_slot] = (uint8_t)slot;
        sm->ready[warp_slot] = time;
        if (warp_slot >= sm->high)
            sm->high = warp_slot + 1;
    }
    sm->blocks++;
    sm->threads += g->warps_per_block * LANES;
    sm->shared_used += g->shared_bytes + (uint32_t)m->device->shared_reserved;
    sm_wake(m, number, time);
    return slot;
}

/* Puts the warps of a started block into the slots that were reserved for them. */
static void fill_slots(struct machine *m, struct block *b)
{
    struct sm *sm = &m->sms[b->sm];
    uint32_t i = 0;
    for (uint32_t k = 0; i < b->warp_count; k++) {
        if (!(sm->used >> k & 1) || sm->owner[k] != b->slot)
            continue;
        sm->warps[k] = b->warps[i];
        b->warps[i++]->slot = k;
    }
}

static void emit_block(struct machine *m, struct block *b, enum event_kind kind, uint64_t time)
{
    struct event e = {.kind = kind, .time = time, .grid = b->grid, .block = b};
    for (struct observer *o = m->observers; o != NULL; o = o->next)
        o->event(o, &e);
}

static void block_set(struct block *b, uint64_t linear, uint32_t sm, uint64_t time, struct cluster *c, uint32_t rank)
{
    const struct grid *g = b->grid;
    b->next = NULL;
    b->linear = linear;
    b->id[0] = (uint32_t)(linear % g->dim[0]);
    b->id[1] = (uint32_t)(linear / g->dim[0] % g->dim[1]);
    b->id[2] = (uint32_t)(linear / g->dim[0] / g->dim[1]);
    b->cluster = c;
    b->cluster_rank = rank;
    if (c != NULL)
        c->blocks[rank] = b;
    b->sm = sm;
    b->live_threads = g->threads;
    b->started = time;
    memset(b->bar, 0, sizeof b->bar);
    memset(b->shared_init, 0, g->shared_bytes / 8 + 16);
    block_rows_fill(b);
}

/* Gives a placed block its memory and its warps. NULL: out of memory, the fault is set. */
static struct block *begin(struct machine *m, uint32_t sm, uint32_t slot, struct cluster *c, uint32_t rank)
{
    struct placed *at = &m->sms[sm].placed[slot];
    struct grid *g = at->grid;
    struct block *b = g->block_pool;
    if (b != NULL)
        g->block_pool = b->next;
    else
        b = block_new(m, g);
    if (b == NULL) {
        fault_plain(m, FAULT_INTERNAL, "out of memory for a block of %u threads\n", g->threads);
        return NULL;
    }
    at->started = true;
    b->slot = slot;
    block_set(b, at->linear, sm, at->time, c, rank);
    for (uint32_t i = 0; i < b->warp_count; i++)
        warp_start(g, b->warps[i], at->time);
    fill_slots(m, b);
    sync_block_start(m, b);
    m->counts.blocks_started++;
    m->steps_since_progress = m->steps_since_block = 0;
    m->epoch++;
    if (m->observe)
        emit_block(m, b, EVENT_BLOCK_START, at->time);
    return b;
}

void block_place(struct machine *m, struct grid *g, uint64_t linear, uint32_t sm, uint64_t time)
{
    uint32_t slot = reserve(m, g, sm, time);
    m->sms[sm].placed[slot] = (struct placed){.grid = g, .linear = linear, .time = time};
}

struct block *block_place_in_cluster(struct machine *m, struct grid *g, uint64_t linear, uint32_t sm, uint64_t time,
                                     struct cluster *c, uint32_t rank)
{
    uint32_t slot = reserve(m, g, sm, time);
    m->sms[sm].placed[slot] = (struct placed){.grid = g, .linear = linear, .time = time};
    return begin(m, sm, slot, c, rank);
}

bool block_begin(struct machine *m, uint32_t sm, uint32_t warp_slot)
{
    return begin(m, sm, m->sms[sm].owner[warp_slot], NULL, 0) != NULL;
}

void block_recycle(struct grid *g, struct block *b)
{
    b->next = g->block_pool;
    g->block_pool = b;
}

/* Empties an SM; the blocks on it are given back to memory. */
void sm_reset(struct machine *m, uint32_t number)
{
    struct sm *sm = &m->sms[number];
    for (uint32_t k = 0; k < sm->high; k++) {
        struct warp *w = sm->warps[k];
        if (w != NULL && w->index == 0)
            block_recycle(w->block->grid, w->block);
        sm->warps[k] = NULL;
        sm->ready[k] = NEVER;
    }
    sm->high = sm->blocks = sm->threads = sm->shared_used = sm->block_slots = 0;
    sm->used = 0;
    memset(sm->placed, 0, sizeof sm->placed);
    sm->next = NEVER;
}

static void leave_slots(struct machine *m, struct block *b)
{
    struct sm *sm = &m->sms[b->sm];
    for (uint32_t i = 0; i < b->warp_count; i++) {
        uint32_t k = b->warps[i]->slot;
        sm->warps[k] = NULL;
        sm->ready[k] = NEVER;
        sm->used &= ~(UINT64_C(1) << k);
    }
    while (sm->high > 0 && !(sm->used >> (sm->high - 1) & 1))
        sm->high--;
    sm->block_slots &= ~(1u << b->slot);
    sm->placed[b->slot].grid = NULL;
    sm->blocks--;
    sm->threads -= b->warp_count * LANES;
    sm->shared_used -= b->grid->shared_bytes + (uint32_t)m->device->shared_reserved;
}

static void block_end(struct machine *m, struct block *b, uint64_t time)
{
    struct grid *g = b->grid;
    uint32_t sm = b->sm;
    if (m->observe)
        emit_block(m, b, EVENT_BLOCK_END, time);
    if (!sync_block_exit(m, b))
        return;
    leave_slots(m, b);
    m->counts.blocks_finished++;
    m->steps_since_progress = m->steps_since_block = 0;
    m->epoch++;
    cluster_block_ended(m, b);
    place_on(m, sm, time + (uint64_t)m->device->block_end);
    if (grid_finished(g))
        stream_grid_done(m, g, time + (uint64_t)m->device->block_end);
}

void lanes_exit(struct machine *m, struct warp *w, uint32_t mask)
{
    struct block *b = w->block;
    if (m->observe) {
        struct event e = {.kind = EVENT_EXIT, .time = w->time, .grid = b->grid, .block = b, .warp = w,
                          .function = w->frame->function, .pc = w->pc, .mask = mask};
        for (struct observer *o = m->observers; o != NULL; o = o->next)
            o->event(o, &e);
    }
    if (w->frame->depth > 0)
        for (uint32_t l = 0; l < LANES; l++)
            if (mask >> l & 1)
                frames_leave(m, w, l);
    w->live &= ~mask;
    b->live_threads -= lanes_count(mask);
    m->counts.threads_finished += lanes_count(mask);
    sync_lanes_exit(m, w, mask);
    if (b->live_threads == 0) {
        block_end(m, b, w->time);
        return;
    }
    if (w->live != 0 && w->blocked != 0)
        warp_sync_recheck(m, w);
    block_barrier_recheck(m, b, w->time);
}

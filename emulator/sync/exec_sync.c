/*
 * The engine's door to the synchronising rooms, and what they share: operands,
 * events, fences.
 *
 * The plain machine runs memory operations one after the other, so a fence
 * orders nothing that is not ordered already: it is an event for listeners.
 * Not modelled: stale caches of any proxy; that a fence is missing is found by
 * the checker, never by a wrong value.
 */
#include <string.h>

#include "sync/cluster_barrier.h"
#include "sync/async.h"
#include "sync/sync_state.h"

struct sync_state *sync_state(struct machine *m)
{
    if (m->sync == NULL) {
        m->sync = heap_alloc(m->heap, sizeof *m->sync);
        m->sync->timer = NEVER;
    }
    return m->sync;
}

struct async_state *async_state(struct machine *m, struct block *b)
{
    if (b->async == NULL) {
        b->async = heap_alloc(m->heap, sizeof *b->async);
        b->async->live_bytes = b->grid->shared_bytes / 64 + 1;
        b->async->live = heap_alloc(m->heap, b->async->live_bytes);
    }
    return b->async;
}

struct async_warp *async_warp(struct machine *m, struct warp *w)
{
    if (w->async == NULL)
        w->async = heap_alloc(m->heap, sizeof *w->async);
    return w->async;
}

/* ---- operands -------------------------------------------------------------- */

uint64_t shared_address(const struct block *self, const struct block *b, uint32_t offset)
{
    uint64_t window = self == b ? 0 : (uint64_t)(b->cluster_rank + 1) << CLUSTER_SHIFT;
    return WINDOW_SHARED + window + offset;
}

uint64_t sync_address(const struct warp *w, const struct instr *i, opref r, int k, uint32_t lane)
{
    uint64_t offset = (uint64_t)(int64_t)sync_offset(i, k);
    if (r == OPREF_NONE)
        return offset;
    if (i->addr32 >> k & 1)
        return (uint32_t)(sync_u32(w, r, lane) + (uint32_t)offset);
    return sync_u64(w, r, lane) + offset;
}

uint32_t sync_u32(const struct warp *w, opref r, uint32_t lane)
{
    return ((const uint32_t *)operand_at(w->bank, r))[lane];
}

uint64_t sync_u64(const struct warp *w, opref r, uint32_t lane)
{
    return ((const uint64_t *)operand_at(w->bank, r))[lane];
}

void sync_put_u32(const struct warp *w, opref r, uint32_t lane, uint32_t value)
{
    if (r != OPREF_NONE)
        ((uint32_t *)operand_at(w->bank, r))[lane] = value;
}

void sync_put_u64(const struct warp *w, opref r, uint32_t lane, uint64_t value)
{
    if (r != OPREF_NONE)
        ((uint64_t *)operand_at(w->bank, r))[lane] = value;
}

void sync_put_pred(const struct warp *w, opref r, uint32_t mask, uint32_t value)
{
    if (r == OPREF_NONE)
        return;
    uint32_t *p = operand_at(w->bank, r);
    *p = (*p & ~mask) | (value & mask);
}

/* ---- events ---------------------------------------------------------------- */

void sync_tell(struct machine *m, struct event *e)
{
    for (struct observer *o = m->observers; o != NULL; o = o->next)
        o->event(o, e);
}

struct event sync_event(const struct warp *w, const struct instr *i, enum event_kind kind, uint32_t mask, uint64_t time)
{
    return (struct event){.kind = kind, .time = time, .grid = w->block->grid, .block = w->block, .warp = (struct warp *)w,
                          .function = w->frame->function, .pc = w->pc, .mask = mask, .space = i->space, .sem = i->sem,
                          .scope = i->scope, .sub = i->sub};
}

/* ---- dispatch -------------------------------------------------------------- */

static enum sync_result exec_fence(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    if (m->observers != NULL) {
        struct event e = sync_event(w, i, EVENT_FENCE, mask, t->now);
        sync_tell(m, &e);
    }
    return SYNC_DONE;
}

enum sync_result exec_sync(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    switch (i->klass) {
    case CLASS_FENCE: return exec_fence(m, w, i, mask, t);
    case CLASS_MBARRIER: return exec_mbarrier(m, w, i, mask, t);
    case CLASS_CLUSTER_BAR: return exec_cluster_bar(m, w, i, mask, t);
    case CLASS_CP_ASYNC: return exec_cp_async(m, w, i, mask, t);
    case CLASS_CP_BULK: return exec_cp_bulk(m, w, i, mask, t);
    case CLASS_ST_ASYNC: return exec_st_async(m, w, i, mask, t);
    case CLASS_CLC: return exec_clc(m, w, i, mask, t);
    case CLASS_MAPA: exec_mapa(w, i, mask); return SYNC_DONE;
    case CLASS_GETCTARANK: exec_getctarank(w, i, mask); return SYNC_DONE;
    default: break;
    }
    fault_at(m, w, mask, FAULT_INTERNAL, "exec_sync was asked for instruction class %d", i->klass);
    return SYNC_FAULT;
}

/* ---- lives ----------------------------------------------------------------- */

void sync_lanes_exit(struct machine *m, struct warp *w, uint32_t mask)
{
    if (w->async != NULL)
        w->async->waiting &= ~mask;
    cluster_lanes_exit(m, w, mask);
}

void sync_block_start(struct machine *m, struct block *b)
{
    (void)m;
    (void)b;                 /* everything is made on first use, and forgotten at the end */
}

void sync_block_forget(struct machine *m, struct block *b)
{
    for (uint32_t k = 0; k < b->warp_count; k++) {
        struct warp *w = b->warps[k];
        if (w == NULL)
            continue;
        heap_free(m->heap, w->async, sizeof *w->async);
        w->async = NULL;
        w->cluster_arrived = w->cluster_parity = 0;
    }
    if (b->async != NULL) {
        heap_free(m->heap, b->async->live, b->async->live_bytes);
        heap_free(m->heap, b->async, sizeof *b->async);
        b->async = NULL;
    }
    b->solo = (struct cluster_barrier){0};
}

bool sync_block_exit(struct machine *m, struct block *b)
{
    bool clean = b->async == NULL || b->async->inflight == 0 || async_block_exit(m, b);
    sync_block_forget(m, b);
    return clean;
}

bool sync_describe_waits(struct machine *m, char *text, size_t size)
{
    bool open = park_describe(m, text, size);
    cluster_describe_waits(m, text, size);
    return open;
}

void sync_drop(struct machine *m)
{
    if (m->sync == NULL)
        return;
    park_drop(m);
    async_drop(m);
}

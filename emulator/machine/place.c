/*
 * Which SM gets what: blocks and clusters from the pools of the active grids.
 *
 * Grids are served by priority, then age. Single blocks go round robin over
 * the SMs that have room; the blocks of a cluster go together into one group
 * of neighbouring SMs. Nothing of a lower priority is placed while a block of
 * a higher one waits for room it could have.
 */
#include <string.h>

#include "machine/grid.h"

uint32_t sm_capacity(const struct device *d, uint32_t threads, uint32_t shared_bytes, int registers)
{
    uint32_t warps = (threads + LANES - 1) / LANES;
    uint32_t shared = shared_bytes + (uint32_t)d->shared_reserved;
    uint32_t n = (uint32_t)d->blocks_per_sm;
    uint32_t by_threads = (uint32_t)d->threads_per_sm / (warps * LANES);
    uint32_t by_shared = (uint32_t)d->shared_per_sm / shared;
    uint32_t by_registers = (uint32_t)d->registers_per_sm / (warps * LANES * (uint32_t)registers);
    n = by_threads < n ? by_threads : n;
    n = by_shared < n ? by_shared : n;
    return by_registers < n ? by_registers : n;
}

uint32_t device_cluster_capacity(const struct device *d, uint32_t cluster, uint32_t threads, uint32_t shared, int registers)
{
    uint32_t per_sm = sm_capacity(d, threads, shared, registers), total = 0;
    for (int first = 0; first < d->sms; first += d->sms_per_cluster_room) {
        int sms = d->sms - first < d->sms_per_cluster_room ? d->sms - first : d->sms_per_cluster_room;
        total += per_sm * (uint32_t)sms / cluster;
    }
    return total;
}

static bool has_room(const struct machine *m, const struct grid *g, uint32_t sm)
{
    const struct sm *s = &m->sms[sm];
    const struct device *d = m->device;
    return s->blocks < (uint32_t)d->blocks_per_sm && s->blocks < 32 &&
           s->threads + g->warps_per_block * LANES <= (uint32_t)d->threads_per_sm &&
           s->shared_used + g->shared_bytes + (uint32_t)d->shared_reserved <= (uint32_t)d->shared_per_sm;
}

static uint64_t start_time(const struct machine *m, const struct grid *g, uint64_t time)
{
    return (time > g->ready_at ? time : g->ready_at) + (uint64_t)m->device->block_start;
}

/* ---- single blocks --------------------------------------------------------- */

static bool place_block(struct machine *m, struct grid *g, uint32_t sm, uint64_t time)
{
    uint64_t linear;
    if (!has_room(m, g, sm) || !grid_take_next(g, &linear))
        return false;
    g->running++;
    block_place(m, g, linear, sm, start_time(m, g, time));
    return true;
}

/* One round over the SMs, beginning where the last one ended. Returns how many were placed. */
static uint32_t place_round(struct machine *m, struct grid *g, uint64_t time)
{
    uint32_t placed = 0, sms = (uint32_t)m->device->sms;
    uint32_t shift = choose(&m->choice, CHOICE_PLACE, sms);
    for (uint32_t k = 0; k < sms && g->pending > 0; k++) {
        uint32_t sm = (m->place_next + shift + k) % sms;
        placed += place_block(m, g, sm, time);
    }
    return placed;
}

/* ---- clusters ---------------------------------------------------------------- */

static struct cluster *cluster_new(struct machine *m, struct grid *g, uint64_t linear, uint32_t size)
{
    struct cluster *c = heap_alloc(m->heap, sizeof *c);
    if (c == NULL)
        return NULL;
    c->blocks = heap_alloc(m->heap, size * sizeof *c->blocks);
    c->grid = g;
    c->linear = linear;
    c->block_count = c->live_blocks = size;
    cluster_first_ctaid(g, linear, c->first);
    return c->blocks != NULL ? c : NULL;
}

static uint64_t block_linear(const struct grid *g, const struct cluster *c, uint32_t rank)
{
    const uint32_t *d = g->cluster_dim;
    uint64_t x = c->first[0] + rank % d[0], y = c->first[1] + rank / d[0] % d[1], z = c->first[2] + rank / d[0] / d[1];
    return x + g->dim[0] * (y + g->dim[1] * z);
}

/* SMs for the blocks of one cluster within a group; false: no room there. */
static bool find_sms(const struct machine *m, const struct grid *g, uint32_t first, uint32_t sms, uint32_t size, uint32_t *chosen)
{
    uint32_t taken[64] = {0}, found = 0;
    for (bool any = true; found < size && any;) {
        any = false;
        for (uint32_t k = 0; k < sms && found < size; k++) {
            const struct sm *s = &m->sms[first + k];
            const struct device *d = m->device;
            uint32_t n = taken[k] + 1;
            if (s->blocks + n > (uint32_t)d->blocks_per_sm || s->blocks + n > 32 ||
                s->threads + n * g->warps_per_block * LANES > (uint32_t)d->threads_per_sm ||
                s->shared_used + n * (g->shared_bytes + (uint32_t)d->shared_reserved) > (uint32_t)d->shared_per_sm)
                continue;
            taken[k]++;
            chosen[found++] = first + k;
            any = true;
        }
    }
    return found == size;
}

static bool place_cluster(struct machine *m, struct grid *g, uint32_t group, uint64_t time)
{
    uint32_t size = g->cluster_dim[0] * g->cluster_dim[1] * g->cluster_dim[2], room = (uint32_t)m->device->sms_per_cluster_room;
    uint32_t first = group * room, sms = (uint32_t)m->device->sms - first;
    uint32_t chosen[64];
    uint64_t linear;
    if (size > 64 || !find_sms(m, g, first, sms < room ? sms : room, size, chosen) || !grid_take_next(g, &linear))
        return false;
    struct cluster *c = cluster_new(m, g, linear, size);
    if (c == NULL) {
        fault_plain(m, FAULT_INTERNAL, "out of memory");
        return false;
    }
    g->running++;
    for (uint32_t rank = 0; rank < size; rank++) {
        struct block *b = block_place_in_cluster(m, g, block_linear(g, c, rank), chosen[rank], start_time(m, g, time), c, rank);
        if (b == NULL)
            return false;
    }
    return true;
}

static uint32_t place_cluster_round(struct machine *m, struct grid *g, uint64_t time)
{
    uint32_t room = (uint32_t)m->device->sms_per_cluster_room, groups = ((uint32_t)m->device->sms + room - 1) / room;
    uint32_t placed = 0, shift = choose(&m->choice, CHOICE_PLACE, groups);
    for (uint32_t k = 0; k < groups && g->pending > 0; k++)
        placed += place_cluster(m, g, (shift + k) % groups, time);
    return placed;
}

/* ---- doors ------------------------------------------------------------------- */

static bool clustered(const struct grid *g) { return g->has_cluster; }

void place_all(struct machine *m, uint64_t time)
{
    for (struct grid *g = m->active; g != NULL && m->fault.kind == FAULT_NONE; g = g->next_active) {
        uint32_t placed = 1;
        while (g->pending > 0 && placed > 0 && m->fault.kind == FAULT_NONE)
            placed = clustered(g) ? place_cluster_round(m, g, time) : place_round(m, g, time);
        if (g->pending > 0 && g->next_active != NULL && g->next_active->priority > g->priority)
            break;                        /* room that comes free is for this one */
    }
}

/* An SM has room again. */
void place_on(struct machine *m, uint32_t sm, uint64_t time)
{
    for (struct grid *g = m->active; g != NULL; g = g->next_active) {
        if (g->pending == 0)
            continue;
        if (clustered(g))
            place_cluster(m, g, sm / (uint32_t)m->device->sms_per_cluster_room, time);
        else
            while (g->pending > 0 && place_block(m, g, sm, time))
                ;
        if (g->pending > 0 && g->next_active != NULL && g->next_active->priority > g->priority)
            break;
    }
}

/* A grid is done with a cluster when its last block has ended; its blocks stay until then, for peers that look at them. */
void cluster_block_ended(struct machine *m, struct block *b)
{
    struct cluster *c = b->cluster;
    struct grid *g = b->grid;
    if (c == NULL) {
        g->running--;
        g->done++;
        block_recycle(g, b);
        return;
    }
    if (--c->live_blocks > 0)
        return;
    for (uint32_t k = 0; k < c->block_count; k++)
        block_recycle(g, c->blocks[k]);
    g->running--;
    g->done++;
    heap_free(m->heap, c->blocks, c->block_count * sizeof *c->blocks);
    heap_free(m->heap, c, sizeof *c);
}

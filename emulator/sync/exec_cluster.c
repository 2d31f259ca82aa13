/*
 * The cluster barrier's instructions, and addresses in a peer's memory.
 *
 * A shared address of the own block is an offset, block r of the cluster is
 * seen at (r + 1) << CLUSTER_SHIFT (state.h). mapa computes such an address and
 * does not touch memory: a rank outside the cluster faults where it is used.
 *
 * A block outside any cluster is a cluster of one.
 * Not modelled: .aligned; lanes of a warp may arrive one group after another.
 */
#include "sync/cluster_barrier.h"
#include "sync/sync_state.h"

struct cluster_barrier *cluster_barrier_of(struct block *b)
{
    return b->cluster != NULL ? &b->cluster->barrier : &b->solo;
}

static uint32_t block_count(const struct block *b) { return b->cluster != NULL ? b->cluster->block_count : 1; }

static struct block *block_at(struct block *b, uint32_t rank) { return b->cluster != NULL ? b->cluster->blocks[rank] : b; }

/* Threads of the cluster that have not exited. */
static uint32_t live_threads(struct block *b)
{
    uint32_t live = 0;
    for (uint32_t r = 0; r < block_count(b); r++) {
        const struct block *peer = block_at(b, r);
        live += peer != NULL ? peer->live_threads : 0;
    }
    return live;
}

/* Lanes that were blocked leave the barrier; the wait is the statement before the one they go on at. */
static void tell_left(struct machine *m, struct warp *w, uint32_t mask, uint64_t now)
{
    while (mask != 0) {
        uint32_t first = 0, same = 0;
        while (!(mask >> first & 1))
            first++;
        for (uint32_t l = first; l < LANES; l++)
            if ((mask >> l & 1) && w->lane_pc[l] == w->lane_pc[first] && w->lane_frame[l] == w->lane_frame[first])
                same |= 1u << l;
        struct event e = {.kind = EVENT_CLUSTER_WAIT, .time = now, .grid = w->block->grid, .block = w->block, .warp = w,
                          .function = w->lane_frame[first]->function, .pc = w->lane_pc[first] - 1, .mask = same,
                          .sem = SEM_ACQUIRE, .scope = SCOPE_CLUSTER, .sub = CLUSTER_WAIT};
        e.a = cluster_barrier_of(w->block)->phase;
        sync_tell(m, &e);
        mask &= ~same;
    }
}

static void open_warp(struct machine *m, struct warp *w, uint64_t now)
{
    uint32_t woken = 0;
    for (uint32_t l = 0; l < LANES; l++)
        if ((w->blocked >> l & 1) && w->wait[l] == WAIT_CLUSTER) {
            w->wait[l] = WAIT_NONE;
            woken |= 1u << l;
        }
    w->blocked &= ~woken;
    w->cluster_arrived &= ~woken;
    if (woken == 0)
        return;
    if (m->observers != NULL)
        tell_left(m, w, woken, now);
    warp_wake(m, w, now);
}

/* The barrier opened: whoever waits goes on; who arrived and does not wait yet will pass. */
static void open(struct machine *m, struct block *b, uint64_t now)
{
    m->epoch++;
    m->steps_since_progress = 0;
    for (uint32_t r = 0; r < block_count(b); r++) {
        struct block *peer = block_at(b, r);
        for (uint32_t k = 0; peer != NULL && k < peer->warp_count; k++)
            if (peer->warps[k] != NULL)
                open_warp(m, peer->warps[k], now);
    }
}

static uint32_t arrived_in_this_phase(const struct warp *w)
{
    uint32_t parity = cluster_barrier_of(w->block)->phase & 1 ? UINT32_MAX : 0;
    return w->cluster_arrived & ~(w->cluster_parity ^ parity);
}

static enum sync_result arrive(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    struct cluster_barrier *b = cluster_barrier_of(w->block);
    uint32_t twice = arrived_in_this_phase(w) & mask;
    if (twice != 0) {
        fault_at(m, w, twice, FAULT_RULE, "a thread arrives at the cluster barrier a second time in the same phase; "
                 "`barrier.cluster.wait` belongs between two arrives");
        fault_rule(m, "FE5");
        return SYNC_FAULT;
    }
    w->cluster_arrived |= mask;
    w->cluster_parity = (w->cluster_parity & ~mask) | (b->phase & 1 ? mask : 0);
    if (m->observers != NULL) {
        struct event e = sync_event(w, i, EVENT_CLUSTER_ARRIVE, mask, t->now);
        e.a = b->phase;
        e.flags = i->aligned && mask != w->live;
        sync_tell(m, &e);
    }
    if (cluster_barrier_arrive(b, lanes_count(mask), live_threads(w->block)))
        open(m, w->block, t->now);
    return SYNC_DONE;
}

static enum sync_result wait(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    uint32_t stay = arrived_in_this_phase(w) & mask;
    uint32_t never = mask & ~w->cluster_arrived;
    if (never != 0) {
        fault_at(m, w, never, FAULT_RULE, "a thread waits at the cluster barrier without having arrived; "
                 "`barrier.cluster.arrive` must come first");
        fault_rule(m, "FE5");
        return SYNC_FAULT;
    }
    if (m->observers != NULL && stay != mask) {
        struct event e = sync_event(w, i, EVENT_CLUSTER_WAIT, mask & ~stay, t->now);
        e.a = cluster_barrier_of(w->block)->phase;
        sync_tell(m, &e);
    }
    w->cluster_arrived &= ~(mask & ~stay);
    if (stay == 0)
        return SYNC_DONE;
    w->blocked |= stay;
    for (uint32_t l = 0; l < LANES; l++)
        if (stay >> l & 1)
            w->wait[l] = WAIT_CLUSTER;
    return SYNC_BLOCK;
}

enum sync_result exec_cluster_bar(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    return i->sub == CLUSTER_ARRIVE ? arrive(m, w, i, mask, t) : wait(m, w, i, mask, t);
}

void cluster_lanes_exit(struct machine *m, struct warp *w, uint32_t mask)
{
    struct cluster_barrier *b = cluster_barrier_of(w->block);
    if (b->arrived == 0)
        return;
    uint32_t had_arrived = lanes_count(arrived_in_this_phase(w) & mask);
    w->cluster_arrived &= ~mask;
    if (cluster_barrier_exit(b, had_arrived, live_threads(w->block)))
        open(m, w->block, w->time > m->now ? w->time : m->now);
}

/* The block that speaks for its cluster: the first that still runs. */
static bool speaks(struct block *b)
{
    for (uint32_t r = 0; r < b->cluster_rank && b->cluster != NULL; r++)
        if (b->cluster->blocks[r] != NULL && b->cluster->blocks[r]->live_threads != 0)
            return false;
    return true;
}

void cluster_describe_waits(struct machine *m, char *text, size_t size)
{
    for (int s = 0; s < m->device->sms; s++)
        for (uint32_t k = 0; k < m->sms[s].high; k++) {
            struct warp *w = m->sms[s].warps[k];
            if (w == NULL || w->index != 0 || cluster_barrier_of(w->block)->arrived == 0 || !speaks(w->block))
                continue;
            const struct block *b = w->block;
            sync_append(text, size, "    cluster of block (%u,%u,%u): at the cluster barrier, %u of %u threads have arrived\n",
                        b->id[0], b->id[1], b->id[2], cluster_barrier_of(w->block)->arrived, live_threads(w->block));
        }
}

/* ---- addresses --------------------------------------------------------------- */

static uint64_t own_part(uint64_t address) { return address & ((UINT64_C(1) << CLUSTER_SHIFT) - 1); }

static uint64_t operand_value(const struct warp *w, const struct instr *i, opref r, uint32_t lane)
{
    uint64_t base = r == OPREF_NONE ? 0 : ptx_type_bytes(i->type) == 4 ? sync_u32(w, r, lane) : sync_u64(w, r, lane);
    return base + (uint64_t)i->imm;
}

void exec_mapa(struct warp *w, const struct instr *i, uint32_t mask)
{
    enum { RANK_LIMIT = 254 };           /* keeps an address within 32 bits */
    uint64_t window = i->space == MEM_GENERIC ? WINDOW_SHARED : 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        uint32_t rank = sync_u32(w, i->r[2], l);
        rank = rank < RANK_LIMIT ? rank : RANK_LIMIT;
        uint64_t d = window + ((uint64_t)(rank + 1) << CLUSTER_SHIFT) + own_part(operand_value(w, i, i->r[1], l));
        if (ptx_type_bytes(i->type) == 4)
            sync_put_u32(w, i->r[0], l, (uint32_t)d);
        else
            sync_put_u64(w, i->r[0], l, d);
    }
}

void exec_getctarank(struct warp *w, const struct instr *i, uint32_t mask)
{
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        uint32_t rank = (uint32_t)operand_value(w, i, i->r[1], l) >> CLUSTER_SHIFT;
        sync_put_u32(w, i->r[0], l, rank == 0 ? w->block->cluster_rank : rank - 1);
    }
}

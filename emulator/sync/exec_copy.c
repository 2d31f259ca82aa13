/*
 * Asynchronous copies and remote stores: cp.async, cp.async.bulk,
 * cp.reduce.async.bulk, st.async, red.async (PTX ISA 9.7.9.12, 9.7.9.25,
 * 9.7.13.7).
 *
 * Each instruction becomes one operation in flight (async.h): lanes of a warp
 * together for cp.async and st.async, one per lane for bulk copies.
 * Not modelled: cache hints, L2 prefetch sizes, the tensor forms.
 */
#include <inttypes.h>
#include <string.h>

#include "sync/async.h"
#include "sync/mbarrier.h"

/* ---- what they share ---------------------------------------------------------- */

/* The mbarrier beside a destination: it must live in the destination's block. A copy of nothing has no destination;
 * it completes 0 bytes where the mbarrier is. */
static bool find_mbarrier(struct machine *m, struct warp *w, const struct instr *i, opref r, int k, uint32_t lane,
                          struct transfer *x)
{
    uint64_t address = sync_address(w, i, r, k, lane);
    enum mem_space space = i->space == MEM_GENERIC ? MEM_GENERIC : MEM_CLUSTER;
    struct place p = resolve(m, w, lane, space, address, 8, FOR_WRITE);
    if (p.bytes == NULL)
        return false;
    if (p.block == NULL || (x->bytes != 0 && p.block != x->to.block)) {
        fault_at(m, w, 1u << lane, FAULT_RULE, "the mbarrier at 0x%" PRIx64 " must lie in the shared memory of the same block as "
                 "the destination", address);
        return false;
    }
    if (x->bytes == 0)
        x->to = (struct span){.bytes = p.block->shared, .block = p.block, .address = x->to.address};
    x->mbarrier = place_offset(&p);
    return true;
}

static uint64_t bulk_cycles(const struct machine *m, uint32_t bytes, bool device_memory)
{
    const struct device *d = m->device;
    uint64_t share = (uint64_t)bytes * (uint64_t)d->sms / (uint64_t)d->bytes_per_cycle;
    return (uint64_t)d->latency[device_memory ? COST_GLOBAL : COST_CLUSTER] + (device_memory ? share : bytes / 32);
}

static void tell_issue(struct machine *m, struct warp *w, const struct instr *i, const struct async_op *op, uint64_t now)
{
    uint64_t addr[LANES] = {0}, from[LANES] = {0};
    uint32_t mbarriers[LANES], from_bytes[LANES] = {0}, mask = 0;
    if (m->observers == NULL)
        return;
    for (uint32_t k = 0; k < op->count; k++) {
        const struct transfer *x = &op->transfer[k];
        addr[x->lane] = x->to.address;
        mbarriers[x->lane] = x->mbarrier;
        from[x->lane] = x->from.address;
        from_bytes[x->lane] = x->bytes;
        mask |= 1u << x->lane;
    }
    struct event e = sync_event(w, i, EVENT_ASYNC_ISSUE, mask, now);
    e.addr = addr;
    e.mbarriers = mbarriers;
    e.from = from;
    e.from_bytes = from_bytes;
    e.flags = ACCESS_ASYNC;
    e.bytes = op->transfer[0].bytes + op->transfer[0].zeros;
    e.a = e.bytes;
    e.b = op->ticket;
    sync_tell(m, &e);
}

/* ---- groups --------------------------------------------------------------------- */

static void commit(struct machine *m, struct warp *w, enum group_kind kind, uint32_t mask)
{
    struct async_warp *a = async_warp(m, w);
    for (uint32_t l = 0; l < LANES; l++)
        a->committed[kind][l] += mask >> l & 1;
}

void tell_groups(struct machine *m, struct warp *w, enum group_kind kind, uint32_t mask, const uint32_t *below, bool read)
{
    uint64_t addr[LANES] = {0};
    if (m->observers == NULL || mask == 0)
        return;
    for (uint32_t l = 0; l < LANES; l++)
        addr[l] = mask >> l & 1 ? below[l] : 0;
    struct event e = {.kind = EVENT_GROUP_WAIT, .time = m->now, .grid = w->block->grid, .block = w->block, .warp = w,
                      .function = w->frame->function, .pc = w->pc, .mask = mask, .sub = (uint8_t)kind, .flags = read, .addr = addr};
    sync_tell(m, &e);
}

/* Lanes with more than `keep` groups in flight wait. */
static enum sync_result wait_groups(struct machine *m, struct warp *w, enum group_kind kind, uint32_t mask, uint64_t keep,
                                    bool read)
{
    struct async_warp *a = w->async;
    uint32_t stay = 0, through[LANES];
    if (a == NULL)
        return SYNC_DONE;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t closed = a->committed[kind][l], below = closed > keep ? closed - (uint32_t)keep : 0;
        through[l] = below;
        if (!(mask >> l & 1) || !async_group_busy(a, kind, l, below, read))
            continue;
        stay |= 1u << l;
        a->kind[l] = (uint8_t)kind;
        a->read[l] = read;
        a->below[l] = below;
        w->wait[l] = WAIT_ASYNC;
    }
    tell_groups(m, w, kind, mask & ~stay, through, read);
    a->waiting |= stay;
    w->blocked |= stay;
    return stay != 0 ? SYNC_BLOCK : SYNC_DONE;
}

/* ---- cp.async --------------------------------------------------------------------- */

/* How many of the cp-size bytes are read; the rest is zero. */
static bool source_bytes(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, uint32_t *bytes)
{
    *bytes = i->r[2] != OPREF_NONE ? sync_u32(w, i->r[2], lane) : i->count;
    if (i->r[3] != OPREF_NONE) {
        uint32_t p = *(const uint32_t *)operand_at(w->bank, i->r[3]);
        p = i->negate >> 3 & 1 ? ~p : p;
        if (p >> lane & 1)
            *bytes = 0;
    }
    if (*bytes <= i->count)
        return true;
    fault_at(m, w, 1u << lane, FAULT_RULE, "cp.async: src-size %u is larger than cp-size %u", *bytes, i->count);
    return false;
}

static enum sync_result cp_copy(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    struct async_op *op = async_new(m, ASYNC_CP, w, lanes_count(mask), 0);
    uint32_t n = 0;
    async_warp(m, w);
    for (uint32_t l = 0; l < LANES; l++) {
        struct transfer *x = &op->transfer[n];
        uint32_t bytes;
        if (!(mask >> l & 1))
            continue;
        if (!source_bytes(m, w, i, l, &bytes) ||
            !async_span(m, w, l, MEM_SHARED, sync_address(w, i, i->r[0], 0, l), i->count, i->count, FOR_WRITE, &x->to) ||
            !async_span(m, w, l, MEM_GLOBAL, sync_address(w, i, i->r[1], 1, l), bytes, i->count, FOR_READ, &x->from))
            return SYNC_FAULT;
        x->bytes = bytes;
        x->zeros = i->count - bytes;
        x->mbarrier = NO_MBARRIER;
        x->byte_mask = 0xffff;
        x->lane = l;
        x->group = w->async->committed[GROUP_CP][l];
        n++;
    }
    tell_issue(m, w, i, op, t->now);
    async_go(m, op, t->now, bulk_cycles(m, i->count * n, true));
    return SYNC_DONE;
}

/* cp.async.mbarrier.arrive: without .noinc the pending count grows first, so that the arrive changes nothing in sum. */
static enum sync_result cp_arrive(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    struct async_op *op = async_new(m, ASYNC_ARRIVE, w, lanes_count(mask), 0);
    uint32_t n = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        struct transfer *x = &op->transfer[n];
        if (!(mask >> l & 1))
            continue;
        if (!async_span(m, w, l, (enum mem_space)i->space, sync_address(w, i, i->r[0], 0, l), 8, 8, FOR_WRITE, &x->to))
            return SYNC_FAULT;
        uint32_t offset = (uint32_t)(x->to.bytes - w->block->shared);
        if (x->to.block != w->block || !mbarrier_is_live(w->block, offset)) {
            fault_at(m, w, 1u << l, FAULT_RULE, "cp.async.mbarrier.arrive: no mbarrier of this block lives at 0x%" PRIx64,
                     x->to.address);
            return SYNC_FAULT;
        }
        if (!(i->flags & CP_ASYNC_NOINC) && !mbarrier_async_add(m, w->block, offset, t->now))
            return SYNC_FAULT;
        x->mbarrier = NO_MBARRIER;
        x->lane = l;
        n++;
    }
    tell_issue(m, w, i, op, t->now);
    async_go(m, op, t->now, (uint64_t)m->device->latency[COST_SHARED]);
    return SYNC_DONE;
}

enum sync_result exec_cp_async(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    switch (i->sub) {
    case CP_ASYNC_COPY: return cp_copy(m, w, i, mask, t);
    case CP_ASYNC_MBARRIER_ARRIVE: return cp_arrive(m, w, i, mask, t);
    case CP_ASYNC_COMMIT_GROUP: commit(m, w, GROUP_CP, mask); return SYNC_DONE;
    case CP_ASYNC_WAIT_ALL: commit(m, w, GROUP_CP, mask); return wait_groups(m, w, GROUP_CP, mask, 0, false);
    default: return wait_groups(m, w, GROUP_CP, mask, (uint64_t)i->imm, false);
    }
}

/* ---- bulk copies -------------------------------------------------------------------- */

static bool bulk_size(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, uint32_t *bytes)
{
    *bytes = sync_u32(w, i->r[2], lane);
    if (*bytes % 16 == 0)
        return true;
    fault_at(m, w, 1u << lane, FAULT_MISALIGNED, "a bulk copy of %u bytes; the size must be a multiple of 16", *bytes);
    return false;
}

/* Both ends of one lane's copy. A shared destination may be a peer's; a shared source is the own block's. */
static bool bulk_ends(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, struct transfer *x)
{
    bool to_global = i->sub == BULK_TO_GLOBAL || i->sub == BULK_REDUCE_GLOBAL, from_global = i->sub == BULK_TO_SHARED;
    enum mem_space to = to_global ? MEM_GLOBAL : i->space == MEM_GENERIC ? MEM_GENERIC : MEM_CLUSTER;
    *x = (struct transfer){.mbarrier = NO_MBARRIER, .byte_mask = 0xffff, .lane = lane};
    if (!bulk_size(m, w, i, lane, &x->bytes) ||
        !async_span(m, w, lane, to, sync_address(w, i, i->r[0], 0, lane), x->bytes, 16, FOR_WRITE, &x->to) ||
        !async_span(m, w, lane, from_global ? MEM_GLOBAL : MEM_SHARED, sync_address(w, i, i->r[1], 1, lane), x->bytes, 16,
                    FOR_READ, &x->from))
        return false;
    if (x->from.block == NULL || x->from.block == w->block)
        return true;
    fault_at(m, w, 1u << lane, FAULT_RULE, "a bulk copy reads shared memory of its own block only; 0x%" PRIx64 " is another's",
             x->from.address);
    return false;
}

/* The same place in another block of the cluster. */
static void aim_at(struct warp *w, struct transfer *x, struct block *to)
{
    uint32_t offset = (uint32_t)(x->to.bytes - x->to.block->shared);
    x->to = (struct span){.bytes = to->shared + offset, .init = to->shared_init, .init_bit = offset, .block = to,
                          .address = shared_address(w->block, to, offset)};
}

static bool multicast(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, const struct transfer *x,
                      struct sync_time *t)
{
    struct cluster *c = w->block->cluster;
    uint32_t mask = ((const uint16_t *)operand_at(w->bank, i->r[4]))[lane], count = c != NULL ? c->block_count : 1;
    if (mask >> count != 0) {
        fault_at(m, w, 1u << lane, FAULT_RULE, "the multicast mask 0x%x names blocks outside the cluster of %u", mask, count);
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        struct block *to = c != NULL ? c->blocks[k] : w->block;
        if (!(mask >> k & 1))
            continue;
        if (to->live_threads == 0) {
            fault_at(m, w, 1u << lane, FAULT_RULE, "a multicast copy writes to block (%u,%u,%u), which has exited", to->id[0],
                     to->id[1], to->id[2]);
            fault_rule(m, "TC7");
            return false;
        }
        struct async_op *op = async_new(m, ASYNC_BULK_IN, w, 1, 0);
        op->transfer[0] = *x;
        aim_at(w, &op->transfer[0], to);
        tell_issue(m, w, i, op, t->now);
        async_go(m, op, t->now, bulk_cycles(m, x->bytes, true));
    }
    return true;
}

static bool bulk_copy(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, struct sync_time *t)
{
    bool out = i->sub == BULK_TO_GLOBAL || i->sub == BULK_REDUCE_GLOBAL;
    bool reduce = i->sub == BULK_REDUCE_GLOBAL || i->sub == BULK_REDUCE_CLUSTER;
    struct transfer x;
    if (!bulk_ends(m, w, i, lane, &x))
        return false;
    if (!out && !find_mbarrier(m, w, i, i->r[3], 2, lane, &x))
        return false;
    if (i->flags & BULK_MULTICAST)
        return multicast(m, w, i, lane, &x, t);
    if (i->flags & BULK_CP_MASK)
        x.byte_mask = ((const uint16_t *)operand_at(w->bank, i->r[4]))[lane];
    if (out)
        x.group = async_warp(m, w)->committed[GROUP_BULK][lane];
    struct async_op *op = async_new(m, out ? ASYNC_BULK_OUT : ASYNC_BULK_IN, w, 1, 0);
    op->transfer[0] = x;
    op->atom = (int8_t)(reduce ? i->count : -1);
    op->type = i->type;
    tell_issue(m, w, i, op, t->now);
    async_go(m, op, t->now, bulk_cycles(m, x.bytes, out || i->sub == BULK_TO_SHARED));
    return true;
}

static bool bulk_prefetch(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane)
{
    struct span span;
    uint32_t bytes;
    return bulk_size(m, w, i, lane, &bytes) &&
           async_span(m, w, lane, MEM_GLOBAL, sync_address(w, i, i->r[0], 0, lane), bytes, 16, FOR_READ, &span);
}

enum sync_result exec_cp_bulk(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    if (i->sub == BULK_COMMIT_GROUP) {
        commit(m, w, GROUP_BULK, mask);
        return SYNC_DONE;
    }
    if (i->sub == BULK_WAIT_GROUP)
        return wait_groups(m, w, GROUP_BULK, mask, (uint64_t)i->imm, i->flags & BULK_READ);
    for (uint32_t l = 0; l < LANES; l++)
        if ((mask >> l & 1) &&
            !(i->sub == BULK_PREFETCH ? bulk_prefetch(m, w, i, l) : bulk_copy(m, w, i, l, t)))
            return SYNC_FAULT;
    t->extra = async_pause(m);
    return SYNC_DONE;
}

/* ---- st.async, red.async --------------------------------------------------------------- */

/* Where the store goes: shared memory of the cluster; red.async only into another block. */
static bool store_target(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, uint32_t bytes, struct transfer *x)
{
    *x = (struct transfer){.bytes = bytes, .byte_mask = 0xffff, .lane = lane};
    if (!async_span(m, w, lane, (enum mem_space)i->space, sync_address(w, i, i->r[0], 0, lane), bytes, bytes, FOR_WRITE, &x->to))
        return false;
    if (x->to.block != NULL && !(i->sub == RED_ASYNC && x->to.block == w->block))
        return find_mbarrier(m, w, i, i->r[2], 1, lane, x);
    fault_at(m, w, 1u << lane, FAULT_RULE, "%s writes to 0x%" PRIx64 "; its target is the shared memory of %s",
             i->sub == ST_ASYNC ? "st.async" : "red.async", x->to.address,
             i->sub == ST_ASYNC ? "a block of the cluster" : "another block of the cluster");
    return false;
}

static void store_value(const struct warp *w, const struct instr *i, uint32_t lane, uint8_t *data)
{
    uint32_t size = (uint32_t)ptx_type_bytes(i->type), count = i->sub == ST_ASYNC && i->count > 1 ? i->count : 1;
    for (uint32_t k = 0; k < count; k++) {
        opref r = count > 1 ? w->frame->function->list[i->list + k] : i->r[1];
        memcpy(data + k * size, (const uint8_t *)operand_at(w->bank, r) + (size_t)lane * size, size);
    }
}

enum sync_result exec_st_async(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    uint32_t bytes = (uint32_t)ptx_type_bytes(i->type) * (i->sub == ST_ASYNC && i->count > 1 ? i->count : 1u), n = 0;
    if (w->block->cluster == NULL || w->block->cluster->block_count < 2) {
        fault_at(m, w, mask, FAULT_ILLEGAL, "%s is undefined in a cluster of one block, and an illegal instruction on hardware",
                 i->sub == ST_ASYNC ? "st.async" : "red.async");
        return SYNC_FAULT;
    }
    struct async_op *op = async_new(m, ASYNC_STORE, w, lanes_count(mask), (size_t)LANES * bytes);
    op->atom = (int8_t)(i->sub == RED_ASYNC ? i->count : -1);
    op->type = i->type;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        if (!store_target(m, w, i, l, bytes, &op->transfer[n]))
            return SYNC_FAULT;
        uint8_t *data = op->data + (size_t)n * bytes;
        store_value(w, i, l, data);
        op->transfer[n++].from.bytes = data;
    }
    tell_issue(m, w, i, op, t->now);
    async_go(m, op, t->now, (uint64_t)m->device->latency[COST_CLUSTER]);
    return SYNC_DONE;
}

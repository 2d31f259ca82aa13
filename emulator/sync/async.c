/* Operations in flight; see async.h. */
#include "sync/async.h"

#include <inttypes.h>
#include <string.h>

static void land(struct machine *m, void *what);

/* ---- making one -------------------------------------------------------------- */

struct async_op *async_new(struct machine *m, enum async_kind kind, struct warp *w, uint32_t count, size_t data_bytes)
{
    struct sync_state *s = sync_state(m);
    struct async_op *op = heap_alloc(m->heap, sizeof *op + count * sizeof op->transfer[0]);
    op->kind = kind;
    op->count = count;
    op->ticket = ++s->tickets;
    op->atom = -1;
    op->warp = w;
    op->issuer = w->block;
    op->grid = w->block->grid;
    op->function = w->frame->function;
    op->pc = w->pc;
    op->data_bytes = data_bytes;
    op->data = data_bytes != 0 ? heap_alloc(m->heap, data_bytes) : NULL;
    op->previous = s->last;
    *(s->last != NULL ? &s->last->next : &s->first) = op;
    s->last = op;
    return op;
}

static bool of_warp(const struct async_op *op)
{
    return op->kind == ASYNC_CP || op->kind == ASYNC_BULK_OUT || op->kind == ASYNC_ARRIVE;
}

static void count_inflight(struct machine *m, struct async_op *op, uint32_t step)
{
    if (op->issuer != NULL)
        async_state(m, op->issuer)->inflight += step;
    for (uint32_t k = 0; k < op->count; k++) {
        struct transfer *t = &op->transfer[k];
        if (t->to.block != NULL)
            async_state(m, t->to.block)->inflight += step;
        if (t->from.block != NULL)
            async_state(m, t->from.block)->inflight += step;
    }
}

uint64_t async_delay(struct machine *m, uint64_t cycles)
{
    static const uint16_t quarters[] = {4, 0, 1, 2, 6, 8, 16, 40};   /* the first is the plain answer */
    uint32_t pick = choose(&m->choice, CHOICE_DELAY, sizeof quarters / sizeof quarters[0]);
    return cycles * quarters[pick] / 4 + 1;
}

uint64_t async_pause(struct machine *m)
{
    enum { PAUSE = 200 };                /* more than a warp may run ahead of others */
    return choose(&m->choice, CHOICE_DELAY, 4) == 1 ? PAUSE : 0;
}

void async_go(struct machine *m, struct async_op *op, uint64_t now, uint64_t cycles)
{
    count_inflight(m, op, 1);
    for (uint32_t k = 0; k < op->count; k++)
        op->mask |= 1u << op->transfer[k].lane;
    if (of_warp(op)) {
        op->warp_next = async_warp(m, op->warp)->ops;
        op->warp->async->ops = op;
    }
    if (op->kind == ASYNC_BULK_OUT) {
        op->latency = (uint32_t)async_delay(m, cycles / 2);
        cycles -= cycles / 2;
    }
    machine_at(m, now + async_delay(m, cycles), land, op);
}

/* ---- ending one -------------------------------------------------------------- */

static void leave_warp(struct async_op *op)
{
    if (!of_warp(op) || op->warp == NULL)
        return;
    struct async_op **at = &op->warp->async->ops;
    while (*at != op)
        at = &(*at)->warp_next;
    *at = op->warp_next;
}

static void delete(struct machine *m, struct async_op *op)
{
    struct sync_state *s = m->sync;
    *(op->next != NULL ? &op->next->previous : &s->last) = op->previous;
    *(op->previous != NULL ? &op->previous->next : &s->first) = op->next;
    heap_free(m->heap, op->data, op->data_bytes);
    heap_free(m->heap, op, sizeof *op + op->count * sizeof op->transfer[0]);
}

void async_drop(struct machine *m)
{
    while (m->sync->first != NULL)
        delete(m, m->sync->first);
}

/* ---- bytes ------------------------------------------------------------------- */

static void copy_written(const struct span *to, const struct span *from, uint32_t bytes)
{
    if (to->init == NULL)
        return;
    if (from->init == NULL) {
        bits_set(to->init, to->init_bit, bytes);
        return;
    }
    if ((to->init_bit | from->init_bit | bytes) % 8 == 0) {
        memmove(to->init + to->init_bit / 8, from->init + from->init_bit / 8, bytes / 8);
        return;
    }
    for (uint32_t k = 0; k < bytes; k++) {
        size_t at = to->init_bit + k;
        uint8_t bit = (uint8_t)(1u << at % 8);
        bool written = bits_any(from->init, from->init_bit + k, 1);
        to->init[at / 8] = (uint8_t)(written ? to->init[at / 8] | bit : to->init[at / 8] & ~bit);
    }
}

static void copy_masked(const struct transfer *t)
{
    for (uint32_t k = 0; k < t->bytes; k++)
        if (t->byte_mask >> k % 16 & 1) {
            t->to.bytes[k] = t->from.bytes[k];
            if (t->to.init != NULL)
                bits_set(t->to.init, t->to.init_bit + k, 1);
        }
}

static void reduce(const struct async_op *op, const struct transfer *t)
{
    uint32_t size = (uint32_t)ptx_type_bytes(op->type);
    for (uint32_t k = 0; k + size <= t->bytes; k += size) {
        uint64_t a = 0, b = 0;
        memcpy(&a, t->to.bytes + k, size);
        memcpy(&b, t->from.bytes + k, size);
        /* An H200 keeps subnormal f32 sums here, and picks NaNs of f64 sums as atomics on global memory do. */
        bool global = t->to.block == NULL && op->type == PTX_F64;
        a = atom_combine((enum atom_op)op->atom, (enum ptx_type)op->type, global, a, b, 0);
        memcpy(t->to.bytes + k, &a, size);
    }
    if (t->to.init != NULL)
        bits_set(t->to.init, t->to.init_bit, t->bytes);
}

static void move_bytes(const struct async_op *op, const struct transfer *t)
{
    if (op->atom >= 0) {
        reduce(op, t);
    } else if (t->byte_mask != 0xffff) {
        copy_masked(t);
    } else if (t->bytes != 0) {
        memmove(t->to.bytes, t->from.bytes, t->bytes);
        copy_written(&t->to, &t->from, t->bytes);
    }
    if (t->zeros != 0) {
        memset(t->to.bytes + t->bytes, 0, t->zeros);
        if (t->to.init != NULL)
            bits_set(t->to.init, t->to.init_bit + t->bytes, t->zeros);
    }
}

/* Takes the sources into the operation, so that their memory may change or go. */
static void capture(struct machine *m, struct async_op *op)
{
    size_t all = 0;
    for (uint32_t k = 0; k < op->count; k++)
        all += op->transfer[k].bytes + op->transfer[k].bytes / 8 + 2;
    uint8_t *data = op->data = heap_alloc(m->heap, all);
    op->data_bytes = all;
    for (uint32_t k = 0; k < op->count; k++) {
        struct transfer *t = &op->transfer[k];
        struct span copy = {.bytes = data, .init = data + t->bytes, .address = t->from.address};
        memcpy(copy.bytes, t->from.bytes, t->bytes);
        copy_written(&copy, &t->from, t->bytes);
        if (t->from.block != NULL)
            t->from.block->async->inflight--;
        t->from = copy;
        data += t->bytes + t->bytes / 8 + 2;
    }
    op->was_read = true;
}

/* ---- landing ------------------------------------------------------------------ */

static void tell_landed(struct machine *m, const struct async_op *op, const struct transfer *t)
{
    if (m->observers == NULL)
        return;
    uint64_t address = t->to.address;
    if (t->to.block != NULL)
        address = WINDOW_SHARED + (uint64_t)(t->to.bytes - t->to.block->shared);
    struct event e = {.kind = op->kind == ASYNC_RESPONSE ? EVENT_RESPONSE : EVENT_ASYNC_DELIVER, .time = m->now,
                      .grid = op->grid, .block = t->to.block, .function = op->function, .pc = op->pc, .mask = 1,
                      .space = t->to.block != NULL ? MEM_SHARED : MEM_GLOBAL, .sub = (uint8_t)op->kind,
                      .flags = ACCESS_ASYNC | ACCESS_WRITE, .bytes = t->bytes + t->zeros, .addr = &address,
                      .a = op->granted,
                      .b = op->kind == ASYNC_RESPONSE ? op->request : op->ticket};
    sync_tell(m, &e);
}

static const char *kind_name(enum async_kind kind)
{
    switch (kind) {
    case ASYNC_RESPONSE: return "the response of launch control";
    case ASYNC_STORE: return "an asynchronous store";
    default: return "an asynchronous copy";
    }
}

static void wake_group_waiters(struct machine *m, struct warp *w)
{
    struct async_warp *a = w->async;
    uint32_t woken = 0;
    for (uint32_t l = 0; l < LANES; l++)
        if ((a->waiting >> l & 1) && !async_group_busy(a, (enum group_kind)a->kind[l], l, a->below[l], a->read[l])) {
            woken |= 1u << l;
            w->wait[l] = WAIT_NONE;
        }
    for (uint32_t l = 0; l < LANES; l++)
        if (woken >> l & 1)
            tell_groups(m, w, (enum group_kind)a->kind[l], 1u << l, a->below, a->read[l]);
    a->waiting &= ~woken;
    w->blocked &= ~woken;
    if (woken != 0)
        warp_wake(m, w, m->now);
}

/* The lanes of a cp.async.mbarrier.arrive whose copies are done arrive; true: all of them have. */
static bool try_arrive(struct machine *m, struct async_op *op)
{
    for (uint32_t k = 0; k < op->count; k++) {
        struct transfer *t = &op->transfer[k];
        if (!(op->mask >> t->lane & 1) || async_cp_busy(op->warp->async, t->lane, op->ticket))
            continue;
        op->mask &= ~(1u << t->lane);
        if (!mbarrier_async_arrive(m, t->to.block, (uint32_t)(t->to.bytes - t->to.block->shared), m->now))
            return false;
    }
    return op->mask == 0;
}

static void finish(struct machine *m, struct async_op *op)
{
    count_inflight(m, op, UINT32_MAX);           /* -1 */
    leave_warp(op);
    delete(m, op);
}

static void arrives_of_warp(struct machine *m, struct warp *w)
{
    struct async_op *op = w->async->ops;
    while (op != NULL) {
        struct async_op *next = op->warp_next;
        if (op->kind == ASYNC_ARRIVE && op->due && try_arrive(m, op))
            finish(m, op);
        op = next;
    }
}

/* Everything lands at once: bytes, then the mbarriers. */
static void land_all(struct machine *m, struct async_op *op)
{
    for (uint32_t k = 0; k < op->count; k++) {
        move_bytes(op, &op->transfer[k]);
        tell_landed(m, op, &op->transfer[k]);
    }
    for (uint32_t k = 0; k < op->count; k++) {
        const struct transfer *t = &op->transfer[k];
        if (t->mbarrier != NO_MBARRIER &&
            !mbarrier_async_complete(m, t->to.block, t->mbarrier, t->bytes, op->ticket, m->now, kind_name(op->kind)))
            return;
    }
}

static void land(struct machine *m, void *what)
{
    struct async_op *op = what;
    m->epoch++;
    m->steps_since_progress = 0;
    if (op->kind == ASYNC_CANCELLED) {
        delete(m, op);
        return;
    }
    if (op->kind == ASYNC_ARRIVE) {
        op->due = true;
        if (try_arrive(m, op))
            finish(m, op);
        return;
    }
    struct warp *w = of_warp(op) ? op->warp : NULL;
    if (op->kind == ASYNC_BULK_OUT && op->latency != 0) {
        if (!op->was_read)
            capture(m, op);
        machine_at(m, m->now + op->latency, land, op);
        op->latency = 0;
    } else {
        land_all(m, op);
        finish(m, op);
    }
    if (w != NULL) {
        arrives_of_warp(m, w);
        wake_group_waiters(m, w);
    }
}

/* ---- groups ------------------------------------------------------------------- */

static const struct transfer *transfer_of(const struct async_op *op, uint32_t lane)
{
    for (uint32_t k = 0; k < op->count; k++)
        if (op->transfer[k].lane == lane)
            return &op->transfer[k];
    return NULL;
}

bool async_group_busy(const struct async_warp *a, enum group_kind kind, uint32_t lane, uint32_t below, bool read)
{
    enum async_kind op_kind = kind == GROUP_CP ? ASYNC_CP : ASYNC_BULK_OUT;
    for (const struct async_op *op = a->ops; op != NULL; op = op->warp_next)
        if (op->kind == op_kind && (op->mask >> lane & 1) && !(read && op->was_read) &&
            transfer_of(op, lane)->group < below)
            return true;
    return false;
}

bool async_cp_busy(const struct async_warp *a, uint32_t lane, uint64_t ticket)
{
    for (const struct async_op *op = a->ops; op != NULL; op = op->warp_next)
        if (op->kind == ASYNC_CP && (op->mask >> lane & 1) && op->ticket < ticket)
            return true;
    return false;
}

/* ---- a block ends -------------------------------------------------------------- */

static bool touches(const struct async_op *op, const struct block *b, bool as_target)
{
    for (uint32_t k = 0; k < op->count; k++)
        if ((as_target ? op->transfer[k].to.block : op->transfer[k].from.block) == b)
            return true;
    return false;
}

static void fault_exit(struct machine *m, const struct async_op *op, const struct block *b)
{
    char name[256], where[300] = "";
    sync_where(op->grid->code, op->function, op->pc, where, sizeof where);
    fault_plain(m, FAULT_RULE, "%s: %s issued here is still on its way to a block that has exited; a block stays until "
                "everything that writes its shared memory has been waited for\n    kernel %s, block (%u,%u,%u)\n", where,
                kind_name(op->kind), plain_name(op->grid->code->entry->name, name, sizeof name), b->id[0], b->id[1], b->id[2]);
    fault_rule(m, "TC13");
}

/* What b issued and nobody can wait for any more: cp.async and its arrives end with the block, a copy to global memory
 * lands now, a copy into a peer's memory reads its source now. */
static void release_issuer(struct machine *m, struct async_op *op)
{
    bool queued = !(op->kind == ASYNC_ARRIVE && op->due);
    if (op->kind == ASYNC_BULK_OUT)
        land_all(m, op);
    if (!of_warp(op)) {
        if (touches(op, op->issuer, false))
            capture(m, op);
        async_state(m, op->issuer)->inflight--;
        op->issuer = NULL;
        return;
    }
    count_inflight(m, op, UINT32_MAX);
    leave_warp(op);
    op->kind = ASYNC_CANCELLED;
    if (!queued)
        delete(m, op);
}

bool async_block_exit(struct machine *m, struct block *b)
{
    for (struct async_op *op = m->sync->first, *next; op != NULL; op = next) {
        next = op->next;
        if ((op->kind == ASYNC_RESPONSE || op->kind == ASYNC_STORE || op->kind == ASYNC_BULK_IN) && touches(op, b, true)) {
            fault_exit(m, op, b);
            return false;
        }
        if (op->issuer == b && op->kind != ASYNC_CANCELLED)
            release_issuer(m, op);
    }
    return true;
}

/* ---- ranges --------------------------------------------------------------------- */

static bool is_device_address(enum mem_space space, uint64_t address)
{
    return space == MEM_GLOBAL || (space == MEM_GENERIC && (address < WINDOW_SHARED || address >= WINDOW_PARAM + WINDOW_BYTES));
}

static bool device_span(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t bytes,
                        enum access access, struct span *span)
{
    struct allocation *a = memory_find(m->memory, address);
    if (a == NULL || a->freed || a->size - (address - a->address) < bytes) {
        fault_access(m, w, lane, address, bytes, access);
        return false;
    }
    *span = (struct span){.bytes = a->bytes + (address - a->address), .init = a->init,
                          .init_bit = address - a->address, .address = address};
    return true;
}

bool async_span(struct machine *m, struct warp *w, uint32_t lane, enum mem_space space, uint64_t address, uint32_t bytes,
                uint32_t align, enum access access, struct span *span)
{
    *span = (struct span){.address = address};
    if (address % align != 0) {
        fault_at(m, w, 1u << lane, FAULT_MISALIGNED, "an asynchronous copy uses address 0x%" PRIx64
                 "; it must be a multiple of %u", address, align);
        return false;
    }
    if (bytes == 0)
        return true;
    if (is_device_address(space, address))
        return device_span(m, w, lane, address, bytes, access, span);
    struct place p = resolve(m, w, lane, space, address, 1, FOR_WRITE);
    if (p.bytes == NULL)
        return false;
    if (p.block == NULL) {
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "an asynchronous copy uses address 0x%" PRIx64
                 ", which is neither global nor shared memory", address);
        return false;
    }
    if (p.block->grid->shared_bytes - place_offset(&p) < bytes) {
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "out of bounds, an asynchronous copy of %u bytes at shared address 0x%" PRIx64
                 "; the block has %u bytes of shared memory", bytes, address, p.block->grid->shared_bytes);
        return false;
    }
    *span = (struct span){.bytes = p.bytes, .init = p.init, .init_bit = p.init_bit, .block = p.block,
                          .address = shared_address(w->block, p.block, place_offset(&p))};
    return true;
}

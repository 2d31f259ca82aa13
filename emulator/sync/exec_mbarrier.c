/*
 * mbarrier instructions: lanes, addresses and messages around the mbarrier
 * room, and operations on mbarriers that come from elsewhere.
 *
 * Which 8-byte words of a block's shared memory hold an mbarrier is a bit map
 * of the block, set by init and cleared by inval. Whatever ends a phase wakes
 * the lanes parked on it.
 * Not checked here, but by the checker: init of a live mbarrier, plain stores
 * over one, phases nobody observed, parities two phases old.
 */
#include <inttypes.h>
#include <string.h>

#include "sync/mbarrier.h"
#include "sync/sync_state.h"

enum { SPURIOUS_CYCLES = 60 };       /* after a false that had no reason */

bool mbarrier_is_live(const struct block *b, uint32_t offset)
{
    return b->async != NULL && (b->async->live[offset / 64] >> offset / 8 % 8 & 1);
}

static void set_live(struct machine *m, struct block *b, uint32_t offset, bool live)
{
    uint8_t *at = &async_state(m, b)->live[offset / 64], bit = (uint8_t)(1u << offset / 8 % 8);
    *at = (uint8_t)(live ? *at | bit : *at & ~bit);
}

static uint64_t *word_at(struct block *b, uint32_t offset) { return (uint64_t *)(void *)(b->shared + offset); }

/* ---- messages ------------------------------------------------------------------ */

static const char *refusal(enum mbarrier_result r)
{
    switch (r) {
    case MBAR_BAD_COUNT: return "a count is 1 to 1048575";
    case MBAR_TOO_MANY: return "more arrivals than the phase expects";
    case MBAR_TX_RANGE: return "more bytes than an mbarrier can count (1048575)";
    case MBAR_WOULD_COMPLETE: return "`noComplete` must not end the phase";
    case MBAR_OVERFLOW: return "more pending arrivals than an mbarrier can count (1048575)";
    default: return "";
    }
}

static void fault_refused(struct machine *m, struct warp *w, uint32_t lane, struct block *b, uint32_t offset,
                          enum mbarrier_result r, uint64_t value)
{
    char state[160] = "";
    if (mbarrier_is_live(b, offset))
        describe_mbarrier(b, offset, state, sizeof state);
    fault_at(m, w, 1u << lane, FAULT_RULE, "%s: value %" PRIu64 " for the mbarrier at shared address 0x%x of block (%u,%u,%u)%s%s",
             refusal(r), value, offset, b->id[0], b->id[1], b->id[2], state[0] ? "; it has " : "", state);
    fault_rule(m, r == MBAR_WOULD_COMPLETE ? "MB9" : "MB1");
}

static bool fault_dead(struct machine *m, struct warp *w, uint32_t lane, const struct block *b, uint32_t offset)
{
    fault_at(m, w, 1u << lane, FAULT_RULE, "no mbarrier lives at shared address 0x%x of block (%u,%u,%u): it was not initialised, "
             "or it was invalidated", offset, b->id[0], b->id[1], b->id[2]);
    fault_rule(m, "MB3");
    return false;
}

/* ---- addresses ------------------------------------------------------------------ */

static bool own_only(uint8_t sub)
{
    return sub == MBARRIER_INIT || sub == MBARRIER_INVAL || sub >= MBARRIER_TEST_WAIT;
}

/* An mbarrier that a lane named. Lanes of a warp mostly name the same, which is then looked up once. */
struct named { uint64_t address; struct block *block; uint32_t offset; };

/* The mbarrier of one lane; *n holds that of the lane before, or no block. false: a fault was raised. */
static bool find(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, struct named *n)
{
    uint64_t address = lane_address(w, i, i->r[1], lane);
    if (n->block != NULL && address == n->address)
        return true;
    struct place p = resolve(m, w, lane, (enum mem_space)i->space, address, 8, FOR_WRITE);
    if (p.bytes == NULL)
        return false;
    if (p.block == NULL) {
        fault_at(m, w, 1u << lane, FAULT_RULE, "an mbarrier lies in shared memory, address 0x%" PRIx64 " does not", address);
        return false;
    }
    *n = (struct named){address, p.block, place_offset(&p)};
    if (p.block != w->block && (own_only(i->sub) || i->r[0] != OPREF_NONE)) {
        fault_at(m, w, 1u << lane, FAULT_RULE, "the mbarrier at shared address 0x%x belongs to block (%u,%u,%u) of the cluster; "
                 "from here it can only be arrived at (without a returned state), expect and complete bytes", n->offset,
                 p.block->id[0], p.block->id[1], p.block->id[2]);
        fault_rule(m, "MB4");
        return false;
    }
    return i->sub == MBARRIER_INIT || mbarrier_is_live(p.block, n->offset) || fault_dead(m, w, lane, p.block, n->offset);
}

/* ---- events ---------------------------------------------------------------------- */

/* Lanes whose effects have not been told yet; told together up to one that ended a phase. */
struct batch { uint32_t mask; uint64_t addr[LANES]; uint64_t value; };

static void tell(struct machine *m, struct warp *w, const struct instr *i, struct batch *batch, uint64_t result,
                 enum mbarrier_result r, const struct sync_time *t)
{
    if (m->observers == NULL || batch->mask == 0)
        return;
    struct event e = sync_event(w, i, EVENT_MBARRIER, batch->mask, t->now);
    e.addr = batch->addr;
    e.bytes = 8;
    e.a = batch->value;
    e.b = result;
    e.flags = (uint8_t)r;
    sync_tell(m, &e);
    batch->mask = 0;
}

/* An operation without a running thread. */
static void tell_async(struct machine *m, struct block *b, uint32_t offset, enum mbarrier_op op, uint64_t value,
                       uint64_t ticket, enum mbarrier_result r, uint64_t time)
{
    uint64_t address = WINDOW_SHARED + offset;
    struct event e = {.kind = EVENT_MBARRIER, .time = time, .grid = b->grid, .block = b, .mask = 1, .space = MEM_SHARED,
                      .sem = SEM_RELAXED, .scope = SCOPE_CLUSTER, .sub = (uint8_t)op, .flags = (uint8_t)r, .bytes = 8,
                      .addr = &address, .a = value, .b = ticket};
    if (m->observers != NULL)
        sync_tell(m, &e);
}

/* ---- what ends a phase ------------------------------------------------------------ */

static void changed(struct machine *m, struct block *b, uint32_t offset, enum mbarrier_result r, uint64_t now)
{
    m->epoch++;
    if (r != MBAR_COMPLETED)
        return;
    m->steps_since_progress = 0;
    unpark(m, b, offset, now);
}

bool mbarrier_async_complete(struct machine *m, struct block *b, uint32_t offset, uint32_t bytes, uint64_t ticket,
                             uint64_t time, const char *what)
{
    if (!mbarrier_is_live(b, offset)) {
        fault_plain(m, FAULT_RULE, "%s completes on shared address 0x%x of block (%u,%u,%u), where no mbarrier lives\n", what,
                    offset, b->id[0], b->id[1], b->id[2]);
        fault_rule(m, "MB3");
        return false;
    }
    enum mbarrier_result r = mbarrier_complete_tx(word_at(b, offset), bytes);
    tell_async(m, b, offset, MBARRIER_ASYNC_COMPLETE_TX, bytes, ticket, r, time);
    if (r > MBAR_COMPLETED) {
        fault_plain(m, FAULT_RULE, "%s completes %u bytes on the mbarrier at shared address 0x%x of block (%u,%u,%u): %s\n", what,
                    bytes, offset, b->id[0], b->id[1], b->id[2], refusal(r));
        fault_rule(m, "MB1");
        return false;
    }
    changed(m, b, offset, r, time);
    return true;
}

bool mbarrier_async_arrive(struct machine *m, struct block *b, uint32_t offset, uint64_t time)
{
    enum mbarrier_result r = mbarrier_is_live(b, offset) ? mbarrier_arrive(word_at(b, offset), 1) : MBAR_BAD_COUNT;
    tell_async(m, b, offset, MBARRIER_ASYNC_ARRIVE, 1, 0, r, time);
    if (r > MBAR_COMPLETED) {
        fault_plain(m, FAULT_RULE, "the arrive of cp.async.mbarrier.arrive finds %s at shared address 0x%x of block (%u,%u,%u)\n",
                    r == MBAR_BAD_COUNT ? "no mbarrier" : "an mbarrier without missing arrivals", offset, b->id[0], b->id[1],
                    b->id[2]);
        fault_rule(m, r == MBAR_BAD_COUNT ? "MB3" : "MB1");
        return false;
    }
    changed(m, b, offset, r, time);
    return true;
}

bool mbarrier_async_add(struct machine *m, struct block *b, uint32_t offset, uint64_t time)
{
    enum mbarrier_result r = mbarrier_add_pending(word_at(b, offset));
    tell_async(m, b, offset, MBARRIER_ASYNC_ADD, 1, 0, r, time);
    if (r != MBAR_OPEN)
        fault_plain(m, FAULT_RULE, "cp.async.mbarrier.arrive: %s\n", refusal(r));
    return r == MBAR_OPEN;
}

/* ---- instructions ------------------------------------------------------------------ */

static enum mbarrier_result apply(enum mbarrier_op op, uint64_t *word, uint32_t value)
{
    switch (op) {
    case MBARRIER_INIT: return mbarrier_init(word, value);
    case MBARRIER_EXPECT_TX: return mbarrier_expect_tx(word, value);
    case MBARRIER_COMPLETE_TX: return mbarrier_complete_tx(word, value);
    case MBARRIER_ARRIVE: return mbarrier_arrive(word, value);
    case MBARRIER_ARRIVE_EXPECT_TX: return mbarrier_arrive_expect_tx(word, value);
    case MBARRIER_ARRIVE_NOCOMPLETE: return mbarrier_arrive_no_complete(word, value);
    case MBARRIER_DROP: return mbarrier_drop(word, value);
    case MBARRIER_DROP_EXPECT_TX: return mbarrier_drop_expect_tx(word, value);
    case MBARRIER_DROP_NOCOMPLETE: return mbarrier_drop_no_complete(word, value);
    default: *word = 0; return MBAR_OPEN;         /* inval */
    }
}

static void mark_life(struct machine *m, struct block *b, uint32_t offset, uint8_t sub)
{
    if (sub != MBARRIER_INIT && sub != MBARRIER_INVAL)
        return;
    set_live(m, b, offset, sub == MBARRIER_INIT);
    if (b->shared_init != NULL)
        bits_set(b->shared_init, offset, 8);
}

/* init, inval, expect, complete, every arrive: one lane after the other. */
static enum sync_result change(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    struct batch batch = {.mask = 0};
    struct named n = {.block = NULL};
    enum mbarrier_result r = MBAR_OPEN;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t value = 1;
        if (!(mask >> l & 1))
            continue;
        if (!find(m, w, i, l, &n))
            return SYNC_FAULT;
        struct block *b = n.block;
        uint32_t offset = n.offset;
        if (i->r[2] != OPREF_NONE)
            value = sync_u32(w, i->r[2], l);
        if (batch.mask != 0 && batch.value != value)
            tell(m, w, i, &batch, 0, MBAR_OPEN, t);
        uint64_t before = *word_at(b, offset);
        r = apply((enum mbarrier_op)i->sub, word_at(b, offset), value);
        batch.mask |= 1u << l;
        batch.addr[l] = shared_address(w->block, b, offset);
        batch.value = value;
        if (r != MBAR_OPEN)
            tell(m, w, i, &batch, 0, r, t);
        if (r > MBAR_COMPLETED) {
            fault_refused(m, w, l, b, offset, r, value);
            return SYNC_FAULT;
        }
        if (i->r[0] != OPREF_NONE)
            sync_put_u64(w, i->r[0], l, before);
        mark_life(m, b, offset, i->sub);
        changed(m, b, offset, r, t->now);
    }
    tell(m, w, i, &batch, 0, MBAR_OPEN, t);
    return SYNC_DONE;
}

/* One lane's question: is the phase complete? *parity: of the phase asked for. */
static bool ask(struct warp *w, const struct instr *i, uint32_t lane, uint64_t word, uint32_t *parity)
{
    if (i->sub == MBARRIER_TEST_WAIT_PARITY || i->sub == MBARRIER_TRY_WAIT_PARITY) {
        *parity = sync_u32(w, i->r[2], lane) & 1;
        return mbarrier_test_parity(word, *parity);
    }
    uint64_t token = sync_u64(w, i->r[2], lane);
    *parity = mbarrier_decode(token).phase & 1;
    return mbarrier_test(word, token);
}

static bool is_try(const struct instr *i) { return i->sub == MBARRIER_TRY_WAIT || i->sub == MBARRIER_TRY_WAIT_PARITY; }

/* Lanes that failed wait for the first one's mbarrier together with those that wait for the same. */
static void park_lanes(struct machine *m, struct warp *w, const struct instr *i, uint32_t failed, const uint32_t *offset,
                       const uint32_t *parity, const struct sync_time *t)
{
    while (failed != 0) {
        uint32_t first = 0, same = 0;
        while (!(failed >> first & 1))
            first++;
        for (uint32_t l = first; l < LANES; l++)
            if ((failed >> l & 1) && offset[l] == offset[first] && parity[l] == parity[first])
                same |= 1u << l;
        struct park_wait wait = {.offset = offset[first], .parity = parity[first], .poll = !is_try(i)};
        if (i->r[3] != OPREF_NONE)
            wait.limit_ns = sync_u32(w, i->r[3], first);
        park(m, w, i, same, wait, t->now);
        failed &= ~same;
    }
}

/* One event per parity among the lanes. */
static void tell_waits(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, uint32_t yes,
                       const uint32_t *offset, const uint32_t *parity, const struct sync_time *t)
{
    for (uint32_t p = 0; p < 2 && m->observers != NULL; p++) {
        struct batch batch = {.mask = 0, .value = p};
        for (uint32_t l = 0; l < LANES; l++)
            if ((mask >> l & 1) && parity[l] == p) {
                batch.mask |= 1u << l;
                batch.addr[l] = WINDOW_SHARED + offset[l];
            }
        tell(m, w, i, &batch, yes & batch.mask, MBAR_OPEN, t);
    }
}

/* All 32 lanes hold the first one's value. */
static bool uniform(const struct warp *w, opref r)
{
    const uint32_t *v = operand_at(w->bank, r);
    uint32_t different = 0;
    for (uint32_t l = 0; l < LANES; l++)
        different |= v[l] ^ v[0];
    return different == 0;
}

/* The common case of a wait: a whole warp asks for one parity of one mbarrier. */
static bool all_ask_the_same(const struct warp *w, const struct instr *i, uint32_t mask)
{
    return mask == UINT32_MAX && i->addr32 && (i->sub == MBARRIER_TRY_WAIT_PARITY || i->sub == MBARRIER_TEST_WAIT_PARITY) &&
           i->r[1] != OPREF_NONE && uniform(w, i->r[1]) && uniform(w, i->r[2]);
}

/* Each lane's question: offset of its mbarrier, parity, and a bit where the answer is yes. false: a fault was raised. */
static bool ask_all(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, uint32_t *offset,
                    uint32_t *parity, uint32_t *yes)
{
    struct named n = {.block = NULL};
    uint32_t asking = all_ask_the_same(w, i, mask) ? 1 : mask;
    *yes = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(asking >> l & 1))
            continue;
        if (!find(m, w, i, l, &n))
            return false;
        offset[l] = n.offset;
        if (ask(w, i, l, *word_at(n.block, n.offset), &parity[l]))
            *yes |= 1u << l;
    }
    if (asking != mask) {
        *yes = *yes != 0 ? UINT32_MAX : 0;
        for (uint32_t l = 1; l < LANES; l++) {
            offset[l] = offset[0];
            parity[l] = parity[0];
        }
    }
    return true;
}

/* test_wait, try_wait. A try_wait may answer false without reason (MB7). */
static enum sync_result wait(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    uint32_t yes, offset[LANES], parity[LANES];
    if (!ask_all(m, w, i, mask, offset, parity, &yes))
        return SYNC_FAULT;
    bool spurious = is_try(i) && yes != 0 && choose(&m->choice, CHOICE_SPURIOUS, 16) == 1;
    if (spurious)
        yes = 0;
    tell_waits(m, w, i, mask, yes, offset, parity, t);
    sync_put_pred(w, i->r[0], mask, yes);
    if (spurious) {
        t->extra = SPURIOUS_CYCLES;
        return SYNC_YIELD;
    }
    if (yes == mask)
        return SYNC_DONE;
    park_lanes(m, w, i, mask & ~yes, offset, parity, t);
    return SYNC_BLOCK;
}

static void pending_count(struct warp *w, const struct instr *i, uint32_t mask)
{
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1)
            sync_put_u32(w, i->r[0], l, mbarrier_pending_count(sync_u64(w, i->r[2], l)));
}

enum sync_result exec_mbarrier(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    if (i->sub == MBARRIER_PENDING_COUNT) {
        pending_count(w, i, mask);
        return SYNC_DONE;
    }
    return i->sub >= MBARRIER_TEST_WAIT ? wait(m, w, i, mask, t) : change(m, w, i, mask, t);
}

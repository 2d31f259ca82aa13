/*
 * clusterlaunchcontrol: requests, their responses, and queries.
 *
 * A request is decided when it is issued; its response lands after a delay, as
 * a weak write of the async proxy with 16 bytes of complete-tx, in the issuing
 * block or, multicast, in every block of its cluster, each at its own time and
 * on its own mbarrier. Every lane that executes try_cancel makes a request of
 * its own.
 *
 * A request after an observed failure is undefined (TC9): here it is answered
 * like any other, the checker speaks.
 */
#include <inttypes.h>
#include <string.h>

#include "sync/async.h"
#include "sync/launch_control.h"

enum { RESPONSE_BYTES = 16 };

/* The target must know the instruction, as the assembler would say. */
static bool target_knows(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    const struct ptx_module *module = w->block->grid->code->module;
    if (module->target_cc < 100) {
        fault_at(m, w, mask, FAULT_ILLEGAL, "Feature 'clusterlaunchcontrol.try_cancel.async' requires .target sm_100 or higher");
        return false;
    }
    if ((i->flags & CLC_MULTICAST) && module->target_kind == 0) {
        fault_at(m, w, mask, FAULT_ILLEGAL, "Feature '.multicast::cluster::all' not supported on .target '%s'", module->target);
        return false;
    }
    return true;
}

/* TC1, TC2: an aligned place in the issuing block's own shared memory. */
static bool own_place(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, int k, uint32_t *offset)
{
    uint64_t address = sync_address(w, i, i->r[k], k, lane);
    struct place p = resolve(m, w, lane, (enum mem_space)i->space, address, k == 0 ? RESPONSE_BYTES : 8, FOR_WRITE);
    if (p.bytes == NULL) {
        if (m->fault.kind == FAULT_MISALIGNED)
            fault_rule(m, "TC1");
        return false;
    }
    if (p.block != w->block) {
        fault_at(m, w, 1u << lane, FAULT_RULE, "the %s of clusterlaunchcontrol.try_cancel is at 0x%" PRIx64
                 ", outside the shared memory of the block that asks", k == 0 ? "result" : "mbarrier", address);
        fault_rule(m, "TC2");
        return false;
    }
    *offset = place_offset(&p);
    if (k == 0 || mbarrier_is_live(w->block, *offset))
        return true;
    fault_at(m, w, 1u << lane, FAULT_RULE, "clusterlaunchcontrol.try_cancel names shared address 0x%x, where no mbarrier lives: "
             "it was not initialised, or it was invalidated", *offset);
    fault_rule(m, "MB3");
    return false;
}

static bool decide(struct machine *m, struct warp *w, uint64_t now, struct clc_response *r)
{
    struct grid *g = w->block->grid;
    uint64_t cluster;
    *r = (struct clc_response){.request = ++sync_state(m)->requests};
    m->counts.requests++;
    r->granted = launch_control_request(m, g, &cluster) == CLC_GRANTED;
    if (!r->granted) {
        m->counts.refused++;
        return false;
    }
    m->counts.granted++;
    cluster_first_ctaid(g, cluster, r->ctaid);
    grid_cancelled(m, g, now);
    return true;
}

/* The response on its way to one block. */
static void send(struct machine *m, struct warp *w, uint32_t lane, struct block *to, uint32_t slot, uint32_t bar,
                 const struct clc_response *r, uint64_t now)
{
    struct async_op *op = async_new(m, ASYNC_RESPONSE, w, 1, RESPONSE_BYTES);
    uint32_t words[4];
    clc_encode(r, words);
    memcpy(op->data, words, RESPONSE_BYTES);
    op->granted = r->granted;
    op->request = r->request;
    op->transfer[0] = (struct transfer){
        .to = {.bytes = to->shared + slot, .init = to->shared_init, .init_bit = slot, .block = to,
               .address = shared_address(w->block, to, slot)},
        .from = {.bytes = op->data}, .bytes = RESPONSE_BYTES, .mbarrier = bar, .lane = lane, .byte_mask = 0xffff};
    async_go(m, op, now, (uint64_t)m->device->clc_latency);
}

static bool send_all(struct machine *m, struct warp *w, const struct instr *i, uint32_t lane, uint32_t slot, uint32_t bar,
                     const struct clc_response *r, uint64_t now)
{
    struct cluster *c = w->block->cluster;
    if (!(i->flags & CLC_MULTICAST) || c == NULL) {
        send(m, w, lane, w->block, slot, bar, r, now);
        return true;
    }
    for (uint32_t k = 0; k < c->block_count; k++)
        if (c->blocks[k]->live_threads == 0) {
            fault_at(m, w, 1u << lane, FAULT_RULE, "a multicast request needs every block of the cluster running, and block "
                     "(%u,%u,%u) has exited", c->blocks[k]->id[0], c->blocks[k]->id[1], c->blocks[k]->id[2]);
            fault_rule(m, "TC7");
            return false;
        }
    for (uint32_t k = 0; k < c->block_count; k++)
        send(m, w, lane, c->blocks[k], slot, bar, r, now);
    return true;
}

static enum sync_result try_cancel(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    if (!target_knows(m, w, i, mask))
        return SYNC_FAULT;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t slot, bar;
        struct clc_response r;
        if (!(mask >> l & 1))
            continue;
        if (!own_place(m, w, i, l, 0, &slot) || !own_place(m, w, i, l, 1, &bar))
            return SYNC_FAULT;
        decide(m, w, t->now, &r);
        if (m->observers != NULL) {
            uint64_t addr[LANES] = {0};
            addr[l] = WINDOW_SHARED + slot;
            struct event e = sync_event(w, i, EVENT_REQUEST, 1u << l, t->now);
            e.addr = addr;
            e.bytes = RESPONSE_BYTES;
            e.address2 = WINDOW_SHARED + bar;
            e.flags = i->flags;
            e.a = r.granted;
            e.b = r.request;
            sync_tell(m, &e);
        }
        if (!send_all(m, w, i, l, slot, bar, &r, t->now))
            return SYNC_FAULT;
    }
    m->epoch++;
    t->extra = async_pause(m);
    return SYNC_DONE;
}

/* ---- queries ------------------------------------------------------------------- */

static void put_answer(struct warp *w, const struct instr *i, uint32_t lane, const struct clc_response *r)
{
    switch (i->sub) {
    case CLC_IS_CANCELED:
        sync_put_pred(w, i->r[0], 1u << lane, r->granted ? UINT32_MAX : 0);
        break;
    case CLC_FIRST_V4:
        for (uint32_t k = 0; k < 4; k++)
            sync_put_u32(w, w->frame->function->list[i->list + k], lane, k < 3 ? r->ctaid[k] : CLC_POISON);
        break;
    default:
        sync_put_u32(w, i->r[0], lane, r->ctaid[i->sub - CLC_FIRST_X]);
    }
}

static void tell_query(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, const struct clc_response *r,
                       uint64_t now)
{
    struct event e = sync_event(w, i, EVENT_QUERY, mask, now);
    e.a = r->granted;
    e.b = r->request;
    if (mask != 0 && m->observers != NULL)
        sync_tell(m, &e);
}

static enum sync_result query(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    const uint8_t *values = operand_at(w->bank, i->r[1]);
    struct clc_response r = {.request = 0};
    uint32_t words[4] = {0}, same = 0;               /* lanes that hold the response r, in words */
    for (uint32_t l = 0; l < LANES; l++) {
        const uint8_t *value = values + (size_t)l * RESPONSE_BYTES;
        if (!(mask >> l & 1))
            continue;
        if (same == 0 || memcmp(words, value, RESPONSE_BYTES) != 0) {
            tell_query(m, w, i, same, &r, t->now);
            same = 0;
            memcpy(words, value, RESPONSE_BYTES);
            if (!clc_decode(words, &r)) {
                fault_at(m, w, 1u << l, FAULT_RULE, "clusterlaunchcontrol.query_cancel was given 16 bytes that are no response: "
                         "none was delivered there, or parts of two were mixed, or the bytes were changed");
                return SYNC_FAULT;
            }
        }
        put_answer(w, i, l, &r);
        same |= 1u << l;
    }
    tell_query(m, w, i, same, &r, t->now);
    return SYNC_DONE;
}

enum sync_result exec_clc(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t)
{
    return i->sub == CLC_TRY_CANCEL ? try_cancel(m, w, i, mask, t) : query(m, w, i, mask, t);
}

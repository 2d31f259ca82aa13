/*
 * Asynchronous operations: requests to launch control, copies, remote stores.
 *
 * What an operation will do to memory is checked when it is issued, against
 * every generic access to the same bytes: it must be ordered before the issue,
 * and for the async proxy also have crossed the proxy (section 3 of the
 * reference). While the operation is in flight every access to its bytes is a
 * race. When it lands its write completes on an mbarrier, in the phase then
 * open; copies of groups become the issuing thread's own writes when it has
 * waited for the group.
 */
#include <stdio.h>
#include <string.h>

#include "checker/access.h"
#include "sync/sync_state.h"

#define NO_MBARRIER UINT32_MAX

/* ---- cells of a range --------------------------------------------------------------- */

typedef void each_cell(void *self, struct cell *cell, uint64_t at);

static void cells_of(struct checker *c, struct cblock *owner, uint64_t at, uint32_t bytes, each_cell *f, void *self)
{
    uint64_t end = at + bytes;
    while (at < end) {
        struct line *l = owner != NULL ? shared_line(c, owner, (uint32_t)at) : shadow_global(c->h, &c->global, at);
        line_split(c->h, l, (at | (end - at)) % 4 == 0 ? 4 : 1);
        f(self, &l->cells[at % LINE_BYTES / l->cell_bytes], at);
        at = (at / l->cell_bytes + 1) * l->cell_bytes;
    }
}

struct landing { struct checker *c; struct access_by by; };

static void set_cell(void *self, struct cell *cell, uint64_t at)
{
    struct landing *x = self;
    (void)at;
    cell->write = x->by;
    cell_clear_reads(x->c->h, cell);
}

void mark_shared(struct checker *c, struct cblock *owner, uint32_t offset, uint32_t bytes, struct access_by by)
{
    struct landing x = {c, by};
    cells_of(c, owner, offset, bytes, set_cell, &x);
}

struct search { struct checker *c; struct cblock *owner; uint32_t warp, lane; struct access_by *found; };

static void search_cell(void *self, struct cell *cell, uint64_t at)
{
    struct search *x = self;
    const struct know *k = lane_knows(&x->owner->warps[x->warp], x->lane);
    (void)at;
    for (uint32_t i = 0; i < 2 + (cell->more != NULL ? cell->more->count : 0); i++) {
        const struct access_by *by = i == 0 ? &cell->write : i == 1 ? &cell->read : &cell->more->by[i - 2];
        if (unknown_lanes(x->c, x->owner, x->warp, 1u << x->lane, k, by, x->owner->serial) != 0)
            *x->found = *by;
    }
}

bool unordered_access(struct checker *c, struct cblock *owner, uint32_t warp, uint32_t lane, uint32_t offset, uint32_t bytes, struct access_by *by)
{
    struct search x = {c, owner, warp, lane, by};
    by->block = 0;
    cells_of(c, owner, offset, bytes, search_cell, &x);
    return by->block != 0;
}

static void read_cell(void *self, struct cell *cell, uint64_t at)
{
    struct landing *x = self;
    const struct access_by *old = &cell->read;
    (void)at;
    if (old->block == x->by.block && old->warp == x->by.warp && old->mask == x->by.mask && old->flags == x->by.flags)
        cell->read = x->by;
    else
        cell_add_read(x->c->h, cell, &x->by, 4);
}

/* ---- against what threads did before -------------------------------------------------- */

struct crossing {
    struct checker *c;
    const struct event *e;
    struct cblock *b;                /* of the issuer */
    struct cblock *owner;            /* of the memory, NULL: global */
    const struct know *k;
    uint32_t warp, lane;
    bool write;                      /* the operation writes there */
    bool proxy;                      /* it belongs to the async proxy */
    bool request;                    /* of launch control */
    bool waited;                     /* it has ended, and its thread has waited for it */
    bool reduces;                    /* it adds, or the like: such operations may meet */
    bool told;
};

static uint32_t where_of(const struct crossing *x) { return x->owner != NULL ? x->owner->serial : WHERE_GLOBAL; }

/* Lanes of `by` that a part of the issuer's knowledge covers; its own accesses through self. */
static uint32_t covered(const struct crossing *x, const struct clock *clock, const struct access_by *by)
{
    uint32_t lanes = clock_lanes(clock, by->block, by->warp, by->mask, by->epoch);
    if (clock != NULL && by->block == x->b->serial && by->warp == x->warp && clock->self >= by->epoch)
        lanes |= by->mask & 1u << x->lane;
    return lanes;
}

static bool all_covered(const struct crossing *x, enum part part, uint32_t where, const struct access_by *by, uint32_t lanes)
{
    return (lanes & ~covered(x, know_part(x->k, part, where), by)) == 0;
}

static enum rule_id rule_of_crossing(const struct crossing *x, const struct access_by *by, uint32_t lanes)
{
    uint32_t where = where_of(x);
    if (all_covered(x, PART_RELEASED, where, by, lanes))
        return RULE_PX4;
    if (x->owner != x->b && all_covered(x, PART_NARROW, WHERE_ALL, by, lanes))
        return RULE_PX5;
    if (all_covered(x, PART_TRIED, WHERE_ALL, by, lanes))
        return RULE_PX3;
    return RULE_PX2;
}

/* NULL: what the rule says, which speaks of requests. */
static const char *advice_of_crossing(const struct crossing *x, const struct access_by *by, enum rule_id rule)
{
    if (rule == RULE_PX2 && !x->request)
        return x->owner != NULL ? "fence_proxy_async(space_shared) by each thread that used it, then a barrier, then the copy"
                                : "fence_proxy_async(space_global) by each thread that used it, then a barrier, then the copy";
    if ((rule == RULE_PX1 || rule == RULE_SH1 || rule == RULE_GR1) && stashed(x->k, by))
        return advice_acquire;
    return NULL;
}

static void report_crossing(struct crossing *x, const struct access_by *by, uint32_t lanes, enum rule_id rule, const char *verb, uint64_t at)
{
    char object[96] = "", what[160];
    struct access_by before = *by;
    if (x->owner != NULL)
        shared_name(x->owner, (uint32_t)at, object, sizeof object);
    else
        global_name(x->c, at, object, sizeof object);
    snprintf(what, sizeof what, "%s; it will %s %s%s", x->request ? "asks for work" : "starts an asynchronous operation",
             x->write ? "write" : "read", object, x->proxy ? " through the async proxy" : "");
    if (x->waited)
        snprintf(what, sizeof what, "has waited for a copy that read %s", object);
    before.mask = lanes;
    struct report r = {.rule = rule, .event = x->e, .mask = 1u << x->lane, .before = &before, .verb = verb, .what = what,
                       .object = object, .advice = advice_of_crossing(x, by, rule)};
    bool fenced = all_covered(x, PART_FENCED, where_of(x), by, lanes);
    r.note = x->c->level == STRICT_HW && x->proxy && fenced;
    if (rule == RULE_PX4 || rule == RULE_PX6)
        r.note_text = "ptxas 13.0 makes no instruction of the acquire half: hardware will not show it today";
    found(x->c, &r);
    x->told = true;
}

static void cross(struct crossing *x, const struct access_by *by, const char *verb, uint64_t at)
{
    struct checker *c = x->c;
    if (by->block == 0 || x->told)
        return;
    uint32_t lanes = unknown_lanes(c, x->b, x->warp, 1u << x->lane, x->k, by, x->owner != NULL ? x->owner->serial : WHERE_ALL);
    if (lanes != 0 && told_too_narrow(x->k, by, PART_DROPPED)) {
        report_crossing(x, by, lanes, RULE_FE7, by->flags & BY_ASYNC ? "wrote" : verb, at);
        return;
    }
    if (by->flags & BY_ASYNC) {
        if (lanes != 0 && !(x->reduces && x->write && (by->flags & BY_ATOMIC)))
            report_crossing(x, by, lanes, x->request || x->write ? RULE_TC10 : RULE_TC3, "wrote", at);
        return;
    }
    if (lanes != 0) {
        bool fenced = x->proxy && (lanes & ~covered(x, know_part(x->k, PART_FENCED, where_of(x)), by)) == 0;
        report_crossing(x, by, lanes, !x->proxy ? (x->owner != NULL ? RULE_SH1 : RULE_GR1) : fenced ? RULE_PX6 : RULE_PX1, verb, at);
        return;
    }
    if (!x->proxy || by->block <= x->b->grid->floor)
        return;
    lanes = by->mask & ~covered(x, know_part(x->k, PART_ASYNC, where_of(x)), by);
    if (lanes != 0)
        report_crossing(x, by, lanes, rule_of_crossing(x, by, lanes), verb, at);
}

static void cross_cell(void *self, struct cell *cell, uint64_t at)
{
    struct crossing *x = self;
    if (x->write)
        cross(x, &cell->read, "read", at);
    for (uint32_t k = 0; cell->more != NULL && k < cell->more->count; k++)
        if (x->write || (cell->more->by[k].flags & BY_WRITE))
            cross(x, &cell->more->by[k], cell->more->by[k].flags & BY_WRITE ? "wrote" : "read", at);
    cross(x, &cell->write, "wrote", at);
}

/* ---- in flight ---------------------------------------------------------------------------- */

static struct flight **flights_of(struct checker *c, struct cblock *owner) { return owner != NULL ? &owner->flights : &c->flights; }

static struct flight *launch_flight(struct checker *c, const struct crossing *x, uint64_t at, uint32_t bytes, uint64_t ticket)
{
    struct flight *f = heap_alloc(c->h, sizeof *f);
    f->at = at;
    f->bytes = bytes;
    f->ticket = ticket;
    f->write = x->write;
    f->request = x->request;
    f->reduces = x->reduces && x->write;
    f->mbarrier = NO_MBARRIER;
    f->lane = x->lane;
    f->by = (struct access_by){.block = x->b->serial, .epoch = lane_epoch(&x->b->warps[x->warp], x->lane), .mask = 1u << x->lane,
                               .site = site_of(c, x->e), .warp = (uint8_t)x->warp};
    f->next = *flights_of(c, x->owner);
    *flights_of(c, x->owner) = f;
    return f;
}

static const struct flight *overlapping(const struct flight *f, uint64_t at, uint32_t bytes, bool write, bool reduces)
{
    for (; f != NULL; f = f->next)
        if (!(reduces && f->reduces) && f->at < at + bytes && at < f->at + f->bytes && (f->write || write))
            return f;
    return NULL;
}

static const char *advice_of_flight(const struct flight *f)
{
    if (f->group == 1 + GROUP_CP)
        return "cp.async.wait_group by the thread that started the copy, then a barrier for the others";
    if (f->group == 1 + GROUP_BULK)
        return f->write ? "cp_async_bulk_wait_group by the thread that started the copy, then a barrier for the others"
                        : "cp_async_bulk_wait_group_read by the thread that started the copy, then a barrier for the others";
    return NULL;
}

bool check_in_flight(struct checker *c, const struct event *e, struct cblock *owner, uint64_t at, uint32_t bytes, uint32_t lane,
                     bool write)
{
    const struct flight *f = overlapping(*flights_of(c, owner), at, bytes, write, false);
    char object[96] = "";
    if (f == NULL)
        return false;
    if (owner != NULL)
        shared_name(owner, (uint32_t)at, object, sizeof object);
    else
        global_name(c, at, object, sizeof object);
    struct report r = {.rule = RULE_TC3, .event = e, .mask = 1u << lane, .before = &f->by,
                       .verb = f->request ? "asked for work, and the answer is still on its way to" : "started an operation that still uses",
                       .what = write ? "writes" : "reads", .object = object, .advice = advice_of_flight(f)};
    found(c, &r);
    return true;
}

/* Checks an operation and puts it in flight. */
static struct flight *start(struct crossing *x, uint64_t at, uint32_t bytes, uint64_t ticket)
{
    const struct flight *f = overlapping(*flights_of(x->c, x->owner), at, bytes, x->write, x->reduces && x->write);
    if (f != NULL)
        report_crossing(x, &f->by, f->by.mask, RULE_TC10, "started one that is still on its way to", at);
    else if (bytes != 0)
        cells_of(x->c, x->owner, at, bytes, cross_cell, x);
    return launch_flight(x->c, x, at, bytes, ticket);
}

/* ---- requests --------------------------------------------------------------------------------- */

static void simple(struct checker *c, const struct event *e, uint32_t mask, enum rule_id rule, const struct access_by *before,
                   const char *verb, const char *what)
{
    struct report r = {.rule = rule, .event = e, .mask = mask, .before = before, .verb = verb, .what = what};
    found(c, &r);
}

static void check_peer_barrier(struct checker *c, const struct event *e, const struct crossing *x, uint32_t offset)
{
    const struct cmbar *m = mbarrier_at(x->owner, offset);
    bool fenced = false;
    if (m == NULL || !init_known(x->k, m, &fenced)) {
        simple(c, e, e->mask, RULE_TC6, m != NULL ? &m->init : NULL, "initialised its mbarrier", "asks, and the answer goes to every block of the cluster");
        return;
    }
    if (!fenced)
        simple(c, e, e->mask, RULE_FE3, &m->init, "initialised its mbarrier", "asks, and the answer goes to every block of the cluster");
}

static void check_refused(struct checker *c, const struct event *e, struct cblock *b, const struct crossing *x)
{
    if (b->refused.block != 0 && unknown_lanes(c, b, x->warp, 1u << x->lane, x->k, &b->refused, b->serial) != b->refused.mask)
        simple(c, e, e->mask, RULE_TC9, &b->refused, "saw that a request was refused", "asks again");
}

/* Lanes of one warp in one instruction, each with a place of its own: one place for all is two responses in flight. */
static void check_election(struct checker *c, const struct event *e, struct cblock *b, uint32_t slot)
{
    struct last_request now = {e->time, e->warp->index, e->pc, e->mask, slot};
    const struct last_request *last = &b->last_request;
    if (last->lanes != 0 && last->time == now.time && last->warp == now.warp && last->pc == now.pc && last->lanes != now.lanes && last->slot != slot)
        simple(c, e, e->mask, RULE_TC10W, NULL, NULL, "asks beside other lanes of its warp");
    b->last_request = now;
}

/* ---- grants that nobody has taken yet ------------------------------------------------------------ */

static bool is_untaken(const struct checker *c, uint32_t request)
{
    return request / 8 < c->untaken_bytes && (c->untaken[request / 8] >> request % 8 & 1);
}

static void take_grant(struct checker *c, uint32_t request)
{
    if (is_untaken(c, request))
        c->untaken[request / 8] &= (uint8_t)~(1u << request % 8);
}

static void sweep_grants(struct checker *c)
{
    for (struct granted **p = &c->granted, *g; (g = *p) != NULL;) {
        if (is_untaken(c, g->request)) {
            p = &g->next;
            continue;
        }
        *p = g->next;
        heap_free(c->h, g, sizeof *g);
        c->granted_count--;
    }
    c->granted_limit = 2 * c->granted_count + 1024;
}

static void grant(struct checker *c, const struct event *e, struct cblock *b)
{
    uint32_t request = (uint32_t)e->b;
    if (!e->a)
        return;
    if (request / 8 >= c->untaken_bytes) {
        size_t bytes = 2 * (size_t)(request / 8) + 4096;
        c->untaken = heap_grow(c->h, c->untaken, c->untaken_bytes, bytes);
        c->untaken_bytes = bytes;
    }
    c->untaken[request / 8] |= (uint8_t)(1u << request % 8);
    if (c->granted_count >= c->granted_limit)
        sweep_grants(c);
    struct granted *g = heap_alloc(c->h, sizeof *g);
    *g = (struct granted){.request = request, .grid = b->grid->number, .next = c->granted,
                          .by = {.block = b->serial, .mask = e->mask, .site = site_of(c, e), .warp = (uint8_t)e->warp->index}};
    c->granted = g;
    c->granted_count++;
}

void check_request(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    uint32_t lane = 0, slot, bar = (uint32_t)(e->address2 - WINDOW_SHARED), count = 1;
    while (!(e->mask >> lane & 1))
        lane++;
    slot = (uint32_t)(e->addr[lane] - WINDOW_SHARED);
    used(b, &b->warps[e->warp->index]);
    struct crossing x = {.c = c, .e = e, .b = b, .warp = e->warp->index, .lane = lane, .write = true, .proxy = true, .request = true};
    x.k = lane_knows(&b->warps[x.warp], lane);
    bool multicast = (e->flags & CLC_MULTICAST) && e->block->cluster != NULL;
    check_election(c, e, b, slot);
    x.owner = b;
    check_refused(c, e, b, &x);
    grant(c, e, b);
    count = multicast ? e->block->cluster->block_count : 1;
    if (mbarrier_at(b, bar) != NULL)
        check_init(c, e, b, b, mbarrier_at(b, bar), lane);
    for (uint32_t r = 0; r < count; r++) {
        x.owner = multicast ? cblock_of(e->block->cluster->blocks[r]) : b;
        x.told = false;
        if (x.owner == NULL)
            continue;
        if (x.owner != b)
            check_peer_barrier(c, e, &x, bar);
        struct flight *f = start(&x, slot, 16, e->b);
        f->mbarrier = bar;
    }
}

/* ---- other operations ---------------------------------------------------------------------------- */

/* The owner of a generic address, and the offset; NULL: global memory. */
static struct cblock *place(const struct event *e, uint64_t address, uint64_t *at)
{
    struct event generic = *e;
    uint32_t offset = 0;
    generic.space = MEM_GENERIC;
    struct cblock *owner = cblock_of(shared_place(&generic, address, &offset));
    *at = owner != NULL ? offset : address;
    return owner;
}

/* The mbarrier that the operation completes on: its block must have started, and its initialisation be known. */
static void check_destination(const struct event *e, const struct crossing *x, uint32_t mbarrier)
{
    const struct cmbar *m = mbarrier_at(x->owner, mbarrier);
    if (x->owner != x->b && !clock_has_block(know_part(x->k, PART_RAN, WHERE_ALL), x->owner->serial))
        simple(x->c, e, 1u << x->lane, RULE_CL1, NULL, NULL,
               "sends to shared memory of a block of its cluster; nothing says that the block has started");
    else if (m != NULL)
        check_init(x->c, e, x->b, x->owner, m, x->lane);
}

/* The source of a cp.async, in the generic proxy: checked now; whoever waits for the group has read it. */
static void reads_source(const struct event *e, struct crossing *x, struct flight *f)
{
    x->write = false;
    x->told = false;
    x->owner = NULL;
    f->from = e->from[x->lane];
    f->from_bytes = e->from_bytes[x->lane];
    if (f->from_bytes != 0)
        cells_of(x->c, NULL, f->from, f->from_bytes, cross_cell, x);
}

static void issue_copy(const struct event *e, struct crossing *x, uint8_t group, bool reads_shared, bool reads_global)
{
    uint64_t at, from;
    x->write = true;
    x->owner = place(e, e->addr[x->lane], &at);
    struct flight *f = start(x, at, e->bytes, e->b);
    f->group = group;
    f->mbarrier = group == 0 ? e->mbarriers[x->lane] : NO_MBARRIER;
    f->number = group != 0 ? e->warp->async->committed[group - 1][x->lane] : 0;
    if (group == 0 && x->owner != NULL)
        check_destination(e, x, f->mbarrier);
    if (group == 1 + GROUP_CP)
        reads_source(e, x, f);
    if (!reads_shared && !reads_global)
        return;
    x->write = false;
    x->told = false;
    x->owner = place(e, e->from[x->lane], &from);
    struct flight *source = start(x, from, e->bytes, e->b);
    source->group = f->group;
    source->number = f->number;
}

/* cp.async.mbarrier.arrive: copies of the lane that have not been waited for complete on an mbarrier. */
static void arrive_on(struct checker *c, const struct event *e, struct cblock *b, uint32_t lane)
{
    uint64_t at;
    struct cblock *owner = place(e, e->addr[lane], &at);
    struct cmbar *m = owner == b ? mbarrier_at(b, (uint32_t)at) : NULL;
    if (owner != b)
        return;
    if (m != NULL)
        check_init(c, e, b, b, m, lane);
    for (struct flight **p = &b->flights, *f; (f = *p) != NULL;) {
        if (f->group == 1 + GROUP_CP && f->by.warp == e->warp->index && f->lane == lane && f->write &&
            f->mbarrier == NO_MBARRIER) {
            f->mbarrier = (uint32_t)at;
            if (f->landed) {
                *p = f->next;
                land(c, b, f);
                continue;
            }
        }
        p = &f->next;
    }
}

void check_issue(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    const struct instr *i = &e->function->code[e->pc];
    used(b, &b->warps[e->warp->index]);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        struct crossing x = {.c = c, .e = e, .b = b, .warp = e->warp->index, .lane = lane};
        if (!(e->mask >> lane & 1))
            continue;
        x.k = lane_knows(&b->warps[x.warp], lane);
        x.reduces = i->klass == CLASS_ST_ASYNC ? i->sub == RED_ASYNC
                  : i->klass == CLASS_CP_BULK && (i->sub == BULK_REDUCE_CLUSTER || i->sub == BULK_REDUCE_GLOBAL);
        if (i->klass == CLASS_CP_ASYNC && i->sub == CP_ASYNC_MBARRIER_ARRIVE) {
            arrive_on(c, e, b, lane);
        } else if (i->klass == CLASS_CP_ASYNC) {
            issue_copy(e, &x, 1 + GROUP_CP, false, false);
        } else if (i->klass == CLASS_ST_ASYNC) {
            issue_copy(e, &x, 0, false, false);
        } else {
            x.proxy = true;
            bool out = i->sub == BULK_TO_GLOBAL || i->sub == BULK_REDUCE_GLOBAL;
            issue_copy(e, &x, out ? 1 + GROUP_BULK : 0, i->sub != BULK_TO_SHARED, i->sub == BULK_TO_SHARED);
        }
    }
}

/* ---- landing ------------------------------------------------------------------------------------------ */

static void note_response(struct checker *c, struct cblock *b, uint32_t offset)
{
    struct response *r = b->responses;
    while (r != NULL && r->offset != offset)
        r = r->next;
    if (r != NULL)
        return;
    r = heap_alloc(c->h, sizeof *r);
    *r = (struct response){b->responses, offset};
    b->responses = r;
}

/* The write of a flight that completes on an mbarrier; frees it. */
void land(struct checker *c, struct cblock *owner, struct flight *f)
{
    struct cmbar *m = mbarrier_at(owner, f->mbarrier);
    bool peer = f->by.block != owner->serial;
    if (m != NULL && f->write) {
        struct landing x = {.c = c, .by = {.block = 2 * m->uid + peer, .epoch = m->phase + 1, .mask = 1, .site = f->by.site,
                                           .flags = (uint8_t)(BY_ASYNC | (f->request ? BY_RESPONSE : 0) | (f->reduces ? BY_ATOMIC : 0))}};
        if (f->bytes != 0)
            cells_of(c, owner, f->at, f->bytes, set_cell, &x);
        struct clock *issuer = clock_with_some(c->h, NULL, (struct some){f->by.block, f->by.epoch, f->by.mask, f->by.warp});
        mbarrier_landed(c, m, peer, issuer, &f->by);
        clock_drop(c->h, issuer);
        if (f->request)
            note_response(c, owner, (uint32_t)f->at);
    }
    heap_free(c->h, f, sizeof *f);
}

static void land_in(struct checker *c, struct cblock *owner, uint64_t ticket, bool request)
{
    for (struct flight **p = flights_of(c, owner), *f; (f = *p) != NULL;) {
        if (f->ticket != ticket || f->request != request) {
            p = &f->next;
            continue;
        }
        if (f->group != 0 && f->mbarrier == NO_MBARRIER) {
            f->landed = true;            /* until somebody waits for the group */
            p = &f->next;
            continue;
        }
        *p = f->next;
        if (owner != NULL && f->write)
            land(c, owner, f);
        else
            heap_free(c->h, f, sizeof *f);
    }
}

static const struct flight *flight_of(const struct cblock *b, uint64_t ticket, bool write)
{
    const struct flight *f = b->flights;
    while (f != NULL && !(f->ticket == ticket && !f->request && f->group == 0 && f->write == write))
        f = f->next;
    return f;
}

/* A copy out of shared memory into a peer's has read its source: known to who has seen it complete there. */
static void source_was_read(struct checker *c, struct cblock *owner, const struct flight *f)
{
    for (struct cblock *b = c->resident; b != NULL; b = b->next) {
        const struct flight *write = flight_of(b, f->ticket, true);
        const struct cmbar *m = write != NULL ? mbarrier_at(b, write->mbarrier) : NULL;
        if (m == NULL)
            continue;
        struct landing x = {.c = c, .by = {.block = 2 * m->uid + (f->by.block != b->serial), .epoch = m->phase + 1, .mask = 1,
                                           .site = f->by.site, .flags = BY_ASYNC}};
        cells_of(c, owner, f->at, f->bytes, read_cell, &x);
        return;
    }
}

void check_landed(struct checker *c, const struct event *e)
{
    bool request = e->kind == EVENT_RESPONSE;
    if (request) {
        if (cblock_of(e->block) != NULL)
            land_in(c, cblock_of(e->block), e->b, true);
        return;
    }
    for (struct cblock *b = c->resident; b != NULL; b = b->next) {
        const struct flight *source = flight_of(b, e->b, false);
        if (source != NULL)
            source_was_read(c, b, source);
    }
    for (struct cblock *b = c->resident; b != NULL; b = b->next)
        if (b->flights != NULL)
            land_in(c, b, e->b, false);
    if (c->flights != NULL)
        land_in(c, NULL, e->b, false);
}

/* ---- groups -------------------------------------------------------------------------------------------- */

/* What others wrote to the source of a cp.async since, and nothing orders; from here on the read is the lane's own. */
static void own_read(struct checker *c, const struct event *e, struct cblock *b, const struct flight *f)
{
    struct landing read = {.c = c, .by = f->by};
    struct crossing x = {.c = c, .e = e, .b = b, .warp = f->by.warp, .lane = f->lane, .waited = true};
    x.k = lane_knows(&b->warps[x.warp], x.lane);
    read.by.epoch = lane_epoch(&b->warps[x.warp], x.lane);
    cells_of(c, NULL, f->from, f->from_bytes, cross_cell, &x);
    cells_of(c, NULL, f->from, f->from_bytes, read_cell, &read);
}

/* A write of a group becomes one of the issuing lane, now; frees the flight. */
static void own_write(struct checker *c, struct cblock *b, struct cblock *owner, struct flight *f)
{
    if (f->write && f->bytes != 0) {
        struct landing x = {.c = c, .by = f->by};
        x.by.epoch = lane_epoch(&b->warps[f->by.warp], f->lane);
        x.by.flags = f->reduces ? BY_ATOMIC | BY_STRONG | SCOPE_GPU << BY_SCOPE_SHIFT : 0;
        cells_of(c, owner, f->at, f->bytes, set_cell, &x);
    }
    heap_free(c->h, f, sizeof *f);
}

static void waited_in(struct checker *c, const struct event *e, struct cblock *owner)
{
    struct cblock *b = cblock_of(e->block);
    for (struct flight **p = flights_of(c, owner), *f; (f = *p) != NULL;) {
        bool mine = f->group == 1 + e->sub && f->by.block == b->serial && f->by.warp == e->warp->index && (e->mask >> f->lane & 1) &&
                    f->number < e->addr[f->lane];
        if (!mine || (e->flags && f->write)) {
            p = &f->next;
            continue;
        }
        *p = f->next;
        if (f->from_bytes != 0)
            own_read(c, e, b, f);
        own_write(c, b, owner, f);
    }
}

void check_group_wait(struct checker *c, const struct event *e)
{
    waited_in(c, e, cblock_of(e->block));
    if (c->flights != NULL)
        waited_in(c, e, NULL);
}

/* ---- queries --------------------------------------------------------------------------------------------- */

void read_of_response(struct checker *c, const struct look *x, uint32_t offset, uint32_t bytes)
{
    if (x->write || bytes >= 16)
        return;
    for (const struct response *r = x->owner->responses; r != NULL; r = r->next) {
        if (offset >= r->offset + 16 || offset + bytes <= r->offset)
            continue;
        const struct line *l = shared_line(c, x->owner, offset);
        if (l->cells == NULL || !(l->cells[offset % LINE_BYTES / l->cell_bytes].write.flags & BY_RESPONSE))
            continue;
        char what[96];
        snprintf(what, sizeof what, "reads %u of the 16 bytes of a response", bytes);
        simple(c, x->e, x->lanes, RULE_QC4, NULL, NULL, what);
    }
}

static void decoded(struct checker *c, const struct event *e, struct cblock *b)
{
    struct cwarp *w = &b->warps[e->warp->index];
    uint32_t twice = 0;
    take_grant(c, (uint32_t)e->b);
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(e->mask >> l & 1))
            continue;
        if (w->last_query[l] == (uint32_t)e->b && w->last_pc[l] == e->pc)
            twice |= 1u << l;
        w->last_query[l] = (uint32_t)e->b;
        w->last_pc[l] = e->pc;
    }
    if (twice != 0)
        simple(c, e, twice, RULE_CL3, NULL, NULL, "takes the index of one response a second time");
}

void check_query(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    used(b, &b->warps[e->warp->index]);
    if (e->sub == CLC_IS_CANCELED) {
        if (!e->a && b->refused.block == 0) {
            uint32_t lane = 0;
            while (!(e->mask >> lane & 1))
                lane++;
            b->refused = (struct access_by){.block = b->serial, .epoch = lane_epoch(&b->warps[e->warp->index], lane), .mask = e->mask,
                                            .site = site_of(c, e), .warp = (uint8_t)e->warp->index};
        }
        return;
    }
    if (!e->a)
        simple(c, e, e->mask, RULE_QC2, NULL, NULL, "takes the index out of a response that was refused");
    else
        decoded(c, e, b);
}

/* ---- ends -------------------------------------------------------------------------------------------------- */

static void check_pending(struct checker *c, struct cblock *b, const struct clock *end)
{
    for (const struct flight *f = b->flights; f != NULL; f = f->next)
        if (f->group == 0 && f->write) {
            report_end(c, b, RULE_TC13, &f->by, f->request ? "asked for work; the answer is still on its way here"
                                                            : "started an operation that is still on its way here");
            return;
        }
    for (const struct flight *f = b->flights; f != NULL; f = f->next)
        if (!f->write) {
            report_end(c, b, RULE_TC13, &f->by, "started a copy out of this block; nothing here waits until it has read");
            return;
        }
    for (const struct cmbar *m = b->mbarriers; m != NULL; m = m->next)
        if (m->landed_phase != 0 && clock_seen(end, 2 * m->uid) < m->landed_phase) {
            report_end(c, b, RULE_TC13, &m->landed_by, "asked; nobody here has seen that the answer came");
            return;
        }
}

static void check_remotes(struct checker *c, struct cblock *b, const struct clock *end)
{
    for (const struct remote *r = b->remotes; r != NULL; r = r->next) {
        bool known = clock_lanes(end, r->who.block, r->who.warp, r->who.mask, r->who.epoch) == r->who.mask;
        if (known || ((r->by.flags & BY_ASYNC) && clock_seen(end, r->by.block) >= r->by.epoch))
            continue;
        struct access_by by = r->who;
        report_end(c, b, RULE_CL1, &by, "used the shared memory of this block; nothing here waits for that");
        return;
    }
}

/*
 * Copies out that the block has not waited for are its last writes: nobody in the grid can know of them, and whoever
 * comes after the grid does.
 */
static void leave_copies(struct checker *c, struct cblock *b)
{
    for (struct flight **p = &c->flights, *f; (f = *p) != NULL;) {
        if (f->group == 0 || f->by.block != b->serial) {
            p = &f->next;
            continue;
        }
        *p = f->next;
        own_write(c, b, NULL, f);
    }
}

void check_block_end(struct checker *c, struct cblock *b)
{
    struct clock *end = final_knowledge(c, b);
    check_pending(c, b, end);
    check_remotes(c, b, end);
    clock_drop(c->h, end);
    leave_copies(c, b);
    while (b->flights != NULL) {
        struct flight *f = b->flights;
        b->flights = f->next;
        heap_free(c->h, f, sizeof *f);
    }
    while (b->responses != NULL) {
        struct response *r = b->responses;
        b->responses = r->next;
        heap_free(c->h, r, sizeof *r);
    }
}

void check_grid_end(struct checker *c, struct cgrid *g)
{
    for (struct granted **p = &c->granted, *r; (r = *p) != NULL;) {
        if (r->grid != g->number) {
            p = &r->next;
            continue;
        }
        if (is_untaken(c, r->request)) {
            struct report x = {.rule = RULE_TC16, .site = r->by.site, .before = &r->by, .verb = "asked, and was given an index that nobody took out of the response"};
            found(c, &x);
        }
        *p = r->next;
        heap_free(c->h, r, sizeof *r);
        c->granted_count--;
    }
}

void remember_peer_arrival(struct checker *c, const struct event *e, struct cblock *b, struct cblock *owner, const struct cmbar *m,
                           uint32_t lane)
{
    const struct know *k = lane_knows(&b->warps[e->warp->index], lane);
    struct access_by who = {.block = b->serial, .epoch = lane_epoch(&b->warps[e->warp->index], lane), .mask = 1u << lane,
                            .site = site_of(c, e), .warp = (uint8_t)e->warp->index};
    struct access_by by = {.block = 2 * m->uid, .epoch = m->phase + 1, .mask = 1, .flags = BY_ASYNC};
    if (!clock_has_block(know_part(k, PART_RAN, WHERE_ALL), owner->serial))
        simple(c, e, 1u << lane, RULE_CL1, NULL, NULL, "uses an mbarrier of another block; nothing says that the block has started");
    remember_remote(c, owner, &by, &who);
    touched_peer(c, b, e->warp->index, 1u << lane);
}

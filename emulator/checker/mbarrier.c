/*
 * mbarriers: life, counts, phases, and the messages they carry.
 *
 * Arrivals of the open phase leave messages in it; when the phase completes
 * they are frozen, together with those of all phases before, and a true wait
 * receives them. Arrivals of the own block count always; those of a peer only
 * when arrive and wait both have cluster scope. What completes on an mbarrier
 * has two lanes in the clocks (operations of the own block, of peers), counted
 * in completed phases.
 */
#include <stdio.h>
#include <string.h>

#include "checker/access.h"
#include "sync/mbarrier.h"

struct cmbar *mbarrier_at(struct cblock *b, uint32_t offset)
{
    struct cmbar *m = b->mbarriers;
    while (m != NULL && m->offset != offset)
        m = m->next;
    return m;
}

static void add(struct checker *c, struct know **to, struct know *message)
{
    struct know *joined = know_join(c->h, *to, message, true);
    know_drop(c->h, *to);
    *to = joined;
}

static void mbarrier_free(struct checker *c, struct cmbar *m)
{
    know_drop(c->h, m->open_own);
    know_drop(c->h, m->open_peers);
    know_drop(c->h, m->open_narrow);
    know_drop(c->h, m->done_own);
    know_drop(c->h, m->done_peers);
    know_drop(c->h, m->done_narrow);
    know_drop(c->h, m->done_all);
    while (m->uses != NULL) {
        struct mbar_use *u = m->uses;
        m->uses = u->next;
        heap_free(c->h, u, sizeof *u);
    }
    heap_free(c->h, m, sizeof *m);
}

void mbarrier_forget(struct checker *c, struct cblock *b)
{
    while (b->mbarriers != NULL) {
        struct cmbar *m = b->mbarriers;
        b->mbarriers = m->next;
        mbarrier_free(c, m);
    }
}

/* ---- phases --------------------------------------------------------------------- */

static void seen(struct checker *c, struct know **k, uint32_t lane, uint32_t count)
{
    struct clock *before = clock_with_seen(c->h, *k != NULL ? (*k)->before : NULL, lane, count);
    struct know *n = know_with_before(c->h, *k, before);
    clock_drop(c->h, before);
    know_drop(c->h, *k);
    *k = n;
}

static void close_part(struct checker *c, struct know **open, struct know **done)
{
    add(c, done, *open);
    know_drop(c->h, *open);
    *open = NULL;
}

/* The phase has completed: its messages are frozen. */
static void complete(struct checker *c, struct cmbar *m)
{
    close_part(c, &m->open_own, &m->done_own);
    close_part(c, &m->open_peers, &m->done_peers);
    close_part(c, &m->open_narrow, &m->done_narrow);
    m->phase++;
    m->observed = false;
    seen(c, &m->done_own, 2 * m->uid, m->phase);
    if (m->from_peers)
        seen(c, &m->done_peers, 2 * m->uid + 1, m->phase);
    know_drop(c->h, m->done_all);
    m->done_all = know_join(c->h, m->done_own, m->done_peers, false);
}

void mbarrier_landed(struct checker *c, struct cmbar *m, bool peer, struct clock *uncarried, const struct access_by *issuer)
{
    m->from_peers |= peer;
    m->landed_phase = m->phase + 1;
    m->landed_by = *issuer;
    struct know *k = know_with(c->h, peer ? m->open_peers : m->open_own, PART_UNCARRIED, WHERE_ALL, uncarried);
    know_drop(c->h, peer ? m->open_peers : m->open_own);
    *(peer ? &m->open_peers : &m->open_own) = k;
}

/* ---- life ------------------------------------------------------------------------- */

static struct access_by by_event(struct checker *c, const struct event *e, struct cblock *b, uint32_t lane)
{
    return (struct access_by){.block = b->serial, .epoch = lane_epoch(&b->warps[e->warp->index], lane), .mask = 1u << lane,
                              .site = site_of(c, e), .warp = (uint8_t)e->warp->index};
}

static void report_at(struct checker *c, const struct event *e, uint32_t mask, enum rule_id rule, const struct access_by *before,
                      const char *verb, const char *what)
{
    struct report r = {.rule = rule, .event = e, .mask = mask, .before = before, .verb = verb, .what = what};
    found(c, &r);
}

static void init(struct checker *c, const struct event *e, struct cblock *b, uint32_t offset, uint32_t lane)
{
    struct cmbar *m = mbarrier_at(b, offset);
    if (m != NULL) {
        report_at(c, e, 1u << lane, RULE_MB3, &m->init, "initialised it", "initialises an mbarrier that is alive");
        struct cmbar **at = &b->mbarriers;
        while (*at != m)
            at = &(*at)->next;
        *at = m->next;
        mbarrier_free(c, m);
    }
    struct access_by before;
    if (unordered_access(c, b, e->warp->index, lane, offset, 8, &before))
        report_at(c, e, 1u << lane, RULE_MB3, &before, "used the memory", "initialises an mbarrier there; nothing orders the two");
    m = heap_alloc(c->h, sizeof *m);
    m->offset = offset;
    m->uid = ++c->mbarrier_uids;
    m->init = by_event(c, e, b, lane);
    m->observed = true;
    m->next = b->mbarriers;
    b->mbarriers = m;
    mark_shared(c, b, offset, 8, (struct access_by){0});
}

/* Remembers that these lanes used m: the end of its life must come after that. */
static void use(struct checker *c, const struct event *e, struct cblock *b, struct cmbar *m, uint32_t mask, uint32_t phase)
{
    struct mbar_use *u = m->uses;
    while (u != NULL && !(u->block == b->serial && u->warp == e->warp->index))
        u = u->next;
    if (u == NULL) {
        u = heap_alloc(c->h, sizeof *u);
        u->block = b->serial;
        u->warp = e->warp->index;
        u->next = m->uses;
        m->uses = u;
    }
    uint16_t site = site_of(c, e);
    u->lanes |= mask;
    u->joined &= ~mask;
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1) {
            u->epoch[l] = lane_epoch(&b->warps[u->warp], l);
            u->phase[l] = phase;
            u->site[l] = site;
        }
}

void mbarrier_met(struct cblock *b, const struct event *e)
{
    const struct cwarp *w = &b->warps[e->warp->index];
    for (struct cmbar *m = b->mbarriers; m != NULL; m = m->next)
        for (struct mbar_use *u = m->uses; u != NULL; u = u->next) {
            uint32_t fresh = u->lanes & e->mask & ~u->joined;
            if (fresh == 0 || u->block != b->serial || u->warp != e->warp->index)
                continue;
            u->joined |= fresh;
            u->met = e->mask;
            for (uint32_t l = 0; l < LANES; l++)
                u->met_epoch[l] = lane_epoch(w, l);
        }
}

/*
 * A lane that had used it met, in a shuffle or the like, one that is known: executed before, though no memory is
 * ordered by that. The end of a cuda::pipeline relies on it.
 */
static bool known_by_meeting(const struct event *e, const struct cblock *b, const struct know *k, const struct mbar_use *u, uint32_t lane)
{
    if (u->block == b->serial && u->warp == e->warp->index && (u->met >> lane & 1))
        return true;
    for (uint32_t l = 0; l < LANES; l++)
        if ((u->met >> l & 1) && clock_lanes(k->before, u->block, u->warp, 1u << l, u->met_epoch[l]) != 0)
            return true;
    return false;
}

/* Phases that the lane has seen end, by whatever wait: they prove that the arrivals were made. */
static uint32_t phases_seen(const struct know *k, const struct cmbar *m)
{
    uint32_t known = clock_seen(k->before, 2 * m->uid);
    for (int l = 0; l < STASHES; l++) {
        uint32_t more = k->stash[l] != NULL ? clock_seen(k->stash[l]->before, 2 * m->uid) : 0;
        known = more > known ? more : known;
    }
    return known;
}

/* A use that does not come before the end of m, as the lane knows it. false: there is none. */
static bool use_after(struct checker *c, const struct event *e, struct cblock *b, const struct cmbar *m, uint32_t lane, struct access_by *by)
{
    const struct know *k = lane_knows(&b->warps[e->warp->index], lane);
    uint32_t seen = phases_seen(k, m);
    for (const struct mbar_use *u = m->uses; u != NULL; u = u->next)
        for (uint32_t l = 0; l < LANES; l++) {
            if (!(u->lanes >> l & 1) || (u->phase[l] != 0 && u->phase[l] <= seen))
                continue;
            if ((u->joined >> l & 1) && known_by_meeting(e, b, k, u, lane))
                continue;
            *by = (struct access_by){.block = u->block, .epoch = u->epoch[l], .mask = 1u << l, .site = u->site[l], .warp = (uint8_t)u->warp};
            if (unknown_lanes(c, b, e->warp->index, 1u << lane, k, by, b->serial) != 0)
                return true;
        }
    return false;
}

static void check_inval(struct checker *c, const struct event *e, struct cblock *b, const struct cmbar *m, uint32_t lane)
{
    struct access_by by;
    const struct flight *f = b->flights;
    while (f != NULL && !(f->write && f->mbarrier == m->offset))
        f = f->next;
    if (f != NULL)
        report_at(c, e, 1u << lane, RULE_MB3, &f->by, "started an operation that will complete on it", "ends the life of the mbarrier");
    else if (use_after(c, e, b, m, lane, &by))
        report_at(c, e, 1u << lane, RULE_MB3, &by, "used it", "ends the life of the mbarrier; nothing orders the two");
}

static void inval(struct checker *c, const struct event *e, struct cblock *b, uint32_t offset, uint32_t lane)
{
    struct cmbar **at = &b->mbarriers;
    while (*at != NULL && (*at)->offset != offset)
        at = &(*at)->next;
    if (*at == NULL)
        return;
    struct cmbar *m = *at;
    check_inval(c, e, b, m, lane);
    mark_shared(c, b, offset, 8, by_event(c, e, b, lane));
    *at = m->next;
    mbarrier_free(c, m);
}

/* Is the initialisation known to the lane that uses it? */
void check_init(struct checker *c, const struct event *e, struct cblock *b, struct cblock *owner, const struct cmbar *m, uint32_t lane)
{
    struct cwarp *w = &b->warps[e->warp->index];
    const struct know *k = lane_knows(w, lane);
    bool fenced = clock_lanes(know_part(k, PART_INIT, WHERE_ALL), m->init.block, m->init.warp, m->init.mask, m->init.epoch) != 0;
    if (fenced)
        return;
    if (unknown_lanes(c, b, e->warp->index, 1u << lane, k, &m->init, owner->serial) == 0) {
        if (owner == b)
            return;
        report_at(c, e, 1u << lane, RULE_FE3, &m->init, "initialised it", "uses an mbarrier of another block");
        return;
    }
    if (owner == b) {
        report_at(c, e, 1u << lane, RULE_MB3, &m->init, "initialised it", "uses the mbarrier; nothing orders the two");
        return;
    }
    report_at(c, e, 1u << lane, RULE_FE3E, &m->init, "initialised it", "uses an mbarrier of another block");
}

bool init_known(const struct know *k, const struct cmbar *m, bool *fenced)
{
    *fenced = clock_lanes(know_part(k, PART_INIT, WHERE_ALL), m->init.block, m->init.warp, m->init.mask, m->init.epoch) != 0;
    return *fenced || clock_lanes(k->before, m->init.block, m->init.warp, m->init.mask, m->init.epoch) != 0;
}

void plain_access_to_mbarrier(struct checker *c, const struct look *x, uint32_t offset, uint32_t bytes)
{
    for (const struct cmbar *m = x->owner->mbarriers; m != NULL; m = m->next)
        if (offset < m->offset + 8 && m->offset < offset + bytes)
            report_at(c, x->e, x->lanes, RULE_MB3, &m->init, "initialised it",
                      x->write ? "writes to an mbarrier as to plain memory" : "reads an mbarrier as plain memory");
}

/* ---- arrivals ----------------------------------------------------------------------- */

static bool arrives(uint8_t sub)
{
    return sub == MBARRIER_ARRIVE || sub == MBARRIER_ARRIVE_EXPECT_TX || sub == MBARRIER_ARRIVE_NOCOMPLETE ||
           sub == MBARRIER_DROP || sub == MBARRIER_DROP_EXPECT_TX || sub == MBARRIER_DROP_NOCOMPLETE;
}

static void message_in(struct checker *c, const struct event *e, struct cblock *b, struct cblock *owner, struct cmbar *m, uint32_t mask)
{
    struct event some = *e;
    enum level level = e->scope >= SCOPE_CLUSTER ? LEVEL_CLUSTER : LEVEL_BLOCK;
    some.mask = mask;
    struct know *k = message_of(c, &some, e->sem == SEM_RELEASE, owner == b ? LEVEL_BLOCK : level);
    if (owner == b) {
        add(c, &m->open_own, k);
    } else {
        struct know *mine = know_join(c->h, NULL, k, false);      /* without parts ASYNC: they hold in their own block */
        add(c, level == LEVEL_CLUSTER || c->level == STRICT_HW ? &m->open_peers : &m->open_narrow, mine);
        know_drop(c->h, mine);
    }
    know_drop(c->h, k);
}

static void arrive(struct checker *c, const struct event *e, struct cblock *b, struct cblock *owner, struct cmbar *m, uint32_t mask)
{
    uint32_t first = 0;
    while (!(mask >> first & 1))
        first++;
    check_init(c, e, b, owner, m, first);
    if (owner != b)
        remember_peer_arrival(c, e, b, owner, m, first);
    use(c, e, b, m, mask, m->phase + 1);
    if (!arrives(e->sub) && e->sub != MBARRIER_COMPLETE_TX)
        return;
    if (arrives(e->sub) && m->phase > 0 && !m->observed)
        report_at(c, e, mask, RULE_MB6, m->last_arrive.block != 0 ? &m->last_arrive : NULL, "made an arrival of the last phase", "arrives");
    message_in(c, e, b, owner, m, mask);
    m->last_arrive = by_event(c, e, b, first);
    m->last_phase = m->phase;
}

/* ---- waits ---------------------------------------------------------------------------- */

/* The phase that the wait means, by what the lane knows, against the one it was answered for. */
static void check_parity(struct checker *c, const struct event *e, const struct know *k, struct cmbar *m, uint32_t mask)
{
    uint32_t known = clock_seen(k->before, 2 * m->uid), parity = (uint32_t)e->a & 1;
    const struct know *q = k->stash[LEVEL_BLOCK];
    uint32_t stashed = q != NULL ? clock_seen(q->before, 2 * m->uid) : 0;
    bool by_parity = e->sub == MBARRIER_TEST_WAIT_PARITY || e->sub == MBARRIER_TRY_WAIT_PARITY;
    known = stashed > known ? stashed : known;
    if (!by_parity || (known & 1) != parity || known == UINT32_MAX)
        return;                          /* a phase already seen, or a later one; or nobody knows */
    if (m->phase >= known + 2) {
        char text[160];
        snprintf(text, sizeof text, "waits for parity %u; it knows of %u completed phases and %u are", parity, known, m->phase);
        report_at(c, e, mask, RULE_MB5, NULL, NULL, text);
    }
}

static void wait_true(struct checker *c, const struct event *e, struct cblock *b, struct cmbar *m, const struct lanes *g)
{
    bool acquire = e->sem == SEM_ACQUIRE, wide = e->scope >= SCOPE_CLUSTER || c->level == STRICT_HW;
    struct cwarp *w = &b->warps[e->warp->index];
    struct know *message = wide ? m->done_all : m->done_own, *dropped = wide ? m->done_narrow : m->done_peers;
    struct know *now;
    if (acquire) {
        now = took(c, b, g->k, message, true);
    } else {
        struct know *waited = know_stashed(c->h, g->k, STASH_WAITED, message, true);
        now = know_stashed(c->h, waited, LEVEL_BLOCK, m->done_own, true);
        know_drop(c->h, waited);
        if (wide && m->done_peers != NULL) {
            struct know *more = know_stashed(c->h, now, LEVEL_CLUSTER, m->done_peers, false);
            know_drop(c->h, now);
            now = more;
        }
    }
    for (int k = 0; k < 2; k++) {
        struct know *lost = k == 0 ? dropped : m->done_narrow;
        if (lost == NULL || lost->before == NULL)
            continue;
        struct know *more = know_with(c->h, now, PART_DROPPED, WHERE_ALL, lost->before);
        know_drop(c->h, now);
        now = more;
    }
    lanes_set(c, b, w, g->mask, now, g->n);
}

/* The lanes of one mbarrier. */
static void wait(struct checker *c, const struct event *e, struct cblock *b, struct cmbar *m, uint32_t mask)
{
    struct cwarp *w = &b->warps[e->warp->index];
    struct lanes g[LANES];
    uint32_t yes = mask & (uint32_t)e->b, first = 0;
    while (!(mask >> first & 1))
        first++;
    check_init(c, e, b, b, m, first);
    use(c, e, b, m, mask, 0);
    uint32_t count = lanes_of(w, mask, g);
    for (uint32_t i = 0; i < count; i++)
        check_parity(c, e, g[i].k, m, g[i].mask);
    if (yes != mask) {
        m->waited = true;
        m->waited_phase = m->phase;
    }
    if (yes == 0)
        return;
    if (m->phase > 0)
        m->observed = true;
    count = lanes_of(w, yes, g);
    for (uint32_t i = 0; i < count; i++)
        wait_true(c, e, b, m, &g[i]);
}

/* ---- the event --------------------------------------------------------------------------- */

static void of_machine(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct cmbar *m = mbarrier_at(b, (uint32_t)(e->addr[0] - WINDOW_SHARED));
    if (m != NULL && e->flags == MBAR_COMPLETED)
        complete(c, m);
}

static void one_mbarrier(struct checker *c, const struct event *e, struct cblock *b, uint32_t mask, uint32_t lane)
{
    uint32_t offset = 0;
    struct event shared = *e;
    shared.space = MEM_CLUSTER;
    struct cblock *owner = cblock_of(shared_place(&shared, e->addr[lane], &offset));
    if (owner == NULL)
        return;
    if (e->sub == MBARRIER_INIT) {
        init(c, e, owner, offset, lane);
        return;
    }
    struct cmbar *m = mbarrier_at(owner, offset);
    if (m == NULL)
        return;                          /* the machine stops the run */
    if (e->sub == MBARRIER_INVAL)
        inval(c, e, owner, offset, lane);
    else if (e->sub >= MBARRIER_TEST_WAIT)
        wait(c, e, b, m, mask);
    else
        arrive(c, e, b, owner, m, mask);
}

void check_mbarrier(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    uint32_t left = e->mask, last = 0;
    if (e->warp == NULL) {
        of_machine(c, e);
        return;
    }
    used(b, &b->warps[e->warp->index]);
    while (left != 0) {
        uint32_t first = 0, same = 0;
        while (!(left >> first & 1))
            first++;
        for (uint32_t l = first; l < LANES; l++)
            if ((left >> l & 1) && e->addr[l] == e->addr[first])
                same |= 1u << l;
        for (uint32_t l = first; l < LANES; l++)
            if (same >> l & 1)
                last = l;
        one_mbarrier(c, e, b, same, first);
        left &= ~same;
    }
    if (e->flags != MBAR_COMPLETED || e->sub >= MBARRIER_TEST_WAIT)
        return;
    uint32_t offset = 0;
    struct event shared = *e;
    shared.space = MEM_CLUSTER;
    uint32_t top = 31;
    while (!(e->mask >> top & 1))
        top--;
    struct cblock *owner = cblock_of(shared_place(&shared, e->addr[top], &offset));
    struct cmbar *m = owner != NULL ? mbarrier_at(owner, offset) : NULL;
    if (m != NULL)
        complete(c, m);
    (void)last;
}

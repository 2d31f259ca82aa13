/* Clocks; see clock.h. */
#include "checker/clock.h"

#include <string.h>

enum { MOST_PASTS = 1024, MOST_SOMES = 512, MOST_SEENS = 512 };

/* A clock being put together; one at a time. */
struct draft {
    uint32_t self, forgotten, missed;
    uint32_t pasts, somes, seens;
    struct past past[2 * MOST_PASTS];
    struct some some[2 * MOST_SOMES];
    struct seen seen[2 * MOST_SEENS];
};
static _Thread_local struct draft draft;

static const struct past *past_of(const struct clock *c) { return (const struct past *)(const void *)c->data; }
static const struct some *some_of(const struct clock *c)
{
    return (const struct some *)(const void *)(c->data + 2 * c->pasts);
}
static const struct seen *seen_of(const struct clock *c)
{
    return (const struct seen *)(const void *)(c->data + 2 * c->pasts + 4 * c->somes);
}

static size_t bytes_of(uint32_t pasts, uint32_t somes, uint32_t seens)
{
    return sizeof(struct clock) + 4 * (2 * pasts + 4 * somes + 2 * seens);
}

struct clock *clock_keep(struct clock *c)
{
    if (c != NULL)
        c->references++;
    return c;
}

void clock_drop(struct heap *h, struct clock *c)
{
    if (c != NULL && --c->references == 0)
        heap_free(h, c, bytes_of(c->pasts, c->somes, c->seens));
}

/* ---- drafts ------------------------------------------------------------------- */

static uint32_t past_index(const struct past *p, uint32_t n, uint32_t block)
{
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = (low + n) / 2;
        if (p[middle].block < block)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void add_past(struct past p)
{
    uint32_t k = past_index(draft.past, draft.pasts, p.block);
    if (k < draft.pasts && draft.past[k].block == p.block) {
        if (p.epoch > draft.past[k].epoch)
            draft.past[k].epoch = p.epoch;
        return;
    }
    if (p.block <= draft.forgotten)
        return;
    memmove(&draft.past[k + 1], &draft.past[k], (draft.pasts - k) * sizeof p);
    draft.past[k] = p;
    draft.pasts++;
}

/* First of the sorted entries that is not before (block, warp). */
static uint32_t some_index(const struct some *s, uint32_t n, uint32_t block, uint32_t warp)
{
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = (low + n) / 2;
        if (s[middle].block < block || (s[middle].block == block && s[middle].warp < warp))
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void add_some(struct some s)
{
    if (s.block <= draft.forgotten)
        return;
    uint32_t first = some_index(draft.some, draft.somes, s.block, s.warp), kept = first, k = first;
    for (; k < draft.somes && draft.some[k].block == s.block && draft.some[k].warp == s.warp; k++) {
        struct some *o = &draft.some[k];
        if (o->epoch >= s.epoch)
            s.mask &= ~o->mask;              /* known already */
        if (o->epoch <= s.epoch)
            o->mask &= ~s.mask;              /* known better now */
        if (o->epoch == s.epoch) {
            s.mask |= o->mask;
            o->mask = 0;
        }
        if (o->mask != 0)
            draft.some[kept++] = *o;
    }
    uint32_t more = s.mask != 0;
    if (kept + more != k)
        memmove(&draft.some[kept + more], &draft.some[k], (draft.somes - k) * sizeof s);
    draft.somes = draft.somes - k + kept + more;
    if (more)
        draft.some[kept] = s;
}

static void add_seen(struct seen s)
{
    uint32_t k = draft.seens;
    while (k > 0 && draft.seen[k - 1].lane > s.lane)
        k--;
    if (k > 0 && draft.seen[k - 1].lane == s.lane) {
        if (s.count > draft.seen[k - 1].count)
            draft.seen[k - 1].count = s.count;
        return;
    }
    memmove(&draft.seen[k + 1], &draft.seen[k], (draft.seens - k) * sizeof s);
    draft.seen[k] = s;
    draft.seens++;
}

static void begin(const struct clock *c)
{
    if (c == NULL) {
        draft.self = draft.forgotten = draft.missed = draft.pasts = draft.somes = draft.seens = 0;
        return;
    }
    draft.self = c->self;
    draft.forgotten = c->forgotten;
    draft.missed = c->missed;
    draft.pasts = c->pasts;
    draft.somes = c->somes;
    draft.seens = c->seens;
    memcpy(draft.past, past_of(c), c->pasts * sizeof draft.past[0]);
    memcpy(draft.some, some_of(c), c->somes * sizeof draft.some[0]);
    memcpy(draft.seen, seen_of(c), c->seens * sizeof draft.seen[0]);
}

static void add_clock(const struct clock *c)
{
    if (c->self > draft.self)
        draft.self = c->self;
    if (c->forgotten > draft.forgotten)
        draft.forgotten = c->forgotten;
    if (c->missed > draft.missed)
        draft.missed = c->missed;
    for (uint32_t k = 0; k < c->pasts; k++)
        add_past(past_of(c)[k]);
    for (uint32_t k = 0; k < c->somes; k++)
        add_some(some_of(c)[k]);
    for (uint32_t k = 0; k < c->seens; k++)
        add_seen(seen_of(c)[k]);
}

/* Keeps the draft within its bounds: the oldest go. */
static void bound(void)
{
    if (draft.pasts > MOST_PASTS) {
        uint32_t gone = draft.pasts - MOST_PASTS / 2;
        draft.forgotten = draft.past[gone - 1].block;
        memmove(draft.past, draft.past + gone, (draft.pasts - gone) * sizeof draft.past[0]);
        draft.pasts -= gone;
    }
    if (draft.somes > MOST_SOMES) {
        uint32_t gone = draft.somes - MOST_SOMES / 2;
        if (draft.some[gone - 1].block > draft.forgotten)
            draft.forgotten = draft.some[gone - 1].block;
        memmove(draft.some, draft.some + gone, (draft.somes - gone) * sizeof draft.some[0]);
        draft.somes -= gone;
    }
    if (draft.seens > MOST_SEENS) {
        uint32_t gone = draft.seens - MOST_SEENS / 2;
        if (draft.seen[gone].lane > draft.missed)
            draft.missed = draft.seen[gone].lane;
        memmove(draft.seen, draft.seen + gone, (draft.seens - gone) * sizeof draft.seen[0]);
        draft.seens -= gone;
    }
}

static struct clock *finish(struct heap *h)
{
    uint32_t kept = 0, at = 0;
    for (uint32_t k = 0; k < draft.somes; k++) {      /* both are sorted by block */
        while (at < draft.pasts && draft.past[at].block < draft.some[k].block)
            at++;
        bool has = at < draft.pasts && draft.past[at].block == draft.some[k].block;
        if (!has || draft.some[k].epoch > draft.past[at].epoch)
            draft.some[kept++] = draft.some[k];
    }
    draft.somes = kept;
    bound();
    if (draft.pasts + draft.somes + draft.seens + draft.self + draft.forgotten + draft.missed == 0)
        return NULL;
    struct clock *c = heap_alloc(h, bytes_of(draft.pasts, draft.somes, draft.seens));
    c->references = 1;
    c->self = draft.self;
    c->forgotten = draft.forgotten;
    c->missed = draft.missed;
    c->pasts = (uint16_t)draft.pasts;
    c->somes = (uint16_t)draft.somes;
    c->seens = (uint16_t)draft.seens;
    memcpy(c->data, draft.past, draft.pasts * sizeof draft.past[0]);
    memcpy(c->data + 2 * c->pasts, draft.some, draft.somes * sizeof draft.some[0]);
    memcpy(c->data + 2 * c->pasts + 4 * c->somes, draft.seen, draft.seens * sizeof draft.seen[0]);
    return c;
}

/* ---- questions ------------------------------------------------------------------ */

uint32_t clock_past(const struct clock *c, uint32_t block)
{
    if (c == NULL)
        return 0;
    if (block <= c->forgotten)
        return UINT32_MAX;
    const struct past *p = past_of(c);
    uint32_t k = past_index(p, c->pasts, block);
    return k < c->pasts && p[k].block == block ? p[k].epoch : 0;
}

uint32_t clock_lanes(const struct clock *c, uint32_t block, uint32_t warp, uint32_t mask, uint32_t epoch)
{
    uint32_t known = 0;
    if (c == NULL)
        return 0;
    if (clock_past(c, block) >= epoch)
        return mask;
    const struct some *s = some_of(c);
    for (uint32_t k = some_index(s, c->somes, block, warp); k < c->somes && s[k].block == block && s[k].warp == warp; k++)
        if (s[k].epoch >= epoch)
            known |= s[k].mask;
    return known & mask;
}

uint32_t clock_all_lanes(const struct clock *c, uint32_t block, uint32_t warp, uint32_t mask)
{
    uint32_t least = UINT32_MAX, covered = 0, past = clock_past(c, block);
    for (uint32_t k = c != NULL ? some_index(some_of(c), c->somes, block, warp) : 0; c != NULL && k < c->somes; k++) {
        const struct some *s = &some_of(c)[k];
        if (s->block != block || s->warp != warp)
            break;
        if ((s->mask & mask) == 0)
            continue;
        covered |= s->mask;
        least = s->epoch < least ? s->epoch : least;
    }
    return (mask & ~covered) == 0 && least > past ? least : past;
}

uint32_t clock_seen(const struct clock *c, uint32_t lane)
{
    if (c != NULL && lane < c->missed)
        return UINT32_MAX;
    for (uint32_t k = 0; c != NULL && k < c->seens; k++)
        if (seen_of(c)[k].lane == lane)
            return seen_of(c)[k].count;
    return 0;
}

bool clock_has_block(const struct clock *c, uint32_t block)
{
    if (c == NULL)
        return false;
    if (block <= c->forgotten)
        return true;
    uint32_t at = past_index(past_of(c), c->pasts, block);
    if (at < c->pasts && past_of(c)[at].block == block)
        return true;
    uint32_t some = some_index(some_of(c), c->somes, block, 0);
    return some < c->somes && some_of(c)[some].block == block;
}

bool clock_empty(const struct clock *c) { return c == NULL; }

bool clock_equal(const struct clock *a, const struct clock *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->self != b->self || a->forgotten != b->forgotten || a->missed != b->missed || a->pasts != b->pasts ||
        a->somes != b->somes || a->seens != b->seens)
        return false;
    return memcmp(a->data, b->data, 4 * (2u * a->pasts + 4u * a->somes + 2u * a->seens)) == 0;
}

/* The parts of both are sorted: one walk through each. */
static bool covers_pasts(const struct clock *a, const struct clock *b)
{
    const struct past *p = past_of(a);
    uint32_t at = 0;
    for (uint32_t k = 0; k < b->pasts; k++) {
        struct past want = past_of(b)[k];
        if (want.block <= a->forgotten)
            continue;
        while (at < a->pasts && p[at].block < want.block)
            at++;
        bool has = at < a->pasts && p[at].block == want.block;
        if (has ? p[at].epoch < want.epoch : want.epoch > 0 || !clock_has_block(a, want.block))
            return false;
    }
    return true;
}

static bool covers_somes(const struct clock *a, const struct clock *b)
{
    const struct past *p = past_of(a);
    const struct some *s = some_of(a);
    uint32_t past = 0, some = 0;
    for (uint32_t k = 0; k < b->somes; k++) {
        struct some want = some_of(b)[k];
        if (want.block <= a->forgotten)
            continue;
        while (past < a->pasts && p[past].block < want.block)
            past++;
        if ((past < a->pasts && p[past].block == want.block ? p[past].epoch : 0) >= want.epoch)
            continue;
        while (some < a->somes && (s[some].block < want.block || (s[some].block == want.block && s[some].warp < want.warp)))
            some++;
        for (uint32_t j = some; j < a->somes && s[j].block == want.block && s[j].warp == want.warp; j++)
            if (s[j].epoch >= want.epoch)
                want.mask &= ~s[j].mask;
        if (want.mask != 0)
            return false;
    }
    return true;
}

static bool covers_seens(const struct clock *a, const struct clock *b)
{
    const struct seen *s = seen_of(a);
    uint32_t at = 0;
    for (uint32_t k = 0; k < b->seens; k++) {
        struct seen want = seen_of(b)[k];
        if (want.lane < a->missed)
            continue;
        while (at < a->seens && s[at].lane < want.lane)
            at++;
        if ((at < a->seens && s[at].lane == want.lane ? s[at].count : 0) < want.count)
            return false;
    }
    return true;
}

bool clock_covers(const struct clock *a, const struct clock *b)
{
    if (b == NULL || a == b)
        return true;
    return a != NULL && b->self <= a->self && b->forgotten <= a->forgotten && b->missed <= a->missed && covers_pasts(a, b) &&
           covers_somes(a, b) && covers_seens(a, b);
}

/* ---- new clocks ------------------------------------------------------------------ */

struct clock *clock_join(struct heap *h, struct clock *a, struct clock *b)
{
    if (clock_covers(a, b))
        return clock_keep(a);
    if (clock_covers(b, a))
        return clock_keep(b);
    begin(a);
    add_clock(b);
    return finish(h);
}

struct clock *clock_with_past(struct heap *h, struct clock *c, uint32_t block, uint32_t epoch)
{
    begin(c);
    add_past((struct past){block, epoch});
    return finish(h);
}

struct clock *clock_with_some(struct heap *h, struct clock *c, struct some s)
{
    if (clock_lanes(c, s.block, s.warp, s.mask, s.epoch) == s.mask)
        return clock_keep(c);
    begin(c);
    add_some(s);
    return finish(h);
}

struct clock *clock_with_seen(struct heap *h, struct clock *c, uint32_t lane, uint32_t count)
{
    if (clock_seen(c, lane) >= count)
        return clock_keep(c);
    begin(c);
    add_seen((struct seen){lane, count});
    return finish(h);
}

struct clock *clock_without_seens(struct heap *h, struct clock *c)
{
    if (c == NULL || c->seens + c->missed == 0)
        return clock_keep(c);
    begin(c);
    draft.seens = draft.missed = 0;
    return finish(h);
}

struct clock *clock_with_self(struct heap *h, struct clock *c, uint32_t epoch)
{
    if (c != NULL && c->self >= epoch)
        return clock_keep(c);
    begin(c);
    draft.self = epoch;
    return finish(h);
}

struct clock *clock_sent(struct heap *h, struct clock *c, uint32_t block, uint32_t warp, uint32_t mask)
{
    if (c == NULL || c->self == 0)
        return clock_keep(c);
    begin(c);
    draft.self = 0;
    add_some((struct some){.block = block, .epoch = c->self, .mask = mask, .warp = warp});
    return finish(h);
}

struct clock *clock_of_block(struct heap *h, struct clock *c, uint32_t block)
{
    if (c == NULL || c->self == 0)
        return clock_keep(c);
    begin(c);
    draft.self = 0;
    add_past((struct past){block, c->self});
    return finish(h);
}

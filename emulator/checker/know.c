/* What threads know; see know.h. */
#include "checker/know.h"

#include <string.h>

enum { MOST_ITEMS = 192 };

static size_t bytes_of(uint32_t items) { return sizeof(struct know) + items * sizeof(struct item); }

struct know *know_keep(struct know *k)
{
    if (k != NULL)
        k->references++;
    return k;
}

void know_drop(struct heap *h, struct know *k)
{
    if (k == NULL || --k->references != 0)
        return;
    clock_drop(h, k->before);
    for (int l = 0; l < LEVELS; l++)
        know_drop(h, k->pending[l]);
    for (int l = 0; l < STASHES; l++)
        know_drop(h, k->stash[l]);
    for (uint32_t i = 0; i < k->items; i++)
        clock_drop(h, k->item[i].clock);
    heap_free(h, k, bytes_of(k->items));
}

struct clock *know_part(const struct know *k, enum part part, uint32_t where)
{
    for (uint32_t i = 0; k != NULL && i < k->items; i++)
        if (k->item[i].part == part && k->item[i].where == where)
            return k->item[i].clock;
    return NULL;
}

/* A copy with room for `more` items; its references are its own. */
static struct know *copy(struct heap *h, const struct know *k, uint32_t more)
{
    uint32_t items = k != NULL ? k->items : 0;
    if (items + more > MOST_ITEMS)
        more = 0;
    struct know *n = heap_alloc(h, bytes_of(items + more));
    if (k != NULL) {
        memcpy(n, k, bytes_of(items));
        clock_keep(n->before);
        for (int l = 0; l < LEVELS; l++)
            know_keep(n->pending[l]);
        for (int l = 0; l < STASHES; l++)
            know_keep(n->stash[l]);
        for (uint32_t i = 0; i < items; i++)
            clock_keep(n->item[i].clock);
    }
    n->references = 1;
    n->items = items + more;
    return n;
}

struct know *know_with_before(struct heap *h, const struct know *k, struct clock *clock)
{
    struct know *n = copy(h, k, 0);
    clock_drop(h, n->before);
    n->before = clock_keep(clock);
    return n;
}

struct know *know_with(struct heap *h, const struct know *k, enum part part, uint32_t where, struct clock *clock)
{
    uint32_t at = 0, items = k != NULL ? k->items : 0;
    while (at < items && !(k->item[at].part == part && k->item[at].where == where))
        at++;
    struct know *n = copy(h, k, at == items && clock != NULL ? 1 : 0);
    if (at == n->items)
        return n;                        /* nothing to add, or no room */
    if (at == items) {
        n->item[at] = (struct item){part, where, clock_keep(clock)};
        return n;
    }
    struct clock *joined = clock_join(h, n->item[at].clock, clock);
    clock_drop(h, n->item[at].clock);
    n->item[at].clock = joined;
    return n;
}

struct know *know_with_pending(struct heap *h, const struct know *k, enum level level, struct know *message)
{
    struct know *n = copy(h, k, 0), *joined = know_join(h, n->pending[level], message, true);
    know_drop(h, n->pending[level]);
    n->pending[level] = joined;
    return n;
}

struct know *know_with_stash(struct heap *h, const struct know *k, int which, struct know *stash)
{
    struct know *n = copy(h, k, 0);
    know_drop(h, n->stash[which]);
    n->stash[which] = know_keep(stash);
    return n;
}

struct know *know_stashed(struct heap *h, const struct know *k, int which, struct know *message, bool own)
{
    struct know *stash = know_join(h, k->stash[which], message, own);
    struct know *n = know_with_stash(h, k, which, stash);
    know_drop(h, stash);
    return n;
}

/* Parts that concern only the thread itself. */
static bool private_part(uint32_t part) { return part == PART_TRIED || part == PART_NARROW; }

static bool joins(const struct item *i, bool own) { return !private_part(i->part) && (own || i->part != PART_ASYNC); }

struct know *know_join(struct heap *h, const struct know *a, const struct know *b, bool own)
{
    uint32_t more = 0;
    if (b == NULL || (a == b))
        return know_keep((struct know *)a);
    for (uint32_t i = 0; i < b->items; i++)
        more += joins(&b->item[i], own) && know_part(a, (enum part)b->item[i].part, b->item[i].where) == NULL;
    struct know *n = copy(h, a, more);
    uint32_t items = a != NULL ? a->items : 0;
    struct clock *before = clock_join(h, n->before, b->before);
    clock_drop(h, n->before);
    n->before = before;
    for (uint32_t i = 0; i < b->items; i++) {
        const struct item *from = &b->item[i];
        uint32_t at = 0;
        if (!joins(from, own))
            continue;
        while (at < items && !(n->item[at].part == from->part && n->item[at].where == from->where))
            at++;
        if (at == items && items < n->items) {
            n->item[items++] = (struct item){from->part, from->where, clock_keep(from->clock)};
        } else if (at < items) {
            struct clock *joined = clock_join(h, n->item[at].clock, from->clock);
            clock_drop(h, n->item[at].clock);
            n->item[at].clock = joined;
        }
    }
    return n;
}

/* Parts of a copy that fit `keep`; the rest is dropped. */
static void keep_parts(struct heap *h, struct know *n, bool (*keep)(uint32_t part))
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->items; i++) {
        if (keep(n->item[i].part))
            n->item[kept++] = n->item[i];
        else
            clock_drop(h, n->item[i].clock);
    }
    for (uint32_t i = kept; i < n->items; i++)
        n->item[i] = (struct item){.clock = NULL, .part = PART_NARROW, .where = 1};
}

static bool is_sent(uint32_t part) { return !private_part(part); }
static bool is_fenced(uint32_t part) { return part == PART_FENCED || part == PART_RAN || part == PART_SC; }

static void forget_pending(struct heap *h, struct know *n)
{
    for (int l = 0; l < LEVELS; l++) {
        know_drop(h, n->pending[l]);
        n->pending[l] = NULL;
    }
    for (int l = 0; l < STASHES; l++) {
        know_drop(h, n->stash[l]);
        n->stash[l] = NULL;
    }
}

struct know *know_message(struct heap *h, const struct know *k, uint32_t n)
{
    struct know *m = copy(h, k, 0);
    forget_pending(h, m);
    keep_parts(h, m, is_sent);
    struct clock *before = clock_with_self(h, m->before, n);
    clock_drop(h, m->before);
    m->before = before;
    return m;
}

struct know *know_relaxed(struct heap *h, const struct know *k, enum level level)
{
    bool any = false;
    if (k == NULL)
        return NULL;
    for (int l = level; l < LEVELS; l++)
        any |= k->pending[l] != NULL;
    for (uint32_t i = 0; i < k->items; i++)
        any |= is_fenced(k->item[i].part);
    if (!any)
        return NULL;
    struct know *m = copy(h, k, 0);
    forget_pending(h, m);
    clock_drop(h, m->before);
    m->before = NULL;
    keep_parts(h, m, is_fenced);
    for (uint32_t i = 0; i < m->items; i++)
        if (m->item[i].part == PART_SC)
            m->item[i].part = PART_SC_HEARD;
    for (int l = level; l < LEVELS; l++) {
        struct know *joined = know_join(h, m, k->pending[l], true);
        know_drop(h, m);
        m = joined;
    }
    return m;
}

/* A copy in which every clock has gone through `f`. */
typedef struct clock *resolve(struct heap *h, struct clock *c, uint32_t block, uint32_t warp, uint32_t mask);

static struct know *resolved(struct heap *h, const struct know *k, resolve *f, uint32_t block, uint32_t warp, uint32_t mask)
{
    if (k == NULL)
        return NULL;
    struct know *n = copy(h, k, 0);
    struct clock *c = f(h, n->before, block, warp, mask);
    clock_drop(h, n->before);
    n->before = c;
    for (uint32_t i = 0; i < n->items; i++) {
        c = f(h, n->item[i].clock, block, warp, mask);
        clock_drop(h, n->item[i].clock);
        n->item[i].clock = c;
    }
    return n;
}

static struct clock *to_block(struct heap *h, struct clock *c, uint32_t block, uint32_t warp, uint32_t mask)
{
    (void)warp, (void)mask;
    return clock_of_block(h, c, block);
}

struct know *know_sent(struct heap *h, const struct know *k, uint32_t block, uint32_t warp, uint32_t mask)
{
    return resolved(h, k, clock_sent, block, warp, mask);
}

struct know *know_of_block(struct heap *h, const struct know *k, uint32_t block)
{
    return resolved(h, k, to_block, block, 0, 0);
}

struct know *know_only(struct heap *h, const struct know *k, enum part part)
{
    struct know *n = copy(h, NULL, 0);
    for (uint32_t i = 0; k != NULL && i < k->items; i++) {
        if (k->item[i].part != part || k->item[i].clock == NULL)
            continue;
        struct know *more = know_with(h, n, part, k->item[i].where, k->item[i].clock);
        know_drop(h, n);
        n = more;
    }
    return n;
}

static bool is_for_all(uint32_t where) { return where == WHERE_ALL || where == WHERE_GLOBAL; }

struct know *know_of_all(struct heap *h, const struct know *k)
{
    struct know *n = copy(h, NULL, 0);
    n->before = clock_without_seens(h, k->before);
    for (uint32_t i = 0; i < k->items; i++) {
        if (!is_for_all(k->item[i].where) || k->item[i].clock == NULL)
            continue;
        struct clock *clock = clock_without_seens(h, k->item[i].clock);
        struct know *more = know_with(h, n, (enum part)k->item[i].part, k->item[i].where, clock);
        clock_drop(h, clock);
        know_drop(h, n);
        n = more;
    }
    return n;
}

/* Nothing in `message` is new to k. */
static bool knows(struct heap *h, const struct know *k, const struct know *message)
{
    struct know *joined = know_join(h, k, message, false);
    bool nothing = know_equal(joined, k);
    know_drop(h, joined);
    return nothing;
}

struct know *know_with_pending_of(struct heap *h, const struct know *k, const struct know *from)
{
    struct know *n = copy(h, k, 0);
    forget_pending(h, n);
    for (int l = 0; l < LEVELS; l++)
        n->pending[l] = know_keep(from->pending[l]);
    for (int l = 0; l < LEVELS; l++)
        if (from->stash[l] != NULL && !knows(h, n, from->stash[l]))
            n->stash[l] = know_keep(from->stash[l]);
    return n;
}

bool know_same_pending(const struct know *a, const struct know *b)
{
    for (int l = 0; l < LEVELS; l++)
        if (!know_equal(a->pending[l], b->pending[l]) || !know_equal(a->stash[l], b->stash[l]))
            return false;
    return true;
}

bool know_equal(const struct know *a, const struct know *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->items != b->items || !clock_equal(a->before, b->before))
        return false;
    for (int l = 0; l < STASHES; l++)
        if (!know_equal(a->stash[l], b->stash[l]))
            return false;
    for (int l = 0; l < LEVELS; l++)
        if (!know_equal(a->pending[l], b->pending[l]))
            return false;
    for (uint32_t i = 0; i < a->items; i++)
        if (!clock_equal(know_part(b, (enum part)a->item[i].part, a->item[i].where), a->item[i].clock))
            return false;
    return true;
}

struct clock *know_for(struct heap *h, const struct know *k, uint32_t where)
{
    return k == NULL ? NULL : clock_join(h, k->before, know_part(k, PART_SHARED, where));
}

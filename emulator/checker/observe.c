/*
 * Events: lives of grids, blocks and lanes; block, warp and cluster barriers;
 * fences. What each does to what threads know is table 4.2 and 4.3 of the
 * algorithm (checker.h says where the rest is).
 */
#include "checker/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ------------------------------------------------------------------ */

struct cblock *cblock_of(const struct block *b) { return b != NULL ? b->checked : NULL; }

uint16_t site_of(struct checker *c, const struct event *e)
{
    enum { HASH = 1 << 17 };
    if (e->function == NULL)
        return 0;
    if (c->site_hash == NULL)
        c->site_hash = heap_alloc(c->h, HASH * sizeof *c->site_hash);
    uint64_t key = ((uint64_t)(uintptr_t)e->function >> 4) * UINT64_C(0x9e3779b97f4a7c15) + e->pc * UINT64_C(0x85ebca6b);
    for (uint32_t at = (uint32_t)(key >> 40) % HASH;; at = (at + 1) % HASH) {
        uint16_t s = c->site_hash[at];
        if (s != 0 && c->sites[s].function == e->function && c->sites[s].pc == e->pc)
            return s;
        if (s != 0)
            continue;
        if (c->site_count >= UINT16_MAX - 1)
            return 0;
        if (c->site_count + 1 >= c->site_capacity) {
            uint32_t capacity = c->site_capacity ? 2 * c->site_capacity : 64;
            c->sites = heap_grow(c->h, c->sites, c->site_capacity * sizeof *c->sites, capacity * sizeof *c->sites);
            c->site_capacity = capacity;
        }
        s = (uint16_t)++c->site_count;
        c->sites[s] = (struct site){e->function, e->grid->code, e->pc, 0};
        c->site_hash[at] = s;
        return s;
    }
}

struct block *shared_place(const struct event *e, uint64_t address, uint32_t *offset)
{
    if (e->space == MEM_GENERIC && (address < WINDOW_SHARED || address >= WINDOW_SHARED + WINDOW_BYTES))
        return NULL;
    if (e->space != MEM_GENERIC && e->space != MEM_SHARED && e->space != MEM_CLUSTER)
        return NULL;
    struct block *owner = cluster_owner(e->block, (uint32_t)address, offset);
    return owner != NULL && owner->checked != NULL && *offset < owner->grid->shared_bytes ? owner : NULL;
}

/* Blocks of the own cluster that have started and not ended, the own one among them. */
static uint32_t cluster_size(const struct cblock *b)
{
    return b->block->cluster != NULL ? b->block->cluster->block_count : 1;
}

static struct cblock *cluster_member(struct cblock *b, uint32_t rank)
{
    if (b->block->cluster == NULL)
        return b;
    struct cblock *o = cblock_of(b->block->cluster->blocks[rank]);
    return o != NULL && o->cluster == b->cluster ? o : NULL;
}

/* ---- lanes --------------------------------------------------------------------- */

uint32_t lanes_of(const struct cwarp *w, uint32_t mask, struct lanes out[LANES])
{
    uint32_t count = 0;
    if (w->same) {
        out[0] = (struct lanes){w->k[0], w->n[0], mask};
        return mask != 0;
    }
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t g = 0;
        if (!(mask >> l & 1))
            continue;
        while (g < count && !(out[g].k == w->k[l] && out[g].n == w->n[l]))
            g++;
        if (g == count)
            out[count++] = (struct lanes){w->k[l], w->n[l], 0};
        out[g].mask |= 1u << l;
    }
    return count;
}

static void spread_out(struct cwarp *w)
{
    if (!w->same)
        return;
    w->same = false;
    for (uint32_t l = 1; l < LANES; l++) {
        w->k[l] = w->exist >> l & 1 ? know_keep(w->k[0]) : NULL;
        w->n[l] = w->n[0];
    }
    if (!(w->exist & 1))
        w->k[0] = NULL;
}

/* Back to one record when the live lanes agree. */
static void gather(struct checker *c, struct cwarp *w)
{
    uint32_t first = LANES;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(w->live >> l & 1))
            continue;
        if (first == LANES)
            first = l;
        if (w->k[l] != w->k[first] || w->n[l] != w->n[first])
            return;
    }
    if (first == LANES || w->live != w->exist)
        return;                          /* exited lanes keep what they knew */
    struct know *k = w->k[first];
    uint32_t n = w->n[first];
    for (uint32_t l = 0; l < LANES; l++) {
        if (l != first)
            know_drop(c->h, w->k[l]);
        w->k[l] = NULL;
    }
    w->k[0] = k;
    w->n[0] = n;
    w->same = true;
}

void lanes_set(struct checker *c, struct cblock *b, struct cwarp *w, uint32_t mask, struct know *k, uint32_t n)
{
    if (n > b->tick)
        b->tick = n;
    if (w->same && mask == w->exist) {
        know_drop(c->h, w->k[0]);
        w->k[0] = k;
        w->n[0] = n;
        return;
    }
    if (w->same && k == w->k[0] && n == w->n[0]) {
        know_drop(c->h, k);
        return;
    }
    spread_out(w);
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        know_drop(c->h, w->k[l]);
        w->k[l] = know_keep(k);
        w->n[l] = n;
    }
    know_drop(c->h, k);
    gather(c, w);
}

/* ---- what was worked out a moment ago ---------------------------------------------- */

static struct memo *memo_find(struct cblock *b, int what, const struct know *in, const struct know *with, uint32_t n)
{
    for (int k = 0; k < MEMOS; k++)
        if (b->memo[k].what == what && b->memo[k].in == in && b->memo[k].with == with && b->memo[k].n == n)
            return &b->memo[k];
    return NULL;
}

static void memo_clear(struct heap *h, struct memo *m)
{
    know_drop(h, (struct know *)m->in);
    know_drop(h, (struct know *)m->with);
    know_drop(h, m->out);
    memset(m, 0, sizeof *m);
}

static void memo_add(struct checker *c, struct cblock *b, int what, struct know *in, struct know *with, uint32_t n, struct know *out)
{
    struct memo *m = &b->memo[b->memo_next++ % MEMOS];
    memo_clear(c->h, m);
    *m = (struct memo){.what = what, .in = know_keep(in), .with = know_keep(with), .n = n, .out = know_keep(out)};
}

enum { MEMO_TAKE = 1, MEMO_TAKE_OWN = 2, MEMO_FENCE = 16 };

struct know *took(struct checker *c, struct cblock *b, struct know *k, struct know *message, bool own)
{
    int what = own ? MEMO_TAKE_OWN : MEMO_TAKE;
    if (message == NULL)
        return know_keep(k);
    struct memo *m = memo_find(b, what, k, message, 0);
    if (m != NULL)
        return know_keep(m->out);
    struct know *out = know_join(c->h, k, message, own);
    if (know_equal(out, k)) {
        know_drop(c->h, out);
        out = know_keep(k);
    }
    memo_add(c, b, what, k, message, 0, out);
    return out;
}

void take_lanes(struct checker *c, struct cblock *b, struct cwarp *w, uint32_t mask, struct know *message, bool own)
{
    struct lanes g[LANES];
    uint32_t count = message != NULL ? lanes_of(w, mask, g) : 0;
    for (uint32_t i = 0; i < count; i++)
        lanes_set(c, b, w, g[i].mask, took(c, b, g[i].k, message, own), g[i].n);
}

/* Adds to a message, in place. */
static void add_message(struct checker *c, struct know **to, struct know *message)
{
    struct know *joined = know_join(c->h, *to, message, true);
    know_drop(c->h, *to);
    *to = joined;
}

struct know *message_of(struct checker *c, const struct event *e, bool release, enum level level)
{
    struct cblock *b = cblock_of(e->block);
    struct cwarp *w = &b->warps[e->warp->index];
    struct lanes g[LANES];
    struct know *all = NULL;
    uint32_t count = lanes_of(w, e->mask, g);
    for (uint32_t i = 0; i < count; i++) {
        struct know *m = release ? know_message(c->h, g[i].k, g[i].n) : know_relaxed(c->h, g[i].k, level);
        struct know *sent = know_sent(c->h, m, b->serial, e->warp->index, g[i].mask);
        add_message(c, &all, sent);
        know_drop(c->h, m);
        know_drop(c->h, sent);
        if (release)
            lanes_set(c, b, w, g[i].mask, know_keep(g[i].k), g[i].n + 1);
    }
    return all;
}

/* ---- lives ------------------------------------------------------------------------ */

static void grid_start(struct checker *c, const struct event *e)
{
    struct cgrid *g = heap_alloc(c->h, sizeof *g);
    g->grid = e->grid;
    g->shape = *e->grid;
    g->number = ++c->grid_numbers;
    g->floor = c->serials;
    g->start_order = ++c->order;
    for (const struct cgrid *o = c->grids; o != NULL; o = o->next)
        if (o->end_order == 0 && o->floor < g->floor)
            g->floor = o->floor;
    g->next = c->grids;
    c->grids = g;
    check_launch(c, e);
}

static struct cgrid *grid_of(struct checker *c, const struct grid *grid)
{
    struct cgrid *g = c->grids;
    while (g != NULL && (g->grid != grid || g->end_order != 0))
        g = g->next;
    return g;
}

/* Nothing runs: what happened so far comes before everything that follows. */
static void forget_grids(struct checker *c)
{
    for (const struct cgrid *g = c->grids; g != NULL; g = g->next)
        if (g->end_order == 0)
            return;
    while (c->grids != NULL) {
        struct cgrid *g = c->grids;
        c->grids = g->next;
        heap_free(c->h, g, sizeof *g);
    }
    heap_free(c->h, c->born, c->born_capacity * sizeof *c->born);
    c->born = NULL;
    c->born_capacity = 0;
    c->born_base = c->serials;
}

static void vars_free(struct checker *c, struct var **list)
{
    while (*list != NULL) {
        struct var *v = *list;
        *list = v->next;
        for (uint32_t k = 0; k < v->count; k++)
            know_drop(c->h, v->told[k].message);
        heap_free(c->h, v, sizeof *v);
    }
}

static void grid_end(struct checker *c, const struct event *e)
{
    struct cgrid *g = grid_of(c, e->grid);
    if (g == NULL)
        return;
    check_grid_end(c, g);
    g->end_order = ++c->order;
    forget_grids(c);
    if (c->grids == NULL)
        for (uint32_t k = 0; k < sizeof c->vars / sizeof c->vars[0]; k++)
            vars_free(c, &c->vars[k]);
}

static void remember_birth(struct checker *c, const struct cblock *b)
{
    uint32_t at = b->serial - c->born_base - 1;
    if (at >= c->born_capacity) {
        uint32_t capacity = c->born_capacity ? 2 * c->born_capacity : 4096;
        c->born = heap_grow(c->h, c->born, c->born_capacity * sizeof *c->born, capacity * sizeof *c->born);
        c->born_capacity = capacity;
    }
    c->born[at] = (struct born){.grid = b->grid->number, .linear = b->block->linear};
}

static struct ccluster *cluster_of(struct checker *c, struct block *b)
{
    struct ccluster *k = NULL;
    for (uint32_t r = 0; b->cluster != NULL && r < b->cluster->block_count; r++) {
        struct cblock *peer = b->cluster->blocks[r] != b ? cblock_of(b->cluster->blocks[r]) : NULL;
        if (peer != NULL && peer->block->cluster == b->cluster && peer->cluster->linear == b->cluster->linear)
            k = peer->cluster;
    }
    if (k == NULL) {
        k = heap_alloc(c->h, sizeof *k);
        k->linear = b->cluster != NULL ? b->cluster->linear : b->linear;
        k->phase_of[0] = k->phase_of[1] = UINT32_MAX;
    }
    k->references++;
    return k;
}

static struct cblock *block_memory(struct checker *c, const struct block *b)
{
    struct cblock *k = heap_alloc(c->h, sizeof *k);
    k->warp_count = b->warp_count;
    k->warps = heap_alloc(c->h, k->warp_count * sizeof *k->warps);
    k->async_phase[0] = k->async_phase[1] = UINT32_MAX;
    return k;
}

static void block_start(struct checker *c, const struct event *e)
{
    struct block *b = e->block;
    struct cblock *k = block_memory(c, b);
    b->checked = k;
    k->serial = ++c->serials;
    k->block = b;
    k->grid = grid_of(c, e->grid);
    k->cluster = cluster_of(c, b);
    k->tick = 1;
    k->next = c->resident;
    if (c->resident != NULL)
        c->resident->previous = k;
    k->previous = NULL;
    c->resident = k;
    remember_birth(c, k);
    struct clock *start = clock_with_past(c->h, NULL, k->serial, 0);
    struct know *bare = know_with_before(c->h, NULL, start), *know = know_with(c->h, bare, PART_RAN, WHERE_ALL, start);
    clock_drop(c->h, start);
    know_drop(c->h, bare);
    for (uint32_t i = 0; i < k->warp_count; i++) {
        struct cwarp *w = &k->warps[i];
        w->same = true;
        w->live = w->exist = b->warps[i]->lanes_exist;
        w->k[0] = know_keep(know);
        w->n[0] = 1;
        memset(w->last_query, 0, sizeof w->last_query);
    }
    know_drop(c->h, know);
}

static void add_clock(struct checker *c, struct clock **to, struct clock *more)
{
    struct clock *joined = clock_join(c->h, *to, more);
    clock_drop(c->h, *to);
    *to = joined;
}

/* All that some thread of the block ever knew or, relaxed, received. */
struct clock *final_knowledge(struct checker *c, struct cblock *b)
{
    struct clock *all = NULL;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct lanes g[LANES];
        uint32_t count = lanes_of(&b->warps[i], b->warps[i].exist, g);
        for (uint32_t k = 0; k < count; k++) {
            add_clock(c, &all, g[k].k->before);
            add_clock(c, &all, know_part(g[k].k, PART_RAN, WHERE_ALL));
            for (int l = 0; l < STASHES; l++)
                if (g[k].k->stash[l] != NULL)
                    add_clock(c, &all, g[k].k->stash[l]->before);
        }
    }
    return all;
}

static void bar_clear(struct checker *c, struct cbar *bar)
{
    for (uint32_t i = 0; i < bar->count; i++) {
        know_drop(c->h, bar->come[i].k);
        know_drop(c->h, bar->come[i].after);
    }
    heap_free(c->h, bar->come, bar->capacity * sizeof *bar->come);
    know_drop(c->h, bar->message);
    memset(bar, 0, sizeof *bar);
}

static void block_free(struct checker *c, struct cblock *b)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (uint32_t l = 0; l < (b->warps[i].same ? 1u : (uint32_t)LANES); l++) {
            know_drop(c->h, b->warps[i].k[l]);
            b->warps[i].k[l] = NULL;
        }
    for (uint32_t k = 0; k < b->line_count && b->lines != NULL; k++)
        line_free(c->h, &b->lines[k]);
    heap_free(c->h, b->lines, b->line_count * sizeof *b->lines);
    mbarrier_forget(c, b);
    for (int k = 0; k < MEMOS; k++)
        memo_clear(c->h, &b->memo[k]);
    for (int k = 0; k < 16; k++)
        bar_clear(c, &b->bar[k]);
    know_drop(c->h, b->async_part[0]);
    know_drop(c->h, b->async_part[1]);
    vars_free(c, &b->vars);
    while (b->remotes != NULL) {
        struct remote *r = b->remotes;
        b->remotes = r->next;
        heap_free(c->h, r, sizeof *r);
    }
    if (--b->cluster->references == 0) {
        know_drop(c->h, b->cluster->message[0]);
        know_drop(c->h, b->cluster->message[1]);
        heap_free(c->h, b->cluster, sizeof *b->cluster);
    }
    *(b->previous != NULL ? &b->previous->next : &c->resident) = b->next;
    if (b->next != NULL)
        b->next->previous = b->previous;
    b->block->checked = NULL;
    heap_free(c->h, b->warps, b->warp_count * sizeof *b->warps);
    heap_free(c->h, b, sizeof *b);
}

static void block_end(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    if (b == NULL)
        return;
    check_block_end(c, b);
    block_free(c, b);
}

static void lanes_exited(const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    if (b == NULL)
        return;
    struct cwarp *w = &b->warps[e->warp->index];
    w->live &= ~e->mask;
    if (w->used > b->left)
        b->left = w->used;
}

/* ---- block barriers ------------------------------------------------------------------ */

static void bar_add(struct checker *c, struct cbar *bar, struct come come)
{
    if (bar->count == bar->capacity) {
        uint32_t capacity = bar->capacity ? 2 * bar->capacity : 8;
        bar->come = heap_grow(c->h, bar->come, bar->capacity * sizeof *bar->come, capacity * sizeof *bar->come);
        bar->capacity = capacity;
    }
    bar->come[bar->count++] = come;
}

static void bar_arrive(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct cbar *bar = &b->bar[e->a];
    struct cwarp *w = &b->warps[e->warp->index];
    struct lanes g[LANES];
    if (bar->passing)                    /* a new turn begins */
        bar_clear(c, bar);
    uint32_t count = lanes_of(w, e->mask, g);
    for (uint32_t i = 0; i < count; i++) {
        if (g[i].k->stash[STASH_WAITED] != NULL) {   /* a block barrier acquires what relaxed waits received */
            struct know *joined = took(c, b, g[i].k, g[i].k->stash[STASH_WAITED], true);
            g[i].k = know_with_stash(c->h, joined, STASH_WAITED, NULL);
            know_drop(c->h, joined);
            lanes_set(c, b, w, g[i].mask, g[i].k, g[i].n);
        }
        bar_add(c, bar, (struct come){.k = know_keep(g[i].k), .n = g[i].n, .warp = e->warp->index, .mask = g[i].mask});
        if (e->sub == BAR_ARRIVE) {
            lanes_set(c, b, w, g[i].mask, know_keep(g[i].k), g[i].n + 1);
            bar->split = true;
        }
    }
    bar->arrived += lanes_count(e->mask);
}

/* A barrier is between threads that come to it: is what the exited ones did known all the same? */
static bool knows_left(const struct cblock *b, const struct clock *clock) { return b->left <= clock_past(clock, b->serial); }

/* If all live lanes of the block are known up to some epoch, that becomes one entry. */
static struct clock *compressed(struct checker *c, const struct cblock *b, struct clock *clock)
{
    uint32_t least = UINT32_MAX;
    if (!knows_left(b, clock))
        return clock_keep(clock);
    for (uint32_t i = 0; i < b->warp_count && least != 0; i++) {
        uint32_t e = b->warps[i].live != 0 ? clock_all_lanes(clock, b->serial, i, b->warps[i].live) : UINT32_MAX;
        least = e < least ? e : least;
    }
    if (least == 0 || least == UINT32_MAX)
        return clock_keep(clock);
    return clock_with_past(c->h, clock, b->serial, least);
}

/* All live lanes up to an epoch; the exited ones, too, where they were known before. */
static struct clock *all_live(struct checker *c, const struct cblock *b, struct clock *clock, uint32_t epoch)
{
    if (knows_left(b, clock))
        return clock_with_past(c->h, clock, b->serial, epoch);
    struct clock *all = clock_keep(clock);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        struct clock *more = clock_with_some(c->h, all, (struct some){b->serial, epoch, b->warps[i].live, i});
        clock_drop(c->h, all);
        all = more;
    }
    return all;
}

static struct know *compressed_know(struct checker *c, const struct cblock *b, const struct know *k, uint32_t epoch)
{
    struct clock *before = all_live(c, b, k->before, epoch);
    struct know *n = know_with_before(c->h, k, before);
    clock_drop(c->h, before);
    for (uint32_t i = 0; i < n->items; i++) {
        struct clock *small = compressed(c, b, n->item[i].clock);
        clock_drop(c->h, n->item[i].clock);
        n->item[i].clock = small;
    }
    return n;
}

static struct know *bar_message(struct checker *c, struct cblock *b, struct cbar *bar)
{
    bool one = true;
    struct know *all = NULL;
    for (uint32_t i = 1; i < bar->count; i++)
        one &= bar->come[i].k == bar->come[0].k;
    if (bar->whole && one && knows_left(b, bar->come[0].k->before)) {
        struct know *m = know_message(c->h, bar->come[0].k, 1);
        all = know_of_block(c->h, m, b->serial);
        know_drop(c->h, m);
    }
    for (uint32_t i = 0; i < bar->count && all == NULL; i = bar->count)
        for (uint32_t k = 0; k < bar->count; k++) {
            struct know *m = know_message(c->h, bar->come[k].k, bar->come[k].n);
            struct know *sent = know_sent(c->h, m, b->serial, bar->come[k].warp, bar->come[k].mask);
            struct know *joined = know_join(c->h, all, sent, true);
            know_drop(c->h, m);
            know_drop(c->h, sent);
            know_drop(c->h, all);
            all = joined;
        }
    if (!bar->whole || all == NULL)
        return all;
    struct know *small = compressed_know(c, b, all, bar->epoch);
    know_drop(c->h, all);
    return small;
}

/* What lanes that came with k know behind the barrier. */
static struct know *bar_after(struct checker *c, struct cblock *b, struct cbar *bar, struct know *k)
{
    struct know *after = NULL;
    for (uint32_t i = 0; i < bar->count && after == NULL; i++)
        if (bar->come[i].after != NULL && (bar->come[i].k == k || know_same_pending(bar->come[i].k, k)) && bar->whole)
            after = know_keep(bar->come[i].after);
    if (after == NULL && bar->whole)
        after = know_with_pending_of(c->h, bar->message, k);
    if (after == NULL)
        return took(c, b, k, bar->message, true);
    for (uint32_t i = 0; i < bar->count; i++)
        if (bar->come[i].k == k && bar->come[i].after == NULL)
            bar->come[i].after = know_keep(after);
    return after;
}

static void bar_wait(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct cbar *bar = &b->bar[e->a];
    struct cwarp *w = &b->warps[e->warp->index];
    struct lanes g[LANES];
    if (!bar->passing) {
        bar->passing = true;
        bar->whole = !bar->split && bar->arrived == e->block->live_threads;
        bar->epoch = b->tick;
        bar->message = bar_message(c, b, bar);
    }
    uint32_t count = lanes_of(w, e->mask, g);
    for (uint32_t i = 0; i < count; i++) {
        struct know *after = bar_after(c, b, bar, g[i].k);
        lanes_set(c, b, w, g[i].mask, after, bar->whole ? bar->epoch + 1 : g[i].n + 1);
    }
}

/* ---- bar.warp.sync ---------------------------------------------------------------------- */

static void warp_sync(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct cwarp *w = &b->warps[e->warp->index];
    struct lanes g[LANES];
    uint32_t count = lanes_of(w, e->mask, g), top = 0;
    struct know *all = NULL;
    if (e->sub != WARP_SYNC)
        mbarrier_met(b, e);
    if (e->sub != WARP_SYNC || (e->mask & (e->mask - 1)) == 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct know *m = know_message(c->h, g[i].k, g[i].n), *sent = know_sent(c->h, m, b->serial, e->warp->index, g[i].mask);
        struct know *joined = know_join(c->h, all, sent, true);
        know_drop(c->h, m);
        know_drop(c->h, sent);
        know_drop(c->h, all);
        all = joined;
        top = g[i].n > top ? g[i].n : top;
    }
    struct know *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct know *after = first != NULL && know_same_pending(first, g[i].k) ? know_keep(first)
                                                                              : know_with_pending_of(c->h, all, g[i].k);
        if (first == NULL)
            first = know_keep(after);
        lanes_set(c, b, w, g[i].mask, after, top + 1);
    }
    know_drop(c->h, first);
    know_drop(c->h, all);
}

/* ---- cluster barriers ------------------------------------------------------------------- */

static void cluster_arrive(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct ccluster *k = b->cluster;
    uint32_t at = e->a & 1;
    if (k->phase_of[at] != (uint32_t)e->a) {
        know_drop(c->h, k->message[at]);
        k->message[at] = NULL;
        k->phase_of[at] = (uint32_t)e->a;
        k->complete[at] = false;
    }
    if (b->async_phase[at] != (uint32_t)e->a) {
        know_drop(c->h, b->async_part[at]);
        b->async_part[at] = NULL;
        b->async_phase[at] = (uint32_t)e->a;
    }
    struct know *m = message_of(c, e, e->sem == SEM_RELEASE, LEVEL_CLUSTER), *own = know_only(c->h, m, PART_ASYNC);
    struct know *joined = know_join(c->h, k->message[at], m, false), *async = know_join(c->h, b->async_part[at], own, true);
    know_drop(c->h, m);
    know_drop(c->h, own);
    know_drop(c->h, k->message[at]);
    know_drop(c->h, b->async_part[at]);
    k->message[at] = joined;
    b->async_part[at] = async;
}

/* Everybody has arrived: what is known of whole blocks becomes one entry each. */
static void cluster_complete(struct checker *c, struct cblock *self, uint32_t at)
{
    struct ccluster *k = self->cluster;
    k->complete[at] = true;
    for (uint32_t r = 0; r < cluster_size(self) && k->message[at] != NULL; r++) {
        struct cblock *b = cluster_member(self, r);
        if (b == NULL)
            continue;
        struct know *n = know_with_before(c->h, k->message[at], k->message[at]->before);
        struct clock *small = compressed(c, b, n->before);
        clock_drop(c->h, n->before);
        n->before = small;
        for (uint32_t i = 0; i < n->items; i++) {
            small = compressed(c, b, n->item[i].clock);
            clock_drop(c->h, n->item[i].clock);
            n->item[i].clock = small;
        }
        know_drop(c->h, k->message[at]);
        k->message[at] = n;
    }
}

/* What relaxed waits received comes in now. */
static void take_stash(struct checker *c, struct cblock *b, struct cwarp *w, uint32_t mask, bool own)
{
    struct lanes g[LANES];
    uint32_t count = lanes_of(w, mask, g);
    for (uint32_t i = 0; i < count; i++) {
        if (g[i].k->stash[STASH_WAITED] == NULL)
            continue;
        struct know *joined = took(c, b, g[i].k, g[i].k->stash[STASH_WAITED], own);
        lanes_set(c, b, w, g[i].mask, know_with_stash(c->h, joined, STASH_WAITED, NULL), g[i].n);
        know_drop(c->h, joined);
    }
}

static void cluster_wait(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct cwarp *w = &b->warps[e->warp->index];
    uint32_t at = (e->a - 1) & 1;
    if (!b->cluster->complete[at])
        cluster_complete(c, b, at);
    take_stash(c, b, w, e->mask, false);
    take_lanes(c, b, w, e->mask, b->cluster->message[at], false);
    take_lanes(c, b, w, e->mask, b->async_part[at], true);
}

/* ---- fences ------------------------------------------------------------------------------ */

/* Changes one part of `k`, a reference it takes over. */
static struct know *plus(struct checker *c, struct know *k, enum part part, uint32_t where, struct clock *clock)
{
    struct know *n = know_with(c->h, k, part, where, clock);
    know_drop(c->h, k);
    return n;
}

/* K(t, where) with the thread's own accesses. */
static struct clock *all_for(struct checker *c, const struct know *k, uint32_t where, uint32_t n)
{
    struct clock *known = know_for(c->h, k, where), *own = clock_with_self(c->h, known, n);
    clock_drop(c->h, known);
    return own;
}

static struct know *pending(struct checker *c, struct know *k, enum level level, struct know *message)
{
    struct know *n = know_with_pending(c->h, k, level, message);
    know_drop(c->h, k);
    know_drop(c->h, message);
    return n;
}

static struct know *proxy_both(struct checker *c, struct know *k, uint32_t where, uint32_t n)
{
    struct clock *all = all_for(c, k, where, n);
    k = plus(c, know_keep(k), PART_ASYNC, where, all);
    k = plus(c, k, PART_FENCED, where, all);
    clock_drop(c->h, all);
    return k;
}

/* fence.proxy.async: both ways, for the objects of the named space. */
static struct know *fence_proxy(struct checker *c, struct cblock *b, struct know *k, uint32_t n, uint8_t space)
{
    struct know *now = know_keep(k);
    for (uint32_t r = 0; r < cluster_size(b); r++) {
        struct cblock *o = cluster_member(b, r);
        if (o == NULL || space == MEM_GLOBAL || (space == MEM_SHARED && o != b))
            continue;
        struct know *next = proxy_both(c, now, o->serial, n);
        know_drop(c->h, now);
        now = next;
    }
    if (space == MEM_GLOBAL || space == MEM_GENERIC) {
        struct know *next = proxy_both(c, now, WHERE_GLOBAL, n);
        know_drop(c->h, now);
        now = next;
    }
    if (space == MEM_SHARED || space == MEM_GLOBAL) {
        struct clock *all = all_for(c, k, WHERE_ALL, n);
        now = plus(c, now, PART_NARROW, WHERE_ALL, all);
        clock_drop(c->h, all);
    }
    return now;
}

/* The release half, and the fence of the generic proxy with the same restriction. */
static struct know *fence_release_half(struct checker *c, struct cblock *b, struct know *k, uint32_t n, bool proxy)
{
    struct clock *all = all_for(c, k, b->serial, n);
    struct know *message = know_only(c->h, k, PART_RELEASED), *now = know_keep(k);
    message = plus(c, message, PART_SHARED, b->serial, all);
    if (proxy) {
        now = plus(c, now, PART_RELEASED, b->serial, all);
        now = plus(c, now, PART_FENCED, b->serial, all);
        now = plus(c, now, PART_NARROW, WHERE_ALL, all);
        message = plus(c, message, PART_RELEASED, b->serial, all);
    }
    clock_drop(c->h, all);
    return pending(c, now, LEVEL_CLUSTER, message);
}

static struct know *fence_acquire_half(struct checker *c, struct cblock *b, struct know *k, uint32_t n, bool proxy)
{
    struct know *now = know_keep(k);
    for (uint32_t r = 0; r < cluster_size(b); r++) {
        struct cblock *o = cluster_member(b, r);
        for (int l = 0; l <= LEVEL_CLUSTER && o != NULL; l++) {
            const struct know *q = k->stash[l];
            struct clock *received = know_for(c->h, q, o->serial);
            now = plus(c, now, PART_SHARED, o->serial, received);
            now = plus(c, now, PART_RELEASED, o->serial, know_part(q, PART_RELEASED, o->serial));
            clock_drop(c->h, received);
        }
        if (proxy && o != NULL)
            now = plus(c, now, PART_ASYNC, o->serial, know_part(now, PART_RELEASED, o->serial));
    }
    if (!proxy)
        return now;
    struct clock *all = all_for(c, k, WHERE_ALL, n);
    for (uint32_t i = 0; i < k->items; i++)
        if (k->item[i].part == PART_SHARED) {
            struct clock *joined = clock_join(c->h, all, k->item[i].clock);
            clock_drop(c->h, all);
            all = joined;
        }
    now = plus(c, now, PART_TRIED, WHERE_ALL, all);
    clock_drop(c->h, all);
    return now;
}

static enum level level_of(uint8_t scope)
{
    return scope <= SCOPE_CTA ? LEVEL_BLOCK : scope == SCOPE_CLUSTER ? LEVEL_CLUSTER : LEVEL_DEVICE;
}

/* Takes in what was received from threads that the scope includes. */
static struct know *acquire_stash(struct checker *c, struct know *k, enum level level)
{
    for (int l = 0; l < STASHES; l++) {
        bool reaches = l <= (int)level, again = l == STASH_WAITED;
        if (k->stash[l] == NULL || (again && level == LEVEL_BLOCK))
            continue;
        struct know *next = again ? know_keep(k) : reaches ? know_join(c->h, k, k->stash[l], false)
                          : know_with(c->h, k, PART_DROPPED, WHERE_ALL, k->stash[l]->before);
        know_drop(c->h, k);
        k = next;
        if (!reaches && !again)
            continue;
        next = know_with_stash(c->h, k, l, NULL);
        know_drop(c->h, k);
        k = next;
    }
    return k;
}

/* Two fence.sc: the one that must come first, by a value that was read, synchronises with the other. */
static struct know *fence_sc(struct checker *c, struct know *k, uint32_t n)
{
    struct clock *before = clock_join(c->h, k->before, know_part(k, PART_SC_HEARD, WHERE_ALL));
    struct know *now = know_with_before(c->h, k, before);
    struct clock *all = all_for(c, now, WHERE_ALL, n);
    know_drop(c->h, k);
    clock_drop(c->h, before);
    now = plus(c, now, PART_SC, WHERE_ALL, all);
    clock_drop(c->h, all);
    return now;
}

static struct know *fence_thread(struct checker *c, struct know *k, uint32_t n, uint8_t sem, uint8_t scope)
{
    struct know *now = know_keep(k);
    if (sem != SEM_RELEASE)
        now = acquire_stash(c, now, level_of(scope));
    if (sem == SEM_SC && level_of(scope) == LEVEL_DEVICE)
        now = fence_sc(c, now, n);
    if (sem == SEM_ACQUIRE)
        return now;
    return pending(c, now, level_of(scope), know_message(c->h, now, n));
}

static struct know *fence_init(struct checker *c, struct know *k, uint32_t n)
{
    struct clock *own = clock_with_self(c->h, NULL, n);
    struct know *now = plus(c, know_keep(k), PART_INIT, WHERE_ALL, own), *message = know_only(c->h, now, PART_INIT);
    clock_drop(c->h, own);
    return pending(c, now, LEVEL_CLUSTER, message);
}

/* Does it capture the thread's own accesses? Then later ones belong to the next epoch. */
static bool captures(const struct event *e)
{
    return e->sub == FENCE_THREAD || e->sub == FENCE_SYNC_RESTRICT || e->sub == FENCE_PROXY_HALF ? e->sem != SEM_ACQUIRE
         : e->sub == FENCE_MBARRIER_INIT || e->sub == FENCE_PROXY_ASYNC;
}

static struct know *after_fence(struct checker *c, struct cblock *b, struct know *k, uint32_t n, const struct event *e)
{
    bool proxy = e->sub == FENCE_PROXY_HALF;
    switch (e->sub) {
    case FENCE_THREAD: return fence_thread(c, k, n, e->sem, e->scope);
    case FENCE_MBARRIER_INIT: return fence_init(c, k, n);
    case FENCE_PROXY_ASYNC: return fence_proxy(c, b, k, n, e->space);
    case FENCE_SYNC_RESTRICT: case FENCE_PROXY_HALF:
        return e->sem == SEM_RELEASE ? fence_release_half(c, b, k, n, proxy) : fence_acquire_half(c, b, k, n, proxy);
    default: return know_keep(k);
    }
}

static void fence(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct cwarp *w = &b->warps[e->warp->index];
    struct lanes g[LANES];
    int what = MEMO_FENCE + (e->sub | e->sem << 4 | e->scope << 8 | e->space << 12);
    uint32_t count = lanes_of(w, e->mask, g);
    for (uint32_t i = 0; i < count; i++) {
        struct memo *m = memo_find(b, what, g[i].k, NULL, g[i].n);
        struct know *after = m != NULL ? know_keep(m->out) : after_fence(c, b, g[i].k, g[i].n, e);
        if (m == NULL)
            memo_add(c, b, what, g[i].k, NULL, g[i].n, after);
        lanes_set(c, b, w, g[i].mask, after, g[i].n + captures(e));
    }
}

/* ---- the listener --------------------------------------------------------------------------- */

static void listen(struct observer *self, const struct event *e)
{
    struct checker *c = (struct checker *)(void *)self;
    if (e->kind == EVENT_GRID_START) {
        grid_start(c, e);
        return;
    }
    if (e->kind == EVENT_GRID_END) {
        grid_end(c, e);
        return;
    }
    if (e->kind == EVENT_BLOCK_START) {
        block_start(c, e);
        return;
    }
    if (cblock_of(e->block) == NULL && e->kind != EVENT_ASYNC_DELIVER)
        return;
    switch (e->kind) {
    case EVENT_BLOCK_END: block_end(c, e); break;
    case EVENT_EXIT: lanes_exited(e); break;
    case EVENT_ACCESS: check_access(c, e); break;
    case EVENT_FENCE: fence(c, e); break;
    case EVENT_BAR_ARRIVE: bar_arrive(c, e); break;
    case EVENT_BAR_WAIT: bar_wait(c, e); break;
    case EVENT_WARP_SYNC: warp_sync(c, e); break;
    case EVENT_CLUSTER_ARRIVE: cluster_arrive(c, e); break;
    case EVENT_CLUSTER_WAIT: cluster_wait(c, e); break;
    case EVENT_MBARRIER: check_mbarrier(c, e); break;
    case EVENT_ASYNC_ISSUE: check_issue(c, e); break;
    case EVENT_REQUEST: check_request(c, e); break;
    case EVENT_ASYNC_DELIVER: case EVENT_RESPONSE: check_landed(c, e); break;
    case EVENT_QUERY: check_query(c, e); break;
    case EVENT_GROUP_WAIT: check_group_wait(c, e); break;
    default: break;
    }
}

/* ---- made, saved, deleted ---------------------------------------------------------------------- */

struct checker *checker_new(struct machine *m, const struct checker_options *o)
{
    struct heap *h = heap_new();
    struct checker *c = h != NULL ? heap_alloc(h, sizeof *c) : NULL;
    if (c == NULL) {
        heap_delete(h);
        return NULL;
    }
    c->observer.event = listen;
    c->h = h;
    c->machine = m;
    c->level = o->level;
    c->verbose = o->verbose;
    c->colour = o->colour;
    c->lab = o->lab;
    c->host_launches = o->host_launches;
    c->last_finding = &c->findings;
    checker_again(c, o->again);
    machine_observe(m, &c->observer);
    return c;
}

void checker_delete(struct checker *c)
{
    if (c == NULL)
        return;
    free(c->again);
    heap_delete(c->h);
}

struct checker_snapshot { struct heap_snapshot *heap; };

struct checker_snapshot *checker_save(struct checker *c)
{
    struct checker_snapshot *s = malloc(sizeof *s);
    if (s == NULL)
        return NULL;
    s->heap = heap_save(c->h);
    return s;
}

void checker_restore(struct checker *c, const struct checker_snapshot *s)
{
    char *again = c->again;
    heap_restore(c->h, s->heap);
    c->again = again;
}

void checker_snapshot_delete(struct checker *c, struct checker_snapshot *s)
{
    if (s == NULL)
        return;
    heap_snapshot_delete(c->h, s->heap);
    free(s);
}

/*
 * Accesses of threads: are they ordered after what others did to the same bytes?
 *
 * Two accesses conflict when one writes and not both are strong with scopes
 * that include each other (PTX ISA 8.7). A conflict is a race unless the
 * earlier one is in the clock of the later one. Strong accesses also carry
 * messages between threads: release and acquire patterns (8.8), through
 * "variables", locations to which somebody wrote with something to tell.
 */
#include "checker/state.h"

#include <string.h>

#include "checker/access.h"

static uint32_t first_lane(uint32_t mask)
{
    uint32_t lane = 0;
    while (!(mask >> lane & 1))
        lane++;
    return lane;
}

/* ---- order ------------------------------------------------------------------- */

static bool ended_before(const struct checker *c, const struct cblock *b, uint32_t serial)
{
    uint32_t at = serial - c->born_base - 1;
    const struct cgrid *g = c->grids;
    if (serial <= c->born_base || at >= c->born_capacity)
        return true;
    while (g != NULL && g->number != c->born[at].grid)
        g = g->next;
    return g == NULL || (g->end_order != 0 && g->end_order < b->grid->start_order);
}

uint32_t unknown_lanes(struct checker *c, const struct cblock *b, uint32_t warp, uint32_t lanes, const struct know *k,
                       const struct access_by *by, uint32_t where)
{
    uint32_t left = by->mask;
    if (by->block == 0)
        return 0;
    if (by->flags & BY_ASYNC)
        return clock_seen(k->before, by->block) >= by->epoch || clock_seen(know_part(k, PART_SHARED, where), by->block) >= by->epoch
             ? 0 : left;
    if (by->block <= b->grid->floor)
        return 0;
    if (by->block == b->serial && by->warp == warp)
        left &= ~lanes;
    if (left == 0)
        return 0;
    left &= ~clock_lanes(k->before, by->block, by->warp, left, by->epoch);
    if (left != 0 && where != WHERE_ALL)
        left &= ~clock_lanes(know_part(k, PART_SHARED, where), by->block, by->warp, left, by->epoch);
    if (left != 0 && by->block != b->serial && c->grids->next != NULL && ended_before(c, b, by->block))
        return 0;
    return left;
}

static bool in_cluster(const struct checker *c, const struct cblock *b, uint32_t serial)
{
    for (const struct cblock *o = c->resident; o != NULL; o = o->next)
        if (o->serial == serial)
            return o->cluster == b->cluster;
    return false;
}

/* Both strong, and each scope includes the other's thread. */
static bool morally_strong(const struct checker *c, const struct cblock *b, const struct access_by *by, uint8_t flags)
{
    uint32_t mine = flags >> BY_SCOPE_SHIFT, other = by->flags >> BY_SCOPE_SHIFT, least = mine < other ? mine : other;
    if (!(flags & by->flags & BY_STRONG))
        return false;
    return by->block == b->serial || least >= SCOPE_GPU || (least >= SCOPE_CLUSTER && in_cluster(c, b, by->block));
}

/* ---- races --------------------------------------------------------------------- */

bool told_too_narrow(const struct know *k, const struct access_by *by, enum part part)
{
    const struct clock *c = know_part(k, part, WHERE_ALL);
    if (by->flags & BY_ASYNC)
        return clock_seen(c, by->block) >= by->epoch;
    return clock_lanes(c, by->block, by->warp, by->mask, by->epoch) == by->mask;
}

/* Two blocks of one cluster that decoded the same response do the same tile. */
static bool same_response(struct checker *c, const struct look *x, const struct access_by *by)
{
    uint32_t lane = first_lane(x->lanes), mine = x->b->warps[x->warp].last_query[lane];
    if (mine == 0 || by->block == x->b->serial)
        return false;
    for (const struct cblock *o = c->resident; o != NULL; o = o->next)
        if (o->serial == by->block && o->cluster == x->b->cluster && by->warp < o->warp_count) {
            for (uint32_t l = 0; l < LANES; l++)
                if ((by->mask >> l & 1) && o->warps[by->warp].last_query[l] == mine)
                    return true;
        }
    return false;
}

/* Received by a relaxed operation, and not acquired. */
bool stashed(const struct know *k, const struct access_by *by)
{
    for (int l = 0; l < STASHES; l++) {
        const struct clock *q = k->stash[l] != NULL ? k->stash[l]->before : NULL;
        if (by->flags & BY_ASYNC ? clock_seen(q, by->block) >= by->epoch
                                 : clock_lanes(q, by->block, by->warp, by->mask, by->epoch) == by->mask)
            return true;
    }
    return false;
}

static enum rule_id rule_of_race(struct checker *c, const struct look *x, const struct access_by *by, const char **note)
{
    *note = NULL;
    if (told_too_narrow(x->k, by, PART_DROPPED))
        return RULE_FE7;
    if (by->flags & BY_ASYNC) {
        if (stashed(x->k, by))
            *note = "a relaxed wait saw the phase end; an acquire is still to come";
        return RULE_TC3;
    }
    if (told_too_narrow(x->k, by, PART_UNCARRIED))
        return RULE_AS1;
    if (x->flags & by->flags & BY_STRONG)
        return RULE_FE7;
    if (x->owner == NULL && same_response(c, x, by))
        return RULE_TC8;
    if (stashed(x->k, by))
        *note = "a relaxed wait or load saw it; an acquire is still to come";
    return x->owner != NULL ? RULE_SH1 : RULE_GR1;
}

const char advice_acquire[] = "sem_acquire in the wait or load that saw it, or a fence behind it";

/* Did the threads of the own block that did this exit afterwards? They come to no barrier any more. */
static bool by_exited(const struct look *x, const struct access_by *by)
{
    return !(by->flags & BY_ASYNC) && by->block == x->b->serial && (x->b->warps[by->warp].live & by->mask) == 0;
}

/* NULL: what the rule says. */
static const char *advice_of_race(const struct look *x, const struct access_by *by, const char *note)
{
    if (note != NULL)
        return advice_acquire;
    if (by_exited(x, by))
        return "let the thread come to a barrier after that and before it exits: a barrier orders those that come to it";
    return !(by->flags & BY_ASYNC) && by->block == x->b->serial && by->warp == x->warp ? "__syncwarp() between the two" : NULL;
}

static void race(struct checker *c, const struct look *x, const struct access_by *by, uint32_t lanes, const char *verb, uint64_t at)
{
    char object[96] = "";
    struct access_by before = *by;
    struct report r = {.event = x->e, .mask = x->lanes, .before = &before, .verb = verb,
                       .what = x->flags & BY_ATOMIC ? "updates" : x->write ? "writes" : "reads", .object = object};
    if (lanes != 0)
        before.mask = lanes;
    r.rule = rule_of_race(c, x, by, &r.note_text);
    if (r.rule == RULE_SH1 || r.rule == RULE_GR1 || r.rule == RULE_TC3)
        r.advice = advice_of_race(x, by, r.note_text);
    if (x->owner != NULL)
        shared_name(x->owner, (uint32_t)at, object, sizeof object);
    else
        global_name(c, at, object, sizeof object);
    if (r.rule == RULE_FE7 && c->level == STRICT_HW)
        r.note = true;
    found(c, &r);
}

/* The earlier access, if it conflicts and is not ordered. */
static bool clashes(struct checker *c, const struct look *x, const struct access_by *by, const char *verb, uint64_t at)
{
    if (by->block == 0)
        return false;
    uint32_t left = unknown_lanes(c, x->b, x->warp, x->lanes, x->k, by, x->owner != NULL ? x->owner->serial : WHERE_ALL);
    if (left == 0)
        return false;
    if ((x->flags & by->flags & BY_STRONG) && morally_strong(c, x->b, by, x->flags))
        return false;
    race(c, x, by, left, verb, at);
    return true;
}

static const char *did(const struct access_by *by)
{
    return by->flags & BY_ASYNC ? "wrote" : by->flags & BY_ATOMIC ? "updated" : "wrote";
}

/* ---- cells ----------------------------------------------------------------------- */

static struct access_by me(const struct look *x)
{
    return (struct access_by){.block = x->b->serial, .epoch = x->n, .mask = x->lanes, .site = x->site, .warp = (uint8_t)x->warp,
                              .flags = x->flags};
}

/* What clashes with `old` clashes with x, too: it came before, and was no weaker. */
static bool replaces(struct checker *c, const struct look *x, const struct access_by *old)
{
    uint32_t where = x->owner != NULL ? x->owner->serial : WHERE_ALL;
    if (old->block == 0)
        return true;
    if ((x->flags & BY_STRONG) && (x->flags & ~BY_WRITE) != (old->flags & ~BY_WRITE))
        return false;
    if (old->block == x->b->serial && old->warp == x->warp && (old->mask & ~x->lanes) == 0)
        return true;
    return unknown_lanes(c, x->b, x->warp, x->lanes, x->k, old, where) == 0;
}

/* Same warp, same epoch: one record for all lanes that did the same. */
static bool merges(const struct look *x, struct access_by *old)
{
    if (old->block != x->b->serial || old->warp != x->warp || old->epoch != x->n || old->flags != x->flags)
        return false;
    old->mask |= x->lanes;
    return true;
}

static void cell_read(struct checker *c, const struct look *x, struct cell *cell, uint64_t at)
{
    struct access_by by = me(x);
    bool told = clashes(c, x, &cell->write, did(&cell->write), at);
    if (told && (cell->write.flags & BY_ASYNC))
        return;
    for (uint32_t k = 0; cell->more != NULL && k < cell->more->count && !told; k++)
        if (cell->more->by[k].flags & BY_WRITE)
            told = clashes(c, x, &cell->more->by[k], "wrote", at);
    if (merges(x, &cell->read))
        return;
    if (replaces(c, x, &cell->read)) {
        cell->read = by;
        return;
    }
    for (uint32_t k = 0; cell->more != NULL && k < cell->more->count; k++) {
        if (merges(x, &cell->more->by[k]))
            return;
        if (!(cell->more->by[k].flags & BY_WRITE) && replaces(c, x, &cell->more->by[k])) {
            cell->more->by[k] = by;
            return;
        }
    }
    cell_add_read(c->h, cell, &by, x->owner != NULL ? MOST_READS : 2);
}

/*
 * A strong write may follow strong accesses that nothing orders before it, and weaker ones that are: who comes later
 * may be ordered after this write alone. They stay, within the bound of the list.
 */
static void keep_unordered(struct checker *c, const struct look *x, struct cell *cell)
{
    uint32_t kept = 0, most = x->owner != NULL ? MOST_READS : 2;
    struct access_by read = cell->read, write = cell->write;
    if (replaces(c, x, &read) && replaces(c, x, &write) && cell->more == NULL) {
        cell->read.block = 0;
        return;
    }
    for (uint32_t k = 0; cell->more != NULL && k < cell->more->count; k++)
        if (!replaces(c, x, &cell->more->by[k]))
            cell->more->by[kept++] = cell->more->by[k];
    if (cell->more != NULL)
        cell->more->count = kept;
    if (replaces(c, x, &read))
        cell->read.block = 0;
    if (write.block == 0 || (write.flags & BY_ASYNC) || replaces(c, x, &write))
        return;
    write.flags |= BY_WRITE;
    cell_add_more(c->h, cell, &write, most);
}

static void cell_write(struct checker *c, const struct look *x, struct cell *cell, uint64_t at)
{
    bool told = clashes(c, x, &cell->write, did(&cell->write), at);
    told = told || clashes(c, x, &cell->read, "read", at);
    for (uint32_t k = 0; cell->more != NULL && k < cell->more->count && !told; k++)
        told = clashes(c, x, &cell->more->by[k], cell->more->by[k].flags & BY_WRITE ? "wrote" : "read", at);
    if ((x->flags & BY_STRONG) && !told)
        keep_unordered(c, x, cell);
    else
        cell_clear_reads(c->h, cell);
    cell->write = me(x);
}

/* ---- lines ------------------------------------------------------------------------- */

struct line *shared_line(struct checker *c, struct cblock *b, uint32_t offset)
{
    if (b->lines == NULL) {
        b->line_count = b->block->grid->shared_bytes / LINE_BYTES + 1;
        b->lines = heap_alloc(c->h, b->line_count * sizeof *b->lines);
    }
    return &b->lines[offset / LINE_BYTES];
}

static struct line *line_at(struct checker *c, const struct look *x, uint64_t at)
{
    return x->owner != NULL ? shared_line(c, x->owner, (uint32_t)at) : shadow_global(c->h, &c->global, at);
}

/* `bytes` from `at` on, by all lanes of x. */
static void look_at_bytes(struct checker *c, const struct look *x, uint64_t at, uint32_t bytes)
{
    uint64_t end = at + bytes;
    while (at < end) {
        struct line *l = line_at(c, x, at);
        line_split(c->h, l, (at | (end - at)) % 4 == 0 ? 4 : 1);
        uint32_t size = l->cell_bytes;
        struct cell *cell = &l->cells[at % LINE_BYTES / size];
        if (x->write)
            cell_write(c, x, cell, at);
        else
            cell_read(c, x, cell, at);
        at = (at / size + 1) * size;
    }
}

static bool own(const struct look *x, const struct access_by *by, struct spread s, struct spread mine)
{
    return by->block == x->b->serial && by->warp == x->warp && s.offset == mine.offset && s.size == mine.size;
}

static bool free_for(struct checker *c, const struct look *x, const struct access_by *by, struct spread s, struct spread mine)
{
    return by->block == 0 || own(x, by, s, mine) ||
           unknown_lanes(c, x->b, x->warp, 0, x->k, by, x->owner != NULL ? x->owner->serial : WHERE_ALL) == 0;
}

/* A whole line by a whole warp, as `mine` spreads it. false: this line needs its cells. */
static bool look_at_line(struct checker *c, const struct look *x, struct line *l, struct spread mine)
{
    if (l->cells != NULL || !free_for(c, x, &l->write, l->written, mine) || !free_for(c, x, &l->read, l->was_read, mine))
        return false;
    if (x->write) {
        l->write = me(x);
        l->written = mine;
        l->read.block = 0;
    } else {
        l->read = me(x);
        l->was_read = mine;
    }
    return true;
}

/* All lanes side by side from `first` on. */
static void look_at_row(struct checker *c, struct look *x, uint64_t first, uint32_t bytes)
{
    uint64_t end = first + (uint64_t)LANES * bytes, at = first;
    while (at < end) {
        uint64_t line = at / LINE_BYTES * LINE_BYTES, stop = line + LINE_BYTES < end ? line + LINE_BYTES : end;
        struct spread mine = {.offset = (uint16_t)(line - first), .size = (uint8_t)bytes};
        if (at != line || stop != line + LINE_BYTES || !look_at_line(c, x, line_at(c, x, at), mine)) {
            uint32_t all = x->lanes;
            for (; at < stop; at += bytes) {
                x->lanes = 1u << (at - first) / bytes;
                look_at_bytes(c, x, at, bytes);
            }
            x->lanes = all;
        }
        at = stop;
    }
}

/* ---- variables: release and acquire patterns ------------------------------------------- */

static struct var **vars_of(struct checker *c, struct cblock *owner, uint64_t at)
{
    return owner != NULL ? &owner->vars : &c->vars[at / 4 % (sizeof c->vars / sizeof c->vars[0])];
}

static struct var *var_find(struct checker *c, struct cblock *owner, uint64_t at)
{
    struct var *v = *vars_of(c, owner, at);
    while (v != NULL && v->key != at)
        v = v->next;
    return v;
}

static uint32_t owner_of(const struct cblock *b, enum level level)
{
    return level == LEVEL_BLOCK ? b->serial : level == LEVEL_CLUSTER ? (uint32_t)b->cluster->linear : 0;
}

/* Room for one more; what reaches the whole device is never given up. */
static struct told *told_room(struct checker *c, struct var *v)
{
    uint32_t most = sizeof v->told / sizeof v->told[0], k = v->count;
    if (v->count < most) {
        v->count++;
        return &v->told[k];
    }
    do
        k = v->next_out++ % most;
    while (v->told[k].level == LEVEL_DEVICE);
    know_drop(c->h, v->told[k].message);
    return &v->told[k];
}

static void var_tell(struct checker *c, struct var *v, const struct cblock *b, enum level level, struct know *message)
{
    uint32_t owner = owner_of(b, level);
    struct told *t = NULL;
    for (uint32_t k = 0; k < v->count && t == NULL; k++)
        if (v->told[k].level == level && v->told[k].owner == owner)
            t = &v->told[k];
    if (t == NULL) {
        t = told_room(c, v);
        *t = (struct told){level, owner, NULL};
    }
    struct know *joined = know_join(c->h, t->message, message, false);
    know_drop(c->h, t->message);
    t->message = joined;
}

/* One message comes in: now, at an acquire behind, or, sent or asked for with too narrow a scope, never. */
static struct know *heard(struct checker *c, const struct look *x, struct know *k, const struct told *t, bool reaches)
{
    if (!reaches)
        return know_with(c->h, k, PART_DROPPED, WHERE_ALL, t->message->before);
    if (x->acquires)
        return took(c, x->b, k, t->message, false);
    struct clock *sc = clock_join(c->h, know_part(t->message, PART_SC, WHERE_ALL), know_part(t->message, PART_SC_HEARD, WHERE_ALL));
    struct know *now = know_stashed(c->h, k, (int)t->level, t->message, false);
    struct know *more = know_with(c->h, now, PART_SC_HEARD, WHERE_ALL, sc);
    know_drop(c->h, now);
    clock_drop(c->h, sc);
    return more;
}

/* All lanes of x. */
static void hear(struct checker *c, const struct look *x, const struct told *t, bool reaches)
{
    struct cwarp *w = &x->b->warps[x->warp];
    struct lanes g[LANES];
    uint32_t count = lanes_of(w, x->lanes, g);
    for (uint32_t i = 0; i < count; i++)
        lanes_set(c, x->b, w, g[i].mask, heard(c, x, g[i].k, t, reaches), g[i].n);
}

static bool reaches(const struct look *x, const struct told *t, enum level level)
{
    return t->level <= level && t->owner == owner_of(x->b, (enum level)t->level);
}

/* What x may receive at its scope, and what the scopes keep from it, unless the same came at another scope. */
static void var_hear(struct checker *c, const struct look *x, const struct var *v, enum level level)
{
    struct clock *reached = NULL;
    for (uint32_t k = 0; k < v->count; k++)
        if (reaches(x, &v->told[k], level)) {
            struct clock *more = clock_join(c->h, reached, v->told[k].message->before);
            hear(c, x, &v->told[k], true);
            clock_drop(c->h, reached);
            reached = more;
        }
    for (uint32_t k = 0; k < v->count; k++)
        if (!reaches(x, &v->told[k], level) && !clock_covers(reached, v->told[k].message->before))
            hear(c, x, &v->told[k], false);
    clock_drop(c->h, reached);
}

static void var_clear(struct checker *c, struct var *v)
{
    for (uint32_t k = 0; k < v->count; k++)
        know_drop(c->h, v->told[k].message);
    v->count = 0;
}

static struct var *var_new(struct checker *c, struct cblock *owner, uint64_t at)
{
    struct var *v = heap_alloc(c->h, sizeof *v);
    v->key = at;
    v->next = *vars_of(c, owner, at);
    *vars_of(c, owner, at) = v;
    return v;
}

/* A release, and a write to the same place later by the same thread, is a release still (8.8). */
static bool goes_on(const struct look *x, const struct var *v)
{
    return v->alone && v->block == x->b->serial && v->warp == x->warp && v->lanes == x->lanes && (x->lanes & (x->lanes - 1)) == 0;
}

static void by_one(const struct look *x, struct var *v, bool first)
{
    v->alone = first || goes_on(x, v);
    v->block = x->b->serial;
    v->warp = x->warp;
    v->lanes = x->lanes;
}

/* A strong write or update: `release`, or only what earlier fences captured. Told at each scope: who asks for less hears less. */
static void var_write(struct checker *c, struct look *x, uint64_t at, bool release, enum level level, bool update)
{
    struct event e = *x->e;
    struct var *v = var_find(c, x->owner, at);
    struct know *all = NULL;
    e.mask = x->lanes;
    if (v != NULL && !update && !goes_on(x, v))
        var_clear(c, v);
    if (release)
        all = message_of(c, &e, true, level);
    for (int l = 0; l <= (int)level; l++) {
        struct know *m = release ? know_keep(all) : message_of(c, &e, false, (enum level)l);
        if (m != NULL && l == LEVEL_DEVICE) {        /* nobody outside the cluster needs what concerns its shared memory */
            struct know *less = know_of_all(c->h, m);
            know_drop(c->h, m);
            m = less;
        }
        if (m != NULL && (m->before != NULL || know_part(m, PART_SC_HEARD, WHERE_ALL) != NULL || (x->owner != NULL && m->items != 0))) {
            v = v != NULL ? v : var_new(c, x->owner, at);
            by_one(x, v, v->count == 0);
            var_tell(c, v, x->b, (enum level)l, m);
        }
        know_drop(c->h, m);
    }
    know_drop(c->h, all);
}

static void strong(struct checker *c, struct look *x, uint64_t at)
{
    const struct event *e = x->e;
    enum level level = e->sem == SEM_VOLATILE || e->sem == SEM_MMIO || e->scope >= SCOPE_GPU ? LEVEL_DEVICE
                     : e->scope == SCOPE_CLUSTER ? LEVEL_CLUSTER : LEVEL_BLOCK;
    struct var *v = var_find(c, x->owner, at);
    x->acquires = e->sem == SEM_ACQUIRE || e->sem == SEM_ACQ_REL || e->sem == SEM_SC;
    bool returns = e->function->code[e->pc].klass != CLASS_RED;       /* red hears nothing: it has no result */
    if (v != NULL && (e->flags & ACCESS_READ) && returns)
        var_hear(c, x, v, level);
    if (e->flags & ACCESS_WRITE)
        var_write(c, x, at, e->sem == SEM_RELEASE || e->sem == SEM_ACQ_REL || e->sem == SEM_SC, level, e->flags & ACCESS_READ);
}

/* ---- the event ---------------------------------------------------------------------------- */

static bool side_by_side(const struct event *e)
{
    uint64_t bad = 0;
    for (uint32_t l = 0; l < LANES; l++)
        bad |= e->addr[l] ^ (e->addr[0] + (uint64_t)e->bytes * l);
    return bad == 0;
}

/* The lanes of `lanes` with the address of the first one: of one instruction one write stays, and which is open. */
static uint32_t same_address(const struct event *e, uint32_t lanes, uint32_t first)
{
    uint32_t same = 0;
    for (uint32_t l = 0; l < LANES; l++)
        same |= (uint32_t)(e->addr[l] == e->addr[first]) << l;
    return same & lanes;
}

static bool is_local(const struct event *e, uint64_t address)
{
    if (e->space == MEM_GENERIC)
        return address >= WINDOW_LOCAL && address < WINDOW_PARAM + WINDOW_BYTES;
    return e->space == MEM_LOCAL || e->space == MEM_CONST || e->space == MEM_KPARAM || e->space == MEM_FRAME;
}

static uint8_t flags_of(const struct event *e)
{
    uint32_t scope = e->sem == SEM_VOLATILE || e->sem == SEM_MMIO ? SCOPE_SYS : e->scope;
    if (e->sem == SEM_WEAK)
        return 0;
    return (uint8_t)(BY_STRONG | (e->flags & ACCESS_ATOMIC ? BY_ATOMIC : 0) | scope << BY_SCOPE_SHIFT);
}

/* Where the address of one lane lies: owner of shared memory, or NULL and a device address. false: nowhere. */
static bool locate(const struct event *e, uint64_t address, struct cblock **owner, uint64_t *at)
{
    uint32_t offset = 0;
    struct block *b = shared_place(e, address, &offset);
    *owner = cblock_of(b);
    *at = b != NULL ? offset : address;
    return b != NULL || e->space == MEM_GLOBAL || (e->space == MEM_GENERIC && (address < WINDOW_SHARED || address >= WINDOW_LOCAL));
}

/* A peer's memory: it must have started, and must not end before this. */
static void touch_peer(struct checker *c, struct look *x)
{
    if (!clock_has_block(know_part(x->k, PART_RAN, WHERE_ALL), x->owner->serial)) {
        struct report r = {.rule = RULE_CL1, .event = x->e, .mask = x->lanes,
                           .what = "uses shared memory of a block of its cluster; nothing says that the block has started"};
        found(c, &r);
    }
    struct access_by by = me(x);
    remember_remote(c, x->owner, &by, &by);
    touched_peer(c, x->b, x->warp, x->lanes);
    x->k = lane_knows(&x->b->warps[x->warp], first_lane(x->lanes));
}

/* The lanes' own accesses so far are ordered by execution when they come to a barrier, relaxed or not. */
void touched_peer(struct checker *c, struct cblock *b, uint32_t warp, uint32_t lanes)
{
    struct cwarp *w = &b->warps[warp];
    struct lanes g[LANES];
    uint32_t count = lanes_of(w, lanes, g);
    for (uint32_t i = 0; i < count; i++) {
        struct clock *ran = know_part(g[i].k, PART_RAN, WHERE_ALL), *more;
        if (ran != NULL && ran->self >= g[i].n)
            continue;
        more = clock_with_self(c->h, ran, g[i].n);
        lanes_set(c, b, w, g[i].mask, know_with(c->h, g[i].k, PART_RAN, WHERE_ALL, more), g[i].n);
        clock_drop(c->h, more);
    }
}

void remember_remote(struct checker *c, struct cblock *owner, const struct access_by *by, const struct access_by *who)
{
    struct remote *r = owner->remotes;
    while (r != NULL && !(r->by.block == by->block && r->by.warp == by->warp && r->by.flags == by->flags &&
                          (r->by.mask | by->mask) == by->mask))
        r = r->next;
    if (r == NULL) {
        r = heap_alloc(c->h, sizeof *r);
        r->next = owner->remotes;
        owner->remotes = r;
    }
    r->by = *by;
    r->who = *who;
}

static void look_at(struct checker *c, struct look *x, uint64_t address, uint32_t bytes)
{
    uint64_t at;
    if (!locate(x->e, address, &x->owner, &at))
        return;
    uint32_t lane = first_lane(x->lanes);
    if (x->e->sem != SEM_WEAK) {
        strong(c, x, at);
        struct cwarp *w = &x->b->warps[x->warp];
        x->k = lane_knows(w, lane);
        x->n = x->e->flags & ACCESS_WRITE && x->n < lane_epoch(w, lane) ? x->n : lane_epoch(w, lane);
    }
    if (x->owner != NULL) {
        if (x->owner != x->b)
            touch_peer(c, x);
        if (x->owner->mbarriers != NULL)
            plain_access_to_mbarrier(c, x, (uint32_t)at, bytes);
        if (x->owner->flights != NULL && check_in_flight(c, x->e, x->owner, at, bytes, lane, x->write))
            return;                      /* told; what follows from it would only hide that */
        if (x->owner->responses != NULL)
            read_of_response(c, x, (uint32_t)at, bytes);
    } else if (c->flights != NULL && check_in_flight(c, x->e, NULL, at, bytes, lane, x->write)) {
        return;
    }
    look_at_bytes(c, x, at, bytes);
}

/* Nothing special about these bytes of shared memory: the fast way is open. */
static bool quiet(const struct cblock *owner, uint64_t at, uint64_t bytes)
{
    for (const struct cmbar *m = owner->mbarriers; m != NULL; m = m->next)
        if (m->offset + 8 > at && m->offset < at + bytes)
            return false;
    for (const struct response *r = owner->responses; r != NULL; r = r->next)
        if (r->offset + 16 > at && r->offset < at + bytes)
            return false;
    return owner->flights == NULL;
}

static bool fast(struct checker *c, struct look *x)
{
    const struct event *e = x->e;
    uint64_t at;
    if (e->mask != UINT32_MAX || e->sem != SEM_WEAK || e->bytes > 16 || !side_by_side(e) || e->addr[0] % e->bytes != 0)
        return false;
    if (!locate(e, e->addr[0], &x->owner, &at))
        return true;
    if (x->owner != NULL && (x->owner != x->b || !quiet(x->owner, at, (uint64_t)LANES * e->bytes)))
        return false;
    if (x->owner == NULL && c->flights != NULL)
        return false;
    look_at_row(c, x, at, e->bytes);
    return true;
}

void check_access(struct checker *c, const struct event *e)
{
    struct cblock *b = cblock_of(e->block);
    struct cwarp *w = &b->warps[e->warp->index];
    struct look x = {.e = e, .b = b, .warp = e->warp->index, .write = e->flags & ACCESS_WRITE, .flags = flags_of(e),
                     .site = site_of(c, e)};
    if (is_local(e, e->addr[first_lane(e->mask)]))
        return;
    used(b, w);
    if (w->same) {
        x.k = w->k[0];
        x.n = w->n[0];
        x.lanes = e->mask;
        if (fast(c, &x))
            return;
    }
    struct lanes g[LANES];
    uint32_t count = lanes_of(w, e->mask, g);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t left = g[i].mask;
        while (left != 0) {
            uint32_t l = first_lane(left);
            x.lanes = same_address(e, left, l);
            left &= ~x.lanes;
            if (is_local(e, e->addr[l]))
                continue;
            x.k = lane_knows(w, l);      /* may have changed with the lanes before */
            x.n = lane_epoch(w, l);
            look_at(c, &x, e->addr[l], e->bytes);
        }
    }
}

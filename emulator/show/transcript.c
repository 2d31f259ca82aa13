/*
 * See transcript.h. Lines of the trace become groups (warps that do the same
 * stand in one), groups become lines of at most 100 columns.
 *
 * A warp joins an earlier group if nothing that came between could tell the
 * difference: it did nothing else itself since, and the object is as it was.
 * Left out: what the trace knows and the protocol does not need (reads of
 * global memory, votes and elections, the record of a job in common/ledger.h).
 */
#include "show/transcript.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WARPS = 32, TEXT = 160 };

struct group {
    const struct line *first, *last;
    uint64_t when;
    uint32_t warps;              /* mask; 0: no warp */
    uint32_t times;              /* a wait asks again and again */
    uint64_t low, high;          /* bytes of an access */
};

/* What an mbarrier is after a line. */
struct state { bool known; int64_t phase, pending, tx; };

struct page {
    const struct table *t;
    const struct names *n;
    const struct transcript_options *o;
    int64_t first, blocks;       /* the cluster's */
    struct group *groups;
    size_t count;
    const char *bar;             /* the one mbarrier whose state every line shows; NULL: there are several */
};

static void append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, TEXT - used, format, args);
    va_end(args);
}

static uint32_t ones(uint32_t mask)
{
    uint32_t n = 0;
    for (; mask != 0; mask &= mask - 1)
        n++;
    return n;
}

static uint32_t lowest(uint32_t mask)
{
    uint32_t at = 0;
    while (at < 31 && !(mask >> at & 1))
        at++;
    return at;
}

/* ---- which lines ------------------------------------------------------------------------- */

static bool is_ledger(const char *object)
{
    return strcmp(object, "tiles") == 0 || strcmp(object, "blocks") == 0 || strcmp(object, "units") == 0;
}

static bool is_shared(const struct page *p, const struct line *l);

static bool told(const struct page *p, const struct line *l)
{
    if (l->block < p->first || l->block >= p->first + p->blocks)
        return false;
    switch (l->event) {
    case EV_READ: return is_shared(p, l);
    case EV_WRITE: return is_shared(p, l) || strcmp(l->object, "data") == 0;
    case EV_ATOMIC: return !is_ledger(l->object);
    case EV_WARP_SYNC: return name_of(p->n, l->file, l->source)[0] != '\0';
    case EV_GRID_START: case EV_GRID_END: case EV_EXIT: return false;
    default: return true;
    }
}

/* Shared memory is what barriers, answers and copies name, and what is read before or after them under those names. */
static bool is_shared(const struct page *p, const struct line *l)
{
    static const char *const global[] = {"data", "units", "tiles", "blocks", "next", "records"};
    (void)p;
    for (size_t k = 0; k < sizeof global / sizeof global[0]; k++)
        if (strcmp(l->object, global[k]) == 0)
            return false;
    return l->object[0] != '\0' && strncmp(l->object, "0x", 2) != 0;
}

static bool at_barrier(const struct line *l, const char *name)
{
    if (name == NULL)
        return true;
    if (strcmp(name, "block") == 0)
        return l->event == EV_BAR_ARRIVE || l->event == EV_BAR_PASS;
    if (strcmp(name, "cluster") == 0)
        return l->event == EV_CLUSTER_ARRIVE || l->event == EV_CLUSTER_PASS;
    return l->event == EV_MBARRIER && strcmp(l->object, name) == 0;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* A wait that went on: no lane was told "not yet". */
static bool passed(const struct line *l)
{
    char lanes[16] = "0";
    detail_text(l, "passed", lanes, sizeof lanes);
    return strcmp(lanes, "0") != 0;
}

static bool same_text(const struct line *a, const struct line *b)
{
    if (a->event != b->event || a->source != b->source || a->block != b->block || a->owner != b->owner ||
        strcmp(a->object, b->object) != 0 || strcmp(a->what, b->what) != 0)
        return false;
    switch (a->event) {
    case EV_MBARRIER:
        return passed(a) == passed(b) && detail(a, "value", 0) == detail(b, "value", 0) && detail(a, "parity", 0) == detail(b, "parity", 0);
    case EV_QUERY: return detail(a, "request", 0) == detail(b, "request", 0);
    case EV_REQUEST: case EV_COPY: return false;
    default: return true;
    }
}

static bool touches(const struct line *l, const struct line *other)
{
    return l->object[0] != '\0' && l->owner == other->owner && strcmp(l->object, other->object) == 0;
}

static bool changes(const struct line *l)
{
    return (l->event == EV_MBARRIER && detail(l, "parity", -1) < 0) || l->event == EV_RESPONSE || l->event == EV_DELIVER;
}

/* Tiles are told one by one. */
static int64_t tile_of(const struct page *p, const struct line *l)
{
    return l->event == EV_WRITE && strcmp(l->object, "data") == 0 ? (int64_t)(l->offset / 4) / p->t->threads : -1;
}

static struct group *find_group(struct page *p, const struct line *l)
{
    for (size_t k = p->count; k > 0 && l->warp >= 0; k--) {
        struct group *g = &p->groups[k - 1];
        if (g->first->block != l->block)
            continue;
        if (g->warps >> (l->warp % MOST_WARPS) & 1)
            return same_text(g->first, l) && detail(l, "parity", -1) >= 0 && !passed(l) ? g : NULL;
        if (same_text(g->first, l) && tile_of(p, g->first) == tile_of(p, l) && g->warps != 0)
            return g;
        if (touches(g->first, l) && (changes(g->first) || changes(l)))
            return NULL;
        if (g->warps == 0 && g->first->event == EV_BLOCK_START)
            return NULL;
    }
    return NULL;
}

static void put_line(struct page *p, const struct line *l)
{
    struct group *g = find_group(p, l);
    uint64_t end = l->offset + (uint64_t)detail(l, "span", 0);
    if (g == NULL) {
        g = &p->groups[p->count++];
        *g = (struct group){.first = l, .when = l->when, .low = l->offset, .high = end};
    }
    g->times += l->warp >= 0 && (g->warps >> l->warp % MOST_WARPS & 1);
    g->last = l;
    g->warps |= l->warp >= 0 ? 1u << l->warp % MOST_WARPS : 0;
    g->low = l->offset < g->low ? l->offset : g->low;
    g->high = end > g->high ? end : g->high;
}

/* ---- one line of text ------------------------------------------------------------------------ */

static void say_who(const struct page *p, const struct group *g, char *text)
{
    const struct line *l = g->first;
    uint32_t warps = ones(g->warps), lanes = ones(l->lanes);
    text[0] = '\0';
    if (p->blocks > 1)
        append(text, "%" PRId64 ": ", l->block);
    if (l->event == EV_BLOCK_START || l->event == EV_BLOCK_END)
        append(text, "block");
    else if (g->warps == 0)
        append(text, "engine");
    else if (warps > 1)
        append(text, "%u warps", warps);
    else if (lanes == 1)
        append(text, "thread %" PRId64, l->warp * 32 + lowest(l->lanes));
    else
        append(text, "warp %" PRId64, l->warp);
}

static const char *s_of(int64_t n) { return n == 1 ? "" : "s"; }

static void say_mbarrier(const struct group *g, char *text)
{
    const struct line *l = g->first, *last = g->last;
    const char *verb = ones(g->warps) > 1 ? "" : "s";
    int64_t value = detail(l, "value", 0);
    char bar[80];
    snprintf(bar, sizeof bar, "%.60s", l->object);
    if (l->owner != l->block)
        snprintf(bar, sizeof bar, "%.60s@%" PRId64, l->object, l->owner);
    if (detail(l, "parity", -1) >= 0) {
        append(text, "wait%s for parity %" PRId64 " of %s: %s", verb, detail(l, "parity", 0), bar,
               passed(l) ? "passed" : "not yet");
        if (g->times > 0 && ones(g->warps) == 1)
            append(text, " x%u", g->times + 1);
    } else if (strcmp(l->what, "init") == 0)
        append(text, "init%s %s: %" PRId64 " arrival%s a phase", verb, bar, value, s_of(value));
    else if (strcmp(l->what, "arrive-expect-tx") == 0)
        append(text, "arrive%s at %s, expects %" PRId64 " bytes", verb, bar, value);
    else if (strcmp(l->what, "expect-tx") == 0)
        append(text, "%s expects %" PRId64 " bytes more", bar, value);
    else if (strcmp(l->what, "async-complete-tx") == 0 || strcmp(l->what, "complete-tx") == 0)
        append(text, "%" PRId64 " bytes come to %s", value, bar);
    else if (strncmp(l->what, "arrive", 6) == 0 || strcmp(l->what, "async-arrive") == 0)
        append(text, "arrive%s at %s", verb, bar);
    else
        append(text, "%s: %s", bar, l->what);
    if (detail(last, "ended", 0) == 1)
        append(text, ": phase ends");
}

static void say_fence(const struct line *l, char *text)
{
    char sem[16] = "", scope[16] = "", space[24] = "";
    detail_text(l, "sem", sem, sizeof sem);
    detail_text(l, "scope", scope, sizeof scope);
    detail_text(l, "space", space, sizeof space);
    if (strcmp(l->what, "proxy-half") == 0)
        append(text, "proxy fence, its %s half", sem);
    else if (strcmp(l->what, "proxy-async") == 0)
        append(text, "proxy fence, both ways (%s)", space);
    else if (strcmp(l->what, "mbarrier-init") == 0)
        append(text, "fence for the initialised barrier");
    else if (strcmp(l->what, "sync-restrict") == 0)
        append(text, "fence, its %s half, no proxy", sem);
    else
        append(text, "fence %s.%s", sem, scope);
}

/* The answer that request number `request` got: the first block of what was cancelled, -1 refused. */
static int64_t answer_to(const struct table *t, int64_t request)
{
    for (size_t k = 0; k < t->count; k++)
        if (t->lines[k].event == EV_RESPONSE && detail(&t->lines[k], "request", 0) == request)
            return detail(&t->lines[k], "first", -1);
    return -1;
}

static void say_access(const struct page *p, const struct group *g, char *text)
{
    const struct line *l = g->first;
    const char *verb = ones(g->warps) > 1 ? "" : "s";
    if (tile_of(p, l) >= 0) {
        append(text, "scale%s data[%" PRIu64 "..%" PRIu64 "], tile %" PRId64, verb, g->low / 4, g->high / 4 - 1, tile_of(p, l));
        return;
    }
    append(text, "%s%s %s", l->event == EV_READ ? "read" : "write", verb, l->object);
    if (l->owner != l->block)
        append(text, " of block %" PRId64, l->owner);
}

static void say_request(const struct page *p, const struct line *l, char *text)
{
    char bar[64] = "bar";
    detail_text(l, "bar", bar, sizeof bar);
    bar[strcspn(bar, "+")] = '\0';
    append(text, "request %" PRId64 " -> %s, %s", detail(l, "request", 0), l->object, bar);
    if (strcmp(l->what, "multicast") == 0 && p->blocks > 1)
        append(text, " of all blocks");
}

static void say_what(const struct page *p, const struct group *g, char *text)
{
    const struct line *l = g->first;
    const char *verb = ones(g->warps) > 1 ? "" : "s";
    int64_t first;
    text[0] = '\0';
    switch (l->event) {
    case EV_BLOCK_START: append(text, "starts on SM %u, slot %u", l->sm, l->slot); break;
    case EV_BLOCK_END: append(text, "ends"); break;
    case EV_READ: case EV_WRITE: say_access(p, g, text); break;
    case EV_ATOMIC: append(text, "draw%s from %s", verb, l->object); break;
    case EV_FENCE: say_fence(l, text); break;
    case EV_BAR_ARRIVE:
        append(text, "at the block barrier: %" PRId64 " of %" PRId64, detail(g->last, "arrived", 0), detail(g->last, "expected", 0));
        break;
    case EV_BAR_PASS: append(text, "pass%s the block barrier", *verb ? "es" : ""); break;
    case EV_WARP_SYNC: append(text, "%s together", ones(g->warps) > 1 ? "each go on" : "goes on"); break;
    case EV_CLUSTER_ARRIVE: append(text, "at the cluster barrier"); break;
    case EV_CLUSTER_PASS: append(text, "pass%s the cluster barrier", *verb ? "es" : ""); break;
    case EV_MBARRIER: say_mbarrier(g, text); break;
    case EV_COPY: append(text, "copy of %" PRId64 " bytes -> %s", detail(l, "bytes", 0), l->object); break;
    case EV_DELIVER: append(text, "writes %s: %" PRId64 " bytes", l->object, detail(l, "bytes", 0)); break;
    case EV_REQUEST: say_request(p, l, text); break;
    case EV_RESPONSE:
        if (strcmp(l->what, "granted") == 0)
            append(text, "writes %s: answer %" PRId64 ", block %" PRId64, l->object, detail(l, "request", 0), detail(l, "first", -1));
        else
            append(text, "writes %s: answer %" PRId64 ", refused", l->object, detail(l, "request", 0));
        break;
    case EV_QUERY:
        first = answer_to(p->t, detail(l, "request", 0));
        if (strcmp(l->what, "is-canceled") == 0)
            append(text, "find%s: request %" PRId64 " was %s", verb, detail(l, "request", 0), detail(l, "granted", 0) ? "granted" : "refused");
        else
            append(text, "find%s: block %" PRId64, verb, first);
        break;
    case EV_GROUP_PASS: append(text, "wait%s for copies: done", verb); break;
    default: break;
    }
}

/* ---- the page ---------------------------------------------------------------------------------- */

static void print_group(const struct page *p, const struct group *g, const struct state *s, FILE *out)
{
    const struct line *l = g->first;
    char who[TEXT], what[TEXT], line[16] = "";
    say_who(p, g, who);
    say_what(p, g, what);
    if (l->source > 0 && strcmp(l->file, p->n->file) == 0)
        snprintf(line, sizeof line, ":%d", l->source);
    char row[256];
    int length = snprintf(row, sizeof row, "%6" PRIu64 " %-12.12s %5s %-14s %-38.38s", g->when, who, line, name_of(p->n, l->file, l->source), what);
    if (s->known)
        snprintf(row + length, sizeof row - (size_t)length, " %5" PRId64 " %7" PRId64 " %6" PRId64, s->phase, s->pending, s->tx);
    for (size_t end = strlen(row); end > 0 && row[end - 1] == ' '; end--)
        row[end - 1] = '\0';
    fprintf(out, "%s\n", row);
}

static void follow(struct state *s, const struct line *l)
{
    int64_t phase = detail(l, "phase", -1);
    if (l->event != EV_MBARRIER || phase < 0)
        return;
    if (strcmp(l->what, "init") == 0)
        *s = (struct state){.known = true};
    s->phase += (phase - s->phase % 8 + 8) % 8;      /* the trace counts modulo 8 */
    s->pending = detail(l, "pending", 0);
    s->tx = detail(l, "tx", 0);
}

static bool wanted(const struct page *p, const struct group *g, bool of_tile)
{
    return of_tile && at_barrier(g->first, p->o->barrier);
}

/* The groups of a tile: after the tile before it in its block, up to its own last write. */
static bool in_tile(const struct page *p, size_t at, int64_t block)
{
    size_t from = 0, to = 0;
    if (p->o->tile < 0)
        return true;
    for (size_t k = 0; k < p->count; k++) {
        int64_t tile = tile_of(p, p->groups[k].first);
        if (p->groups[k].first->block != block || tile < 0)
            continue;
        if (tile == p->o->tile)
            to = k;
        else if (to == 0)
            from = k + 1;
    }
    while (p->o->tile >= 0 && from > 0 && p->groups[from - 1].first->event != EV_REQUEST && p->groups[from - 1].first->event != EV_COPY &&
           p->groups[from - 1].first->event != EV_FENCE && p->groups[from - 1].first->event != EV_BLOCK_START)
        from--;
    return at + 1 >= from && at <= to;
}

static void say_head(const struct page *p, FILE *out)
{
    const char *bar = p->bar != NULL ? p->bar : "its barrier";
    fprintf(out, "%s: ", p->t->kernel);
    if (p->blocks > 1)
        fprintf(out, "blocks %" PRId64 " to %" PRId64 " of %" PRId64 ", a cluster", p->first, p->first + p->blocks - 1, p->t->blocks);
    else
        fprintf(out, "block %" PRId64 " of %" PRId64, p->first, p->t->blocks);
    fprintf(out, ", %" PRId64 " threads%s, emulated %s.\n", p->t->threads, p->blocks > 1 ? " each" : "", p->t->device);
    fprintf(out, "Lines are those of %s, times model cycles. On the right, what %s is\n"
            "after the line: phases that have ended, arrivals pending, bytes missing.\n\n", p->n->file, bar);
}

static void print_page(const struct page *p, int64_t tile_block, FILE *out)
{
    struct state *states = calloc((size_t)p->blocks, sizeof *states), none = {false, 0, 0, 0};
    if (states == NULL)
        return;
    say_head(p, out);
    fprintf(out, "%6s %-12s %5s %-14s %-38s %5s %7s %6s\n", "time", p->blocks > 1 ? "block: who" : "who", "line", "name", "what", "phase",
            "pending", "bytes");
    for (size_t k = 0; k < p->count; k++) {
        const struct group *g = &p->groups[k];
        bool about_it = g->first->event == EV_MBARRIER;
        int64_t whose = about_it ? g->first->owner : g->first->block;
        struct state *s = &states[whose >= p->first && whose < p->first + p->blocks ? whose - p->first : 0];
        if (about_it && (p->bar == NULL || strcmp(g->first->object, p->bar) == 0))
            follow(s, g->last);
        if (wanted(p, g, in_tile(p, k, tile_block)))
            print_group(p, g, about_it || p->bar != NULL ? s : &none, out);
    }
    free(states);
}

/* ---- what there is -------------------------------------------------------------------------------- */

static void add_word(char *list, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return;
    snprintf(list + strlen(list), size - strlen(list), "%s%s", list[0] ? ", " : "", word);
}

static bool barrier_exists(struct page *p, char *why, size_t size)
{
    char list[400] = "";
    int mbarriers = 0;
    bool there = p->o->barrier == NULL;
    for (size_t k = 0; k < p->count; k++) {
        const struct line *l = p->groups[k].first;
        there |= at_barrier(l, p->o->barrier);
        if (l->event == EV_BAR_ARRIVE)
            add_word(list, sizeof list, "block");
        if (l->event == EV_CLUSTER_ARRIVE)
            add_word(list, sizeof list, "cluster");
        if (l->event == EV_MBARRIER && strcmp(l->what, "init") == 0) {
            add_word(list, sizeof list, l->object);
            mbarriers += p->bar == NULL || strcmp(p->bar, l->object) != 0;
            p->bar = p->bar == NULL ? l->object : p->bar;
        }
    }
    if (mbarriers > 1)
        p->bar = NULL;
    if (!there)
        snprintf(why, size, "there is no barrier '%s' in block %" PRId64 "; there is: %s", p->o->barrier, p->first, list[0] ? list : "none");
    return there;
}

static bool block_ran(const struct table *t, int64_t block)
{
    for (size_t k = 0; k < t->count; k++)
        if (t->lines[k].event == EV_BLOCK_START && t->lines[k].block == block)
            return true;
    return false;
}

/* Which blocks ran: "0 to 7, 12". */
static void list_blocks(const struct table *t, char *list, size_t size)
{
    int64_t from = -1;
    bool *all = calloc((size_t)t->blocks + 1, sizeof *all);
    list[0] = '\0';
    for (size_t k = 0; k < t->count && all != NULL; k++)
        if (t->lines[k].event == EV_BLOCK_START && t->lines[k].block >= 0 && t->lines[k].block < t->blocks)
            all[t->lines[k].block] = true;
    for (int64_t b = 0; b <= t->blocks; b++) {
        bool ran = all != NULL && all[b];
        if (ran && from < 0)
            from = b;
        if (ran || from < 0)
            continue;
        size_t used = strlen(list);
        if (used > 80) {
            snprintf(list + used, size - used, ", ...");
            break;
        }
        snprintf(list + used, size - used, from == b - 1 ? "%s%" PRId64 : "%s%" PRId64 " to %" PRId64, used ? ", " : "", from, b - 1);
        from = -1;
    }
    free(all);
}

static int64_t block_of_tile(const struct table *t, int64_t tile)
{
    for (size_t k = 0; k < t->count; k++) {
        const struct line *l = &t->lines[k];
        if (l->event == EV_WRITE && strcmp(l->object, "data") == 0 && (int64_t)(l->offset / 4) / t->threads == tile)
            return l->block;
    }
    return -1;
}

/* The block to show; -1: there is none, and `why` says so. */
static int64_t find_block(const struct table *t, const struct transcript_options *o, char *why, size_t size)
{
    char list[120];
    int64_t block = o->tile >= 0 ? block_of_tile(t, o->tile) : o->block >= 0 ? o->block : 0;
    if (o->tile >= 0 && block < 0)
        snprintf(why, size, "there is no tile %" PRId64 "; there are %" PRId64 ", from 0", o->tile, t->blocks);
    else if (o->tile >= 0 && o->block >= 0 && o->block / t->cluster != block / t->cluster)
        snprintf(why, size, "tile %" PRId64 " was done by block %" PRId64 ", not by block %" PRId64, o->tile, block, o->block);
    else if (!block_ran(t, block)) {
        list_blocks(t, list, sizeof list);
        snprintf(why, size, block >= t->blocks ? "there is no block %" PRId64 " in a grid of %" PRId64 "; these ran: %s"
                                               : "block %" PRId64 " of %" PRId64 " never ran, its work was taken over; these ran: %s",
                 block, t->blocks, list);
    } else
        return block;
    return -1;
}

bool transcript(const struct table *t, const struct names *n, const struct transcript_options *o, FILE *out, char *why, size_t size)
{
    struct page p = {.t = t, .n = n, .o = o};
    int64_t block = find_block(t, o, why, size);
    if (block < 0)
        return false;
    p.blocks = t->cluster;
    p.first = block / t->cluster * t->cluster;
    p.groups = malloc((t->count + 1) * sizeof *p.groups);
    if (p.groups == NULL) {
        snprintf(why, size, "memory is out");
        return false;
    }
    for (size_t k = 0; k < t->count; k++)
        if (told(&p, &t->lines[k]))
            put_line(&p, &t->lines[k]);
    bool right = barrier_exists(&p, why, size);
    if (right)
        print_page(&p, block, out);
    free(p.groups);
    return right;
}

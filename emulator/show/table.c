/* See table.h. */
#include "show/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 11, MOST_BYTES = 1 << 29 };

static const char *const words[EV_COUNT] = {
    "grid-start", "grid-end", "block-start", "block-end", "exit", "read", "write", "atomic", "fence", "bar-arrive",
    "bar-pass", "warp-sync", "cluster-arrive", "cluster-pass", "mbarrier", "copy", "deliver", "request", "response", "query",
    "group-pass"
};

static bool say(char *why, size_t size, const char *path, size_t number, const char *sentence)
{
    if (number > 0)
        snprintf(why, size, "%.300s:%zu: %s", path, number, sentence);
    else
        snprintf(why, size, "%.300s: %s", path, sentence);
    return false;
}

/* ---- the file ---------------------------------------------------------------------------- */

static char *read_all(const char *path, char *why, size_t size)
{
    FILE *f = fopen(path, "rb");
    size_t room = 1 << 16, used = 0;
    char *text = f != NULL ? malloc(room) : NULL;
    if (f == NULL) {
        say(why, size, path, 0, strerror(errno));
        return NULL;
    }
    while (text != NULL) {
        size_t got = fread(text + used, 1, room - used - 1, f);
        used += got;
        if (got == 0 || used > MOST_BYTES)
            break;
        char *more = room - used < 2 ? realloc(text, room *= 2) : text;
        if (more == NULL)
            free(text);
        text = more;
    }
    bool bad = ferror(f) != 0 || used > MOST_BYTES;
    fclose(f);
    if (text == NULL || bad) {
        say(why, size, path, 0, text == NULL ? "memory is out" : bad && used > MOST_BYTES ? "too long to be drawn; trace a smaller run" : "cannot be read");
        free(text);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

/* ---- one line ---------------------------------------------------------------------------- */

static bool number(const char *text, int base, int64_t *out)
{
    char *end;
    if (strcmp(text, "-") == 0) {
        *out = -1;
        return true;
    }
    errno = 0;
    long long v = strtoll(text, &end, base);
    *out = v;
    return errno == 0 && end != text && *end == '\0' && v >= 0;
}

static const char *or_nothing(const char *text) { return strcmp(text, "-") == 0 ? "" : text; }

static void read_place(struct line *l, char *text)
{
    char *colon = strrchr(text, ':');
    l->file = "";
    if (colon == NULL)
        return;
    *colon = '\0';
    l->file = text;
    l->source = atoi(colon + 1);
}

/* NAME+BYTES@BLOCK */
static void read_object(struct line *l, char *text)
{
    char *at = strrchr(text, '@'), *plus;
    l->owner = l->block;
    if (at != NULL && strspn(at + 1, "0123456789") == strlen(at + 1)) {
        l->owner = strtoll(at + 1, NULL, 10);
        *at = '\0';
    }
    plus = strrchr(text, '+');
    if (plus != NULL) {
        l->offset = strtoull(plus + 1, NULL, 10);
        *plus = '\0';
    }
    l->object = or_nothing(text);
}

static bool read_line(struct line *l, char *text)
{
    char *column[COLUMNS];
    int64_t time, lanes, sm;
    int n = 0;
    for (char *p = text, *tab; p != NULL && n < COLUMNS; p = tab) {
        column[n++] = p;
        tab = strchr(p, '\t');
        if (tab != NULL)
            *tab++ = '\0';
    }
    if (n != COLUMNS || !number(column[0], 10, &time) || time < 0 || !number(column[2], 10, &l->grid) ||
        !number(column[3], 10, &l->block) || !number(column[5], 10, &l->warp) || !number(column[6], 16, &lanes) || lanes > UINT32_MAX)
        return false;
    l->event = EV_GRID_START;
    while (l->event < EV_COUNT && strcmp(words[l->event], column[1]) != 0)
        l->event++;
    char *dot = strchr(column[4], '.');
    if (dot != NULL)
        *dot++ = '\0';
    if (l->event == EV_COUNT || !number(column[4], 10, &sm))
        return false;
    l->sm = sm < 0 ? 0 : (uint32_t)sm;
    l->slot = dot != NULL ? (uint32_t)strtoul(dot, NULL, 10) : 0;
    l->time = l->when = (uint64_t)time;
    l->lanes = lanes < 0 ? 0 : (uint32_t)lanes;
    read_place(l, column[7]);
    read_object(l, column[8]);
    l->what = or_nothing(column[9]);
    l->details = or_nothing(column[10]);
    return true;
}

bool detail_text(const struct line *l, const char *key, char *out, size_t size)
{
    size_t length = strlen(key);
    for (const char *p = l->details; *p != '\0'; p += strcspn(p, " "), p += *p == ' ') {
        if (strncmp(p, key, length) != 0 || p[length] != '=')
            continue;
        p += length + 1;
        snprintf(out, size, "%.*s", (int)strcspn(p, " "), p);
        return true;
    }
    return false;
}

int64_t detail(const struct line *l, const char *key, int64_t otherwise)
{
    char text[64];
    return detail_text(l, key, text, sizeof text) ? strtoll(text, NULL, 10) : otherwise;
}

/* ---- all lines ---------------------------------------------------------------------------- */

static void read_launch(struct table *t, const struct line *l)
{
    char text[64] = "";
    unsigned d[3] = {1, 1, 1};
    static const char *const keys[] = {"grid", "block", "cluster"};
    int64_t *const out[] = {&t->blocks, &t->threads, &t->cluster};
    snprintf(t->kernel, sizeof t->kernel, "%s", l->object);
    for (int k = 0; k < 3; k++) {
        *out[k] = 1;
        if (detail_text(l, keys[k], text, sizeof text) && sscanf(text, "%ux%ux%u", &d[0], &d[1], &d[2]) == 3)
            *out[k] = (int64_t)d[0] * d[1] * d[2];
    }
}

static bool read_lines(struct table *t, const char *path, char *why, size_t size)
{
    size_t room = 0, number_of = 0;
    char *next;
    for (char *p = t->text; *p != '\0'; p = next) {
        next = strchr(p, '\n');
        if (next == NULL)
            return say(why, size, path, number_of + 1, "the trace ends within a line; the run was cut off");
        *next++ = '\0';
        if (++number_of == 1 && strncmp(p, "# trace 1, device ", 18) != 0)
            return say(why, size, path, 1, "this is no trace: EMU_TRACE=FILE or emu-run --trace FILE writes one");
        if (number_of == 1)
            snprintf(t->device, sizeof t->device, "%s", p + 18);
        if (p[0] == '#')
            continue;
        if (t->count == room) {
            struct line *more = realloc(t->lines, (room = room ? 2 * room : 1024) * sizeof *more);
            if (more == NULL)
                return say(why, size, path, 0, "memory is out");
            t->lines = more;
        }
        struct line *l = &t->lines[t->count];
        *l = (struct line){.serial = (uint32_t)t->count};
        if (!read_line(l, p))
            return say(why, size, path, number_of, "not a line of a trace");
        if (l->event == EV_GRID_START && t->count == 0)
            read_launch(t, l);
        t->count += t->count == 0 || l->grid == t->lines[0].grid;
    }
    return t->count > 0 || say(why, size, path, 0, "the trace is empty: nothing was launched");
}

/* ---- order --------------------------------------------------------------------------------- */

/* The latest time seen of each warp and of each object: a hash of both kinds of keys. */
struct latest { uint64_t hash, when; };

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * UINT64_C(0x100000001b3) ^ (hash >> 29); }

static uint64_t hash_warp(const struct line *l) { return mix(mix(UINT64_C(0x9e3779b97f4a7c15), (uint64_t)l->block), (uint64_t)l->warp) | 1; }

static uint64_t hash_object(const struct table *t, const struct line *l)
{
    bool of_cluster = l->event == EV_CLUSTER_ARRIVE || l->event == EV_CLUSTER_PASS;
    uint64_t hash = mix(UINT64_C(0x85ebca6b), (uint64_t)(of_cluster ? l->block / t->cluster : l->owner));
    for (const char *p = l->object; *p != '\0'; p++)
        hash = mix(hash, (unsigned char)*p);
    return mix(hash, l->offset) | 1;
}

static struct latest *slot_of(struct latest *table, size_t room, uint64_t hash)
{
    size_t at = hash % room;
    while (table[at].hash != 0 && table[at].hash != hash)
        at = (at + 1) % room;
    table[at].hash = hash;
    return &table[at];
}

static bool one_order(const struct line *l)
{
    return l->object[0] != '\0' && l->event != EV_GRID_START && (l->event == EV_MBARRIER || l->event >= EV_BAR_ARRIVE || l->event == EV_READ || l->event == EV_WRITE);
}

/* Bytes that land and what they do to an mbarrier are one moment. */
static void land_together(struct table *t, struct latest *latest, size_t room, size_t at)
{
    const struct line *l = &t->lines[at];
    if (l->event != EV_MBARRIER || strcmp(l->what, "async-complete-tx") != 0)
        return;
    for (size_t k = at; k > 0 && t->lines[k - 1].time == l->time && t->lines[k - 1].warp < 0; k--) {
        struct line *landed = &t->lines[k - 1];
        if ((landed->event != EV_RESPONSE && landed->event != EV_DELIVER) || landed->block != l->block || landed->when >= l->when)
            continue;
        landed->when = l->when;
        slot_of(latest, room, hash_object(t, landed))->when = l->when;
    }
}

static int by_when(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static bool sort(struct table *t)
{
    size_t room = 4 * t->count + 16;
    struct latest *latest = calloc(room, sizeof *latest);
    if (latest == NULL)
        return false;
    for (size_t k = 0; k < t->count; k++) {
        struct line *l = &t->lines[k];
        struct latest *warp = l->warp >= 0 ? slot_of(latest, room, hash_warp(l)) : NULL;
        struct latest *object = one_order(l) ? slot_of(latest, room, hash_object(t, l)) : NULL;
        if (warp != NULL && warp->when > l->when)
            l->when = warp->when;
        if (object != NULL && object->when > l->when)
            l->when = object->when;
        if (warp != NULL)
            warp->when = l->when;
        if (object != NULL)
            object->when = l->when;
        land_together(t, latest, room, k);
    }
    free(latest);
    qsort(t->lines, t->count, sizeof *t->lines, by_when);
    return true;
}

bool table_read(struct table *t, const char *path, char *why, size_t size)
{
    *t = (struct table){.cluster = 1};
    t->text = read_all(path, why, size);
    if (t->text != NULL && read_lines(t, path, why, size) && (sort(t) || say(why, size, path, 0, "memory is out")))
        return true;
    table_free(t);
    return false;
}

void table_free(struct table *t)
{
    free(t->lines);
    free(t->text);
    *t = (struct table){.cluster = 1};
}

/*
 * What a kernel did, where values and rules do not show it: did=copies>=1,barriers<=1 looks at the events of a run, as
 * emu-run --trace writes them (emulator/trace/trace.h). Of the first launch, each block that started must do so.
 *
 *   barriers   barriers of the block or cluster that it came to
 *   waits      phases of an mbarrier that one of its threads waited for
 *   copies     bulk copies that it started
 *   flight     requests of its own that were under way at once, at most
 *   unread     answers not looked at yet whenever it asked again, its new request among them, at least
 *   ahead      answers that nobody but the asking warp had looked at, at most; enough if one block does so
 *
 * alone=sums:1 looks at a run in which every request is refused: of the array `sums` no block may write more than one
 * element. Who has a list of its own, and goes through the protocol for show, writes more.
 */
#define _GNU_SOURCE
#include "grading.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRACE = 1 << 26, MOST_THREADS = 1024, COLUMNS = 11 };

enum deed { BARRIERS, WAITS, COPIES, FLIGHT, UNREAD, AHEAD, DEEDS, WRITES = DEEDS, COUNTED };

/* "block 3 started 0 bulk copies" */
static const struct { const char *word, *verb, *what; } deeds[DEEDS] = {
    [BARRIERS] = { "barriers", "came to", "block or cluster barriers" },
    [WAITS] = { "waits", "waited for", "phases of an mbarrier" },
    [COPIES] = { "copies", "started", "bulk copies" },
    [FLIGHT] = { "flight", "had", "requests under way at once" },
    [UNREAD] = { "unread", "asked again with", "answers to come or to be read, this one among them" },
    [AHEAD] = { "ahead", "ran ahead of its readers by", "answers, more than any other" }
};

struct written { uint64_t offset, span; };

struct ticket { uint64_t number; int warp; bool granted, looked, read; };

struct doer {
    bool started;
    uint64_t at_barriers;               /* arrivals of threads */
    uint32_t waits[MOST_THREADS];       /* of each thread */
    struct ticket *tickets;
    size_t requests, room, answers, looked, unread_to_readers;
    struct written *written;            /* of the array, each place once */
    size_t written_count, written_room;
    long long did[COUNTED];
};

struct watch {
    struct doer *doers;
    size_t count, threads;
    const char *array;                  /* the one whose writes are counted; NULL: none */
    size_t array_length;
};

/* ---- fields of a line -------------------------------------------------------------- */

/* The number behind KEY= in words such as "bytes=16 request=3". */
static uint64_t detail(const char *words, const char *key, int base)
{
    const size_t length = strlen(key);
    for (const char *p = words; (p = strstr(p, key)); p += length)
        if ((p == words || p[-1] == ' ') && p[length] == '=')
            return strtoull(p + length + 1, NULL, base);
    return 0;
}

static struct doer *doer_of(struct watch *w, const char *block)
{
    char *end;
    const unsigned long long number = strtoull(block, &end, 10);
    return end != block && number < w->count ? &w->doers[number] : NULL;
}

static void grid_started(struct watch *w, const char *details)
{
    size_t grid[3] = { 0, 1, 1 }, block[3] = { 0, 1, 1 };
    const char *threads = strstr(details, "block=");
    if (sscanf(details, "grid=%zux%zux%zu", &grid[0], &grid[1], &grid[2]) < 1 || !threads
        || sscanf(threads, "block=%zux%zux%zu", &block[0], &block[1], &block[2]) < 1)
        return;
    w->count = grid[0] * grid[1] * grid[2];
    w->threads = block[0] * block[1] * block[2];
    w->doers = room_for(w->count, sizeof *w->doers);
}

/* ---- requests ------------------------------------------------------------------------- */

static struct ticket *ticket_of(struct doer *d, uint64_t number)
{
    for (size_t i = d->requests; i-- > 0;)
        if (d->tickets[i].number == number)
            return &d->tickets[i];
    return NULL;
}

static void asked(struct doer *d, uint64_t number, int warp)
{
    d->tickets = room_more(d->tickets, d->requests, &d->room, sizeof *d->tickets);
    d->tickets[d->requests++] = (struct ticket){ .number = number, .warp = warp };
    const long long flight = (long long)(d->requests - d->answers), unread = (long long)(d->requests - d->looked);
    if (flight > d->did[FLIGHT])
        d->did[FLIGHT] = flight;
    if (d->requests > 1 && (d->requests == 2 || unread < d->did[UNREAD]))
        d->did[UNREAD] = unread;
}

static void answered(struct doer *d, uint64_t number, bool granted)
{
    struct ticket *t = ticket_of(d, number);
    d->answers++;
    if (!t || !granted)
        return;
    t->granted = true;
    if ((long long)++d->unread_to_readers > d->did[AHEAD])
        d->did[AHEAD] = (long long)d->unread_to_readers;
}

static void looked(struct doer *d, uint64_t number, int warp)
{
    struct ticket *t = ticket_of(d, number);
    if (!t)
        return;
    d->looked += !t->looked;
    t->looked = true;
    if (t->granted && !t->read && warp != t->warp) {
        t->read = true;
        d->unread_to_readers--;
    }
}

/* ---- all lines -------------------------------------------------------------------------- */

static void waited(struct doer *d, int warp, const char *what, const char *details)
{
    const uint32_t passed = strstr(what, "-wait") ? (uint32_t)detail(details, "passed", 16) : 0;
    for (int lane = 0; lane < 32; lane++)
        if (passed >> lane & 1 && warp * 32 + lane < MOST_THREADS) {
            const long long waits = ++d->waits[warp * 32 + lane];
            if (waits > d->did[WAITS])
                d->did[WAITS] = waits;
        }
}

static void came(struct watch *w, struct doer *d, const char *lanes)
{
    d->at_barriers += (uint64_t)__builtin_popcount((unsigned)strtoul(lanes, NULL, 16));
    d->did[BARRIERS] = (long long)((d->at_barriers + w->threads - 1) / w->threads);
}

/* Elements of the array that the lanes of one warp wrote. */
static void wrote(const struct watch *w, struct doer *d, const char *object, const char *lanes, const char *details)
{
    if (!w->array || strncmp(object, w->array, w->array_length) != 0 || object[w->array_length] != '+')
        return;
    const struct written one = { strtoull(object + w->array_length + 1, NULL, 10), detail(details, "span", 10) };
    const uint64_t bytes = detail(details, "bytes", 10), elements = bytes ? one.span / bytes : 0;
    const uint64_t threads = (uint64_t)__builtin_popcount((unsigned)strtoul(lanes, NULL, 16));
    for (size_t i = 0; i < d->written_count; i++)
        if (d->written[i].offset == one.offset && d->written[i].span == one.span)
            return;
    d->written = room_more(d->written, d->written_count, &d->written_room, sizeof one);
    d->written[d->written_count++] = one;
    d->did[WRITES] += (long long)(elements < threads ? elements : threads);
}

/* Columns: time event grid block sm warp lanes line object what details. */
static void watch_line(struct watch *w, char *column[COLUMNS])
{
    const char *event = column[1], *what = column[9], *details = column[10];
    if (strcmp(column[2], "1") != 0)
        return;
    if (strcmp(event, "grid-start") == 0 && !w->doers)
        grid_started(w, details);
    struct doer *d = doer_of(w, column[3]);
    const int warp = isdigit((unsigned char)*column[5]) ? atoi(column[5]) : -1;
    if (!d)
        return;
    d->started = true;
    if (strcmp(event, "bar-arrive") == 0 || strcmp(event, "cluster-arrive") == 0)
        came(w, d, column[6]);
    else if (strcmp(event, "mbarrier") == 0)
        waited(d, warp, what, details);
    else if (strcmp(event, "copy") == 0)
        d->did[COPIES]++;
    else if (strcmp(event, "write") == 0 || strcmp(event, "atomic") == 0)
        wrote(w, d, column[8], column[6], details);
    else if (strcmp(event, "request") == 0)
        asked(d, detail(details, "request", 10), warp);
    else if (strcmp(event, "response") == 0)
        answered(d, detail(details, "request", 10), strcmp(what, "granted") == 0);
    else if (strcmp(event, "query") == 0)
        looked(d, detail(details, "request", 10), warp);
}

static void watch_all(struct watch *w, char *trace)
{
    char *column[COLUMNS];
    for (char *line; (line = line_next(&trace));)
        if (*line != '#' && fields_cut(line, '\t', column, COLUMNS) == COLUMNS)
            watch_line(w, column);
}

static void watch_free(struct watch *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->doers[i].tickets);
        free(w->doers[i].written);
    }
    free(w->doers);
}

/* ---- what is wanted ------------------------------------------------------------------------ */

struct wish { enum deed deed; bool at_most; long long number; };

static struct wish read_wish(const struct test *test, const char *text)
{
    struct wish wish = { BARRIERS, false, 0 };
    const size_t length = strcspn(text, "<>");
    while (wish.deed < DEEDS && (strlen(deeds[wish.deed].word) != length || strncmp(deeds[wish.deed].word, text, length) != 0))
        wish.deed++;
    if (wish.deed == DEEDS || text[length] == '\0' || text[length + 1] != '='
        || !number_read(text + length + 2, 0, 1000000, &wish.number))
        die(ENDS_USAGE, "%s: did=%s: want for instance copies>=1 or barriers<=1, with commas between several", test->where, text);
    wish.at_most = text[length] == '<';
    return wish;
}

/* The block that is judged: the worst of all, but the best for `ahead`. */
static size_t judged(const struct watch *w, const struct wish *wish)
{
    const bool most = wish->at_most != (wish->deed == AHEAD);
    size_t found = w->count;
    for (size_t i = 0; i < w->count; i++) {
        const long long did = w->doers[i].did[wish->deed];
        if (!w->doers[i].started)
            continue;
        if (found == w->count || (most ? did > w->doers[found].did[wish->deed] : did < w->doers[found].did[wish->deed]))
            found = i;
    }
    return found;
}

static void judge_wish(const struct watch *w, const struct wish *wish, struct row *row)
{
    const size_t block = judged(w, wish);
    const long long did = block < w->count ? w->doers[block].did[wish->deed] : 0;
    if (block == w->count || (wish->at_most ? did <= wish->number : did >= wish->number))
        return;
    row_fail(row, "block %zu %s %lld %s; at %s %lld %s wanted", block, deeds[wish->deed].verb, did, deeds[wish->deed].what,
             wish->at_most ? "most" : "least", wish->number, wish->number == 1 ? "is" : "are");
}

void did_check(const struct test *test)
{
    char *wishes = form("%s", test_word(test, "did")), *wish[DEEDS];
    const int count = fields_cut(wishes, ',', wish, DEEDS);
    if (test_word(test, "schedules"))
        die(ENDS_USAGE, "%s: did= looks at one run; schedules= makes several", test->where);
    for (int i = 0; i < count; i++)
        read_wish(test, wish[i]);
    free(wishes);
}

static void watch_file(struct watch *w, const struct test *test, const char *folder, const char *name)
{
    struct text trace = { 0 };
    char why[WHY];
    if (!file_get(folder, name, MOST_TRACE, &trace, why))
        die(ENDS_BROKEN, "%s: the trace of the run %s", test->where, why);
    watch_all(w, trace.at);
    text_free(&trace);
}

void judge_did(const struct test *test, const char *folder, const char *name, struct row *row)
{
    struct watch watch = { 0 };
    char *wishes = form("%s", test_word(test, "did")), *wish[DEEDS];
    const int count = fields_cut(wishes, ',', wish, DEEDS);
    watch_file(&watch, test, folder, name);
    for (int i = 0; i < count && row->state == ROW_RUNS; i++) {
        const struct wish one = read_wish(test, wish[i]);
        judge_wish(&watch, &one, row);
    }
    watch_free(&watch);
    free(wishes);
}

/* alone=NAME:NUMBER */
static long long alone_most(const struct test *test, size_t *length)
{
    const char *word = test_word(test, "alone");
    long long most;
    *length = strcspn(word, ":");
    if (*length == 0 || word[*length] != ':' || !number_read(word + *length + 1, 0, 1000000, &most))
        die(ENDS_USAGE, "%s: alone=%s: want an array and a number, such as sums:1", test->where, word);
    return most;
}

void alone_check(const struct test *test)
{
    size_t length;
    alone_most(test, &length);
}

void judge_alone(const struct test *test, const char *folder, const char *name, struct row *row)
{
    struct watch watch = { .array = test_word(test, "alone") };
    const long long most = alone_most(test, &watch.array_length);
    size_t worst = 0;
    watch_file(&watch, test, folder, name);
    for (size_t i = 1; i < watch.count; i++)
        if (watch.doers[i].did[WRITES] > watch.doers[worst].did[WRITES])
            worst = i;
    if (watch.count && watch.doers[worst].did[WRITES] > most)
        row_fail(row, "when every request was refused, block %zu wrote %lld elements of %.*s; its own are at most %lld", worst,
                 watch.doers[worst].did[WRITES], (int)watch.array_length, watch.array, most);
    watch_free(&watch);
}

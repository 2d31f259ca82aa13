/*
 * Lanes that wait for an mbarrier.
 *
 * try_wait may suspend a thread until the phase ends or a time limit passes
 * (PTX ISA 9.7.13.15.16). A lane whose wait failed is parked: it already holds
 * the answer `false` and goes on when either happens, so its loop asks again
 * at the right moment and a waiting warp costs nothing. test_wait suspends
 * nobody: its lane is parked for the short time until it would ask again.
 *
 * While nothing at all happens in the machine the limit doubles from wait to
 * wait, and after ROUNDS of them the lane is left alone ("dormant") until the
 * machine's epoch moves: a deadlock then shows as nothing left to do. A program
 * that gives up by itself only after more failed waits than that is reported
 * as a deadlock.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sync/mbarrier.h"
#include "sync/sync_state.h"

enum {
    LIMIT = 20000,            /* cycles a failed try_wait waits at most, at first */
    GRAIN = 4096,             /* deadlines are multiples of it, so that the list is short to search */
    POLL_LIMIT = 60,          /* the same for test_wait, to the cycle */
    DOUBLINGS = 8,
    ROUNDS = 500,             /* failed waits in a machine where nothing happens */
    ROUNDS_CLOCKED = 2000,    /* the same when lanes read clocks: they may have a time-out of their own */
    ROUNDS_HURRY = 64,        /* the same once that has cost PATIENCE warp instructions */
    PATIENCE = 20000000,
    HINT_MAX_US = 20000       /* longest suspendTimeHint obeyed */
};

/* A wait of try_wait and one of test_wait for each number of doublings. */
_Static_assert(PARK_HINTS == 2 * (DOUBLINGS + 1), "a hint for each length of a wait");

struct parked {
    struct parked *next, *previous;       /* of the machine, by deadline */
    struct parked *block_next;
    struct warp *warp;
    uint32_t mask;
    uint32_t offset;                      /* of the mbarrier, in the warp's block */
    uint32_t parity;                      /* of the phase waited for */
    uint32_t rounds;
    uint64_t deadline;                    /* NEVER: dormant */
    uint64_t epoch;
    const struct code_function *function; /* where */
    uint32_t pc;
};

/* Behind those with the same deadline. Looks from where the last wait of that length went: its place is near. */
static void link_by_deadline(struct sync_state *s, struct parked *p, struct parked **hint)
{
    struct parked *after = *hint != NULL ? *hint : s->parked_last;
    while (after != NULL && after->deadline > p->deadline)
        after = after->previous;
    for (struct parked *next = after != NULL ? after->next : s->parked; next != NULL && next->deadline <= p->deadline; next = next->next)
        after = next;
    p->previous = after;
    p->next = after != NULL ? after->next : s->parked;
    *(p->next != NULL ? &p->next->previous : &s->parked_last) = p;
    *(after != NULL ? &after->next : &s->parked) = p;
    *hint = p;
}

static void drop_hints(struct sync_state *s, const struct parked *p)
{
    for (int k = 0; k < PARK_HINTS; k++)
        if (s->parked_hint[k] == p)
            s->parked_hint[k] = p->previous != NULL ? p->previous : p->next;
}

static void unlink_parked(struct sync_state *s, struct parked *p)
{
    drop_hints(s, p);
    *(p->next != NULL ? &p->next->previous : &s->parked_last) = p->previous;
    *(p->previous != NULL ? &p->previous->next : &s->parked) = p->next;
    struct parked **at = &p->warp->block->async->parked;
    while (*at != p)
        at = &(*at)->block_next;
    *at = p->block_next;
}

static void release(struct machine *m, struct parked *p, uint64_t time)
{
    struct warp *w = p->warp;
    unlink_parked(m->sync, p);
    w->blocked &= ~p->mask;
    for (uint32_t l = 0; l < LANES; l++)
        if (p->mask >> l & 1)
            w->wait[l] = WAIT_NONE;
    heap_free(m->heap, p, sizeof *p);
    warp_wake(m, w, time);
}

static void look_at_deadlines(struct machine *m, void *unused);

static void set_timer(struct machine *m)
{
    struct sync_state *s = m->sync;
    if (s->parked == NULL || s->parked->deadline >= s->timer)
        return;
    s->timer = s->parked->deadline;
    machine_at(m, s->timer, look_at_deadlines, NULL);
}

static bool gives_up(const struct machine *m, const struct parked *p)
{
    uint32_t rounds = m->steps_since_progress >= PATIENCE ? ROUNDS_HURRY : m->clock_read ? ROUNDS_CLOCKED : ROUNDS;
    return p->epoch == m->epoch && p->rounds >= rounds;
}

static void look_at_deadlines(struct machine *m, void *unused)
{
    struct sync_state *s = m->sync;
    (void)unused;
    if (s == NULL || m->now < s->timer)
        return;                           /* an older timer; a newer one is set */
    s->timer = NEVER;
    while (s->parked != NULL && s->parked->deadline <= m->now) {
        struct parked *p = s->parked;
        if (gives_up(m, p)) {
            struct parked *last = NULL;   /* from the end */
            drop_hints(s, p);
            p->deadline = NEVER;
            *(p->next != NULL ? &p->next->previous : &s->parked_last) = NULL;
            s->parked = p->next;
            link_by_deadline(s, p, &last);
            s->dormant = true;
            s->dormant_epoch = m->epoch;
        } else {
            release(m, p, p->deadline);
        }
    }
    set_timer(m);
}

bool sync_nudge(struct machine *m)
{
    struct sync_state *s = m->sync;
    if (s == NULL || !s->dormant || s->dormant_epoch == m->epoch)
        return false;
    s->dormant = false;
    for (struct parked *p = s->parked, *next; p != NULL; p = next) {
        next = p->next;
        if (p->deadline == NEVER)
            release(m, p, m->now);
    }
    return true;
}

static uint32_t doublings(uint32_t rounds) { return rounds < DOUBLINGS ? rounds : DOUBLINGS; }

/* When the lane looks again. */
static uint64_t deadline(const struct machine *m, const struct park_wait *wait, uint32_t rounds, uint64_t now)
{
    uint32_t shift = doublings(rounds);
    uint64_t hint_us = wait->limit_ns / 1000u + 1, limit = (uint64_t)LIMIT << shift;
    if (wait->poll)
        return now + ((uint64_t)POLL_LIMIT << shift);
    if (wait->limit_ns != 0)
        limit = (hint_us < HINT_MAX_US ? hint_us : HINT_MAX_US) * (uint64_t)m->device->clock_khz / 1000u;
    return (now + limit + GRAIN - 1) / GRAIN * GRAIN;
}

void park(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct park_wait wait, uint64_t now)
{
    struct sync_state *s = sync_state(m);
    struct async_warp *a = async_warp(m, w);
    struct parked *p = heap_alloc(m->heap, sizeof *p);
    (void)i;
    sync_nudge(m);
    if (a->park_epoch != m->epoch) {
        a->park_epoch = m->epoch;
        a->park_rounds = 0;
        m->clock_read = false;
    }
    p->warp = w;
    p->mask = mask;
    p->offset = wait.offset;
    p->parity = wait.parity;
    p->rounds = a->park_rounds++;
    p->epoch = m->epoch;
    p->deadline = deadline(m, &wait, p->rounds, now);
    p->function = w->frame->function;
    p->pc = w->pc;
    p->block_next = w->block->async->parked;
    w->block->async->parked = p;
    link_by_deadline(s, p, &s->parked_hint[(wait.poll ? DOUBLINGS + 1 : 0) + doublings(p->rounds)]);
    set_timer(m);
    w->blocked |= mask;
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1)
            w->wait[l] = WAIT_ASYNC;
}

void unpark(struct machine *m, struct block *b, uint32_t offset, uint64_t now)
{
    if (b->async == NULL)
        return;
    for (struct parked *p = b->async->parked, *next; p != NULL; p = next) {
        next = p->block_next;
        if (p->offset == offset)
            release(m, p, now);
    }
}

/* The blocks are gone already: no list of theirs is touched. */
void park_drop(struct machine *m)
{
    struct sync_state *s = m->sync;
    while (s->parked != NULL) {
        struct parked *p = s->parked;
        s->parked = p->next;
        heap_free(m->heap, p, sizeof *p);
    }
    s->parked_last = NULL;
    memset(s->parked_hint, 0, sizeof s->parked_hint);
    s->timer = NEVER;
    s->dormant = false;
}

/* ---- what is told of a deadlock ------------------------------------------- */

void sync_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

void describe_mbarrier(const struct block *b, uint32_t offset, char *text, size_t size)
{
    uint64_t word;
    memcpy(&word, b->shared + offset, sizeof word);
    struct mbarrier s = mbarrier_decode(word);
    if (s.pending == 0)
        sync_append(text, size, "no arrival missing");
    else
        sync_append(text, size, "%u of %u arrival%s missing", s.pending, s.expected, s.expected == 1 ? "" : "s");
    if (s.tx > 0)
        sync_append(text, size, ", %d bytes missing", s.tx);
    else if (s.tx < 0)
        sync_append(text, size, ", %d bytes came that nobody expected", -s.tx);
}

static bool same_wait(const struct parked *p, const struct parked *q)
{
    return p->warp->block == q->warp->block && p->offset == q->offset && p->parity == q->parity && p->pc == q->pc &&
           p->function == q->function;
}

static uint32_t first_thread(const struct parked *p)
{
    uint32_t lane = 0;
    while (!(p->mask >> lane & 1))
        lane++;
    return p->warp->index * LANES + lane;
}

/* Told once, at the first of its kind in the block's list: threads, and the lowest of them. */
static uint32_t threads_of_kind(const struct parked *p, uint32_t *lowest)
{
    uint32_t threads = 0;
    *lowest = first_thread(p);
    for (const struct parked *q = p->warp->block->async->parked; q != NULL; q = q->block_next) {
        if (!same_wait(p, q))
            continue;
        if (threads == 0 && q != p)
            return 0;
        threads += lanes_count(q->mask);
        *lowest = first_thread(q) < *lowest ? first_thread(q) : *lowest;
    }
    return threads;
}

void sync_where(const struct code *code, const struct code_function *function, uint32_t pc, char *text, size_t size)
{
    struct ptx_line line = ptx_user_line(code->module, function->source, (int)pc);
    const char *file = line.file, *slash;
    if (file == NULL || line.line <= 0) {
        file = code->module->name;
        line.line = function->source->statements[pc].line;
    }
    slash = strrchr(file, '/');
    sync_append(text, size, "%s:%d", slash != NULL ? slash + 1 : file, line.line);
}

/* Waits that read the same but for the block. */
struct alike { const struct parked *first; uint32_t threads, lowest, blocks; };

static uint64_t word_of(const struct parked *p)
{
    uint64_t word;
    memcpy(&word, p->warp->block->shared + p->offset, sizeof word);
    return word;
}

static bool reads_alike(const struct alike *a, const struct parked *p, uint32_t threads)
{
    const struct parked *q = a->first;
    return p->offset == q->offset && p->parity == q->parity && p->pc == q->pc && p->function == q->function &&
           a->threads == threads && word_of(p) == word_of(q);
}

/* Files a wait under those like it; false: the table is full. */
static bool file_wait(struct alike *table, uint32_t lines, const struct parked *p, uint32_t threads, uint32_t lowest)
{
    struct alike *a = table;
    while (a < table + lines && a->blocks != 0 && !reads_alike(a, p, threads))
        a++;
    if (a == table + lines)
        return false;
    if (a->blocks == 0 || p->warp->block->linear < a->first->warp->block->linear)
        *a = (struct alike){p, threads, lowest, a->blocks};
    a->blocks++;
    return true;
}

static void describe_one(const struct alike *a, char *text, size_t size)
{
    const struct parked *p = a->first;
    const struct block *b = p->warp->block;
    sync_append(text, size, "    ");
    sync_where(b->grid->code, p->function, p->pc, text, size);
    if (a->threads == 1)
        sync_append(text, size, ": block (%u,%u,%u), thread %u, waits", b->id[0], b->id[1], b->id[2], a->lowest);
    else
        sync_append(text, size, ": block (%u,%u,%u), %u threads from thread %u on, wait", b->id[0], b->id[1], b->id[2], a->threads,
                    a->lowest);
    sync_append(text, size, " for parity %u of the mbarrier at shared address 0x%x: ", p->parity, p->offset);
    if (mbarrier_test_parity(word_of(p), p->parity)) {
        sync_append(text, size, "complete, but it has not asked again");
    } else {
        sync_append(text, size, "still open, ");
        describe_mbarrier(b, p->offset, text, size);
    }
    if (a->blocks > 1)
        sync_append(text, size, "; so do %u more blocks", a->blocks - 1);
    sync_append(text, size, "\n");
}

bool park_describe(struct machine *m, char *text, size_t size)
{
    enum { LINES = 12 };
    struct alike table[LINES] = {{0}};
    uint32_t more = 0;
    bool open = false;
    for (const struct parked *p = m->sync != NULL ? m->sync->parked : NULL; p != NULL; p = p->next) {
        uint32_t lowest, threads = threads_of_kind(p, &lowest);
        open |= !mbarrier_test_parity(word_of(p), p->parity);
        if (threads != 0 && !file_wait(table, LINES, p, threads, lowest))
            more++;
    }
    for (uint32_t k = 0; k < LINES && table[k].blocks != 0; k++)
        describe_one(&table[k], text, size);
    if (more > 0)
        sync_append(text, size, "    and %u more waits\n", more);
    return open;
}

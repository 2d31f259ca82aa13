/*
 * The clock of the machine: what happens next.
 *
 * Each warp carries the cycle at which it can go on. The SM that is furthest
 * behind runs its earliest warps for a slice, then the next SM has its turn,
 * so what warps do to each other happens in order of time within a little
 * slack. Timed events (deliveries) come in between. With a seed, the choice
 * source may prefer another warp within a window, and cut bursts short.
 */
#include <stdio.h>
#include <string.h>

#include "machine/grid.h"
#include "sync/exec_sync.h"

enum {
    BURST = 4096,            /* instructions a warp runs at most at a stretch */
    SLICE = 200,             /* cycles an SM may run ahead of the others */
    FAR_SLICE = 4000,        /* the same for kernels that do nothing others can see in order of time, */
    FAR_BLOCKS = 4,          /* while at least so many blocks per SM are pending */
    WINDOW = 2000,           /* cycles within which a seeded run may reorder warps */
    WARPS_OF_SM = 64,        /* at most; to number warps for the choice source */
    CANDIDATES = 16,
    BUDGET_WARPS = 64,
    LOOP_BUDGETS = 16        /* so many budgets for a loop whose barriers open, but in which no block begins or ends */
};

static const uint32_t bursts[] = {BURST, 1, 2, 4, 8, 16, 64, 256};

/* ---- timed events: a binary heap by time, then age ------------------------- */

static bool before(const struct timed *a, const struct timed *b)
{
    return a->time != b->time ? a->time < b->time : a->serial < b->serial;
}

void machine_at(struct machine *m, uint64_t time, void (*happen)(struct machine *, void *), void *what)
{
    if (m->timed_count == m->timed_capacity) {
        uint32_t capacity = m->timed_capacity ? 2 * m->timed_capacity : 64;
        struct timed *grown = heap_grow(m->heap, m->timed, m->timed_capacity * sizeof *grown, capacity * sizeof *grown);
        if (grown == NULL) {
            fault_plain(m, FAULT_INTERNAL, "out of memory");
            return;
        }
        m->timed = grown;
        m->timed_capacity = capacity;
    }
    uint32_t k = m->timed_count++;
    m->timed[k] = (struct timed){.time = time, .serial = ++m->timed_serial, .happen = happen, .what = what};
    while (k > 0 && before(&m->timed[k], &m->timed[(k - 1) / 2])) {
        struct timed t = m->timed[k];
        m->timed[k] = m->timed[(k - 1) / 2];
        m->timed[(k - 1) / 2] = t;
        k = (k - 1) / 2;
    }
}

static struct timed pop_timed(struct machine *m)
{
    struct timed first = m->timed[0];
    m->timed[0] = m->timed[--m->timed_count];
    for (uint32_t k = 0;;) {
        uint32_t least = k;
        for (uint32_t child = 2 * k + 1; child <= 2 * k + 2; child++)
            if (child < m->timed_count && before(&m->timed[child], &m->timed[least]))
                least = child;
        if (least == k)
            return first;
        struct timed t = m->timed[k];
        m->timed[k] = m->timed[least];
        m->timed[least] = t;
        k = least;
    }
}

/* ---- SMs -------------------------------------------------------------------- */

/* The SM that runs was given leave by where the others stood then: one that gets something to do now bounds it too. */
void sm_wake(struct machine *m, uint32_t number, uint64_t time)
{
    struct sm *sm = &m->sms[number];
    if (time < sm->next)
        sm->next = time;
    if (number != m->running && time + m->ahead < m->run_until)
        m->run_until = time + m->ahead;
}

void warp_wake(struct machine *m, struct warp *w, uint64_t time)
{
    if (time > w->time)
        w->time = time;
    if ((w->live & ~w->blocked) == 0)
        return;
    m->sms[w->block->sm].ready[w->slot] = w->time;
    sm_wake(m, w->block->sm, w->time);
}

/* The earliest slot and its time; NEVER when none can run. A block that has not begun counts as `lag` cycles later, so
 * that those begun are finished first and few need memory at a time. */
static uint64_t earliest(const struct sm *sm, uint64_t lag, uint32_t *slot)
{
    uint64_t t = NEVER;
    for (uint32_t k = 0; k < sm->high; k++) {
        uint64_t at = sm->ready[k] == NEVER || sm->warps[k] != NULL ? sm->ready[k] : sm->ready[k] + lag;
        if (at < t) {
            t = at;
            *slot = k;
        }
    }
    return t;
}

/* With a seed: any slot within the window, for the choice source to pick. */
static uint32_t other_slot(struct machine *m, const struct sm *sm, uint32_t slot)
{
    uint32_t found[CANDIDATES], ids[CANDIDATES], n = 0;
    for (uint32_t k = 0; k < sm->high && n < CANDIDATES; k++)
        if (sm->ready[k] != NEVER && sm->ready[k] <= sm->ready[slot] + WINDOW) {
            ids[n] = (uint32_t)(sm - m->sms) * WARPS_OF_SM + k;
            found[n++] = k;
        }
    return n > 0 ? found[choose_among(&m->choice, CHOICE_WARP, ids, n)] : slot;
}

static uint32_t pick_burst(struct machine *m)
{
    if (m->choice.options.mode == CHOOSE_LOWEST)
        return BURST;
    return bursts[choose(&m->choice, CHOICE_BURST, sizeof bursts / sizeof bursts[0])];
}

static void run_slot(struct machine *m, uint32_t number, uint32_t slot)
{
    struct sm *sm = &m->sms[number];
    if (sm->warps[slot] == NULL && !block_begin(m, number, slot))
        return;
    struct warp *w = sm->warps[slot];
    if (w == NULL) {
        fault_plain(m, FAULT_INTERNAL, "SM %u has nothing in slot %u, which is ready\n", number, slot);
        return;
    }
    sm->ready[slot] = NEVER;
    m->run_warp(m, w, pick_burst(m));
    if (sm->warps[slot] == w && (w->live & ~w->blocked) != 0)
        sm->ready[slot] = w->time;
}

/* A budget is for one warp; resident warps share theirs, up to BUDGET_WARPS of them. */
static uint64_t budget(const struct machine *m)
{
    uint64_t warps = 0;
    for (int k = 0; k < m->device->sms; k++)
        warps += m->sms[k].threads / LANES;
    return m->step_budget * (warps < 1 ? 1 : warps < BUDGET_WARPS ? warps : BUDGET_WARPS);
}

volatile sig_atomic_t machine_time_is_up;

static bool time_left(struct machine *m, const struct sm *sm)
{
    for (uint32_t k = 0; machine_time_is_up && k < sm->high; k++)
        if (sm->warps[k] != NULL) {
            struct warp *w = sm->warps[k];
            fault_at(m, w, w->active ? w->active : w->live, FAULT_BUDGET,
                     "the kernel did not end within its processor time, and was here when that was over");
            return false;
        }
    return true;
}

/* A loop without end may open barriers on its way, or not. */
static void fault_budget(struct machine *m, const struct sm *sm, uint64_t steps, const char *what)
{
    uint32_t k = 0;
    while (k < sm->high && sm->warps[k] == NULL)
        k++;
    if (k == sm->high)
        return;
    struct warp *w = sm->warps[k];
    fault_at(m, w, w->active ? w->active : w->live, FAULT_BUDGET,
             "the kernel made no progress within %llu warp instructions: %s "
             "(EMU_STEPS=N raises the budget of a warp, which is %llu)", (unsigned long long)steps, what,
             (unsigned long long)m->step_budget);
    fault_rule(m, "DL2");
}

static bool budget_left(struct machine *m, const struct sm *sm)
{
    if (!time_left(m, sm))
        return false;
    if (m->steps_since_block < m->step_budget)
        return true;
    uint64_t steps = budget(m);
    if (m->steps_since_progress >= steps)
        fault_budget(m, sm, steps, "no block began or ended and no barrier opened");
    else if (m->steps_since_block / LOOP_BUDGETS >= steps)
        fault_budget(m, sm, LOOP_BUDGETS * steps, "barriers opened, but no block began, ended or was stolen, as in a loop without end");
    return m->fault.kind == FAULT_NONE;
}

/* Until a time; if another SM gets something to do meanwhile, until `ahead` cycles after that. */
static void run_sm(struct machine *m, uint32_t number, uint64_t until, uint64_t ahead, uint64_t lag)
{
    struct sm *sm = &m->sms[number];
    m->running = number;
    m->ahead = ahead;
    m->run_until = until;
    bool seeded = m->choice.options.mode != CHOOSE_LOWEST;
    uint32_t slot = 0;
    uint64_t first = earliest(sm, lag, &slot);
    while (first <= m->run_until + lag && first != NEVER) {
        uint64_t ready = sm->ready[slot];
        if (ready > m->now)
            m->now = ready;
        run_slot(m, number, seeded ? other_slot(m, sm, slot) : slot);
        /* Warps of one block become ready together and stand side by side: look at the neighbour before all. */
        if (!seeded && slot + 1 < sm->high && sm->ready[slot + 1] == ready && sm->warps[slot + 1] != NULL)
            slot++;
        else
            first = earliest(sm, lag, &slot);
        if (!budget_left(m, sm) || m->fault.kind != FAULT_NONE || m->dirty ||
            (m->timed_count > 0 && m->timed[0].time < first))
            break;
    }
    sm->next = earliest(sm, 0, &slot);
    m->running = NO_SM;
}

/* The SM furthest behind, and how far the next one is. */
static int pick_sm(const struct machine *m, uint64_t *next, uint64_t *second)
{
    int best = -1;
    *next = *second = NEVER;
    for (int k = 0; k < m->device->sms; k++) {
        uint64_t t = m->sms[k].next;
        if (t < *next) {
            *second = *next;
            *next = t;
            best = k;
        } else if (t < *second) {
            *second = t;
        }
    }
    return best;
}

/* With a seed: any SM within the window, for the choice source to pick. */
static int other_sm(struct machine *m, int best)
{
    int found[CANDIDATES];
    uint32_t n = 0;
    for (int k = 0; k < m->device->sms && n < CANDIDATES; k++)
        if (m->sms[k].next != NEVER && m->sms[k].next <= m->sms[best].next + WINDOW)
            found[n++] = k;
    return n > 0 ? found[choose(&m->choice, CHOICE_SM, n)] : best;
}

/* No kernel on the device does what blocks elsewhere could see in order of time. */
static bool independent(const struct machine *m)
{
    for (const struct grid *g = m->active; g != NULL; g = g->next_active)
        if (g->visible)
            return false;
    return true;
}

/* How far an SM may run ahead of the others: far while blocks are independent and it makes no difference who gets the next
 * one, because none or very many are pending. */
static uint64_t slice(const struct machine *m, bool free)
{
    for (const struct grid *g = m->active; g != NULL && free; g = g->next_active)
        free = g->pending == 0 || g->pending >= FAR_BLOCKS * (uint64_t)m->device->sms;
    return free ? FAR_SLICE : SLICE;
}

bool machine_advance(struct machine *m)
{
    uint64_t next, second;
    if (m->fault.kind != FAULT_NONE)
        return false;
    bool moved = m->dirty && streams_look(m);
    int sm = pick_sm(m, &next, &second);
    if (m->timed_count > 0 && m->timed[0].time <= next) {
        struct timed t = pop_timed(m);
        if (t.time > m->now)
            m->now = t.time;
        t.happen(m, t.what);
    } else if (sm >= 0) {
        bool free = independent(m);
        uint64_t lag = free ? FAR_SLICE : 0;
        if (m->choice.options.mode != CHOOSE_LOWEST) {
            sm = other_sm(m, sm);
            run_sm(m, (uint32_t)sm, m->sms[sm].next + SLICE, WINDOW, lag);
        } else {
            uint64_t ahead = slice(m, free);
            run_sm(m, (uint32_t)sm, second == NEVER ? next + BURST : second + ahead, ahead, lag);
        }
    } else {
        return moved || m->dirty || sync_nudge(m);
    }
    if (m->fault.kind != FAULT_NONE)
        streams_drop(m);
    return true;
}

/* ---- the end of all movement ---------------------------------------------------- */

/* A lane waits in a way that sync_describe_waits has not told. */
static bool waits_untold(const struct warp *w)
{
    for (uint32_t l = 0; l < LANES; l++)
        if ((w->live >> l & 1) && w->wait[l] != WAIT_NONE && w->wait[l] != WAIT_ASYNC)
            return true;
    return false;
}

static void describe_waiting_warp(struct machine *m, struct warp *w, char *text, size_t size)
{
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(w->live >> l & 1) || w->wait[l] == WAIT_NONE || w->wait[l] == WAIT_ASYNC)
            continue;                    /* WAIT_ASYNC: sync_describe_waits has said it */
        w->frame = w->lane_frame[l];
        w->pc = w->lane_pc[l] > 0 ? w->lane_pc[l] - 1 : 0;
        size_t used = strlen(text);
        if (used + 300 > size)
            return;
        snprintf(text + used, size - used, "    ");
        describe_place(m, w, text, size);
        used = strlen(text);
        if (w->wait[l] == WAIT_BAR) {
            const struct named_barrier *bar = &w->block->bar[w->bar[l]];
            snprintf(text + used, size - used, ": waits at block barrier %u, where %u of %u threads are: ", w->bar[l], bar->arrived,
                     bar->expected ? bar->expected : w->block->live_threads);
        } else if (w->wait[l] == WAIT_WARP) {
            snprintf(text + used, size - used, ": waits for lanes 0x%08x of its warp, of which 0x%08x have exited: ",
                     w->sync[l].mask, w->sync[l].mask & ~w->live);
        } else {
            snprintf(text + used, size - used, ": waits: ");
        }
        describe_thread(w, l, text, size);
        used = strlen(text);
        snprintf(text + used, size - used, "\n");
        return;                          /* one lane speaks for its warp */
    }
}

void report_deadlock(struct machine *m)
{
    char *text = m->fault.text;
    size_t size = sizeof m->fault.text;
    uint32_t shown = 0, more = 0;
    fault_plain(m, FAULT_DEADLOCK, "deadlock: every thread waits, and nothing is left that could wake one\n");
    m->fault.rule = sync_describe_waits(m, text, size) ? "MB2" : "DL1";
    for (int s = 0; s < m->device->sms; s++)
        for (uint32_t k = 0; k < m->sms[s].high; k++) {
            if (m->sms[s].warps[k] == NULL || !waits_untold(m->sms[s].warps[k]))
                continue;
            if (shown < 4)
                describe_waiting_warp(m, m->sms[s].warps[k], text, size);
            else
                more++;
            shown++;
        }
    size_t used = strlen(text);
    if (more > 0 && used + 64 < size)
        snprintf(text + used, size - used, "    ... and %u more warps\n", more);
}

static bool settle(struct machine *m, bool moved)
{
    if (!moved && m->fault.kind == FAULT_NONE) {
        report_deadlock(m);
        streams_drop(m);
    }
    return m->fault.kind == FAULT_NONE;
}

bool machine_wait_stream(struct machine *m, int stream)
{
    while (m->streams[stream].first != NULL)
        if (!settle(m, machine_advance(m)))
            return false;
    if (m->streams[stream].last_done > m->now)
        m->now = m->streams[stream].last_done;
    return m->fault.kind == FAULT_NONE;
}

bool machine_wait_event(struct machine *m, int event)
{
    while (!machine_event_done(m, event))
        if (!settle(m, machine_advance(m)))
            return false;
    if (m->events[event].time > m->now)
        m->now = m->events[event].time;
    return m->fault.kind == FAULT_NONE;
}

bool machine_wait_all(struct machine *m)
{
    bool ok = m->fault.kind == FAULT_NONE;
    for (int k = 0; k < m->stream_count && ok; k++)
        if (m->streams[k].used)
            ok = machine_wait_stream(m, k);
    return ok;
}

bool machine_poll(struct machine *m)
{
    uint64_t end = m->now + 10000;
    bool moved = true;
    while (moved && m->now < end && m->fault.kind == FAULT_NONE)
        moved = machine_advance(m);
    if (m->now < end)
        m->now = end;
    return m->fault.kind == FAULT_NONE;
}

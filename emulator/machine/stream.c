/*
 * Streams: work in order, one stream beside the other.
 *
 * The first item of a stream starts when those before it are done. The legacy
 * stream waits for everything queued earlier in blocking streams, and they for
 * what was queued earlier in it (CUDA Programming Guide, default stream).
 * Copies and fills take effect when their turn comes and last as long as the
 * device's bandwidth says.
 */
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"
#include "sync/exec_sync.h"

int machine_stream_new(struct machine *m, enum stream_kind kind, int priority)
{
    int id = 0;
    while (id < m->stream_count && m->streams[id].used)
        id++;
    if (id == m->stream_capacity) {
        int capacity = m->stream_capacity ? 2 * m->stream_capacity : 8;
        struct stream *grown = heap_grow(m->heap, m->streams, (size_t)m->stream_capacity * sizeof *grown,
                                         (size_t)capacity * sizeof *grown);
        if (grown == NULL)
            return -1;
        m->streams = grown;
        m->stream_capacity = capacity;
    }
    if (id == m->stream_count)
        m->stream_count++;
    m->streams[id] = (struct stream){.used = true, .kind = kind, .priority = priority, .last_done = m->now};
    return id;
}

void machine_stream_delete(struct machine *m, int id)
{
    m->streams[id].deleted = true;
    if (m->streams[id].first == NULL)
        m->streams[id].used = false;
}

static struct op *enqueue(struct machine *m, int stream, enum op_kind kind)
{
    struct op *o = heap_alloc(m->heap, sizeof *o);
    struct stream *s = &m->streams[stream];
    if (o == NULL || m->fault.kind != FAULT_NONE) {
        heap_free(m->heap, o, sizeof *o);
        return NULL;
    }
    o->kind = kind;
    o->serial = ++m->op_serial;
    o->enqueued = m->now;
    if (s->last != NULL)
        s->last->next = o;
    else
        s->first = o;
    s->last = o;
    m->dirty = true;
    return o;
}

enum launch_error machine_launch(struct machine *m, int stream, const struct launch *launch)
{
    enum launch_error error;
    if (m->fault.kind != FAULT_NONE)
        return LAUNCH_AFTER_FAULT;
    struct grid *g = grid_new(m, launch, stream, &error);
    if (g == NULL)
        return error;
    struct op *o = enqueue(m, stream, OP_GRID);
    if (o == NULL) {
        grid_delete(m, g);
        return LAUNCH_PTX_ERROR;
    }
    o->grid = g;
    m->counts.launches++;
    return LAUNCH_OK;
}

void machine_enqueue_copy(struct machine *m, int stream, const struct copy *copy)
{
    struct op *o = enqueue(m, stream, OP_COPY);
    if (o != NULL)
        o->copy = *copy;
}

void machine_enqueue_fill(struct machine *m, int stream, uint64_t dst, uint8_t value, size_t bytes)
{
    struct op *o = enqueue(m, stream, OP_FILL);
    if (o == NULL)
        return;
    o->copy = (struct copy){.dst = dst, .bytes = bytes};
    o->fill = value;
}

void machine_enqueue_host(struct machine *m, int stream, void (*call)(void *), void *argument)
{
    struct op *o = enqueue(m, stream, OP_HOST);
    if (o == NULL)
        return;
    o->call = call;
    o->argument = argument;
}

int machine_event_new(struct machine *m)
{
    int id = 0;
    while (id < m->event_count && m->events[id].used)
        id++;
    if (id == m->event_capacity) {
        int capacity = m->event_capacity ? 2 * m->event_capacity : 8;
        struct gpu_event *grown = heap_grow(m->heap, m->events, (size_t)m->event_capacity * sizeof *grown,
                                            (size_t)capacity * sizeof *grown);
        if (grown == NULL)
            return -1;
        m->events = grown;
        m->event_capacity = capacity;
    }
    if (id == m->event_count)
        m->event_count++;
    m->events[id] = (struct gpu_event){.used = true};
    return id;
}

void machine_event_delete(struct machine *m, int event) { m->events[event].used = false; }

void machine_event_record(struct machine *m, int event, int stream)
{
    struct op *o = enqueue(m, stream, OP_RECORD);
    if (o == NULL)
        return;
    o->event = event;
    o->generation = ++m->events[event].recorded;
}

void machine_stream_wait_event(struct machine *m, int stream, int event)
{
    struct op *o = enqueue(m, stream, OP_WAIT_EVENT);
    if (o == NULL)
        return;
    o->event = event;
    o->generation = m->events[event].recorded;
}

bool machine_event_recorded(const struct machine *m, int event) { return m->events[event].recorded > 0; }

bool machine_event_done(const struct machine *m, int event)
{
    return m->events[event].completed == m->events[event].recorded;
}

uint64_t machine_event_time(const struct machine *m, int event) { return m->events[event].time; }

bool machine_stream_idle(const struct machine *m, int stream) { return m->streams[stream].first == NULL; }

bool machine_work_left(const struct machine *m)
{
    for (int k = 0; k < m->stream_count; k++)
        for (const struct op *o = m->streams[k].first; o != NULL; o = o->next)
            if (o->kind == OP_GRID || o->kind == OP_COPY || o->kind == OP_HOST)
                return true;
    return false;
}

/* ---- moving on ------------------------------------------------------------- */

static bool earlier_work(const struct machine *m, enum stream_kind kind, uint64_t serial)
{
    for (int k = 0; k < m->stream_count; k++) {
        const struct stream *s = &m->streams[k];
        if (s->used && s->kind == kind && s->first != NULL && s->first->serial < serial)
            return true;
    }
    return false;
}

static bool may_start(const struct machine *m, const struct stream *s, const struct op *o)
{
    if (o->kind == OP_WAIT_EVENT && m->events[o->event].completed < o->generation)
        return false;
    if (s->kind == STREAM_LEGACY)
        return !earlier_work(m, STREAM_BLOCKING, o->serial);
    return s->kind == STREAM_NONBLOCKING || !earlier_work(m, STREAM_LEGACY, o->serial);
}

/* The time by which streams an op had to wait for are done. */
static uint64_t ready_time(const struct machine *m, const struct stream *s, const struct op *o)
{
    uint64_t t = s->last_done > o->enqueued ? s->last_done : o->enqueued;
    if (o->kind == OP_WAIT_EVENT && m->events[o->event].time > t)
        t = m->events[o->event].time;
    for (int k = 0; k < m->stream_count && s->kind != STREAM_NONBLOCKING; k++) {
        const struct stream *other = &m->streams[k];
        enum stream_kind waits_for = s->kind == STREAM_LEGACY ? STREAM_BLOCKING : STREAM_LEGACY;
        if (other->kind == waits_for && other->last_done > t && other->used)
            t = other->last_done;
    }
    return t;
}

static uint64_t copy_cycles(const struct machine *m, size_t bytes)
{
    return 1000 + bytes / (uint64_t)m->device->bytes_per_cycle;
}

static void run_copy(struct machine *m, const struct op *o)
{
    const struct copy *c = &o->copy;
    bool ok = true;
    if (o->kind == OP_FILL) {
        ok = machine_fill(m, c->dst, o->fill, c->bytes);
    } else if (c->host_dst != NULL && c->host_src != NULL) {
        memmove(c->host_dst, c->host_src, c->bytes);
    } else if (c->host_dst != NULL) {
        ok = machine_read(m, c->src, c->host_dst, c->bytes);
    } else if (c->host_src != NULL) {
        ok = machine_write(m, c->dst, c->host_src, c->bytes);
    } else {
        ok = machine_move(m, c->dst, c->src, c->bytes);
    }
    if (!ok)
        fault_plain(m, FAULT_ADDRESS, "a copy of %zu bytes left its allocation, which was freed or is too small\n", c->bytes);
}

static void pop(struct machine *m, struct stream *s, uint64_t time)
{
    struct op *o = s->first;
    s->first = o->next;
    if (s->first == NULL)
        s->last = NULL;
    s->last_done = time > s->last_done ? time : s->last_done;
    if (s->deleted && s->first == NULL)
        s->used = false;
    heap_free(m->heap, o, sizeof *o);
    m->dirty = true;
}

static void activate(struct machine *m, struct grid *g, uint64_t time)
{
    struct grid **at = &m->active;
    g->ready_at = time + (uint64_t)m->device->launch;
    while (*at != NULL && (*at)->priority <= g->priority)
        at = &(*at)->next_active;
    g->next_active = *at;
    *at = g;
    if (m->observe) {
        struct event e = {.kind = EVENT_GRID_START, .time = g->ready_at, .grid = g};
        for (struct observer *o = m->observers; o != NULL; o = o->next)
            o->event(o, &e);
    }
}

/* Starts the first item of a stream; true when it is done already. */
static bool start(struct machine *m, struct stream *s, struct op *o, uint64_t time)
{
    switch (o->kind) {
    case OP_GRID:
        o->started = true;
        activate(m, o->grid, time);
        return false;
    case OP_COPY: case OP_FILL:
        run_copy(m, o);
        pop(m, s, time + copy_cycles(m, o->copy.bytes));
        return true;
    case OP_HOST: {
        void (*call)(void *) = o->call;
        void *argument = o->argument;
        pop(m, s, time);
        call(argument);
        return true;
    }
    case OP_RECORD:
        if (m->events[o->event].recorded == o->generation)
            m->events[o->event].time = time;
        if (m->events[o->event].completed < o->generation)
            m->events[o->event].completed = o->generation;
        pop(m, s, time);
        return true;
    case OP_WAIT_EVENT:
        pop(m, s, time);
        return true;
    }
    return false;
}

bool streams_look(struct machine *m)
{
    bool moved = true, ever = false;
    while (moved && m->fault.kind == FAULT_NONE) {
        moved = false;
        for (int k = 0; k < m->stream_count; k++) {
            struct stream *s = &m->streams[k];
            struct op *o = s->first;
            if (!s->used || o == NULL || o->started || !may_start(m, s, o))
                continue;
            ever = true;
            moved |= start(m, s, o, ready_time(m, s, o));
        }
    }
    m->dirty = false;
    place_all(m, m->now);
    return ever;
}

static void deactivate(struct machine *m, struct grid *g)
{
    for (struct grid **at = &m->active; *at != NULL; at = &(*at)->next_active)
        if (*at == g) {
            *at = g->next_active;
            return;
        }
}

void stream_grid_done(struct machine *m, struct grid *g, uint64_t time)
{
    if (m->observe) {
        struct event e = {.kind = EVENT_GRID_END, .time = time, .grid = g};
        for (struct observer *o = m->observers; o != NULL; o = o->next)
            o->event(o, &e);
    }
    if (m->later.kind != FAULT_NONE && m->fault.kind == FAULT_NONE)
        m->fault = m->later;
    m->later.kind = FAULT_NONE;
    deactivate(m, g);
    for (int k = 0; k < m->stream_count; k++) {
        struct stream *s = &m->streams[k];
        if (s->first != NULL && s->first->kind == OP_GRID && s->first->grid == g) {
            pop(m, s, time);
            break;
        }
    }
    grid_delete(m, g);
}

/* After a fault nothing queued runs any more. */
void streams_drop(struct machine *m)
{
    for (uint32_t sm = 0; sm < (uint32_t)m->device->sms; sm++)
        sm_reset(m, sm);
    for (int k = 0; k < m->stream_count; k++) {
        struct stream *s = &m->streams[k];
        while (s->first != NULL) {
            if (s->first->kind == OP_GRID)
                grid_abandon(m, s->first->grid);
            if (s->first->kind == OP_RECORD)
                m->events[s->first->event].completed = s->first->generation;
            pop(m, s, m->now);
        }
    }
    m->active = NULL;
    m->timed_count = 0;
    sync_drop(m);
    m->dirty = false;
}

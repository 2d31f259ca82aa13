/* The machine: made, deleted, saved; its memory as the host sees it. See machine.h. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"
#include "machine/load.h"

enum { WARP_SLOTS = 64 };
#define DEFAULT_STEP_BUDGET UINT64_C(200000000)

static bool has_avx2(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && getenv("EMU_BASELINE") == NULL;
#else
    return false;
#endif
}

static void choose_interpreter(struct machine *m)
{
    m->run_warp = m->observe ? run_warp_observed_base : run_warp_plain_base;
    m->alu = alu_table_base;
#if defined(__x86_64__)
    if (has_avx2()) {
        m->run_warp = m->observe ? run_warp_observed_avx2 : run_warp_plain_avx2;
        m->alu = alu_table_avx2;
    }
#else
    (void)has_avx2;
#endif
}

static bool make_sms(struct machine *m)
{
    m->sms = heap_alloc(m->heap, (size_t)m->device->sms * sizeof *m->sms);
    for (int k = 0; m->sms != NULL && k < m->device->sms; k++) {
        struct sm *sm = &m->sms[k];
        sm->slots = WARP_SLOTS;
        sm->next = NEVER;
        sm->warps = heap_alloc(m->heap, WARP_SLOTS * sizeof *sm->warps);
        sm->ready = heap_alloc(m->heap, WARP_SLOTS * sizeof *sm->ready);
        if (sm->warps == NULL || sm->ready == NULL)
            return false;
        for (int s = 0; s < WARP_SLOTS; s++)
            sm->ready[s] = NEVER;
    }
    return m->sms != NULL;
}

struct machine *machine_new(const struct machine_options *o)
{
    struct heap *h = heap_new();
    struct machine *m = h != NULL ? heap_alloc(h, sizeof *m) : NULL;
    if (m == NULL) {
        heap_delete(h);
        return NULL;
    }
    m->heap = h;
    m->device = o->device;
    m->running = NO_SM;
    m->step_budget = o->step_budget ? o->step_budget : DEFAULT_STEP_BUDGET;
    m->observe = o->observe;
    m->output = o->output;
    m->output_self = o->output_self;
    m->host_memory = o->host_memory;
    m->host_memory_self = o->host_memory_self;
    choice_init(&m->choice, &o->choice);
    choose_interpreter(m);
    m->memory = memory_new(h, (uint64_t)o->device->memory_bytes);
    if (m->memory == NULL || !make_sms(m) || machine_stream_new(m, STREAM_LEGACY, 0) != 0) {
        machine_delete(m);
        return NULL;
    }
    return m;
}

void machine_delete(struct machine *m)
{
    if (m == NULL)
        return;
    machine_unload_all(m);
    choice_free(&m->choice);
    heap_delete(m->heap);
}

const struct device *machine_device(const struct machine *m) { return m->device; }
uint64_t machine_now(const struct machine *m) { return m->now; }
const struct fault *machine_fault(const struct machine *m) { return &m->fault; }
void machine_reset_fault(struct machine *m)
{
    m->fault.kind = FAULT_NONE;
    m->fault.rule = NULL;
    m->fault.text[0] = '\0';
}

const char *machine_launch_message(const struct machine *m) { return m->launch_message; }
const struct machine_counts *machine_counts(const struct machine *m) { return &m->counts; }

void machine_observe(struct machine *m, struct observer *observer)
{
    observer->next = m->observers;
    m->observers = observer;
}

/* ---- memory ------------------------------------------------------------------ */

uint64_t machine_alloc(struct machine *m, size_t bytes, enum memory_kind kind, const char *label)
{
    struct allocation *a = memory_alloc(m->memory, bytes, kind, label);
    return a != NULL ? a->address : 0;
}

bool machine_free(struct machine *m, uint64_t address) { return memory_free(m->memory, address); }

bool machine_map_host(struct machine *m, void *host, size_t bytes, enum memory_kind kind, const char *label)
{
    return memory_map(m->memory, host, bytes, kind, label) != NULL;
}

bool machine_unmap_host(struct machine *m, void *host) { return memory_unmap(m->memory, host); }
size_t machine_memory_free(const struct machine *m) { return (size_t)(m->memory->limit - m->memory->used); }

bool machine_find(const struct machine *m, uint64_t address, uint64_t *start, size_t *size, enum memory_kind *kind, bool *freed)
{
    const struct allocation *a = memory_find(m->memory, address);
    if (a == NULL)
        return false;
    if (start != NULL)
        *start = a->address;
    if (size != NULL)
        *size = a->size;
    if (kind != NULL)
        *kind = a->kind;
    if (freed != NULL)
        *freed = a->freed;
    return true;
}

/* `count` bytes at `address` inside one live allocation, or NULL. */
static struct allocation *range(struct machine *m, uint64_t address, size_t count)
{
    struct allocation *a = memory_find(m->memory, address);
    return a != NULL && !a->freed && a->size - (address - a->address) >= count ? a : NULL;
}

bool machine_write(struct machine *m, uint64_t address, const void *bytes, size_t count)
{
    struct allocation *a = count > 0 ? range(m, address, count) : NULL;
    if (a == NULL)
        return count == 0;
    memmove(a->bytes + (address - a->address), bytes, count);
    if (a->init != NULL)
        bits_set(a->init, address - a->address, count);
    return true;
}

bool machine_read(struct machine *m, uint64_t address, void *bytes, size_t count)
{
    const struct allocation *a = count > 0 ? range(m, address, count) : NULL;
    if (a == NULL)
        return count == 0;
    memmove(bytes, a->bytes + (address - a->address), count);
    return true;
}

bool machine_fill(struct machine *m, uint64_t address, uint8_t value, size_t count)
{
    struct allocation *a = count > 0 ? range(m, address, count) : NULL;
    if (a == NULL)
        return count == 0;
    memset(a->bytes + (address - a->address), value, count);
    if (a->init != NULL)
        bits_set(a->init, address - a->address, count);
    return true;
}

/* What was never written stays unwritten in the copy. */
bool machine_move(struct machine *m, uint64_t dst, uint64_t src, size_t count)
{
    if (count == 0)
        return true;
    struct allocation *to = range(m, dst, count), *from = range(m, src, count);
    if (to == NULL || from == NULL)
        return false;
    size_t t = dst - to->address, f = src - from->address;
    memmove(to->bytes + t, from->bytes + f, count);
    for (size_t k = 0; k < count && to->init != NULL; k++)
        if (from->init == NULL || (from->init[(f + k) / 8] >> (f + k) % 8 & 1))
            to->init[(t + k) / 8] |= (uint8_t)(1u << (t + k) % 8);
    return true;
}

/* ---- occupancy ----------------------------------------------------------------- */

int machine_occupancy(struct machine *m, int module, const char *entry, int block_threads, size_t dynamic_shared)
{
    struct ptx_error error;
    const struct ptx_function *f = ptx_function_find(m->loaded[module].module, entry);
    const struct code *code = f != NULL && f->is_entry ? machine_code(m, module, f, &error) : NULL;
    if (code == NULL || block_threads <= 0 || block_threads > m->device->threads_per_block ||
        dynamic_shared > (size_t)m->device->shared_per_block)
        return 0;
    uint32_t shared = (code->dynamic_shared_offset + (uint32_t)dynamic_shared + 15) / 16 * 16 + 32;
    return (int)sm_capacity(m->device, (uint32_t)block_threads, shared, 32);
}

int machine_cluster_occupancy(struct machine *m, const struct launch *launch)
{
    enum launch_error error;
    struct grid *g = grid_new(m, launch, 0, &error);
    if (g == NULL)
        return 0;
    uint32_t size = g->cluster_dim[0] * g->cluster_dim[1] * g->cluster_dim[2];
    uint32_t n = device_cluster_capacity(m->device, size, g->threads, g->shared_bytes, 32);
    grid_delete(m, g);
    return (int)n;
}

void machine_output(struct machine *m, void (*output)(void *self, const char *text, size_t length), void *self)
{
    m->output = output;
    m->output_self = self;
}

/* ---- choices ---------------------------------------------------------------------- */

void machine_choose(struct machine *m, const struct choice_options *options)
{
    choice_free(&m->choice);
    choice_init(&m->choice, options);
}

/* ---- saved state ------------------------------------------------------------------ */

struct snapshot { struct heap_snapshot *heap; };

struct snapshot *machine_save(struct machine *m)
{
    struct snapshot *s = malloc(sizeof *s);
    if (s == NULL)
        return NULL;
    s->heap = heap_save(m->heap);
    if (s->heap == NULL) {
        free(s);
        return NULL;
    }
    return s;
}

void machine_restore(struct machine *m, const struct snapshot *s) { heap_restore(m->heap, s->heap); }
bool machine_equals(const struct machine *m, const struct snapshot *s) { return heap_equals(m->heap, s->heap); }

void snapshot_delete(struct machine *m, struct snapshot *s)
{
    if (s == NULL)
        return;
    heap_snapshot_delete(m->heap, s->heap);
    free(s);
}

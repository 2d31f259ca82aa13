/*
 * Launches: is the shape possible, what does it need, and the pool of its
 * clusters (single blocks without clusters) that have not started.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/grid.h"
#include "machine/load.h"
#include "machine/rows.h"

enum { DEFAULT_DYNAMIC_SHARED = 48 * 1024, REGISTERS_ASSUMED = 32, RESERVED_SHARED = 32 };

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static enum launch_error refuse(struct machine *m, enum launch_error error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->launch_message, sizeof m->launch_message, format, args);
    va_end(args);
    return error;
}

/* Limits of grid and block (CUDA Programming Guide, table of technical specifications). */
static enum launch_error check_shape(struct machine *m, const struct launch *l)
{
    static const uint32_t block_limit[3] = {1024, 1024, 64}, grid_limit[3] = {0x7fffffffu, 65535, 65535};
    uint64_t threads = 1;
    for (int k = 0; k < 3; k++) {
        if (l->block[k] == 0 || l->grid[k] == 0)
            return refuse(m, LAUNCH_BAD_SHAPE, "the grid is %ux%ux%u and the block %ux%ux%u; no dimension may be 0", l->grid[0],
                          l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
        if (l->block[k] > block_limit[k] || l->grid[k] > grid_limit[k])
            return refuse(m, LAUNCH_BAD_SHAPE, "the grid is %ux%ux%u and the block %ux%ux%u; the limits are 2147483647x65535x65535 "
                          "and 1024x1024x64", l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
        threads *= l->block[k];
    }
    if (threads > (uint64_t)m->device->threads_per_block)
        return refuse(m, LAUNCH_BAD_SHAPE, "%llu threads per block; %s runs at most %d", (unsigned long long)threads,
                      m->device->name, m->device->threads_per_block);
    return LAUNCH_OK;
}

/* The cluster of a launch: what was asked for, else what the kernel requires. */
static enum launch_error take_cluster(struct machine *m, const struct launch *l, struct grid *g)
{
    const struct ptx_function *f = g->code->entry;
    bool required = f->reqnctapercluster[0] > 0, asked = l->cluster[0] > 0;
    uint64_t size = 1;
    for (int k = 0; k < 3; k++) {
        g->cluster_dim[k] = asked ? l->cluster[k] : required ? (uint32_t)f->reqnctapercluster[k] : 1;
        if (g->cluster_dim[k] == 0)
            g->cluster_dim[k] = 1;
        size *= g->cluster_dim[k];
    }
    g->has_cluster = asked || required || f->explicitcluster;
    if (!g->has_cluster)
        return LAUNCH_OK;
    if (m->device->cluster_max == 0)
        return refuse(m, LAUNCH_BAD_CLUSTER, "%s has no clusters", m->device->name);
    if (size > (uint64_t)m->device->cluster_max)
        return refuse(m, LAUNCH_BAD_CLUSTER, "a cluster of %llu blocks; %s allows %d", (unsigned long long)size, m->device->name,
                      m->device->cluster_max);
    for (int k = 0; k < 3; k++)
        if (g->dim[k] % g->cluster_dim[k] != 0)
            return refuse(m, LAUNCH_BAD_CLUSTER, "the grid is %ux%ux%u and the cluster %ux%ux%u; the grid must be a multiple of the "
                          "cluster in every dimension", g->dim[0], g->dim[1], g->dim[2], g->cluster_dim[0], g->cluster_dim[1],
                          g->cluster_dim[2]);
    return LAUNCH_OK;
}

static int registers_of(const struct ptx_function *f)
{
    return f->maxnreg > 0 && f->maxnreg < REGISTERS_ASSUMED ? f->maxnreg : REGISTERS_ASSUMED;
}

static enum launch_error check_threads(struct machine *m, const struct grid *g)
{
    const struct ptx_function *f = g->code->entry;
    int most = f->maxntid[0] > 0 ? f->maxntid[0] * (f->maxntid[1] > 0 ? f->maxntid[1] : 1) * (f->maxntid[2] > 0 ? f->maxntid[2] : 1) : 0;
    char name[128];
    if (most > 0 && g->threads > (uint32_t)most)
        return refuse(m, LAUNCH_TOO_MANY_THREADS, "%u threads per block; %s was compiled for at most %d", g->threads,
                      plain_name(f->name, name, sizeof name), most);
    for (int k = 0; k < 3; k++)
        if (f->reqntid[0] > 0 && g->block_dim[k] != (uint32_t)(f->reqntid[k] > 0 ? f->reqntid[k] : 1))
            return refuse(m, LAUNCH_TOO_MANY_THREADS, "the block is %ux%ux%u; %s was compiled for exactly %dx%dx%d", g->block_dim[0],
                          g->block_dim[1], g->block_dim[2], plain_name(f->name, name, sizeof name), f->reqntid[0],
                          f->reqntid[1] > 0 ? f->reqntid[1] : 1, f->reqntid[2] > 0 ? f->reqntid[2] : 1);
    return LAUNCH_OK;
}

/* Shared memory of a block: static, dynamic, and a strip for cooperative groups at the end. */
static enum launch_error take_shared(struct machine *m, const struct launch *l, struct grid *g)
{
    uint64_t allowed = l->max_dynamic_shared > 0 ? l->max_dynamic_shared : DEFAULT_DYNAMIC_SHARED;
    uint64_t bytes = (uint64_t)g->code->dynamic_shared_offset + l->dynamic_shared;
    if (l->max_dynamic_shared == 0 && g->code->shared_bytes > 0)
        allowed = g->code->shared_bytes < DEFAULT_DYNAMIC_SHARED ? DEFAULT_DYNAMIC_SHARED - g->code->shared_bytes : 0;
    if (l->dynamic_shared > allowed || bytes > (uint64_t)m->device->shared_per_block)
        return refuse(m, LAUNCH_TOO_MUCH_SHARED, "%llu bytes of dynamic shared memory beside %u static ones; the kernel may use %llu "
                      "(cudaFuncSetAttribute raises it up to %d in all)", (unsigned long long)l->dynamic_shared, g->code->shared_bytes,
                      (unsigned long long)allowed, m->device->shared_per_block);
    if (bytes < g->code->shared_bytes)
        bytes = g->code->shared_bytes;
    g->dynamic_shared = (uint32_t)l->dynamic_shared;
    g->reserved_bytes = RESERVED_SHARED;
    g->shared_bytes = (uint32_t)((bytes + 15) & ~UINT64_C(15)) + RESERVED_SHARED;
    return LAUNCH_OK;
}

static enum launch_error check_room(struct machine *m, const struct launch *l, struct grid *g)
{
    uint32_t cluster = g->cluster_dim[0] * g->cluster_dim[1] * g->cluster_dim[2];
    int registers = registers_of(g->code->entry);
    g->blocks_per_sm = (int)sm_capacity(m->device, g->threads, g->shared_bytes, registers);
    if (g->blocks_per_sm == 0)
        return refuse(m, LAUNCH_TOO_MUCH_SHARED, "a block of %u threads and %u bytes of shared memory does not fit into an SM of %s",
                      g->threads, g->shared_bytes, m->device->name);
    if (g->has_cluster && device_cluster_capacity(m->device, cluster, g->threads, g->shared_bytes, registers) == 0)
        return refuse(m, LAUNCH_BAD_CLUSTER, "a cluster of %u blocks of this size does not fit into %s", cluster, m->device->name);
    if (l->cooperative && g->blocks > (uint64_t)g->blocks_per_sm * (uint64_t)m->device->sms)
        return refuse(m, LAUNCH_NO_ROOM, "a cooperative launch of %llu blocks; %llu can be resident together",
                      (unsigned long long)g->blocks, (unsigned long long)g->blocks_per_sm * (unsigned long long)m->device->sms);
    return LAUNCH_OK;
}

static bool take_params(struct machine *m, const struct launch *l, struct grid *g)
{
    g->param_bytes = (uint32_t)g->code->entry->param_bytes;
    g->params = heap_alloc(m->heap, g->param_bytes + 16);
    if (g->params == NULL)
        return false;
    if (l->param_bytes > 0 && g->param_bytes > 0)
        memcpy(g->params, l->params, l->param_bytes < g->param_bytes ? l->param_bytes : g->param_bytes);
    return true;
}

/* Workspace of grid.sync(): {size, barrier}, found through %envreg1 and 2. */
static bool take_workspace(struct machine *m, struct grid *g)
{
    const uint32_t header[2] = {8, 0};
    struct allocation *a = memory_alloc(m->memory, 64, MEMORY_DEVICE, "workspace of a cooperative launch");
    if (a == NULL)
        return false;
    g->grid_sync = a->address;
    return machine_fill(m, a->address, 0, 64) && machine_write(m, a->address, header, sizeof header);
}

static void take_dims(const struct launch *l, struct grid *g)
{
    memcpy(g->dim, l->grid, sizeof g->dim);
    memcpy(g->block_dim, l->block, sizeof g->block_dim);
    g->threads = l->block[0] * l->block[1] * l->block[2];
    g->warps_per_block = (g->threads + LANES - 1) / LANES;
    g->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

static enum launch_error grid_fill(struct machine *m, const struct launch *l, struct grid *g)
{
    struct ptx_error error;
    enum launch_error e = check_shape(m, l);
    if (e != LAUNCH_OK)
        return e;
    const struct ptx_module *module = m->loaded[l->module].module;
    const struct ptx_function *f = ptx_function_find(module, l->entry);
    if (f == NULL || !f->is_entry)
        return refuse(m, LAUNCH_NO_FUNCTION, "there is no kernel `%s` in %s", l->entry, module->name);
    take_dims(l, g);
    g->module = l->module;
    g->entry_index = (int)(f - module->functions);
    g->code = machine_code(m, l->module, f, &error);
    if (g->code == NULL)
        return refuse(m, error.unsupported ? LAUNCH_UNSUPPORTED : LAUNCH_PTX_ERROR, "%s", error.text);
    e = check_threads(m, g);
    if (e == LAUNCH_OK)
        e = take_cluster(m, l, g);
    if (e == LAUNCH_OK)
        e = take_shared(m, l, g);
    if (e == LAUNCH_OK)
        e = check_room(m, l, g);
    return e;
}

struct grid *grid_new(struct machine *m, const struct launch *l, int stream, enum launch_error *error)
{
    struct grid *g = heap_alloc(m->heap, sizeof *g);
    if (g == NULL) {
        *error = refuse(m, LAUNCH_PTX_ERROR, "out of memory");
        return NULL;
    }
    *error = grid_fill(m, l, g);
    if (*error == LAUNCH_OK) {
        g->id = ++m->grid_serial;
        g->stream = stream;
        g->priority = l->has_priority ? l->priority : m->streams[stream].priority;
        g->cooperative = l->cooperative;
        g->clusters = g->blocks / (g->cluster_dim[0] * g->cluster_dim[1] * g->cluster_dim[2]);
        g->pending = g->clusters;
        g->visible = m->loaded[l->module].visible[g->entry_index];
        g->const_base = m->loaded[l->module].const_base;
        g->const_bytes = m->loaded[l->module].const_bytes;
        if (!take_params(m, l, g) || !grid_rows_new(m, g) || (l->cooperative && !take_workspace(m, g)))
            *error = refuse(m, LAUNCH_PTX_ERROR, "out of memory");
    }
    if (*error == LAUNCH_OK)
        return g;
    grid_delete(m, g);
    return NULL;
}

void grid_delete(struct machine *m, struct grid *g)
{
    while (g->block_pool != NULL) {
        struct block *b = g->block_pool;
        g->block_pool = b->next;
        block_delete(m, b);
    }
    grid_rows_delete(m, g);
    heap_free(m->heap, g->params, g->param_bytes + 16);
    heap_free(m->heap, g->taken, g->taken ? (g->clusters + 31) / 32 * 4 : 0);
    if (g->grid_sync != 0)
        memory_free(m->memory, g->grid_sync);
    heap_free(m->heap, g, sizeof *g);
}

/* Its blocks were recycled when their SMs were emptied; blocks of half-ended clusters are left to the heap. */
void grid_abandon(struct machine *m, struct grid *g) { grid_delete(m, g); }

/* ---- the pool ---------------------------------------------------------------- */

bool grid_is_pending(const struct grid *g, uint64_t cluster)
{
    if (cluster >= g->clusters || cluster < g->next)
        return false;
    return g->taken == NULL || !(g->taken[cluster / 32] >> cluster % 32 & 1);
}

static void skip_taken(struct grid *g)
{
    while (g->taken != NULL && g->next < g->clusters && (g->taken[g->next / 32] >> g->next % 32 & 1))
        g->next++;
}

bool grid_take_next(struct grid *g, uint64_t *cluster)
{
    if (g->pending == 0)
        return false;
    skip_taken(g);
    *cluster = g->next++;
    g->pending--;
    skip_taken(g);
    return true;
}

bool grid_take(struct machine *m, struct grid *g, uint64_t cluster)
{
    uint64_t first;
    if (!grid_is_pending(g, cluster))
        return false;
    if (cluster == g->next)
        return grid_take_next(g, &first);
    if (g->taken == NULL)
        g->taken = heap_alloc(m->heap, (g->clusters + 31) / 32 * 4);
    if (g->taken == NULL)
        return false;
    g->taken[cluster / 32] |= 1u << cluster % 32;
    g->pending--;
    return true;
}

void cluster_first_ctaid(const struct grid *g, uint64_t cluster, uint32_t id[3])
{
    uint64_t nx = g->dim[0] / g->cluster_dim[0], ny = g->dim[1] / g->cluster_dim[1];
    id[0] = (uint32_t)(cluster % nx) * g->cluster_dim[0];
    id[1] = (uint32_t)(cluster / nx % ny) * g->cluster_dim[1];
    id[2] = (uint32_t)(cluster / nx / ny) * g->cluster_dim[2];
}

void grid_cancelled(struct machine *m, struct grid *g, uint64_t time)
{
    g->cancelled++;
    m->steps_since_progress = m->steps_since_block = 0;
    m->epoch++;
    if (grid_finished(g))
        stream_grid_done(m, g, time);
}

bool grid_finished(const struct grid *g) { return g->done + g->cancelled == g->clusters; }

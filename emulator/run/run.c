/*
 * One kernel on the machine: see run.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checker/explore.h"
#include "run/entry.h"
#include "run/judge.h"

/* "FILE:LINE" for a complaint. */
enum { WHERE = 300 };
static const char *where(const struct run *run, int line, char text[WHERE])
{
    if (line > 0)
        snprintf(text, WHERE, "%.250s:%d", run->file->path, line);
    else
        snprintf(text, WHERE, "%.250s", run->file->path);
    return text;
}

static bool wrong_ptx(const struct ptx_error *error, struct complaint *c)
{
    return complain(c, error->unsupported ? ENDS_COVERAGE : ENDS_USAGE, "%s", error->text);
}

/* ---- machine and module ------------------------------------------------------ */

static void print_to_stderr(void *self, const char *text, size_t length)
{
    (void)self;
    fwrite(text, 1, length, stderr);
}

static bool start_trace(struct run *run, struct complaint *c)
{
    char why[400];
    if (!run->options->trace)
        return true;
    if (run->options->schedules > 0)
        return complain(c, ENDS_USAGE, "--trace records one order of events; with --schedules there are several (--seed picks one)");
    run->trace = trace_open(run->options->trace, run->options->device->name, why, sizeof why);
    if (!run->trace)
        return complain(c, ENDS_USAGE, "%s", why);
    trace_attach(run->trace, run->machine);
    return true;
}

static bool load(struct run *run, struct complaint *c)
{
    const struct machine_options options = {
        .device = run->options->device, .choice = run->options->choice, .step_budget = run->options->steps,
        .output = run->options->json ? print_to_stderr : NULL, .observe = run->options->check || run->options->trace
    };
    const struct checker_options check = {
        .level = run->options->strict_hw ? STRICT_HW : STRICT_SPEC, .verbose = run->options->verbose,
        .lab = run->options->lab, .colour = isatty(2) && !run->options->json, .again = run->options->again
    };
    struct ptx_error error = { 0 };
    run->machine = machine_new(&options);
    if (!run->machine)
        return complain(c, ENDS_MACHINE, "memory is out for an emulated %s", run->options->device->name);
    if (run->options->check && !(run->checker = checker_new(run->machine, &check)))
        return complain(c, ENDS_MACHINE, "memory is out for the checker");
    if (!start_trace(run, c))
        return false;
    switch (machine_load(run->machine, run->module, &run->id, &error)) {
    case LOAD_OK: return true;
    case LOAD_WRONG_TARGET:
        return complain(c, ENDS_MACHINE, "%s is compiled for %s; an emulated %s does not run that (--list-devices)",
                        run->module->name, run->module->target, run->options->device->name);
    case LOAD_ERROR: break;
    }
    return wrong_ptx(&error, c);
}

/* ---- buffers, variables, parameters -------------------------------------------- */

/* COUNT copies of a value, a piece at a time. */
static bool write_copies(struct run *run, uint64_t address, const struct buffer *b)
{
    uint8_t piece[4096];
    const size_t bytes = element_bytes(b->element), per_piece = sizeof piece / bytes;
    for (size_t i = 0; i < per_piece; i++)
        memcpy(piece + i * bytes, b->fill_value, bytes);
    for (size_t done = 0; done < b->count;) {
        const size_t n = b->count - done < per_piece ? b->count - done : per_piece;
        if (!machine_write(run->machine, address + done * bytes, piece, n * bytes))
            return false;
        done += n;
    }
    return true;
}

static bool place_buffer(struct run *run, int index, struct complaint *c)
{
    const struct buffer *b = &run->file->buffers[index];
    const size_t bytes = b->count * element_bytes(b->element);
    char at[WHERE];
    if (bytes == 0)
        return true;
    const uint64_t address = machine_alloc(run->machine, bytes, MEMORY_DEVICE, b->name);
    if (!address)
        return complain(c, ENDS_MACHINE, "%s: buffer '%.60s' of %zu bytes does not fit into the memory of an emulated %s",
                        where(run, b->line, at), b->name, bytes, run->options->device->name);
    run->address[index] = address;
    const bool written = b->fill == FILL_ZERO ? machine_fill(run->machine, address, 0, bytes)
                       : b->fill == FILL_VALUE ? write_copies(run, address, b)
                       : machine_write(run->machine, address, b->array.bytes, bytes);
    return written || complain(c, ENDS_BROKEN, "%s: buffer '%.60s' cannot be written", where(run, b->line, at), b->name);
}

/* The bytes of a value, with the buffers' addresses in place. */
static void fill_in(const struct run *run, const struct value *v, uint8_t *out)
{
    if (v->size)
        memcpy(out, v->bytes, v->size);
    for (int i = 0; i < v->patch_count; i++)
        for (int k = 0; k < 8; k++)
            out[v->patches[i].offset + (size_t)k] = (uint8_t)(run->address[v->patches[i].buffer] >> (8 * k));
}

static bool place_symbol(struct run *run, const struct symbol *s, struct complaint *c)
{
    char at[WHERE];
    size_t size = 0;
    const struct ptx_var *var = variable_find(run->module, s->name, where(run, s->value.line, at), c);
    if (!var)
        return false;
    const uint64_t address = machine_variable(run->machine, run->id, var->name, &size);
    if (!address)
        return complain(c, ENDS_USAGE, "%s: variable '%.100s' has no place in memory", at, var->name);
    if (size != s->value.size)
        return complain(c, ENDS_USAGE, "%s: the value has %zu bytes, variable '%.100s' %zu", at, s->value.size, s->name,
                        size);
    uint8_t *bytes = malloc(size + 1);
    if (!bytes)
        return complain(c, ENDS_MACHINE, "%s: memory is out", at);
    fill_in(run, &s->value, bytes);
    const bool written = machine_write(run->machine, address, bytes, size);
    free(bytes);
    return written || complain(c, ENDS_BROKEN, "%s: variable '%.100s' cannot be written", at, var->name);
}

static bool place_param(const struct run *run, int index, uint8_t *params, struct complaint *c)
{
    const struct value *v = &run->file->args[index];
    const struct ptx_var *p = &run->entry->params[index];
    char at[WHERE];
    if (v->size != p->size && !(v->is_count && p->size == 8))
        return complain(c, ENDS_USAGE, "%s: arg %d has %zu bytes, parameter %d of %.100s %zu", where(run, v->line, at),
                        index + 1, v->size, index + 1, run->entry->name, p->size);
    fill_in(run, v, params + p->offset);
    return true;
}

static uint8_t *make_params(struct run *run, struct complaint *c)
{
    const int want = run->entry->param_count, given = run->file->arg_count;
    uint8_t *params = calloc(1, run->entry->param_bytes + 1);
    bool done = params || complain(c, ENDS_MACHINE, "memory is out");
    if (done && want != given)
        done = complain(c, ENDS_USAGE, "%s: %d arg line%s, %.100s takes %d", run->file->path, given,
                        given == 1 ? "" : "s", run->entry->name, want);
    for (int i = 0; done && i < want; i++)
        done = place_param(run, i, params, c);
    if (!done) {
        free(params);
        params = NULL;
    }
    return params;
}

/* ---- the launch ------------------------------------------------------------------ */

static uint64_t volume(const uint32_t extent[3])
{
    return (uint64_t)extent[0] * extent[1] * extent[2];
}

/* Blocks in a cluster: the launch file's, else the kernel's own (.reqnctapercluster); 0 none. */
static uint64_t cluster_blocks(const struct run *run)
{
    const int *own = run->entry->reqnctapercluster;
    const uint64_t given = volume(run->file->cluster);
    return given ? given : (uint64_t)own[0] * (uint64_t)own[1] * (uint64_t)own[2];
}

/* How many blocks of this shape the device holds at once. */
static uint64_t resident_blocks(struct run *run, const struct launch *launch)
{
    const uint64_t per_cluster = cluster_blocks(run);
    if (per_cluster)
        return (uint64_t)machine_cluster_occupancy(run->machine, launch) * per_cluster;
    return (uint64_t)run->options->device->sms
         * (uint64_t)machine_occupancy(run->machine, run->id, run->entry->name, (int)volume(launch->block),
                                       launch->dynamic_shared);
}

/* `grid resident`. */
static bool fit_grid(struct run *run, const struct launch *launch, struct complaint *c)
{
    const struct launch_file *f = run->file;
    const uint64_t threads = volume(f->block), per_cluster = cluster_blocks(run);
    char at[WHERE];
    uint64_t blocks = threads > INT32_MAX ? 0 : resident_blocks(run, launch);
    if (blocks == 0)
        return complain(c, ENDS_MACHINE, "%s: %s of %llu threads and %zu bytes of dynamic shared memory does not fit on an "
                        "emulated %s", where(run, f->grid_line, at), per_cluster ? "a cluster with blocks" : "a block",
                        (unsigned long long)threads, f->shared, run->options->device->name);
    blocks *= f->grid_factor;
    if (f->grid_most && blocks > f->grid_most)
        blocks = per_cluster ? f->grid_most / per_cluster * per_cluster : f->grid_most;
    if (blocks == 0 || blocks > INT32_MAX)
        return complain(c, ENDS_USAGE, "%s: a grid of %llu blocks cannot be launched", where(run, f->grid_line, at),
                        (unsigned long long)blocks);
    run->grid[0] = (uint32_t)blocks;
    run->grid[1] = run->grid[2] = 1;
    return true;
}

static bool make_launch(struct run *run, const uint8_t *params, struct launch *launch, struct complaint *c)
{
    const struct launch_file *f = run->file;
    *launch = (struct launch){ .module = run->id, .entry = run->entry->name, .dynamic_shared = f->shared,
                               .max_dynamic_shared = f->shared, .priority = f->priority,
                               .has_priority = f->has_priority, .params = params,
                               .param_bytes = run->entry->param_bytes };
    memcpy(launch->block, f->block, sizeof launch->block);
    memcpy(launch->cluster, f->cluster, sizeof launch->cluster);
    memcpy(run->grid, f->grid, sizeof run->grid);
    if (f->grid_kind == GRID_RESIDENT) {
        for (int i = 0; i < 3; i++)         /* one cluster, to ask what fits */
            launch->grid[i] = f->cluster[i] ? f->cluster[i] : run->entry->reqnctapercluster[i]
                            ? (uint32_t)run->entry->reqnctapercluster[i] : 1;
        if (!fit_grid(run, launch, c))
            return false;
    }
    memcpy(launch->grid, run->grid, sizeof launch->grid);
    run->resident = volume(launch->block) <= INT32_MAX ? resident_blocks(run, launch) : 0;
    return true;
}

static bool refused(struct run *run, enum launch_error error, struct complaint *c)
{
    char at[WHERE];
    const bool too_large = cluster_blocks(run) > (uint64_t)run->options->device->cluster_max;
    const int code = error == LAUNCH_BAD_CLUSTER && !too_large ? ENDS_USAGE : ENDS_MACHINE;
    return complain(c, code, "%s: %s", where(run, run->file->grid_line, at), machine_launch_message(run->machine));
}

/* Launches once and waits; the time between two events around it. */
static bool launch_once(struct run *run, const struct launch *launch, int before, int after, uint64_t *cycles,
                        struct complaint *c)
{
    struct machine *m = run->machine;
    machine_event_record(m, before, 0);
    const enum launch_error error = machine_launch(m, 0, launch);
    if (error != LAUNCH_OK)
        return refused(run, error, c);
    machine_event_record(m, after, 0);
    if (!machine_wait_all(m)) {
        const struct fault *fault = machine_fault(m);
        return complain(c, fault_exit_code(fault->kind), "%.900s", fault->text);
    }
    *cycles = machine_event_time(m, after) - machine_event_time(m, before);
    return true;
}

/* ---- other schedules ----------------------------------------------------------------- */

static bool values_wrong(const struct run *run)
{
    struct judgement j = { 0 };
    struct complaint c = { 0 };
    for (int i = 0; i < run->file->expect_count && c.code == ENDS_RIGHT; i++) {
        const struct expect *e = &run->file->expects[i];
        const struct buffer *b = &run->file->buffers[e->buffer];
        uint8_t *got = run_result(run, e->buffer, &c);
        if (got)
            judge(&j, "", b->element, b->count, got, e->array.bytes);
        free(got);
    }
    return j.wrong > 0 || c.code != ENDS_RIGHT;
}

static void no_output(void *self, const char *text, size_t length)
{
    (void)self, (void)text, (void)length;
}

/* A run from the saved state under another schedule. true: it told something; the machine stands where it ended. */
static bool tells(struct run *run, const struct launch *launch, const struct choice_options *choice)
{
    machine_choose(run->machine, choice);
    machine_output(run->machine, no_output, NULL);
    return machine_launch(run->machine, 0, launch) != LAUNCH_OK || !machine_wait_all(run->machine)
        || (run->checker && checker_broken(run->checker)) || values_wrong(run);
}

static void remember(struct run *run, const char *words)
{
    const size_t size = strlen(run->options->again) + strlen(words) + 2;
    char *again = malloc(size);
    snprintf(run->told, sizeof run->told, "%s", words);
    if (again)
        snprintf(again, size, "%s %s", run->options->again, words);
    if (run->checker)
        checker_again(run->checker, again);
    free(again);
}

/* true: a schedule told, and the machine holds what it did. Otherwise everything is as before. */
static bool explore(struct run *run, const struct launch *launch)
{
    struct snapshot *start = machine_save(run->machine);
    struct checker_snapshot *listening = run->checker ? checker_save(run->checker) : NULL;
    uint64_t requests = 0;
    bool told = false;
    for (unsigned k = 0; start && !told && k <= run->options->schedules; k++) {
        char words[SCHEDULE_WORDS];
        const struct choice_options choice = explore_schedule(&run->options->choice, k, requests, words);
        told = tells(run, launch, &choice);
        run->tried = k;
        requests = k == 0 ? machine_counts(run->machine)->requests : requests;
        if (told) {
            remember(run, words);
            break;
        }
        machine_restore(run->machine, start);
        if (run->checker)
            checker_restore(run->checker, listening);
    }
    if (run->checker)
        checker_snapshot_delete(run->checker, listening);
    snapshot_delete(run->machine, start);
    return told;
}

static int compare_cycles(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool launch_all(struct run *run, const struct launch *launch, struct complaint *c)
{
    const int repeat = run->file->repeat, before = machine_event_new(run->machine), after = machine_event_new(run->machine);
    uint64_t *cycles = calloc((size_t)repeat, sizeof *cycles);
    bool done = cycles || complain(c, ENDS_MACHINE, "memory is out for %d launches", repeat);
    if (done && run->options->schedules > 0 && explore(run, launch)) {
        const struct fault *fault = machine_fault(run->machine);
        free(cycles);
        return fault->kind == FAULT_NONE || complain(c, fault_exit_code(fault->kind), "%.900s", fault->text);
    }
    for (int i = 0; done && i < repeat; i++)
        done = launch_once(run, launch, before, after, &cycles[i], c);
    if (done) {
        qsort(cycles, (size_t)repeat, sizeof *cycles, compare_cycles);
        run->cycles = cycles[repeat / 2];
    }
    free(cycles);
    return done;
}

bool run_kernel(struct run *run, struct complaint *c)
{
    const struct launch_file *f = run->file;
    struct kernel_attributes attributes;
    struct ptx_error error = { 0 };
    struct launch launch;
    char at[WHERE];
    run->entry = entry_find(run->module, f->kernel, where(run, f->kernel_line, at), c);
    run->address = calloc((size_t)f->buffer_count + 1, sizeof *run->address);
    if (!run->entry || !run->address || !load(run, c))
        return run->address ? false : complain(c, ENDS_MACHINE, "memory is out");
    if (!machine_kernel_attributes(run->machine, run->id, run->entry->name, &attributes, &error))
        return wrong_ptx(&error, c);
    for (int i = 0; i < f->buffer_count; i++)
        if (!place_buffer(run, i, c))
            return false;
    for (int i = 0; i < f->symbol_count; i++)
        if (!place_symbol(run, &f->symbols[i], c))
            return false;
    uint8_t *params = make_params(run, c);
    const bool done = params && make_launch(run, params, &launch, c) && launch_all(run, &launch, c);
    free(params);
    return done;
}

/* ---- results --------------------------------------------------------------------- */

uint8_t *run_result(const struct run *run, int buffer, struct complaint *c)
{
    const struct buffer *b = &run->file->buffers[buffer];
    const size_t bytes = b->count * element_bytes(b->element);
    uint8_t *result = malloc(bytes + 1);
    if (!result)
        complain(c, ENDS_MACHINE, "memory is out for buffer '%.60s'", b->name);
    else if (bytes && !machine_read(run->machine, run->address[buffer], result, bytes))
        complain(c, ENDS_BROKEN, "buffer '%.60s' cannot be read back", b->name);
    else
        return result;
    free(result);
    return NULL;
}

bool run_close_trace(struct run *run, struct complaint *c)
{
    char why[400];
    struct trace *trace = run->trace;
    run->trace = NULL;
    return !trace || trace_close(trace, why, sizeof why) || complain(c, ENDS_MACHINE, "%s", why);
}

void run_end(struct run *run)
{
    checker_delete(run->checker);
    run->checker = NULL;
    if (run->machine)
        machine_delete(run->machine);
    free(run->address);
    run->machine = NULL;
    run->address = NULL;
}

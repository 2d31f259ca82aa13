/*
 * Loading a module: does it fit the device, where do its variables live, what
 * do they hold at first.
 *
 * .global variables are allocations of their own, so that running over one is
 * seen. .const variables share one bank per module. Code is lowered per kernel
 * when it is first launched and kept outside the heap: it never changes.
 */
#include "machine/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/grid.h"

bool target_runs_on(int target_cc, char target_kind, int device_cc)
{
    if (target_kind == 'a')
        return target_cc == device_cc;
    if (target_kind == 'f')
        return target_cc / 10 == device_cc / 10 && target_cc <= device_cc;
    return target_cc <= device_cc;
}

static enum load_result fail(struct ptx_error *error, enum load_result result, const char *what, const char *name)
{
    error->line = 0;
    error->unsupported = false;
    snprintf(error->text, sizeof error->text, what, name);
    return result;
}

static uint64_t symbol_address(const struct loaded *l, const char *symbol)
{
    const struct ptx_var *v = ptx_var_find(l->module, symbol);
    if (v != NULL)
        return v->space == PTX_CONST ? l->const_base + l->var_address[v->index] : l->var_address[v->index];
    const struct ptx_function *f = ptx_function_find(l->module, symbol);
    return f != NULL ? FUNCTION_ADDRESS(f - l->module->functions) : 0;
}

/* First values: bytes, then addresses of other things. */
static bool initialise(struct machine *m, const struct loaded *l, const struct ptx_var *v, uint64_t address)
{
    if (v->size == 0)
        return true;
    bool ok = v->init != NULL ? machine_write(m, address, v->init, v->size) : machine_fill(m, address, 0, v->size);
    for (const struct ptx_reloc *r = v->relocs; ok && r != NULL; r = r->next) {
        uint64_t value = symbol_address(l, r->symbol) + (uint64_t)r->addend;
        ok = machine_write(m, address + r->offset, &value, r->bytes != 0 && r->bytes < 8 ? r->bytes : 8);
    }
    return ok;
}

static uint64_t place_const(struct loaded *l)
{
    uint64_t bytes = 0;
    for (int k = 0; k < l->module->var_count; k++) {
        const struct ptx_var *v = &l->module->vars[k];
        if (v->space != PTX_CONST)
            continue;
        uint64_t align = v->align > 0 ? (uint64_t)v->align : 1;
        bytes = (bytes + align - 1) / align * align;
        l->var_address[v->index] = bytes;
        bytes += v->size;
    }
    return bytes;
}

static enum load_result place_global(struct machine *m, struct loaded *l, const struct ptx_var *v, struct ptx_error *error)
{
    char name[128], label[160];
    if (v->is_extern)
        return LOAD_OK;                  /* resolved, or reported, where it is used */
    if (v->is_managed) {
        void *host = m->host_memory != NULL ? m->host_memory(m->host_memory_self, v->size, v->name) : NULL;
        if (host == NULL)
            return fail(error, LOAD_ERROR, "managed variable `%s` needs the CUDA runtime", v->name);
        l->var_address[v->index] = (uint64_t)(uintptr_t)host;
        return memory_map(m->memory, host, v->size, MEMORY_MANAGED, v->name) != NULL
                   ? LOAD_OK : fail(error, LOAD_ERROR, "out of memory for variable `%s`", v->name);
    }
    snprintf(label, sizeof label, "variable %s", plain_name(v->name, name, sizeof name));
    struct allocation *a = memory_alloc(m->memory, v->size ? v->size : 1, MEMORY_VARIABLE, label);
    if (a == NULL)
        return fail(error, LOAD_ERROR, "out of memory for variable `%s`", v->name);
    l->var_address[v->index] = a->address;
    return LOAD_OK;
}

static enum load_result place_variables(struct machine *m, struct loaded *l, struct ptx_error *error)
{
    l->const_bytes = place_const(l);
    if (l->const_bytes > 0) {
        struct allocation *a = memory_alloc(m->memory, l->const_bytes, MEMORY_VARIABLE, "constant variables");
        if (a == NULL)
            return fail(error, LOAD_ERROR, "out of memory for constant variables of %s", l->module->name);
        l->const_base = a->address;
        machine_fill(m, a->address, 0, l->const_bytes);
    }
    for (int k = 0; k < l->module->var_count; k++) {
        const struct ptx_var *v = &l->module->vars[k];
        enum load_result r = v->space == PTX_GLOBAL ? place_global(m, l, v, error) : LOAD_OK;
        if (r != LOAD_OK)
            return r;
    }
    for (int k = 0; k < l->module->var_count; k++) {
        const struct ptx_var *v = &l->module->vars[k];
        if ((v->space == PTX_GLOBAL || v->space == PTX_CONST) && !v->is_extern &&
            !initialise(m, l, v, symbol_address(l, v->name)))
            return fail(error, LOAD_ERROR, "variable `%s` could not be initialised", v->name);
    }
    return LOAD_OK;
}

static struct loaded *loaded_new(struct machine *m, const struct ptx_module *module)
{
    if (m->loaded_count == m->loaded_capacity) {
        int capacity = m->loaded_capacity ? 2 * m->loaded_capacity : 4;
        struct loaded *grown = heap_grow(m->heap, m->loaded, (size_t)m->loaded_capacity * sizeof *grown,
                                         (size_t)capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        m->loaded = grown;
        m->loaded_capacity = capacity;
    }
    struct loaded *l = &m->loaded[m->loaded_count];
    *l = (struct loaded){.module = module};
    l->var_address = heap_alloc(m->heap, ((size_t)module->var_count + 1) * sizeof *l->var_address);
    l->codes = calloc((size_t)module->function_count + 1, sizeof(struct code *));
    l->visible = calloc((size_t)module->function_count + 1, sizeof(bool));
    return l->var_address != NULL && l->codes != NULL && l->visible != NULL ? l : NULL;
}

enum load_result machine_load(struct machine *m, const struct ptx_module *module, int *id, struct ptx_error *error)
{
    if (!target_runs_on(module->target_cc, module->target_kind, m->device->cc)) {
        char text[96];
        snprintf(text, sizeof text, "%s, which %s (capability %d.%d) does not run", module->target, m->device->name,
                 m->device->cc / 10, m->device->cc % 10);
        return fail(error, LOAD_WRONG_TARGET, "the module is for %s", text);
    }
    struct loaded *l = loaded_new(m, module);
    if (l == NULL)
        return fail(error, LOAD_ERROR, "out of memory for module %s", module->name);
    enum load_result r = place_variables(m, l, error);
    if (r == LOAD_OK)
        *id = m->loaded_count++;
    return r;
}

uint64_t machine_variable(struct machine *m, int id, const char *name, size_t *size)
{
    const struct loaded *l = &m->loaded[id];
    const struct ptx_var *v = ptx_var_find(l->module, name);
    if (v == NULL || (v->space != PTX_GLOBAL && v->space != PTX_CONST))
        return 0;
    if (size != NULL)
        *size = v->size;
    return symbol_address(l, name);
}

/* Does any instruction do what blocks elsewhere can see, and whose order in time matters? */
static bool does_visible_things(const struct code *code)
{
    for (int f = 0; f < code->module->function_count; f++)
        for (int k = 0; code->functions[f].code != NULL && k < code->functions[f].count; k++) {
            const struct instr *i = &code->functions[f].code[k];
            bool strong = (i->klass == CLASS_LD || i->klass == CLASS_ST) && i->sem != SEM_WEAK;
            bool atomic = (i->klass == CLASS_ATOM || i->klass == CLASS_RED) && i->space != MEM_SHARED;
            if (strong || atomic || i->klass >= CLASS_MBARRIER)
                return true;
        }
    return false;
}

struct code *machine_code(struct machine *m, int module, const struct ptx_function *entry, struct ptx_error *error)
{
    struct loaded *l = &m->loaded[module];
    size_t index = (size_t)(entry - l->module->functions);
    if (l->codes[index] == NULL) {
        struct code_env env = {.var_address = l->var_address, .cc = m->device->cc};
        error->unsupported = false;
        l->codes[index] = code_build(l->module, entry, &env, error);
        l->visible[index] = l->codes[index] != NULL && does_visible_things(l->codes[index]);
    }
    return l->codes[index];
}

void machine_unload_all(struct machine *m)
{
    for (int k = 0; k < m->loaded_count; k++) {
        for (int f = 0; f < m->loaded[k].module->function_count; f++)
            code_free(m->loaded[k].codes[f]);
        free(m->loaded[k].codes);
        free(m->loaded[k].visible);
    }
}

bool machine_kernel_attributes(struct machine *m, int id, const char *entry, struct kernel_attributes *out,
                               struct ptx_error *error)
{
    const struct ptx_module *module = m->loaded[id].module;
    const struct ptx_function *f = ptx_function_find(module, entry);
    if (f == NULL || !f->is_entry) {
        fail(error, LOAD_ERROR, "there is no kernel `%s`", entry);
        return false;
    }
    const struct code *code = machine_code(m, id, f, error);
    if (code == NULL)
        return false;
    memset(out, 0, sizeof *out);
    out->shared_bytes = code->shared_bytes;
    out->const_bytes = m->loaded[id].const_bytes;
    out->local_bytes = code->functions[f - module->functions].frame_bytes;
    out->max_threads_per_block = f->maxntid[0] > 0
        ? f->maxntid[0] * (f->maxntid[1] > 0 ? f->maxntid[1] : 1) * (f->maxntid[2] > 0 ? f->maxntid[2] : 1)
        : m->device->threads_per_block;
    out->registers = 32;
    out->ptx_version = module->target_cc;
    memcpy(out->required_cluster, f->reqnctapercluster, sizeof out->required_cluster);
    out->param_count = f->param_count;
    out->param_bytes = f->param_bytes;
    return true;
}

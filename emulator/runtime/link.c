/*
 * Linking modules: see link.h.
 *
 * The parts are changed in place and keep their memory; the linked module has
 * lists of its own for variables, functions, files and places. Definitions
 * other parts can see come first, so that they keep their names; then private
 * ones, renamed where the name is taken; then declarations, which find the
 * definition of their name.
 */
#include "runtime/link.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "ptx/arena.h"
#include "ptx/names.h"

/* A private name of a part that had to change. */
struct renamed {
    const char *before, *after;
    struct renamed *next;
};

struct part {
    struct ptx_module *module;
    int *var;                  /* index in the linked module, per variable; -1 not yet placed */
    int *function;             /* the same, per function */
    struct renamed *renamed;
    int first_file, first_place;
};

struct linker {
    struct ptx_module *out;
    struct ptx_var *vars;
    struct ptx_function *functions;
    const char **files;
    struct ptx_place *places;
    struct part *parts;
    int count;
    struct ptx_error *error;
    jmp_buf failed;
};

_Noreturn static void fail(struct linker *l, const char *format, const char *name)
{
    *l->error = (struct ptx_error){ 0 };
    snprintf(l->error->text, sizeof l->error->text, format, name);
    longjmp(l->failed, 1);
}

static void *take(struct linker *l, size_t count, size_t item)
{
    void *memory = ptx_arena_alloc(l->out->arena, count ? count * item : 1);
    if (!memory)
        fail(l, "%s", "there is no memory to link the program's modules");
    return memory;
}

static struct ptx_name *name_of(struct linker *l, const char *text)
{
    struct ptx_name *name = ptx_name_of(l->out->names, text, strlen(text));
    if (!name)
        fail(l, "%s", "there is no memory to link the program's modules");
    return name;
}

/* A name for something private: its own, or one that is free. */
static const char *private_name(struct linker *l, struct part *p, const char *wanted)
{
    struct ptx_name *name = name_of(l, wanted);
    if (!name->var && !name->function)
        return wanted;
    size_t room = strlen(wanted) + 24;
    struct renamed *r = take(l, 1, sizeof *r);
    char *text = take(l, room, 1);
    snprintf(text, room, "%s.part%d", wanted, (int)(p - l->parts) + 1);
    *r = (struct renamed){ wanted, text, p->renamed };
    p->renamed = r;
    return text;
}

static const char *new_name(const struct part *p, const char *before)
{
    for (const struct renamed *r = p->renamed; r; r = r->next)
        if (strcmp(r->before, before) == 0)
            return r->after;
    return before;
}

/* ---- variables ----------------------------------------------------------------- */

static void place_var(struct linker *l, const struct ptx_var *v, const char *name, int *where)
{
    *where = l->out->var_count++;
    l->vars[*where] = *v;
    l->vars[*where].name = name;
    l->vars[*where].index = *where;
    name_of(l, name)->var = *where + 1;
}

static void shared_var(struct linker *l, const struct ptx_var *v, int *where)
{
    struct ptx_name *name = name_of(l, v->name);
    if (!name->var) {
        place_var(l, v, v->name, where);
        return;
    }
    *where = name->var - 1;
    if (!v->is_weak && !l->vars[*where].is_weak)
        fail(l, "the device variable %s is defined in two source files", v->name);
}

/* Only dynamic shared memory is declared everywhere and defined nowhere. */
static void declared_var(struct linker *l, const struct ptx_var *v, int *where)
{
    struct ptx_name *name = name_of(l, v->name);
    if (name->var) {
        *where = name->var - 1;
        if (l->vars[*where].align < v->align)
            l->vars[*where].align = v->align;
    } else if (v->space == PTX_SHARED) {
        place_var(l, v, v->name, where);
    } else {
        fail(l, "the device variable %s is declared, but no source file defines it", v->name);
    }
}

static bool others_see_var(const struct ptx_var *v)
{
    return v->is_visible || v->is_weak;
}

static void link_vars(struct linker *l)
{
    for (int pass = 0; pass < 3; pass++)
        for (struct part *p = l->parts; p < l->parts + l->count; p++)
            for (int i = 0; i < p->module->var_count; i++) {
                const struct ptx_var *v = &p->module->vars[i];
                int wanted = v->is_extern ? 2 : others_see_var(v) ? 0 : 1;
                if (wanted != pass)
                    continue;
                if (pass == 0)
                    shared_var(l, v, &p->var[i]);
                else if (pass == 1)
                    place_var(l, v, private_name(l, p, v->name), &p->var[i]);
                else
                    declared_var(l, v, &p->var[i]);
            }
}

/* ---- functions ------------------------------------------------------------------- */

static void place_function(struct linker *l, const struct ptx_function *f, const char *name, int *where)
{
    *where = l->out->function_count++;
    l->functions[*where] = *f;
    l->functions[*where].name = name;
    name_of(l, name)->function = *where + 1;
}

static void shared_function(struct linker *l, const struct ptx_function *f, int *where)
{
    struct ptx_name *name = name_of(l, f->name);
    if (!name->function) {
        place_function(l, f, f->name, where);
        return;
    }
    *where = name->function - 1;
    if (!f->is_weak && !l->functions[*where].is_weak)
        fail(l, "the device function %s is defined in two source files", f->name);
}

/* What nobody defines stays declared: vprintf and the like, or an error once it is called. */
static void declared_function(struct linker *l, const struct ptx_function *f, const char *name, int *where)
{
    struct ptx_name *known = name_of(l, name);
    if (known->function)
        *where = known->function - 1;
    else
        place_function(l, f, name, where);
}

static void link_functions(struct linker *l)
{
    for (int pass = 0; pass < 3; pass++)
        for (struct part *p = l->parts; p < l->parts + l->count; p++)
            for (int i = 0; i < p->module->function_count; i++) {
                const struct ptx_function *f = &p->module->functions[i];
                int wanted = !f->has_body ? 2 : f->is_visible || f->is_weak ? 0 : 1;
                if (wanted != pass)
                    continue;
                if (pass == 0)
                    shared_function(l, f, &p->function[i]);
                else if (pass == 1)
                    place_function(l, f, private_name(l, p, f->name), &p->function[i]);
                else
                    declared_function(l, f, new_name(p, f->name), &p->function[i]);
            }
}

/* ---- what points at them ----------------------------------------------------------- */

static void redirect_operand(struct linker *l, const struct part *p, struct ptx_operand *o)
{
    const struct ptx_module *m = p->module;
    if (o->kind == PTX_OPR_VAR && o->var >= m->vars && o->var < m->vars + m->var_count)
        o->var = &l->vars[p->var[o->var - m->vars]];
    else if (o->kind == PTX_OPR_FUNC && p->renamed)
        o->name = new_name(p, o->name);
    for (int i = 0; o->elem && i < o->count; i++)
        redirect_operand(l, p, &o->elem[i]);
}

static void redirect_function(struct linker *l, const struct part *p, const struct ptx_function *f)
{
    struct ptx_statement *s = (struct ptx_statement *)f->statements;
    for (int i = 0; i < f->statement_count; i++) {
        if (s[i].place >= 0)
            s[i].place += p->first_place;
        for (int k = 0; k < s[i].oprs; k++)
            redirect_operand(l, p, &s[i].opr[k]);
    }
}

static void redirect_part(struct linker *l, struct part *p)
{
    for (int i = 0; i < p->module->function_count; i++)
        redirect_function(l, p, &p->module->functions[i]);
    for (int i = 0; p->renamed && i < p->module->var_count; i++)
        for (struct ptx_reloc *r = p->module->vars[i].relocs; r; r = r->next)
            r->symbol = new_name(p, r->symbol);
}

/* ---- source lines ------------------------------------------------------------------- */

static void append_lines(struct linker *l, struct part *p)
{
    p->first_file = l->out->file_count;
    p->first_place = l->out->place_count;
    for (int i = 0; i < p->module->file_count; i++)
        l->files[l->out->file_count++] = p->module->files[i];
    for (int i = 0; i < p->module->place_count; i++) {
        struct ptx_place *place = &l->places[l->out->place_count++];
        *place = p->module->places[i];
        if (place->file >= 0)
            place->file += p->first_file;
        if (place->inlined_at >= 0)
            place->inlined_at += p->first_place;
    }
}

/* ---- the whole ------------------------------------------------------------------------ */

static void make_lists(struct linker *l, struct ptx_module **parts)
{
    size_t vars = 0, functions = 0, files = 0, places = 0;
    l->parts = take(l, (size_t)l->count, sizeof *l->parts);
    for (int k = 0; k < l->count; k++) {
        struct ptx_module *m = parts[k];
        l->parts[k].module = m;
        l->parts[k].var = take(l, (size_t)m->var_count, sizeof(int));
        l->parts[k].function = take(l, (size_t)m->function_count, sizeof(int));
        vars += (size_t)m->var_count;
        functions += (size_t)m->function_count;
        files += (size_t)m->file_count;
        places += (size_t)m->place_count;
    }
    l->out->vars = l->vars = take(l, vars, sizeof *l->vars);
    l->out->functions = l->functions = take(l, functions, sizeof *l->functions);
    l->files = take(l, files, sizeof *l->files);
    l->out->files = l->files;
    l->out->places = l->places = take(l, places, sizeof *l->places);
}

/* An empty module for the target of the parts; NULL: out of memory. */
static struct ptx_module *empty_like(const struct ptx_module *part)
{
    struct ptx_arena *arena = ptx_arena_new();
    struct ptx_module *out = arena ? ptx_arena_alloc(arena, sizeof *out) : NULL;
    if (!out)
        return NULL;
    *out = (struct ptx_module){
        .name = part->name, .version_major = part->version_major, .version_minor = part->version_minor,
        .target = part->target, .target_cc = part->target_cc, .target_kind = part->target_kind,
        .debug = part->debug, .arena = arena, .names = ptx_names_new(arena),
    };
    return out->names ? out : NULL;
}

/* The linked module frees its parts. */
static bool adopt(struct ptx_module *out, struct ptx_module **parts, int count)
{
    out->parts = ptx_arena_alloc(out->arena, (size_t)count * sizeof *out->parts);
    if (!out->parts)
        return false;
    memcpy(out->parts, parts, (size_t)count * sizeof *out->parts);
    out->part_count = count;
    return true;
}

struct ptx_module *link_modules(struct ptx_module **parts, int count, struct ptx_error *error)
{
    if (count == 1)
        return parts[0];
    struct linker l = { .out = empty_like(parts[0]), .count = count, .error = error };
    if (!l.out) {
        *error = (struct ptx_error){ .text = "there is no memory to link the program's modules" };
        return NULL;
    }
    if (!adopt(l.out, parts, count) || setjmp(l.failed)) {
        ptx_module_free(l.out);
        return NULL;
    }
    make_lists(&l, parts);
    for (int k = 0; k < count; k++)
        append_lines(&l, &l.parts[k]);
    link_vars(&l);
    link_functions(&l);
    for (int k = 0; k < count; k++)
        redirect_part(&l, &l.parts[k]);
    return l.out;
}

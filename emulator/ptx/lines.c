/*
 * Which line of the user's sources an instruction belongs to.
 *
 * The compiler inlines the toolkit's headers into kernels, so the place where
 * an instruction was written is often not the user's. A place's call sites
 * lead outwards; the outermost one that is not in a toolkit header and has a
 * line is the user's. What the compiler left at line 0 it moved: a load
 * belongs to the first use of what it loaded, anything else to the statement
 * before it. So does a load that stands right behind a barrier, on its line.
 * Not modelled: two call sites of one helper that share file, line and
 * column; the last one seen wins (see debug.c).
 */
#include "ptx/module.h"

#include <string.h>

/* How far the rules for line 0 look, in statements. */
enum { REACH = 4096 };

/* Parts of paths that only the toolkit's own headers have: its directory
 * under /usr/local, in a distribution, or in the packages from PyPI. */
static const char *const toolkit_parts[] = {
    "/targets/x86_64-linux/include/", "/targets/sbsa-linux/include/", "/targets/aarch64-linux/include/",
    "/nvidia/cu12/include/", "/nvidia/cu13/include/", "/nvidia/cuda_runtime/include/", "/nvidia/cuda_cccl/include/",
    "/include/cccl/", "/include/cuda/", "/include/cooperative_groups", "/include/crt/", "/include/thrust/",
    "/include/cub/", "/include/nv/", "/include/cuda_", "/include/device_", "/include/sm_", "/include/math_functions",
    "/include/vector_", "/include/common_functions", "/include/curand", "/include/c++/"
};

static bool is_toolkit(const char *path)
{
    for (size_t i = 0; i < sizeof toolkit_parts / sizeof toolkit_parts[0]; i++)
        if (strstr(path, toolkit_parts[i]))
            return true;
    return false;
}

static const char *file_of(const struct ptx_module *module, int file)
{
    return file >= 0 && file < module->file_count ? module->files[file] : NULL;
}

/* The user's line of a place: the outermost frame outside the toolkit, or the
 * outermost frame where all of it is the toolkit's. Line 0 when it has none. */
static struct ptx_line line_of_place(const struct ptx_module *module, int place)
{
    struct ptx_line users = { NULL, 0 }, toolkits = { NULL, 0 };
    bool is_users = false;
    for (int i = place; i >= 0; i = module->places[i].inlined_at) {
        const struct ptx_place *at = &module->places[i];
        const struct ptx_line line = { file_of(module, at->file), at->line };
        const bool own = line.file && !is_toolkit(line.file);
        is_users |= own;
        if (own && line.line > 0)
            users = line;
        else if (!own && line.line > 0)
            toolkits = line;
    }
    return is_users ? users : toolkits;
}

static struct ptx_line line_of(const struct ptx_module *module, const struct ptx_statement *statement)
{
    return line_of_place(module, statement->place);
}

/* ---- line 0 ------------------------------------------------------------- */

static bool names_register(const struct ptx_operand *o, int reg)
{
    if (o->kind == PTX_OPR_REG)
        return o->reg == reg;
    for (int i = 0; i < o->count && o->elem; i++)
        if (names_register(&o->elem[i], reg))
            return true;
    return false;
}

/* The first operand is what an instruction writes, unless it is an address or
 * the only one. */
static bool reads_register(const struct ptx_statement *s, int reg)
{
    if (s->guard == reg)
        return true;
    for (int i = 0; i < s->oprs; i++)
        if ((i > 0 || s->oprs == 1 || s->opr[i].kind == PTX_OPR_ADDR) && names_register(&s->opr[i], reg))
            return true;
    return false;
}

/* Does `later` use anything that operand `loaded` received? */
static bool uses(const struct ptx_statement *later, const struct ptx_operand *loaded)
{
    if (loaded->kind == PTX_OPR_REG)
        return reads_register(later, loaded->reg);
    for (int i = 0; loaded->kind == PTX_OPR_VEC && i < loaded->count; i++)
        if (uses(later, &loaded->elem[i]))
            return true;
    return false;
}

static struct ptx_line line_of_first_use(const struct ptx_module *module, const struct ptx_function *function, int index)
{
    const struct ptx_statement *s = function->statements;
    struct ptx_line line = { NULL, 0 };
    for (int i = index + 1; i < function->statement_count && i - index <= REACH; i++) {
        if (s[index].oprs < 1 || !uses(&s[i], &s[index].opr[0]))
            continue;
        line = line_of(module, &s[i]);
        if (line.line > 0)
            break;
    }
    return line;
}

/* A load that the compiler left on the line of the barrier before it: a barrier stands alone on its line. */
static bool behind_barrier(const struct ptx_function *function, int index)
{
    const struct ptx_statement *s = function->statements;
    if (strncmp(s[index].name, "ld.", 3) != 0)
        return false;
    for (int i = index - 1; i >= 0 && s[i].place == s[index].place; i--)
        if (strncmp(s[i].name, "bar.sync", 8) == 0 || strncmp(s[i].name, "barrier.", 8) == 0)
            return true;
    return false;
}

struct ptx_line ptx_user_line(const struct ptx_module *module, const struct ptx_function *function, int index)
{
    const struct ptx_statement *s = function->statements;
    struct ptx_line line = { NULL, 0 };
    if (index < 0 || index >= function->statement_count || module->place_count == 0)
        return line;
    line = line_of(module, &s[index]);
    if ((line.line == 0 && strncmp(s[index].name, "ld.", 3) == 0) || behind_barrier(function, index)) {
        const struct ptx_line use = line_of_first_use(module, function, index);
        line = use.line > 0 || line.line == 0 ? use : line;
    }
    for (int i = index - 1; line.line == 0 && i >= 0 && index - i <= REACH; i--)
        line = line_of(module, &s[i]);
    return line;
}

int ptx_frames(const struct ptx_module *module, const struct ptx_function *function, int index,
               struct ptx_line *frames, int max)
{
    int count = 0;
    if (index < 0 || index >= function->statement_count)
        return 0;
    for (int i = function->statements[index].place; i >= 0 && count < max; i = module->places[i].inlined_at) {
        const struct ptx_place *at = &module->places[i];
        frames[count++] = (struct ptx_line){ file_of(module, at->file), at->line };
    }
    return count;
}

/*
 * A parsed module: types, looking things up, the end.
 * The parser is parse.c; what a statement means is lower.c's.
 * Not modelled: changing a module.
 */
#include "ptx/module.h"

#include <string.h>

#include "ptx/arena.h"
#include "ptx/names.h"

static const struct { const char *name; int bytes; } types[] = {
    { "none", 0 },
#define TYPE(id, spelling, bytes) { spelling, bytes },
    PTX_TYPES(TYPE)
#undef TYPE
};

int ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

const char *ptx_type_name(enum ptx_type type)
{
    return types[type].name;
}

enum ptx_type ptx_type_find(const char *name, size_t length)
{
    for (int i = 1; i < PTX_TYPE_COUNT; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return (enum ptx_type)i;
    return PTX_NOTYPE;
}

const struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name)
{
    const struct ptx_name *n = ptx_name_find(module->names, name, strlen(name));
    return n && n->function ? &module->functions[n->function - 1] : NULL;
}

const struct ptx_var *ptx_var_find(const struct ptx_module *module, const char *name)
{
    const struct ptx_name *n = ptx_name_find(module->names, name, strlen(name));
    return n && n->var ? &module->vars[n->var - 1] : NULL;
}

void ptx_module_free(struct ptx_module *module)
{
    if (!module)
        return;
    for (int k = 0; k < module->part_count; k++)
        ptx_module_free(module->parts[k]);
    ptx_names_free(module->names);
    ptx_arena_free(module->arena);
}

/*
 * The names of a module: each spelling is stored once.
 * Two names are equal when their pointers are; what a name means at the
 * moment (a register of this scope, a variable, a label) hangs on the name
 * itself, so that looking it up costs nothing.
 * Not modelled: removing a name.
 */
#ifndef EMU_PTX_NAMES_H
#define EMU_PTX_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "ptx/arena.h"

struct ptx_name {
    const char *text;           /* ends in NUL */
    size_t length;
    uint32_t hash;
    int keyword;                /* enum keyword of parse.h, 0 none; constant after start */
    int type;                   /* enum ptx_type of ".u32", 0 none; constant after start */

    struct meaning *meaning;    /* innermost declaration, NULL none (parse.h) */
    struct label *label;        /* innermost label of that name, NULL none (parse.h) */
    int function;               /* index into module.functions + 1, 0 none */
    int var;                    /* index into module.vars + 1, 0 none */
    size_t debug_string;        /* offset into .debug_str + 1, 0 none */
};

struct ptx_names {
    struct ptx_arena *arena;
    struct ptx_name **slots;    /* open addressing, a power of two */
    size_t room, count;
};

/* Names take their memory from `arena`; NULL when memory is out. */
struct ptx_names *ptx_names_new(struct ptx_arena *arena);
void ptx_names_free(struct ptx_names *names);
/* The name spelled `text`; made when it is new. NULL when memory is out. */
struct ptx_name *ptx_name_of(struct ptx_names *names, const char *text, size_t length);
/* The name spelled `text`, or NULL when there is none. */
struct ptx_name *ptx_name_find(const struct ptx_names *names, const char *text, size_t length);

#endif

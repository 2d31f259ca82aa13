/*
 * Memory that is freed all at once.
 * A module is built from many small pieces that live equally long; they are
 * cut one after the other from large chunks and handed back together.
 * Not modelled: freeing or growing a single piece.
 */
#ifndef EMU_PTX_ARENA_H
#define EMU_PTX_ARENA_H

#include <stddef.h>

struct ptx_arena;

/* NULL when memory is out. */
struct ptx_arena *ptx_arena_new(void);
/* `size` zeroed bytes, aligned for any type; NULL when memory is out. */
void *ptx_arena_alloc(struct ptx_arena *arena, size_t size);
void ptx_arena_free(struct ptx_arena *arena);

#endif

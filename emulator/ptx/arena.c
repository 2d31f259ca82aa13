/*
 * Memory that is freed all at once: a list of chunks, the newest first.
 * Pieces larger than a chunk get a chunk of their own.
 * Not modelled: freeing or growing a single piece.
 */
#include "ptx/arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 18 };

struct chunk {
    struct chunk *next;
    max_align_t data[];
};

struct ptx_arena {
    struct chunk *chunks;
    unsigned char *free;    /* first unused byte of the chunk pieces are cut from */
    size_t left;            /* bytes left in that chunk */
};

struct ptx_arena *ptx_arena_new(void)
{
    return calloc(1, sizeof(struct ptx_arena));
}

static void *new_chunk(struct ptx_arena *arena, size_t bytes)
{
    struct chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (!chunk)
        return NULL;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk->data;
}

void *ptx_arena_alloc(struct ptx_arena *arena, size_t size)
{
    const size_t unit = sizeof(max_align_t);
    if (size > SIZE_MAX / 2)
        return NULL;
    size = size == 0 ? unit : (size + unit - 1) / unit * unit;
    if (size > CHUNK_BYTES / 4)
        return new_chunk(arena, size);
    if (size > arena->left) {
        unsigned char *chunk = new_chunk(arena, CHUNK_BYTES);
        if (!chunk)
            return NULL;
        arena->free = chunk;
        arena->left = CHUNK_BYTES;
    }
    void *piece = arena->free;
    arena->free += size;
    arena->left -= size;
    return piece;
}

void ptx_arena_free(struct ptx_arena *arena)
{
    if (!arena)
        return;
    for (struct chunk *chunk = arena->chunks; chunk;) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(arena);
}

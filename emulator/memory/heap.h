/*
 * The machine's heap: all mutable state of the machine lives here.
 *
 * Blocks never move, so pointers inside the state stay valid in a snapshot,
 * and restoring copies the bytes back to where they were. Memory comes zeroed.
 * Sizes up to 64 KiB are served from size classes, larger ones alone.
 *  - while a snapshot exists, freed large blocks are kept for it.
 * Not modelled: shrinking; a heap is given back as a whole.
 */
#ifndef EMU_MEMORY_HEAP_H
#define EMU_MEMORY_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct heap;
struct heap_snapshot;

struct heap *heap_new(void);
void heap_delete(struct heap *h);
void *heap_alloc(struct heap *h, size_t bytes);              /* zeroed, 64-byte aligned; NULL: out of memory */
void heap_free(struct heap *h, void *block, size_t bytes);   /* the size it was asked for */
void *heap_grow(struct heap *h, void *block, size_t old_bytes, size_t new_bytes);

size_t heap_bytes(const struct heap *h);                     /* what it has taken from the system */

struct heap_snapshot *heap_save(struct heap *h);
void heap_restore(struct heap *h, const struct heap_snapshot *s);
bool heap_equals(const struct heap *h, const struct heap_snapshot *s);
void heap_snapshot_delete(struct heap *h, struct heap_snapshot *s);

#endif

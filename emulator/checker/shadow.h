/*
 * Shadow memory: who accessed each word last.
 *
 * A line of 128 bytes keeps one write and one read by whole warps with
 * consecutive addresses, the common case, in one record each; anything else
 * splits the line into cells, of 4 bytes or, when single bytes are accessed,
 * of 1. A cell keeps the last write and the reads since: one in place, more in
 * a list, beside strong writes that the last one did not follow; it is bounded (MOST_READS for shared memory; for global memory two).
 * Shadows of shared memory belong to a block, the shadow of global memory to
 * the checker, in pages made on first use.
 */
#ifndef EMU_CHECKER_SHADOW_H
#define EMU_CHECKER_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/heap.h"

enum { LINE_BYTES = 128, PAGE_BYTES = 1 << 16, MOST_READS = 64 };

enum { BY_STRONG = 1, BY_ASYNC = 2, BY_WRITE = 4, BY_ATOMIC = 8, BY_RESPONSE = 16, BY_SCOPE_SHIFT = 5 };

/* An access: lanes of one warp of one block at one epoch; BY_WRITE: among the reads, though it wrote; BY_ASYNC: what completes in phase epoch - 1 of mbarrier
 * lane `block`. block 0: none. */
struct access_by {
    uint32_t block, epoch, mask;
    uint16_t site;
    uint8_t warp, flags;
};

struct reads { uint32_t count, capacity; struct access_by by[]; };
struct cell { struct access_by write, read; struct reads *more; };

/* How the bytes of a whole line fall to lanes: lane = (byte + offset) / size. */
struct spread { uint16_t offset; uint8_t size; };

struct line {
    struct access_by write, read;    /* while cells is NULL */
    struct spread written, was_read;
    uint8_t cell_bytes;              /* 4 or 1 */
    struct cell *cells;
};

struct page { uint64_t number; struct page *next; struct line line[PAGE_BYTES / LINE_BYTES]; };
struct shadow { struct page **buckets; uint32_t bucket_count, pages; struct page *last; };

struct line *shadow_global(struct heap *h, struct shadow *s, uint64_t address);   /* the line it lies in */
void shadow_free(struct heap *h, struct shadow *s);
void line_free(struct heap *h, struct line *l);          /* its cells */
/* Splits into cells of `bytes`, 4 or 1; cells that are fine enough stay. */
void line_split(struct heap *h, struct line *l, uint32_t bytes);
void cell_add_read(struct heap *h, struct cell *c, const struct access_by *by, uint32_t most);
void cell_add_more(struct heap *h, struct cell *c, const struct access_by *by, uint32_t most);   /* to the list */
void cell_clear_reads(struct heap *h, struct cell *c);

#endif

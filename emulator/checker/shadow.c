/* Shadow memory; see shadow.h. */
#include "checker/shadow.h"

#include <string.h>

/* ---- pages -------------------------------------------------------------------- */

static void grow(struct heap *h, struct shadow *s)
{
    uint32_t count = s->bucket_count ? 4 * s->bucket_count : 256;
    struct page **buckets = heap_alloc(h, count * sizeof *buckets);
    for (uint32_t k = 0; k < s->bucket_count; k++)
        for (struct page *p = s->buckets[k], *next; p != NULL; p = next) {
            next = p->next;
            p->next = buckets[p->number % count];
            buckets[p->number % count] = p;
        }
    heap_free(h, s->buckets, s->bucket_count * sizeof *buckets);
    s->buckets = buckets;
    s->bucket_count = count;
}

struct line *shadow_global(struct heap *h, struct shadow *s, uint64_t address)
{
    uint64_t number = address / PAGE_BYTES;
    struct page *p = s->last;
    if (p == NULL || p->number != number) {
        if (s->pages >= s->bucket_count)
            grow(h, s);
        struct page **at = &s->buckets[number % s->bucket_count];
        for (p = *at; p != NULL && p->number != number; p = p->next)
            ;
        if (p == NULL) {
            p = heap_alloc(h, sizeof *p);
            p->number = number;
            p->next = *at;
            *at = p;
            s->pages++;
        }
        s->last = p;
    }
    return &p->line[address % PAGE_BYTES / LINE_BYTES];
}

void shadow_free(struct heap *h, struct shadow *s)
{
    for (uint32_t k = 0; k < s->bucket_count; k++)
        for (struct page *p = s->buckets[k], *next; p != NULL; p = next) {
            next = p->next;
            for (uint32_t l = 0; l < PAGE_BYTES / LINE_BYTES; l++)
                line_free(h, &p->line[l]);
            heap_free(h, p, sizeof *p);
        }
    heap_free(h, s->buckets, s->bucket_count * sizeof *s->buckets);
    memset(s, 0, sizeof *s);
}

/* ---- cells ---------------------------------------------------------------------- */

static size_t reads_bytes(uint32_t capacity) { return sizeof(struct reads) + capacity * sizeof(struct access_by); }

void cell_clear_reads(struct heap *h, struct cell *c)
{
    c->read.block = 0;
    if (c->more == NULL)
        return;
    heap_free(h, c->more, reads_bytes(c->more->capacity));
    c->more = NULL;
}

void cell_add_read(struct heap *h, struct cell *c, const struct access_by *by, uint32_t most)
{
    if (c->read.block == 0)
        c->read = *by;
    else
        cell_add_more(h, c, by, most);
}

void cell_add_more(struct heap *h, struct cell *c, const struct access_by *by, uint32_t most)
{
    struct reads *r = c->more;
    if (r != NULL && r->count != 0 && r->count + 1 >= most) {
        r->by[r->count - 1] = *by;
        return;
    }
    if (r == NULL || r->count == r->capacity) {
        uint32_t capacity = r == NULL ? 2 : 2 * r->capacity;
        struct reads *grown = heap_alloc(h, reads_bytes(capacity));
        if (r != NULL) {
            memcpy(grown, r, reads_bytes(r->capacity));
            heap_free(h, r, reads_bytes(r->capacity));
        }
        grown->capacity = capacity;
        c->more = r = grown;
    }
    r->by[r->count++] = *by;
}

void line_free(struct heap *h, struct line *l)
{
    if (l->cells == NULL)
        return;
    uint32_t count = LINE_BYTES / l->cell_bytes;
    for (uint32_t k = 0; k < count; k++)
        cell_clear_reads(h, &l->cells[k]);
    heap_free(h, l->cells, count * sizeof *l->cells);
    l->cells = NULL;
}

/* What of a whole-line access falls on the bytes [from, from + bytes). */
static struct access_by part_of(const struct access_by *by, struct spread s, uint32_t from, uint32_t bytes)
{
    struct access_by part = *by;
    if (by->block == 0)
        return part;
    uint32_t first = (from + s.offset) / s.size, last = (from + bytes - 1 + s.offset) / s.size;
    part.mask = 0;
    for (uint32_t l = first; l <= last && l < 32; l++)
        part.mask |= 1u << l;
    return part;
}

static struct reads *reads_copy(struct heap *h, const struct reads *r)
{
    if (r == NULL)
        return NULL;
    struct reads *copy = heap_alloc(h, reads_bytes(r->capacity));
    memcpy(copy, r, reads_bytes(r->capacity));
    return copy;
}

void line_split(struct heap *h, struct line *l, uint32_t bytes)
{
    if (l->cells != NULL && l->cell_bytes <= bytes)
        return;
    struct cell *old = l->cells, *cells = heap_alloc(h, LINE_BYTES / bytes * sizeof *cells);
    uint32_t old_bytes = l->cell_bytes;
    for (uint32_t k = 0; k < LINE_BYTES / bytes; k++) {
        if (old == NULL) {
            cells[k].write = part_of(&l->write, l->written, k * bytes, bytes);
            cells[k].read = part_of(&l->read, l->was_read, k * bytes, bytes);
            continue;
        }
        cells[k] = old[k * bytes / old_bytes];
        cells[k].more = reads_copy(h, old[k * bytes / old_bytes].more);
    }
    line_free(h, l);
    l->write.block = l->read.block = 0;
    l->cells = cells;
    l->cell_bytes = (uint8_t)bytes;
}

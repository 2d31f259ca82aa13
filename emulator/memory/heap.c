/* The machine's heap; see heap.h. */
#include "memory/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 64,
    CHUNK = 1 << 20,
    CLASSES = 26,               /* 64 .. 64 KiB, two a power of two */
    LARGEST = 1 << 16
};

/* A chunk is either carved into small blocks or one large block. */
struct chunk {
    uint8_t *bytes;
    void *memory;               /* what malloc returned */
    size_t size;
    bool large, freed;
};

struct free_block { struct free_block *next; };

struct heap {
    struct chunk *chunks;
    size_t count, capacity;
    struct free_block *free[CLASSES];
    uint8_t *bump, *bump_end;   /* unused part of the newest small chunk */
    unsigned snapshots;
};

struct saved_chunk { uint8_t *bytes; size_t size; bool freed; uint8_t *copy; };
struct heap_snapshot {
    struct saved_chunk *chunks;
    size_t count;
    struct free_block *free[CLASSES];
    uint8_t *bump, *bump_end;
};

static size_t class_size(int c) { return (c & 1) ? (size_t)96 << (c / 2) : (size_t)64 << (c / 2); }

static int class_of(size_t bytes)
{
    int c = 0;
    while (class_size(c) < bytes || class_size(c) % ALIGN != 0)
        c++;
    return c;
}

struct heap *heap_new(void) { return calloc(1, sizeof(struct heap)); }

void heap_delete(struct heap *h)
{
    if (h == NULL)
        return;
    for (size_t i = 0; i < h->count; i++)
        free(h->chunks[i].memory);
    free(h->chunks);
    free(h);
}

static struct chunk *chunk_new(struct heap *h, size_t size, bool large)
{
    if (h->count == h->capacity) {
        size_t capacity = h->capacity ? 2 * h->capacity : 16;
        struct chunk *grown = realloc(h->chunks, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        h->chunks = grown;
        h->capacity = capacity;
    }
    struct chunk c = {.size = size, .large = large};
    c.memory = size <= SIZE_MAX - ALIGN ? calloc(1, size + ALIGN) : NULL;
    if (c.memory == NULL)
        return NULL;
    c.bytes = (uint8_t *)c.memory + (ALIGN - (uintptr_t)c.memory % ALIGN) % ALIGN;
    h->chunks[h->count] = c;
    return &h->chunks[h->count++];
}

static void *alloc_small(struct heap *h, size_t bytes)
{
    int c = class_of(bytes);
    if (h->free[c] != NULL) {
        struct free_block *b = h->free[c];
        h->free[c] = b->next;
        memset(b, 0, class_size(c));
        return b;
    }
    if ((size_t)(h->bump_end - h->bump) < class_size(c)) {
        struct chunk *fresh = chunk_new(h, CHUNK, false);
        if (fresh == NULL)
            return NULL;
        h->bump = fresh->bytes;
        h->bump_end = fresh->bytes + CHUNK;
    }
    uint8_t *block = h->bump;
    h->bump += class_size(c);
    return block;
}

void *heap_alloc(struct heap *h, size_t bytes)
{
    if (bytes == 0)
        bytes = 1;
    if (bytes <= LARGEST)
        return alloc_small(h, bytes);
    struct chunk *c = chunk_new(h, bytes, true);
    return c != NULL ? c->bytes : NULL;
}

void heap_free(struct heap *h, void *block, size_t bytes)
{
    if (block == NULL)
        return;
    if (bytes <= LARGEST) {
        int c = class_of(bytes ? bytes : 1);
        struct free_block *b = block;
        b->next = h->free[c];
        h->free[c] = b;
        return;
    }
    for (size_t i = h->count; i-- > 0;) {
        if (h->chunks[i].bytes != block)
            continue;
        if (h->snapshots > 0) {
            h->chunks[i].freed = true;
        } else {
            free(h->chunks[i].memory);
            memmove(&h->chunks[i], &h->chunks[i + 1], (h->count - i - 1) * sizeof h->chunks[0]);
            h->count--;
        }
        return;
    }
}

void *heap_grow(struct heap *h, void *block, size_t old_bytes, size_t new_bytes)
{
    void *grown = heap_alloc(h, new_bytes);
    if (grown == NULL)
        return NULL;
    if (block != NULL) {
        memcpy(grown, block, old_bytes < new_bytes ? old_bytes : new_bytes);
        heap_free(h, block, old_bytes);
    }
    return grown;
}

size_t heap_bytes(const struct heap *h)
{
    size_t sum = 0;
    for (size_t i = 0; i < h->count; i++)
        sum += h->chunks[i].size;
    return sum;
}

static void snapshot_free(struct heap_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->chunks[i].copy);
    free(s->chunks);
    free(s);
}

struct heap_snapshot *heap_save(struct heap *h)
{
    struct heap_snapshot *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->chunks = calloc(h->count ? h->count : 1, sizeof *s->chunks);
    if (s->chunks == NULL) {
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < h->count; i++) {
        const struct chunk *c = &h->chunks[i];
        struct saved_chunk *saved = &s->chunks[s->count++];
        *saved = (struct saved_chunk){c->bytes, c->size, c->freed, NULL};
        if (c->freed)
            continue;
        saved->copy = malloc(c->size);
        if (saved->copy == NULL) {
            snapshot_free(s);
            return NULL;
        }
        memcpy(saved->copy, c->bytes, c->size);
    }
    memcpy(s->free, h->free, sizeof s->free);
    s->bump = h->bump;
    s->bump_end = h->bump_end;
    h->snapshots++;
    return s;
}

/* Chunks are only ever appended while a snapshot exists, so the first
 * `s->count` chunks are the ones that were saved. */
void heap_restore(struct heap *h, const struct heap_snapshot *s)
{
    for (size_t i = 0; i < s->count; i++) {
        h->chunks[i].freed = s->chunks[i].freed;
        if (!s->chunks[i].freed)
            memcpy(h->chunks[i].bytes, s->chunks[i].copy, s->chunks[i].size);
    }
    if (h->snapshots == 1) {
        for (size_t i = s->count; i < h->count; i++)
            free(h->chunks[i].memory);
        h->count = s->count;
    } else {
        for (size_t i = s->count; i < h->count; i++)
            h->chunks[i].freed = true;
    }
    memcpy(h->free, s->free, sizeof h->free);
    h->bump = s->bump;
    h->bump_end = s->bump_end;
}

/* Chunks newer than the snapshot make a difference only while in use. */
bool heap_equals(const struct heap *h, const struct heap_snapshot *s)
{
    for (size_t i = s->count; i < h->count; i++)
        if (!h->chunks[i].freed)
            return false;
    for (size_t i = 0; i < s->count; i++) {
        if (h->chunks[i].freed != s->chunks[i].freed)
            return false;
        if (!s->chunks[i].freed && memcmp(h->chunks[i].bytes, s->chunks[i].copy, s->chunks[i].size) != 0)
            return false;
    }
    return memcmp(h->free, s->free, sizeof h->free) == 0 && h->bump == s->bump;
}

void heap_snapshot_delete(struct heap *h, struct heap_snapshot *s)
{
    if (s == NULL)
        return;
    snapshot_free(s);
    if (--h->snapshots > 0)
        return;
    size_t kept = 0;                    /* nobody needs freed chunks any more */
    for (size_t i = 0; i < h->count; i++) {
        if (h->chunks[i].freed)
            free(h->chunks[i].memory);
        else
            h->chunks[kept++] = h->chunks[i];
    }
    h->count = kept;
}

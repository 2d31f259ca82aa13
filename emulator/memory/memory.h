/*
 * Device memory: allocations, where they are, which bytes were ever written.
 *
 * Addresses start at MEMORY_BASE and are never used twice, so that the same
 * program sees the same addresses and a freed allocation can be named. One
 * bit per byte records "was written" for device memory; host-mapped memory
 * counts as written.
 */
#ifndef EMU_MEMORY_MEMORY_H
#define EMU_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "memory/heap.h"

#define MEMORY_BASE  UINT64_C(0x200000000000)
#define MEMORY_ALIGN 512

struct allocation {
    uint64_t address;
    size_t size;
    uint8_t *bytes;            /* NULL once freed */
    uint8_t *init;             /* one bit per byte; NULL: all written */
    enum memory_kind kind;
    bool freed;
    uint32_t serial;           /* the n-th of its label, from 1 */
    char label[56];
};

struct memory {
    struct heap *heap;
    struct allocation *list;   /* by address */
    uint32_t count, capacity;
    uint32_t last;             /* found last */
    uint64_t next;             /* address of the next allocation */
    uint64_t used, limit;      /* bytes */
};

struct memory *memory_new(struct heap *h, uint64_t limit);
struct allocation *memory_alloc(struct memory *m, size_t size, enum memory_kind kind, const char *label);
bool memory_free(struct memory *m, uint64_t address);
struct allocation *memory_map(struct memory *m, void *host, size_t size, enum memory_kind kind, const char *label);
bool memory_unmap(struct memory *m, void *host);

/* The allocation that holds the address (freed ones too), or NULL. */
struct allocation *memory_find(struct memory *m, uint64_t address);
/* For messages: the live or freed allocation nearest to the address, or NULL. */
const struct allocation *memory_nearest(const struct memory *m, uint64_t address);

void bits_set(uint8_t *bits, size_t first, size_t count);
bool bits_any(const uint8_t *bits, size_t first, size_t count);
bool bits_all(const uint8_t *bits, size_t first, size_t count);

#endif

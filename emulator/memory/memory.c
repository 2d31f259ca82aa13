/* Device memory; see memory.h. */
#include "memory/memory.h"

#include <stdio.h>
#include <string.h>

struct memory *memory_new(struct heap *h, uint64_t limit)
{
    struct memory *m = heap_alloc(h, sizeof *m);
    if (m == NULL)
        return NULL;
    m->heap = h;
    m->limit = limit;
    m->next = MEMORY_BASE;
    return m;
}

static uint32_t count_label(const struct memory *m, const char *label)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (strncmp(m->list[i].label, label, sizeof m->list[i].label - 1) == 0)
            n++;
    return n;
}

/* Where an allocation of this address belongs in the list. */
static uint32_t position(const struct memory *m, uint64_t address)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->list[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct allocation *insert(struct memory *m, const struct allocation *a)
{
    if (m->count == m->capacity) {
        uint32_t capacity = m->capacity ? 2 * m->capacity : 32;
        struct allocation *grown = heap_grow(m->heap, m->list, m->capacity * sizeof *grown, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        m->list = grown;
        m->capacity = capacity;
    }
    uint32_t at = position(m, a->address);
    memmove(&m->list[at + 1], &m->list[at], (m->count - at) * sizeof *a);
    m->list[at] = *a;
    m->count++;
    m->last = at;
    return &m->list[at];
}

struct allocation *memory_alloc(struct memory *m, size_t size, enum memory_kind kind, const char *label)
{
    if (size == 0 || size > m->limit - m->used)
        return NULL;
    struct allocation a = {.address = m->next, .size = size, .kind = kind, .serial = count_label(m, label) + 1};
    snprintf(a.label, sizeof a.label, "%s", label);
    a.bytes = heap_alloc(m->heap, size);
    a.init = heap_alloc(m->heap, size / 8 + 1);
    struct allocation *placed = a.bytes && a.init ? insert(m, &a) : NULL;
    if (placed == NULL) {
        heap_free(m->heap, a.bytes, size);
        heap_free(m->heap, a.init, size / 8 + 1);
        return NULL;
    }
    m->used += size;
    /* One unused stretch after each, so that an overrun meets no neighbour. */
    m->next += (size + 2 * MEMORY_ALIGN - 1) / MEMORY_ALIGN * MEMORY_ALIGN;
    return placed;
}

static struct allocation *find_start(struct memory *m, uint64_t address)
{
    struct allocation *a = memory_find(m, address);
    return a != NULL && a->address == address && !a->freed ? a : NULL;
}

bool memory_free(struct memory *m, uint64_t address)
{
    struct allocation *a = find_start(m, address);
    if (a == NULL || a->init == NULL)
        return false;
    heap_free(m->heap, a->bytes, a->size);
    heap_free(m->heap, a->init, a->size / 8 + 1);
    a->bytes = a->init = NULL;
    a->freed = true;
    m->used -= a->size;
    return true;
}

struct allocation *memory_map(struct memory *m, void *host, size_t size, enum memory_kind kind, const char *label)
{
    uint64_t address = (uint64_t)(uintptr_t)host;
    for (uint32_t i = 0; i < m->count; i++)      /* a host range may be mapped again after it was freed */
        if (m->list[i].freed && m->list[i].address < address + size && address < m->list[i].address + m->list[i].size) {
            memmove(&m->list[i], &m->list[i + 1], (m->count - i - 1) * sizeof m->list[0]);
            m->count--;
            i--;
        }
    struct allocation a = {.address = address, .size = size, .bytes = host, .kind = kind,
                           .serial = count_label(m, label) + 1};
    snprintf(a.label, sizeof a.label, "%s", label);
    m->last = 0;
    return insert(m, &a);
}

bool memory_unmap(struct memory *m, void *host)
{
    struct allocation *a = find_start(m, (uint64_t)(uintptr_t)host);
    if (a == NULL || a->init != NULL)
        return false;
    a->bytes = NULL;
    a->freed = true;
    return true;
}

struct allocation *memory_find(struct memory *m, uint64_t address)
{
    if (m->last < m->count) {
        struct allocation *a = &m->list[m->last];
        if (address - a->address < a->size)
            return a;
    }
    uint32_t at = position(m, address);
    if (at == 0)
        return NULL;
    struct allocation *a = &m->list[at - 1];
    if (address - a->address >= a->size)
        return NULL;
    m->last = at - 1;
    return a;
}

const struct allocation *memory_nearest(const struct memory *m, uint64_t address)
{
    uint32_t at = position(m, address);
    const struct allocation *below = at > 0 ? &m->list[at - 1] : NULL;
    const struct allocation *above = at < m->count ? &m->list[at] : NULL;
    if (below == NULL || above == NULL)
        return below ? below : above;
    if (address - below->address < below->size)
        return below;
    return address - (below->address + below->size) <= above->address - address ? below : above;
}

/* The bits of one byte: what a load or store of up to 8 bytes concerns, since it is aligned. */
static bool in_one_byte(size_t first, size_t count) { return count - 1 < 8 - first % 8; }

static unsigned mask_of(size_t first, size_t count) { return ((1u << count) - 1) << first % 8; }

void bits_set(uint8_t *bits, size_t first, size_t count)
{
    if (in_one_byte(first, count)) {
        bits[first / 8] |= (uint8_t)mask_of(first, count);
        return;
    }
    size_t i = first, end = first + count;
    for (; i < end && i % 8 != 0; i++)
        bits[i / 8] |= (uint8_t)(1u << i % 8);
    if (end - i >= 8) {
        memset(bits + i / 8, 0xff, (end - i) / 8);
        i += (end - i) / 8 * 8;
    }
    for (; i < end; i++)
        bits[i / 8] |= (uint8_t)(1u << i % 8);
}

bool bits_any(const uint8_t *bits, size_t first, size_t count)
{
    if (in_one_byte(first, count))
        return (bits[first / 8] & mask_of(first, count)) != 0;
    for (size_t i = first; i < first + count; i++)
        if (bits[i / 8] >> i % 8 & 1)
            return true;
    return false;
}

bool bits_all(const uint8_t *bits, size_t first, size_t count)
{
    if (in_one_byte(first, count))
        return (bits[first / 8] & mask_of(first, count)) == mask_of(first, count);
    for (size_t i = first; i < first + count; i++)
        if (!(bits[i / 8] >> i % 8 & 1))
            return false;
    return true;
}

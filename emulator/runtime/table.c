/* A table from pointers to pointers: see table.h. Linear probing; removal closes the gap. */
#include "runtime/table.h"

#include <stdint.h>
#include <stdlib.h>

static size_t home(const struct table *t, const void *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 32) & (t->capacity - 1);
}

/* The slot of the key, or the free one where it would go. */
static size_t find(const struct table *t, const void *key)
{
    size_t i = home(t, key);
    while (t->slots[i].key && t->slots[i].key != key)
        i = (i + 1) & (t->capacity - 1);
    return i;
}

static bool grow(struct table *t)
{
    struct table larger = { .capacity = t->capacity ? t->capacity * 2 : 16, .used = t->used };
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->slots[i].key)
            larger.slots[find(&larger, t->slots[i].key)] = t->slots[i];
    free(t->slots);
    *t = larger;
    return true;
}

bool table_put(struct table *t, const void *key, void *value)
{
    if (2 * (t->used + 1) > t->capacity && !grow(t))
        return false;
    struct table_slot *slot = &t->slots[find(t, key)];
    t->used += !slot->key;
    *slot = (struct table_slot){ key, value };
    return true;
}

void *table_get(const struct table *t, const void *key)
{
    return t->capacity ? t->slots[find(t, key)].value : NULL;
}

void *table_take(struct table *t, const void *key)
{
    if (!t->capacity)
        return NULL;
    size_t gap = find(t, key);
    void *value = t->slots[gap].value;
    if (!value)
        return NULL;
    t->used--;
    /* What follows moves into the gap unless its home lies between gap and itself. */
    for (size_t i = gap;;) {
        i = (i + 1) & (t->capacity - 1);
        if (!t->slots[i].key)
            break;
        size_t from_home = (i - home(t, t->slots[i].key)) & (t->capacity - 1);
        if (from_home >= ((i - gap) & (t->capacity - 1))) {
            t->slots[gap] = t->slots[i];
            gap = i;
        }
    }
    t->slots[gap] = (struct table_slot){ 0 };
    return value;
}

void table_clear(struct table *t)
{
    free(t->slots);
    *t = (struct table){ 0 };
}

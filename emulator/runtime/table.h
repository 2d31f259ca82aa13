/*
 * A table from pointers to pointers: kernels and variables by their host
 * address, streams and events by their handle.
 *
 * Open addressing, grows by itself. Keys and values are never NULL.
 */
#ifndef EMU_RUNTIME_TABLE_H
#define EMU_RUNTIME_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct table {
    struct table_slot { const void *key; void *value; } *slots;
    size_t capacity;    /* a power of two, or 0 */
    size_t used;
};

bool table_put(struct table *t, const void *key, void *value);   /* replaces; false: out of memory */
void *table_get(const struct table *t, const void *key);         /* NULL: not there */
void *table_take(struct table *t, const void *key);              /* removes; NULL: not there */
void table_clear(struct table *t);

#endif

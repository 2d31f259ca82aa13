/*
 * The names of a module: a hash table with open addressing that is at most
 * half full. Hash: FNV-1a, 32 bits.
 * Not modelled: removing a name.
 */
#include "ptx/names.h"

#include <stdlib.h>
#include <string.h>

struct ptx_names *ptx_names_new(struct ptx_arena *arena)
{
    struct ptx_names *names = calloc(1, sizeof *names);
    if (!names)
        return NULL;
    names->arena = arena;
    names->room = 4096;
    names->slots = calloc(names->room, sizeof *names->slots);
    if (!names->slots) {
        free(names);
        return NULL;
    }
    return names;
}

void ptx_names_free(struct ptx_names *names)
{
    if (names)
        free(names->slots);
    free(names);
}

static uint32_t hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* The slot that holds the name, or the empty one where it belongs. */
static size_t slot_of(const struct ptx_names *names, const char *text, size_t length, uint32_t hash)
{
    size_t i = hash & (names->room - 1);
    for (const struct ptx_name *n; (n = names->slots[i]); i = (i + 1) & (names->room - 1))
        if (n->hash == hash && n->length == length && memcmp(n->text, text, length) == 0)
            break;
    return i;
}

static int grow(struct ptx_names *names)
{
    const struct ptx_names old = *names;
    struct ptx_name **slots = calloc(old.room * 2, sizeof *slots);
    if (!slots)
        return 0;
    names->slots = slots;
    names->room = old.room * 2;
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i])
            slots[slot_of(names, old.slots[i]->text, old.slots[i]->length, old.slots[i]->hash)] = old.slots[i];
    free(old.slots);
    return 1;
}

struct ptx_name *ptx_name_of(struct ptx_names *names, const char *text, size_t length)
{
    const uint32_t hash = hash_of(text, length);
    size_t i = slot_of(names, text, length, hash);
    if (names->slots[i])
        return names->slots[i];
    if (names->count * 2 >= names->room) {
        if (!grow(names))
            return NULL;
        i = slot_of(names, text, length, hash);
    }
    struct ptx_name *name = ptx_arena_alloc(names->arena, sizeof *name + length + 1);
    if (!name)
        return NULL;
    char *copy = (char *)(name + 1);
    memcpy(copy, text, length);
    name->text = copy;
    name->length = length;
    name->hash = hash;
    names->slots[i] = name;
    names->count++;
    return name;
}

struct ptx_name *ptx_name_find(const struct ptx_names *names, const char *text, size_t length)
{
    return names->slots[slot_of(names, text, length, hash_of(text, length))];
}

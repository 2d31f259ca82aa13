/*
 * Fields of a launch file: the bytes of an argument or variable.
 *   FIELD = buffer NAME | sizeof NAME | TYPE VALUE | bytes HEX... | struct { FIELD; ... }
 * Not modelled: arrays within structs, packed structs.
 */
#include <stdlib.h>
#include <string.h>

#include "run/words.h"

enum { MOST_STRUCTS = 16 };

/* Room for `size` more bytes at the next offset of that alignment. */
static uint8_t *extend(struct reader *r, struct value *v, size_t size, size_t align)
{
    const size_t at = (v->size + align - 1) / align * align;
    uint8_t *bytes = realloc(v->bytes, at + size + 1);
    if (!bytes) {
        out_of_memory(r);
        return NULL;
    }
    memset(bytes + v->size, 0, at + size - v->size);
    v->bytes = bytes;
    v->size = at + size;
    if (align > v->align)
        v->align = align;
    return bytes + at;
}

static bool add_address(struct reader *r, struct value *v)
{
    int index;
    if (!want_buffer(r, &index) || !extend(r, v, 8, 8))
        return false;
    struct patch *patch = one_more(&v->patches, &v->patch_count, sizeof *patch);
    if (!patch)
        return out_of_memory(r);
    *patch = (struct patch){ v->size - 8, index };
    return true;
}

static bool add_count(struct reader *r, struct value *v)
{
    int index;
    uint8_t *out;
    if (!want_buffer(r, &index))
        return false;
    const size_t count = r->launch->buffers[index].count;
    if (count > INT32_MAX)
        return wrong(r, "'%.60s' has more elements than an s32 holds", r->launch->buffers[index].name);
    if (!(out = extend(r, v, 4, 4)))
        return false;
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(count >> (8 * i));
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static bool add_bytes(struct reader *r, struct value *v)
{
    const char *word = want(r, "a pair of hexadecimal digits");
    if (!word)
        return false;
    for (;; word = r->word[r->next++]) {
        for (const char *p = word; *p; p += 2) {
            const int high = hex_digit(p[0]), low = high < 0 ? -1 : hex_digit(p[1]);
            if (low < 0)
                return wrong(r, "'%.60s' is not pairs of hexadecimal digits", word);
            uint8_t *out = extend(r, v, 1, 1);
            if (!out)
                return false;
            *out = (uint8_t)(high * 16 + low);
        }
        if (!peek(r) || is_mark(*peek(r)))
            return true;
    }
}

static bool add_number(struct reader *r, struct value *v, const char *type)
{
    enum element e;
    uint8_t *out;
    if (!element_find(type, &e))
        return wrong(r, "'%.60s' is neither buffer, sizeof, bytes, struct nor a type such as u32 or f32", type);
    const char *text = want(r, "a value");
    if (!text || !(out = extend(r, v, element_bytes(e), element_bytes(e))))
        return false;
    return element_parse(e, text, out) || wrong(r, "'%.60s' is not a value of type %s", text, type);
}

static bool add_field(struct reader *r, struct value *v, int depth);

/* After "struct". Its own alignment counts where it stands in another. */
static bool add_struct(struct reader *r, struct value *v, int depth)
{
    struct value inner = { .align = 1 };
    bool done = depth < MOST_STRUCTS || wrong(r, "structs are nested more than %d deep", MOST_STRUCTS);
    const char *open = done ? want(r, "'{' of the struct") : NULL;
    if (open && *open != '{')
        wrong(r, "expected '{' of the struct, found '%.60s'", open);
    done = open && *open == '{';
    while (done && peek(r) && *peek(r) != '}')
        if (*peek(r) == ';')
            r->next++;
        else
            done = add_field(r, &inner, depth + 1);
    done = done && want(r, "'}' of the struct") && extend(r, &inner, 0, inner.align);
    uint8_t *out = done ? extend(r, v, inner.size, inner.align) : NULL;
    if (out && inner.size)
        memcpy(out, inner.bytes, inner.size);
    for (int i = 0; out && i < inner.patch_count; i++) {
        struct patch *patch = one_more(&v->patches, &v->patch_count, sizeof *patch);
        if (patch)
            *patch = (struct patch){ v->size - inner.size + inner.patches[i].offset, inner.patches[i].buffer };
        else
            out_of_memory(r);
    }
    free(inner.bytes);
    free(inner.patches);
    return out && r->c->code == ENDS_RIGHT;
}

/* One field; ';' or '}' or the end of the line stands behind it. */
static bool add_field(struct reader *r, struct value *v, int depth)
{
    const char *kind = want(r, "a field such as `u32 7` or `buffer NAME`");
    bool done;
    if (!kind)
        return false;
    if (strcmp(kind, "buffer") == 0)
        done = add_address(r, v);
    else if (strcmp(kind, "sizeof") == 0)
        done = add_count(r, v);
    else if (strcmp(kind, "bytes") == 0)
        done = add_bytes(r, v);
    else if (strcmp(kind, "struct") == 0)
        done = add_struct(r, v, depth);
    else
        done = add_number(r, v, kind);
    if (done && depth > 0 && peek(r) && *peek(r) != ';' && *peek(r) != '}')
        return wrong(r, "expected ';' or '}' before '%.60s'", peek(r));
    return done;
}

bool read_value(struct reader *r, struct value *v)
{
    v->align = 1;
    v->line = r->line;
    v->is_count = peek(r) && strcmp(peek(r), "sizeof") == 0;
    return add_field(r, v, 0) && want_end(r);
}

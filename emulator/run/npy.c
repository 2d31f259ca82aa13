/*
 * NumPy's .npy files: see npy.h.
 *   "\x93NUMPY" major minor length header
 * where header is a Python dictionary of 'descr', 'fortran_order', 'shape'.
 */
#include "run/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/file.h"

static const size_t most_bytes = (size_t)1 << 36;

/* What stands behind 'key': in the dictionary, NULL when it is not there. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool read_descr(const char *path, const char *header, struct array *a, struct complaint *c)
{
    const char *at = value_of(header, "'descr'");
    if (!at)
        return complain(c, ENDS_USAGE, "%s: the header names no 'descr'", path);
    if (*at != '\'')
        return complain(c, ENDS_USAGE, "%s: elements of a structured type are not read", path);
    const size_t length = strcspn(++at, "'");
    if (!element_find_descr(at, length, &a->element))
        return complain(c, ENDS_USAGE, "%s: elements of type '%.*s' are not read; NumPy converts them with astype", path,
                        length > 20 ? 20 : (int)length, at);
    return true;
}

/* "(3, 4)": the product, and the text. */
static bool read_shape(const char *path, const char *header, struct array *a, struct complaint *c)
{
    const char *start = value_of(header, "'shape'"), *at = start;
    a->count = 1;
    if (!at || *at++ != '(')
        return complain(c, ENDS_USAGE, "%s: the header names no 'shape'", path);
    while (*(at += strspn(at, " ,")) != ')') {
        size_t size = 0;
        const char *digits = at;
        for (; *at >= '0' && *at <= '9' && size <= most_bytes; at++)
            size = size * 10 + (size_t)(*at - '0');
        if (at == digits || size > most_bytes || (size && a->count > most_bytes / size))
            return complain(c, ENDS_USAGE, "%s: the shape in the header makes no sense: %.60s", path, start);
        a->count *= size;
    }
    const size_t length = (size_t)(at - start) + 1;
    if (length < sizeof a->shape) {
        memcpy(a->shape, start, length);
        a->shape[length] = '\0';
    }
    return true;
}

static bool read_header(const char *path, const char *header, struct array *a, struct complaint *c)
{
    if (!read_descr(path, header, a, c) || !read_shape(path, header, a, c))
        return false;
    const char *order = value_of(header, "'fortran_order'");
    const char *comma = strchr(a->shape, ',');
    if (!order || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
        return complain(c, ENDS_USAGE, "%s: the header names no 'fortran_order'", path);
    if (*order == 'T' && comma && comma[1] != ')')
        return complain(c, ENDS_USAGE, "%s: Fortran order is not read; NumPy converts it with ascontiguousarray", path);
    return true;
}

/* Magic, version, length; *at is where the header starts. */
static bool read_start(const char *path, const unsigned char *b, size_t size, size_t *at, size_t *length,
                       struct complaint *c)
{
    if (size < 10 || memcmp(b, "\x93NUMPY", 6) != 0)
        return complain(c, ENDS_USAGE, "%s: not a .npy file: it does not start with \\x93NUMPY", path);
    if (b[6] < 1 || b[6] > 3)
        return complain(c, ENDS_USAGE, "%s: version %d.%d of .npy is not read", path, b[6], b[7]);
    *at = b[6] == 1 ? 10 : 12;
    *length = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1 && size >= 12)
        *length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (size < *at || *length > size - *at)
        return complain(c, ENDS_USAGE, "%s: cut short: the header has %zu bytes of %zu", path, size < *at ? 0 : size - *at,
                        *length);
    return true;
}

static bool read_array(const char *path, size_t size, struct array *a, struct complaint *c)
{
    size_t at = 0, length = 0;
    if (!read_start(path, (const unsigned char *)a->memory, size, &at, &length, c))
        return false;
    char *header = malloc(length + 1);
    if (!header)
        return complain(c, ENDS_MACHINE, "%s: memory is out", path);
    memcpy(header, a->memory + at, length);
    header[length] = '\0';
    const bool right = read_header(path, header, a, c);
    free(header);
    if (!right)
        return false;
    const size_t there = size - at - length, want = a->count * element_bytes(a->element);
    if (there != want)
        return complain(c, ENDS_USAGE, "%s: %s: %zu bytes of elements, the header says %zu", path,
                        there < want ? "cut short" : "too long", there, want);
    a->bytes = (uint8_t *)a->memory + at + length;
    return true;
}

bool npy_load(const char *path, struct array *a, struct complaint *c)
{
    size_t size;
    *a = (struct array){ 0 };
    if (!file_read(path, most_bytes, &a->memory, &size, c))
        return false;
    if (read_array(path, size, a, c))
        return true;
    array_free(a);
    return false;
}

/* The dictionary ends in a newline; what stands before the elements is a
 * multiple of 64 bytes. */
bool npy_save(const char *path, enum element element, size_t count, const uint8_t *bytes, const char *shape,
              struct complaint *c)
{
    char head[384], flat[32];
    snprintf(flat, sizeof flat, "(%zu,)", count);
    const int length = snprintf(head + 10, sizeof head - 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                                element_descr(element), *shape ? shape : flat);
    const size_t total = ((size_t)length + 10 + 1 + 63) / 64 * 64, dictionary = total - 10;
    memcpy(head, "\x93NUMPY\1", 7);
    head[7] = 0;
    head[8] = (char)(dictionary & 0xff);
    head[9] = (char)(dictionary >> 8);
    memset(head + 10 + length, ' ', total - 10 - (size_t)length);
    head[total - 1] = '\n';
    return file_write(path, head, total, bytes, count * element_bytes(element), c);
}

void array_free(struct array *a)
{
    free(a->memory);
    *a = (struct array){ 0 };
}

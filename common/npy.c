/* See npy.h. */
#define _POSIX_C_SOURCE 200809L
#include "npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- reading ------------------------------------------------------------------------------ */

struct header {
    char type[16];
    bool fortran;
    int dimensions;
    int64_t count;
};

/* The text after `'key':` in the header's dictionary, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (at == NULL)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at++ != ':')
        return NULL;
    return at + strspn(at, " ");
}

static bool read_type(const char *text, struct header *header)
{
    const char *at = value_of(text, "'descr'");
    if (at == NULL || *at != '\'')
        return false;
    size_t length = strcspn(at + 1, "'");
    if (at[1 + length] != '\'' || length >= sizeof header->type)
        return false;
    memcpy(header->type, at + 1, length);
    header->type[length] = '\0';
    return true;
}

static bool read_shape(const char *text, struct header *header)
{
    const char *at = value_of(text, "'shape'");
    if (at == NULL || *at++ != '(')
        return false;
    header->count = 1;
    header->dimensions = 0;
    while (*(at += strspn(at, " ,")) != ')') {
        char *end;
        errno = 0;
        if (*at < '0' || *at > '9')
            return false;
        long long size = strtoll(at, &end, 10);
        if (errno == ERANGE || (size > 0 && header->count > INT64_MAX / 16 / size))
            return false;
        header->count *= size;
        header->dimensions++;
        at = end;
    }
    return true;
}

static bool read_dictionary(const char *text, struct header *header)
{
    const char *order = value_of(text, "'fortran_order'");
    if (order == NULL || (strncmp(order, "True", 4) != 0 && strncmp(order, "False", 5) != 0))
        return false;
    header->fortran = *order == 'T';
    return read_type(text, header) && read_shape(text, header);
}

/* Magic, version, length and dictionary; leaves the file at the first element. */
static bool read_header(FILE *file, const char *path, struct header *header, struct sentence *why)
{
    unsigned char start[12];
    size_t got = fread(start, 1, 10, file);
    if (ferror(file))
        return say(why, "%s: cannot be read: %s", path, strerror(errno));
    if (got == 0)
        return say(why, "%s: not a .npy file (it is empty)", path);
    if (got < 10 || memcmp(start, "\x93NUMPY", 6) != 0)
        return say(why, "%s: not a .npy file (it does not start with \\x93NUMPY)", path);
    if (start[6] < 1 || start[6] > 3)
        return say(why, "%s: .npy version %d.%d; 1.0, 2.0 and 3.0 are read", path, start[6], start[7]);
    size_t length = start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) {
        if (fread(start + 10, 1, 2, file) < 2)
            return say(why, "%s: truncated in the header", path);
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (length > 1 << 20)
        return say(why, "%s: a header of %zu bytes; more than 1048576 are not read", path, length);
    char *text = calloc(1, length + 1);
    if (text == NULL)
        return say(why, "%s: no memory for its header", path);
    bool whole = fread(text, 1, length, file) == length;
    bool right = whole && read_dictionary(text, header);
    if (!whole)
        say(why, "%s: truncated in the header", path);
    else if (!right)
        say(why, "%s: header not understood: %.80s", path, text);
    free(text);
    return right;
}

static bool check_header(const struct header *header, const char *path, const char *type, struct sentence *why)
{
    if (strcmp(header->type, type) != 0)
        return say(why, "%s: elements of type '%s', want '%s'; in NumPy: a.astype('%s')", path, header->type, type,
                   type);
    if (header->fortran && header->dimensions > 1)
        return say(why, "%s: Fortran order; in NumPy: numpy.ascontiguousarray(a)", path);
    return true;
}

static bool read_elements(FILE *file, const char *path, size_t bytes, void **data, struct sentence *why)
{
    /* The size first, so that a lying header cannot ask for more memory than the file has bytes. */
    long here = ftell(file);
    if (here < 0 || fseek(file, 0, SEEK_END) != 0)
        return say(why, "%s: not a plain file", path);
    size_t there = (size_t)(ftell(file) - here);
    if (there != bytes)
        return say(why, "%s: %s: %zu bytes of elements, the header says %zu", path,
                   there < bytes ? "truncated" : "too long", there, bytes);
    if (fseek(file, here, SEEK_SET) != 0)
        return say(why, "%s: cannot be read: %s", path, strerror(errno));
    *data = malloc(bytes ? bytes : 1);
    if (*data == NULL)
        return say(why, "%s: no memory for its %zu bytes", path, bytes);
    if (fread(*data, 1, bytes, file) == bytes)
        return true;
    free(*data);
    return say(why, "%s: cannot be read: %s", path, strerror(errno));
}

bool npy_read(const char *path, const char *type, void **data, int64_t *count, struct sentence *why)
{
    struct header header = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return say(why, "%s: cannot be opened: %s", path, strerror(errno));
    bool right = read_header(file, path, &header, why) && check_header(&header, path, type, why);
    size_t size = (size_t)(type[2] - '0');
    right = right && read_elements(file, path, (size_t)header.count * size, data, why);
    fclose(file);
    *count = right ? header.count : 0;
    return right;
}

/* ---- writing ------------------------------------------------------------------------------ */

bool out_open(struct out_file *out, const char *path, struct sentence *why)
{
    struct stat there;
    out->path = path;
    out->part[0] = '\0';
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode)) {
        if (snprintf(out->part, sizeof out->part, "%s.part", path) >= (int)sizeof out->part)
            return say(why, "%.200s...: a path of more than %zu bytes", path, sizeof out->part - 6);
    }
    out->file = fopen(out->part[0] ? out->part : path, "wb");
    if (out->file == NULL)
        return say(why, "%s: cannot be written: %s", path, strerror(errno));
    return true;
}

void out_abandon(struct out_file *out)
{
    if (out->file)
        fclose(out->file);
    out->file = NULL;
    if (out->part[0])
        remove(out->part);
}

bool out_bytes(struct out_file *out, const void *bytes, size_t size, struct sentence *why)
{
    if (fwrite(bytes, 1, size, out->file) == size)
        return true;
    say(why, "%s: cannot be written: %s", out->path, strerror(errno));
    out_abandon(out);
    return false;
}

bool out_close(struct out_file *out, struct sentence *why)
{
    FILE *file = out->file;
    out->file = NULL;
    if (fclose(file) == 0 && (out->part[0] == '\0' || rename(out->part, out->path) == 0))
        return true;
    say(why, "%s: cannot be written: %s", out->path, strerror(errno));
    out_abandon(out);
    return false;
}

bool npy_header(struct out_file *out, const char *type, int64_t count, struct sentence *why)
{
    /* 10 bytes, then the dictionary, padded with blanks so that the elements start at byte 128. */
    char header[128] = "\x93NUMPY\x01\x00\x76";
    int used = snprintf(header + 10, sizeof header - 10,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRId64 ",), }", type, count);
    memset(header + 10 + used, ' ', sizeof header - 10 - (size_t)used);
    header[127] = '\n';
    return out_bytes(out, header, sizeof header, why);
}

bool npy_write(const char *path, const char *type, const void *data, int64_t count, size_t size, struct sentence *why)
{
    struct out_file out;
    return out_open(&out, path, why) && npy_header(&out, type, count, why) && out_bytes(&out, data, size, why) &&
           out_close(&out, why);
}

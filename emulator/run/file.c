/*
 * Whole files in, whole files out: see file.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- reading ------------------------------------------------------------ */

static bool append(FILE *file, const char *path, size_t most, char **bytes, size_t *count, struct complaint *c)
{
    size_t room = 1 << 16, got;
    do {
        char *more = realloc(*bytes, room + 1);
        if (!more)
            return complain(c, ENDS_MACHINE, "%s: memory is out after %zu bytes", path, *count);
        *bytes = more;
        errno = 0;
        got = fread(*bytes + *count, 1, room - *count, file);
        *count += got;
        if (ferror(file))
            return complain(c, ENDS_USAGE, "%s: cannot be read: %s", path, strerror(errno));
        if (*count > most)
            return complain(c, ENDS_USAGE, "%s: larger than %zu bytes", path, most);
        if (*count == room)
            room *= 2;
    } while (got > 0);
    (*bytes)[*count] = '\0';
    return true;
}

bool file_read(const char *path, size_t most, char **bytes, size_t *count, struct complaint *c)
{
    FILE *file = fopen(path, "rb");
    *bytes = NULL;
    *count = 0;
    if (!file)
        return complain(c, ENDS_USAGE, "%s: cannot be opened: %s", path, strerror(errno));
    const bool done = append(file, path, most, bytes, count, c);
    fclose(file);
    if (!done) {
        free(*bytes);
        *bytes = NULL;
    }
    return done;
}

/* ---- writing ------------------------------------------------------------ */

static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static bool put(const char *path, const void *head, size_t head_bytes, const void *body, size_t body_bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    const bool written = fwrite(head, 1, head_bytes, file) == head_bytes
                      && (body_bytes == 0 || fwrite(body, 1, body_bytes, file) == body_bytes) && fflush(file) == 0;
    const int reason = errno;
    const bool closed = fclose(file) == 0;
    if (!written)
        errno = reason;
    return written && closed;
}

bool file_write(const char *path, const void *head, size_t head_bytes, const void *body, size_t body_bytes,
                struct complaint *c)
{
    const bool direct = is_special(path);
    const size_t length = strlen(path);
    char *part = malloc(length + sizeof ".part");
    if (!part)
        return complain(c, ENDS_MACHINE, "%s: memory is out", path);
    memcpy(part, path, length);
    memcpy(part + length, direct ? "" : ".part", direct ? 1 : sizeof ".part");
    errno = 0;
    bool done = put(part, head, head_bytes, body, body_bytes);
    if (done && !direct)
        done = rename(part, path) == 0;
    const int reason = errno;
    if (!done && !direct)
        remove(part);
    free(part);
    return done || complain(c, ENDS_USAGE, "%s: cannot be written: %s", path, strerror(reason));
}

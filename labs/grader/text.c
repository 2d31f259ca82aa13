/*
 * Text and files: see text.h.
 */
#define _GNU_SOURCE
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void die(int code, const char *format, ...)
{
    va_list list;
    fflush(stdout);
    fputs("grade: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(code);
}

/* ---- text that grows ------------------------------------------------------- */

void text_bytes(struct text *t, const void *bytes, size_t count)
{
    if (t->length + count + 1 > t->room) {
        size_t room = (t->length + count + 1) * 2;
        char *at = realloc(t->at, room);
        if (!at)
            die(ENDS_MACHINE, "memory is out");
        t->at = at;
        t->room = room;
    }
    if (count)
        memcpy(t->at + t->length, bytes, count);
    t->length += count;
    t->at[t->length] = '\0';
}

static char *form_list(const char *format, va_list list, size_t *length)
{
    va_list again;
    va_copy(again, list);
    const int count = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = malloc((size_t)count + 1);
    if (!text)
        die(ENDS_MACHINE, "memory is out");
    vsnprintf(text, (size_t)count + 1, format, list);
    *length = (size_t)count;
    return text;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list list;
    size_t length;
    va_start(list, format);
    char *text = form_list(format, list, &length);
    va_end(list);
    text_bytes(t, text, length);
    free(text);
}

void text_free(struct text *t)
{
    free(t->at);
    *t = (struct text){ 0 };
}

const char *text_of(const struct text *t) { return t->at ? t->at : ""; }

char *form(const char *format, ...)
{
    va_list list;
    size_t length;
    va_start(list, format);
    char *text = form_list(format, list, &length);
    va_end(list);
    return text;
}

void *room_for(size_t count, size_t size)
{
    void *room = calloc(count ? count : 1, size);
    if (!room)
        die(ENDS_MACHINE, "memory is out");
    return room;
}

void *room_more(void *at, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return at;
    *room = *room ? 2 * *room : 16;
    at = realloc(at, *room * size);
    if (!at)
        die(ENDS_MACHINE, "memory is out");
    return at;
}

int utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const int count = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
    for (int i = 1; i < count; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    const bool surrogate = count == 3 && p[0] == 0xed && p[1] >= 0xa0, longer = count == 3 && p[0] == 0xe0 && p[1] < 0xa0;
    const bool far = count == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f));
    return surrogate || longer || far ? 0 : count;
}

bool utf8_control(const char *text)
{
    const unsigned char c = (unsigned char)text[0];
    return c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0);
}

/* ---- files ------------------------------------------------------------------ */

static bool not_got(char why[WHY], const char *sentence)
{
    snprintf(why, WHY, "%s", sentence);
    return false;
}

/* O_NONBLOCK: a pipe without a writer must not hold us up. */
static int open_plain(const char *in, const char *name, size_t most, char why[WHY])
{
    struct stat about;
    const int folder = open(in, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int file = folder < 0 ? -1 : openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const int error = errno;
    if (folder >= 0)
        close(folder);
    if (file < 0)
        return not_got(why, error == ENOENT ? "is not there" : error == ELOOP ? "is a symbolic link" : strerror(error)), -1;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        not_got(why, "is not a plain file");
    else if ((unsigned long long)about.st_size > most)
        snprintf(why, WHY, "has %lld bytes; at most %zu are read", (long long)about.st_size, most);
    else
        return file;
    close(file);
    return -1;
}

bool file_get(const char *in, const char *name, size_t most, struct text *t, char why[WHY])
{
    char piece[65536];
    ssize_t count = 0;
    const int file = open_plain(in, name, most, why);
    if (file < 0)
        return false;
    text_bytes(t, "", 0);
    while (t->length <= most && (count = read(file, piece, sizeof piece)) > 0)
        text_bytes(t, piece, (size_t)count);
    close(file);
    return count < 0 ? not_got(why, "cannot be read") : t->length > most ? not_got(why, "grows while it is read") : true;
}

bool file_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

bool folder_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* A name of its own for each process, so that two may write the same file. */
static char *write_part(const char *path, const void *bytes, size_t count)
{
    char *part = form("%s.%ld.part", path, (long)getpid());
    FILE *out = fopen(part, "wb");
    if (!out)
        die(ENDS_MACHINE, "%s cannot be written: %s", path, strerror(errno));
    const bool written = fwrite(bytes, 1, count, out) == count && fflush(out) == 0 && fsync(fileno(out)) == 0;
    if (fclose(out) != 0 || !written) {
        unlink(part);
        die(ENDS_MACHINE, "%s cannot be written (is the disk full?)", path);
    }
    return part;
}

void file_put(const char *path, const void *bytes, size_t count)
{
    char *part = write_part(path, bytes, count);
    if (rename(part, path) != 0) {
        unlink(part);
        die(ENDS_MACHINE, "%s cannot be written: %s", path, strerror(errno));
    }
    free(part);
}

bool file_put_new(const char *path, const void *bytes, size_t count)
{
    char *part = write_part(path, bytes, count);
    const bool made = link(part, path) == 0;    /* link() overwrites nothing */
    const int error = errno;
    unlink(part);
    free(part);
    if (!made && error != EEXIST)
        die(ENDS_MACHINE, "%s cannot be written: %s", path, strerror(error));
    return made;
}

bool process_gone(const char *number)
{
    long long pid;
    return number_read(number, 1, 1 << 30, &pid) && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Is it NAME.PID.part, of a process that is no more? */
static bool left_behind(const char *name)
{
    const char *end = strrchr(name, '.'), *begin = end;
    if (!end || strcmp(end, ".part") != 0)
        return false;
    while (begin > name && begin[-1] != '.')
        begin--;
    char *number = form("%.*s", (int)(end - begin), begin);
    const bool gone = process_gone(number);
    free(number);
    return gone;
}

void parts_drop(const char *folder)
{
    DIR *in = opendir(folder);
    for (struct dirent *entry; in && (entry = readdir(in));) {
        if (!left_behind(entry->d_name))
            continue;
        char *path = form("%s/%s", folder, entry->d_name);
        unlink(path);
        free(path);
    }
    if (in)
        closedir(in);
}

void folder_make(const char *path)
{
    char *copy = form("%s/", path);
    for (char *p = copy + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            die(ENDS_MACHINE, "folder %s cannot be made: %s", copy, strerror(errno));
        *p = '/';
    }
    free(copy);
}

void folder_drop(const char *path)
{
    struct stat about;
    DIR *folder = lstat(path, &about) == 0 && S_ISDIR(about.st_mode) ? opendir(path) : NULL;
    if (!folder) {
        unlink(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *below = form("%s/%s", path, entry->d_name);
        folder_drop(below);
        free(below);
    }
    closedir(folder);
    rmdir(path);
}

/* ---- lines and fields --------------------------------------------------------- */

char *line_next(char **at)
{
    char *line = *at;
    if (!line || !*line)
        return NULL;
    char *end = line + strcspn(line, "\n");
    *at = *end ? end + 1 : end;
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

int fields_cut(char *line, char separator, char **field, int most)
{
    int count = 0;
    while (count < most) {
        field[count++] = line;
        char *end = strchr(line, separator);
        if (!end || count == most)
            break;
        *end = '\0';
        line = end + 1;
    }
    return count;
}

bool number_read(const char *text, long long least, long long most, long long *number)
{
    char *end;
    errno = 0;
    const long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno || n < least || n > most)
        return false;
    *number = n;
    return true;
}

bool real_read(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && isfinite(*number);
}

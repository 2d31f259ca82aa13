/* See work.h. */
#define _POSIX_C_SOURCE 200809L
#include "work.h"

#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GIANT_TILE = 1, GIANT_FACTOR = 8 };

enum shape { UNIFORM, RAMP, ZIPF, GIANT, FROM_FILE };

static enum shape shape_of(const char *name)
{
    static const char *const names[] = {"uniform", "ramp", "zipf", "giant"};
    int shape = UNIFORM;
    while (shape < FROM_FILE && strcmp(names[shape], name) != 0)
        shape++;
    return (enum shape)shape;
}

bool work_is_shape(const char *name)
{
    return shape_of(name) != FROM_FILE;
}

/* ---- files -------------------------------------------------------------------------------- */

static bool append(struct work_file *file, int64_t value, int64_t *room)
{
    if (file->count == *room) {
        int64_t more = *room ? *room * 2 : 1024;
        uint32_t *sizes = realloc(file->sizes, (size_t)more * sizeof *sizes);
        if (sizes == NULL)
            return false;
        file->sizes = sizes;
        *room = more;
    }
    file->sizes[file->count++] = (uint32_t)value;
    return true;
}

/* One line without its end and what is blank before it; of a longer one, the head. False at the end of the file. */
static bool next_line(FILE *in, char *line, size_t size)
{
    size_t length = 0;
    int c = getc(in);
    if (c == EOF)
        return false;
    for (; c != '\n' && c != EOF; c = getc(in))
        if (length < size - 1)
            line[length++] = c ? (char)c : '?'; /* a string ends at 0 */
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        length--;
    line[length] = '\0';
    return true;
}

/* For a terminal: what is no printable ASCII becomes a question mark. */
static const char *printable(char *line)
{
    for (char *p = line; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
    return line;
}

/* Whoever opens a pipe waits for its other end, which may never come. */
static FILE *open_no_pipe(const char *path, const char *others, struct sentence *why)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode)) {
        say(why, "%s: is a pipe; --work takes %s or a file", path, others);
        return NULL;
    }
    FILE *in = fopen(path, "r");
    if (in == NULL)
        say(why, "%s: cannot be opened: %s; --work takes %s or a file", path, strerror(errno), others);
    return in;
}

bool work_file_read(struct work_file *file, const char *path, const char *others, struct sentence *why)
{
    char line[1024];
    int64_t room = 0, value;
    long number = 0;
    bool right = true;
    file->sizes = NULL;
    file->count = 0;
    FILE *in = open_no_pipe(path, others, why);
    if (in == NULL)
        return false;
    while (right && next_line(in, line, sizeof line)) {
        number++;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (!read_count(line, 0, UINT32_MAX, &value))
            right = say(why, "%s:%ld: '%.40s' is not a whole number from 0 to 4294967295", path, number,
                        printable(line));
        else if (!append(file, value, &room))
            right = say(why, "%s:%ld: no memory for so many numbers", path, number);
        else if (file->count > WORK_FILE_MOST)
            right = say(why, "%s:%ld: more than %d numbers; of so many tiles nobody can keep a record", path, number,
                        WORK_FILE_MOST);
    }
    if (right && ferror(in))
        right = say(why, "%s: cannot be read: %s", path, strerror(errno));
    else if (right && number == 0)
        right = say(why, "%s:1: the file is empty; a work file has a whole number a line", path);
    else if (right && file->count == 0)
        right = say(why, "%s:%ld: no number in the whole file", path, number);
    fclose(in);
    if (!right) {
        free(file->sizes);
        file->sizes = NULL;
    }
    return right;
}

/* ---- shapes ------------------------------------------------------------------------------- */

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* Tile k's rank, 0 for the most work: a shuffle that the seed repeats. */
static void shuffle_ranks(uint32_t *ranks, int64_t tiles, uint32_t seed)
{
    uint64_t state = seed + UINT64_C(0x9e3779b97f4a7c15);
    for (int64_t k = 0; k < tiles; k++)
        ranks[k] = (uint32_t)k;
    for (int64_t k = tiles - 1; k > 0; k--) {
        int64_t other = next_random(&state) % (k + 1);
        uint32_t rank = ranks[k];
        ranks[k] = ranks[other];
        ranks[other] = rank;
    }
}

/* What work_sizes() was asked for. */
struct request {
    enum shape shape;
    const struct work_file *file;
    int64_t tiles;
    double units;
    double harmonic; /* 1 + 1/2 + ... + 1/tiles, so that zipf's mean is `units` */
};

/* Size of tile k; `rank` is used by zipf alone. */
static double size_of(const struct request *ask, int64_t k, uint32_t rank)
{
    switch (ask->shape) {
    case RAMP:
        return ask->tiles > 1 ? 2.0 * ask->units * (double)k / (double)(ask->tiles - 1) : ask->units;
    case ZIPF:
        return ask->units * (double)ask->tiles / ask->harmonic / (rank + 1.0);
    case GIANT:
        return k == GIANT_TILE % ask->tiles ? ask->units * GIANT_FACTOR : ask->units;
    case FROM_FILE:
        return ask->units * ask->file->sizes[k % ask->file->count];
    default:
        return ask->units;
    }
}

bool work_sizes(uint32_t **sizes, const char *shape, const struct work_file *file, int64_t tiles, int64_t units,
                uint32_t seed, struct sentence *why)
{
    struct request ask = {shape_of(shape), file, tiles, (double)units, 0};
    *sizes = NULL;
    if (tiles == 0 || ask.shape == UNIFORM)
        return true;
    uint32_t *made = malloc((size_t)tiles * sizeof *made);
    if (made == NULL)
        return say(why, "--work %s: no memory for the sizes of %lld tiles", shape, (long long)tiles);
    shuffle_ranks(made, tiles, seed);
    for (int64_t k = 1; k <= tiles; k++)
        ask.harmonic += 1.0 / (double)k;
    for (int64_t k = 0; k < tiles; k++) {
        double size = size_of(&ask, k, made[k]);
        if (size > UINT32_MAX) {
            free(made);
            return say(why, "--units %lld: tile %lld of --work %s would cost %.0f units; 4294967295 is the most",
                       (long long)units, (long long)k, shape, size);
        }
        made[k] = (uint32_t)(size + 0.5);
    }
    *sizes = made;
    return true;
}

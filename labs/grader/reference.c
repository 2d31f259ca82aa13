/*
 * The frame of a reference program: see reference.h. Started by the grader as
 *   PROGRAM FOLDER SEED MODE NAME=VALUE...      MODE: test, give or solve
 * Writes NAME.npy for every array into FOLDER, and `settings` with NAME=VALUE
 * lines for emu-run. Ends with 0, or 2 and a sentence.
 */
#include "labs/grader/reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/npy.h"

enum { MOST_ARRAYS = 32, MOST_SETTINGS = 64, MOST_TABLES = 16 };
#define MOST_ELEMENTS (INT64_C(1) << 26)

struct made { char *name; enum element element; size_t count; void *bytes; };

struct reference {
    const char *folder, *mode;
    char **words; int word_count;
    uint64_t state;
    struct made arrays[MOST_ARRAYS]; int array_count;
    char *settings[MOST_SETTINGS]; int setting_count;
    FILE *tables[MOST_TABLES]; int table_count;
};

static _Noreturn void stop(const char *what, const char *name)
{
    fprintf(stderr, "reference: %s: %s\n", name, what);
    exit(ENDS_USAGE);
}

static void *must(void *room)
{
    if (!room)
        stop("memory is out", "array");
    return room;
}

/* ---- what the test says ------------------------------------------------------- */

static const char *find_word(const struct reference *r, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < r->word_count; i++)
        if (strncmp(r->words[i], name, length) == 0 && r->words[i][length] == '=')
            return r->words[i] + length + 1;
    return NULL;
}

bool ref_has(const struct reference *r, const char *name) { return find_word(r, name) != NULL; }

const char *ref_text(const struct reference *r, const char *name)
{
    const char *word = find_word(r, name);
    if (!word)
        stop("the test gives no such in.NAME=", name);
    return word;
}

int64_t ref_number(const struct reference *r, const char *name)
{
    char *end;
    const char *word = ref_text(r, name);
    const int64_t number = strtoll(word, &end, 10);
    if (end == word || *end)
        stop("is no whole number", word);
    return number;
}

int64_t ref_number_or(const struct reference *r, const char *name, int64_t otherwise)
{
    return ref_has(r, name) ? ref_number(r, name) : otherwise;
}

/* ---- arrays --------------------------------------------------------------------- */

static void *new_array(struct reference *r, const char *name, enum element element, int64_t count)
{
    if (count < 0 || count > MOST_ELEMENTS)
        stop("has a negative or too large number of elements", name);
    if (r->array_count == MOST_ARRAYS)
        stop("is one array too many", name);
    struct made *a = &r->arrays[r->array_count++];
    a->name = must(malloc(strlen(name) + 1));
    strcpy(a->name, name);
    a->element = element;
    a->count = (size_t)count;
    a->bytes = must(calloc((size_t)count + 1, element_bytes(element)));
    return a->bytes;
}

float *ref_f32(struct reference *r, const char *name, int64_t count) { return new_array(r, name, ELEMENT_F32, count); }
double *ref_f64(struct reference *r, const char *name, int64_t count) { return new_array(r, name, ELEMENT_F64, count); }
int32_t *ref_s32(struct reference *r, const char *name, int64_t count) { return new_array(r, name, ELEMENT_S32, count); }
uint32_t *ref_u32(struct reference *r, const char *name, int64_t count) { return new_array(r, name, ELEMENT_U32, count); }
int64_t *ref_s64(struct reference *r, const char *name, int64_t count) { return new_array(r, name, ELEMENT_S64, count); }
uint64_t *ref_u64(struct reference *r, const char *name, int64_t count) { return new_array(r, name, ELEMENT_U64, count); }
uint8_t *ref_u8(struct reference *r, const char *name, int64_t count) { return new_array(r, name, ELEMENT_U8, count); }

/* ---- settings --------------------------------------------------------------------- */

void ref_set_text(struct reference *r, const char *name, const char *value)
{
    if (r->setting_count == MOST_SETTINGS)
        stop("is one setting too many", name);
    char *line = must(malloc(strlen(name) + strlen(value) + 2));
    sprintf(line, "%s=%s", name, value);
    r->settings[r->setting_count++] = line;
}

void ref_set(struct reference *r, const char *name, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    ref_set_text(r, name, text);
}

void ref_set_real(struct reference *r, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    ref_set_text(r, name, text);
}

/* ---- numbers from the seed: splitmix64 ----------------------------------------------- */

static uint64_t draw(struct reference *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t ref_below(struct reference *r, uint64_t n)
{
    if (n == 0)
        stop("there is no number below 0", "ref_below");
    return draw(r) % n;             /* n is far below 2^64: the bias is of no account here */
}

int64_t ref_between(struct reference *r, int64_t least, int64_t most)
{
    if (most < least)
        stop("an empty range", "ref_between");
    return least + (int64_t)ref_below(r, (uint64_t)(most - least) + 1);
}

double ref_unit(struct reference *r) { return (double)(draw(r) >> 11) * 0x1p-53; }

int64_t ref_power(struct reference *r, int64_t most)
{
    const int64_t size = (int64_t)(1 / (1 - ref_unit(r) * (1 - 1.0 / (double)(most + 1))));
    return size < 1 ? 1 : size > most ? most : size;
}

/* ---- tables ------------------------------------------------------------------------------ */

static FILE *new_table(struct reference *r, const char *mode, const char *name)
{
    char path[1024] = "/dev/null";
    if (strcmp(mode, r->mode) == 0)
        snprintf(path, sizeof path, "%s/%s", r->folder, name);
    FILE *out = r->table_count < MOST_TABLES ? fopen(path, "w") : NULL;
    if (!out)
        stop("cannot be written", path);
    r->tables[r->table_count++] = out;
    return out;
}

FILE *ref_table(struct reference *r, const char *name) { return new_table(r, "test", name); }
FILE *ref_give(struct reference *r, const char *name) { return new_table(r, "give", name); }
FILE *ref_solve(struct reference *r, const char *name) { return new_table(r, "solve", name); }

/* ---- the program ---------------------------------------------------------------------------- */

static void write_arrays(struct reference *r)
{
    struct complaint c = { 0 };
    char path[1024];
    for (int i = 0; i < r->array_count; i++) {
        struct made *a = &r->arrays[i];
        snprintf(path, sizeof path, "%s/%s.npy", r->folder, a->name);
        if (strcmp(r->mode, "test") == 0 && !npy_save(path, a->element, a->count, a->bytes, "", &c))
            stop(c.text, a->name);
        free(a->name);
        free(a->bytes);
    }
}

static void write_settings(struct reference *r)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/settings", r->folder);
    FILE *out = fopen(strcmp(r->mode, "test") == 0 ? path : "/dev/null", "w");
    if (!out)
        stop("cannot be written", path);
    for (int i = 0; i < r->setting_count; i++) {
        fprintf(out, "%s\n", r->settings[i]);
        free(r->settings[i]);
    }
    if (fclose(out) != 0)
        stop("cannot be written", path);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        stop("usage: PROGRAM FOLDER SEED MODE NAME=VALUE...", argv[0]);
    struct reference *r = must(calloc(1, sizeof *r));
    r->folder = argv[1];
    r->state = strtoull(argv[2], NULL, 10);
    r->mode = argv[3];
    r->words = argv + 4;
    r->word_count = argc - 4;
    reference(r);
    for (int i = 0; i < r->table_count; i++)
        if (fclose(r->tables[i]) != 0)
            stop("a table cannot be written", r->folder);
    write_arrays(r);
    write_settings(r);
    free(r);
    return ENDS_RIGHT;
}

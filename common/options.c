/* See options.h. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { COUNT, REAL, TEXT, FLAG };

struct row {
    const char *name, *argument, *initial, *help;
    enum kind kind;
    unsigned takes;
    int64_t min, max;
    size_t offset; /* of the value in struct options */
};

static const struct row rows[] = {
#define OPTION(field, kind, argument, initial, min, max, takes, help) \
    {#field, argument, initial, help, kind, takes, min, max, offsetof(struct options, field)},
#include "options.def"
#undef OPTION
};
enum { ROWS = sizeof rows / sizeof rows[0] };

bool read_count(const char *text, int64_t min, int64_t max, int64_t *value)
{
    int64_t sum = 0;
    if (*text == '\0')
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        if (sum > (INT64_MAX - 9) / 10)
            return false;
        sum = sum * 10 + (*text - '0');
    }
    *value = sum;
    return sum >= min && sum <= max;
}

/* Whatever strtof() reads, and nothing around it; out of float's range is an error. */
static bool read_real(const char *text, float *value)
{
    char *end;
    errno = 0;
    *value = strtof(text, &end);
    return !isspace((unsigned char)*text) && end != text && *end == '\0' && errno != ERANGE;
}

static bool set(struct options *options, const struct row *row, const char *text, struct sentence *why)
{
    void *at = (char *)options + row->offset;
    switch (row->kind) {
    case FLAG:
        *(bool *)at = true;
        return true;
    case TEXT:
        *(const char **)at = text;
        return true;
    case REAL:
        if (!read_real(text, at))
            return say(why, "--%s %s: not a number that a float holds", row->name, text);
        return true;
    case COUNT:
        break;
    }
    if (strcmp(row->initial, "auto") == 0 && strcmp(text, "auto") == 0) {
        *(int64_t *)at = OPTION_AUTO;
        return true;
    }
    if (!read_count(text, row->min, row->max, at))
        return say(why, "--%s %s: not a whole number from %lld to %lld", row->name, text, (long long)row->min,
                   (long long)row->max);
    return true;
}

/* The row of `--name` or `--name=...`; *value points behind the '=' or is NULL. */
static const struct row *find(const char *word, unsigned takes, const char **value)
{
    if (strncmp(word, "--", 2) != 0)
        return NULL;
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word + 2);
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (strlen(row->name) == length && strncmp(row->name, word + 2, length) == 0) {
            *value = equals ? equals + 1 : NULL;
            return row->takes == 0 || (row->takes & takes) ? row : NULL;
        }
    }
    return NULL;
}

bool options_read(struct options *options, unsigned takes, int argc, char **argv, struct sentence *why)
{
    memset(options, 0, sizeof *options);
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->kind != FLAG)
            set(options, row, row->initial, why);
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--help") == 0) {
            options->help = true;
            return true;
        }
        const char *value = NULL;
        const struct row *row = find(argv[k], takes, &value);
        if (row == NULL)
            return say(why, "%s: no such option here; --help lists them", argv[k]);
        if (row->kind == FLAG && value)
            return say(why, "%s: --%s takes no value", argv[k], row->name);
        if (row->kind != FLAG && value == NULL && ++k == argc)
            return say(why, "--%s: %s is missing after it", row->name, row->argument);
        if (!set(options, row, value ? value : argv[k], why))
            return false;
    }
    return true;
}

void options_help(FILE *out, const char *program, unsigned takes)
{
    fprintf(out, "usage: %s [OPTION]...\n\n", program);
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (row->takes && !(row->takes & takes))
            continue;
        fprintf(out, "  --%-8s %-9s %s", row->name, row->argument, row->help);
        if (*row->initial && strcmp(row->initial, "auto") != 0)
            fprintf(out, " (%s)", row->initial);
        fputc('\n', out);
    }
    fprintf(out, "  --%-8s %-9s %s\n", "help", "", "this text");
    fprintf(out, "\nexit: 0 right, 1 wrong result, 2 a request that makes no sense, 3 this machine cannot do it\n");
}

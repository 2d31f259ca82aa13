/*
 * show: draws a trace (trace/trace.h).
 *   show transcript TRACE SOURCE.cu [--block N] [--tile N] [--barrier NAME]
 *   show figure NAME TRACE SOURCE.cu                the pictures of tutorial/figures/figures.tsv, as SVG
 * Exit 0, 2 for a wrong command or a file that is no trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/figure.h"
#include "show/names.h"
#include "show/table.h"
#include "show/transcript.h"

enum { ENDS_RIGHT = 0, ENDS_USAGE = 2, WHY = 600 };

static int usage(void)
{
    fputs("usage: show transcript TRACE SOURCE.cu [--block N] [--tile N] [--barrier NAME]\n"
          "       show figure NAME TRACE SOURCE.cu\n", stderr);
    return ENDS_USAGE;
}

static bool read_number(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *out >= 0;
}

static bool read_options(int argc, char **argv, struct transcript_options *o, char *why)
{
    for (int k = 4; k + 1 < argc; k += 2) {
        const char *name = argv[k], *value = argv[k + 1];
        if (strcmp(name, "--barrier") == 0)
            o->barrier = value;
        else if (strcmp(name, "--block") != 0 && strcmp(name, "--tile") != 0)
            return snprintf(why, WHY, "unknown option '%.60s'", name) < 0;
        else if (!read_number(value, strcmp(name, "--block") == 0 ? &o->block : &o->tile))
            return snprintf(why, WHY, "%s: '%.60s' is no number, 0 or more", name + 2, value) < 0;
    }
    return argc % 2 == 0 || snprintf(why, WHY, "%.60s needs a value", argv[argc - 1]) < 0;
}

static int show_transcript(int argc, char **argv)
{
    struct transcript_options o = {.block = -1, .tile = -1};
    struct table t;
    struct names n;
    char why[WHY] = "";
    bool right = read_options(argc, argv, &o, why) && table_read(&t, argv[2], why, sizeof why);
    if (right) {
        right = names_read(&n, argv[3], why, sizeof why) && transcript(&t, &n, &o, stdout, why, sizeof why);
        names_free(&n);
        table_free(&t);
    }
    if (right && (fflush(stdout) != 0 || ferror(stdout)))
        right = snprintf(why, sizeof why, "standard output cannot be written") < 0;
    if (!right)
        fprintf(stderr, "%s\n", why);
    return right ? ENDS_RIGHT : ENDS_USAGE;
}

static const struct { const char *name; bool (*draw)(struct picture *); } figures[] = {
    {"mbarrier-phases", figure_phases}, {"result-gates", figure_gates}, {"request-overlap", figure_overlap}, {"multicast", figure_multicast},
};

static int show_figure(char **argv)
{
    struct table t;
    struct names n;
    struct picture p = {.t = &t, .n = &n, .out = stdout};
    size_t k = 0, count = sizeof figures / sizeof figures[0];
    while (k < count && strcmp(figures[k].name, argv[2]) != 0)
        k++;
    if (k == count) {
        fprintf(stderr, "there is no figure '%.60s' to be drawn from a trace\n", argv[2]);
        return ENDS_USAGE;
    }
    bool right = table_read(&t, argv[3], p.why, sizeof p.why);
    if (right) {
        right = names_read(&n, argv[4], p.why, sizeof p.why) && figures[k].draw(&p);
        names_free(&n);
        table_free(&t);
    }
    if (right && (fflush(stdout) != 0 || ferror(stdout)))
        right = figure_lacks(&p, "a place to be written to");
    if (!right)
        fprintf(stderr, "%s: %s\n", argv[2], p.why);
    return right ? ENDS_RIGHT : ENDS_USAGE;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "transcript") == 0)
        return show_transcript(argc, argv);
    if (argc == 5 && strcmp(argv[1], "figure") == 0)
        return show_figure(argv);
    return usage();
}

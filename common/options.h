/*
 * Options of a step program, read from the table in options.def.
 *  - options_read() fills a struct options or says in one sentence what is wrong.
 *  - `--name value` and `--name=value` are the same; the last one given wins.
 *  - Texts point into argv.
 * Not modelled: short options, abbreviations, positional arguments.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "sentence.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a program can take; also the `takes` column of options.def. */
enum job_takes {
    JOB_BLOCKS = 1,  /* --blocks: the number of blocks is free */
    JOB_CLUSTER = 2, /* --cluster */
    JOB_STEALS = 4,  /* a block may do another block's tile: `+` in the timeline */
    JOB_URGENT = 8,  /* --urgent */
    JOB_FOURS = 16,  /* a block has a multiple of four threads */
};

/* Value of a COUNT that was left at "auto". */
#define OPTION_AUTO INT64_C(-1)

#define OPTION_COUNT_T int64_t
#define OPTION_REAL_T float
#define OPTION_TEXT_T const char *
#define OPTION_FLAG_T bool

struct options {
#define OPTION(field, kind, argument, initial, min, max, takes, help) OPTION_##kind##_T field;
#include "options.def"
#undef OPTION
    bool help; /* --help was given; nothing else is checked then */
};

/* Reads argv[1..argc-1]. `takes`: OR of enum job_takes. False: `why` holds the sentence. */
bool options_read(struct options *options, unsigned takes, int argc, char **argv, struct sentence *why);

/* Prints the table as far as the program takes it. */
void options_help(FILE *out, const char *program, unsigned takes);

/* A whole number in decimal digits alone, from min to max; false otherwise. */
bool read_count(const char *text, int64_t min, int64_t max, int64_t *value);

#ifdef __cplusplus
}
#endif

#endif

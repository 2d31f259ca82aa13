/*
 * What a program prints at its end: for a person, or one JSON object.
 * The last line is the verdict, PASS or FAIL with the first thing that is wrong.
 * Interface: job_report() of job.h.
 * Not modelled: colours, progress.
 */
#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is wrong first: an element, else a tile. True if nothing is. */
static bool verdict(const struct job *job, struct sentence *why)
{
    if (job->wrong.count) {
        wrong_text(&job->wrong, 0, why->text, sizeof why->text);
        return false;
    }
    return job->ledger.tiles == NULL || ledger_check(&job->ledger, why);
}

/* ---- text --------------------------------------------------------------------------------- */

static void print_head(const struct job *job)
{
    printf("%s: v := %g v, n %" PRId64 ", %d tiles of %d threads, %d blocks, work %s\n", job->program,
           (double)job->alpha, job->n, job->tiles, job->block, job->grid, job->options.work);
    printf("%s%s\n", job->emulated ? "" : "GPU ", job->device);
    printf("CLC: %s\n", job->clc);
}

static void print_ledger(const struct job *job)
{
    if (job->tiles == 0)
        printf("nothing to launch: n is 0\n");
    else if (job->ledger.tiles == NULL)
        printf("who did what was not recorded: more than %d tiles\n", JOB_RECORDED_MOST);
    else {
        printf("prologue ran in %" PRId64 " of %d blocks\n", ledger_prologues(&job->ledger), job->grid);
        if (job->takes & JOB_STEALS)
            printf("stolen %" PRId64 " of %d tiles\n", ledger_stolen(&job->ledger), job->tiles);
        if (job->options.timeline)
            ledger_timeline(&job->ledger, stdout);
    }
}

static void print_time(const struct job *job, const struct spread *time)
{
    if (time->count == 0)
        return;
    int digits = job->emulated ? 0 : 4;
    printf("time %.*f %s", digits, time->median, job->emulated ? "model cycles" : "ms");
    if (time->count > 1)
        printf(", median of %d, %.*f to %.*f", time->count, digits, time->least, digits, time->most);
    printf("\n");
}

static void print_wrong(const struct job *job)
{
    char text[128];
    for (int k = 0; k < WRONG_SHOWN && k < job->wrong.count; k++) {
        wrong_text(&job->wrong, k, text, sizeof text);
        printf("  %s\n", text);
    }
    if (job->wrong.count > WRONG_SHOWN)
        printf("  and %" PRId64 " more\n", job->wrong.count - WRONG_SHOWN);
}

static void print_text(const struct job *job, const struct spread *time, bool right, const struct sentence *why)
{
    print_head(job);
    print_ledger(job);
    print_time(job, time);
    print_wrong(job);
    if (!right)
        printf("FAIL %s: %s\n", job->program, why->text);
    else if (job->ledger.tiles && job->tiles == 1)
        printf("PASS %s: %" PRId64 " elements, the one tile once\n", job->program, job->n);
    else if (job->ledger.tiles)
        printf("PASS %s: %" PRId64 " elements, each of %d tiles once\n", job->program, job->n, job->tiles);
    else
        printf("PASS %s: %" PRId64 " elements\n", job->program, job->n);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_string(const char *name, const char *text)
{
    printf("\"%s\":\"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    }
    printf("\"");
}

static void print_json(const struct job *job, const struct spread *time, bool right, const struct sentence *why)
{
    printf("{");
    print_string("program", job->program);
    printf(",\"verdict\":\"%s\",", right ? "pass" : "fail");
    if (!right) {
        print_string("why", why->text);
        printf(",");
    }
    printf("\"exit\":%d,\"n\":%" PRId64 ",\"block\":%d,\"tiles\":%d,\"blocks\":%d,\"cluster\":%d,",
           right ? EXIT_RIGHT : EXIT_WRONG, job->n, job->block, job->tiles, job->grid, job->cluster);
    print_string("work", job->options.work);
    printf(",");
    print_string("clc", job->clc);
    printf(",");
    print_string("device", job->device);
    printf(",\"emulated\":%s,\"wrong\":%" PRId64 ",", job->emulated ? "true" : "false", job->wrong.count);
    if (job->ledger.tiles)
        printf("\"prologues\":%" PRId64 ",\"stolen\":%" PRId64 ",", ledger_prologues(&job->ledger),
               ledger_stolen(&job->ledger));
    printf("\"time\":{\"unit\":\"%s\",\"median\":%.9g,\"least\":%.9g,\"most\":%.9g,\"launches\":%d}}\n",
           job->emulated ? "model cycles" : "ms", time->median, time->least, time->most, time->count);
}

int job_report(struct job *job)
{
    struct sentence why = {""};
    struct spread time = spread_of(job->times, job->timed);
    bool right = verdict(job, &why);
    if (job->options.json)
        print_json(job, &time, right, &why);
    else
        print_text(job, &time, right, &why);
    /* A verdict that could not be printed is no verdict. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: standard output cannot be written\n", job->program);
        return EXIT_USAGE;
    }
    return right ? EXIT_RIGHT : EXIT_WRONG;
}

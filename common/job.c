/* See job.h. The report is in report.c. */
#include "job.h"

#include "npy.h"
#include "work.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void job_die(const char *program, const struct sentence *why, int code)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program, why->text);
    exit(code);
}

void job_free(struct job *job)
{
    free(job->input);
    free(job->sizes);
    free(job->times);
    free(job->ledger.tiles);
    free(job->ledger.blocks);
    job->input = NULL;
    job->sizes = NULL;
    job->times = NULL;
    job->ledger.tiles = NULL;
    job->ledger.blocks = NULL;
}

/* ---- before a GPU is touched -------------------------------------------------------------- */

/* n is what was asked for; else what the input holds; else a tile for each number of a work file. */
static bool choose_n(struct job *job, const struct work_file *work, struct sentence *why)
{
    const struct options *o = &job->options;
    int64_t held = 0;
    job->n = o->n;
    if (*o->input) {
        void *data = NULL;
        if (!npy_read(o->input, "<f4", &data, &held, why))
            return false;
        job->input = data;
        if (o->n != OPTION_AUTO && o->n != held)
            return say(why, "--n %" PRId64 ": %s holds %" PRId64 " elements", o->n, o->input, held);
        job->n = held;
    } else if (o->n == OPTION_AUTO) {
        job->n = work->count ? work->count * job->block : 1 << 20;
    }
    return true;
}

static bool choose_tiles(struct job *job, struct sentence *why)
{
    int64_t tiles = (job->n + job->block - 1) / job->block;
    tiles = (tiles + job->cluster - 1) / job->cluster * job->cluster;
    if (tiles > JOB_TILES_MOST)
        return say(why, "--n %" PRId64 ": %" PRId64 " tiles of %d threads; %d tiles is the most, take a larger --block",
                   job->n, tiles, job->block, JOB_TILES_MOST);
    job->tiles = (int)tiles;
    return true;
}

static bool choose_work(struct job *job, const struct work_file *file, struct sentence *why)
{
    const struct options *o = &job->options;
    bool uniform = strcmp(o->work, "uniform") == 0;
    int64_t units = o->units;
    if (units == OPTION_AUTO)
        units = uniform ? 0 : work_is_shape(o->work) ? 100 : 1;
    job->uniform = uniform ? (uint32_t)units : 0;
    if (o->urgent && uniform && units == 0)
        return say(why, "--urgent: the tiles cost nothing, so there is nothing to wait for; add --units 1000");
    if (!work_sizes(&job->sizes, o->work, file, job->tiles, units, (uint32_t)o->seed, why))
        return false;
    if (job->sizes == NULL)
        return true;
    uint32_t *longer = realloc(job->sizes, ((size_t)job->tiles + 1) * sizeof *longer);
    if (longer == NULL)
        return say(why, "--work %s: no memory for the sizes of %d tiles", o->work, job->tiles);
    longer[job->tiles] = 0; /* for kernels that go too far */
    job->sizes = longer;
    return true;
}

static bool check_options(struct job *job, struct sentence *why)
{
    const struct options *o = &job->options;
    if ((o->cluster & (o->cluster - 1)) != 0)
        return say(why, "--cluster %" PRId64 ": a cluster has 1, 2, 4 or 8 blocks", o->cluster);
    if (job->takes & JOB_FOURS && o->block % 4 != 0)
        return say(why, "--block %" PRId64 ": here a multiple of 4, because bulk copies move whole 16 bytes", o->block);
    if (o->urgent && o->json)
        return say(why, "--urgent prints lines of text: leave out --json");
    if (isnan(o->alpha))
        return say(why, "--alpha nan: every result would be NaN and nothing could be checked");
    if (*o->output && strcmp(o->output, o->input) == 0)
        return say(why, "--output %s: that is the input", o->output);
    job->block = (int)o->block;
    job->cluster = job->takes & JOB_CLUSTER ? (int)o->cluster : 1;
    job->alpha = o->alpha;
    return true;
}

static bool check_tiles(const struct job *job, struct sentence *why)
{
    if (job->options.timeline && job->tiles > TIMELINE_TILES)
        return say(why, "--timeline: %d tiles; it draws %d at most, take a smaller --n or a larger --block", job->tiles,
                   TIMELINE_TILES);
    if (*job->options.trace && job->tiles > JOB_RECORDED_MOST)
        return say(why, "--trace %s: %d tiles; %d are recorded at most", job->options.trace, job->tiles,
                   JOB_RECORDED_MOST);
    return true;
}

bool job_prepare(struct job *job, const char *program, unsigned takes, int argc, char **argv, struct sentence *why)
{
    struct work_file work = {NULL, 0};
    memset(job, 0, sizeof *job);
    job->program = program;
    job->takes = takes;
    job->clc = "not used";
    if (!options_read(&job->options, takes, argc, argv, why))
        return false;
    if (job->options.help) {
        options_help(stdout, program, takes);
        return fflush(stdout) == 0 || say(why, "standard output: cannot be written: %s", strerror(errno));
    }
    bool right = check_options(job, why);
    if (right && !work_is_shape(job->options.work))
        right = work_file_read(&work, job->options.work, WORK_SHAPES, why);
    right = right && choose_n(job, &work, why) && choose_tiles(job, why) && check_tiles(job, why) &&
            choose_work(job, &work, why);
    free(work.sizes);
    if (!right)
        job_free(job);
    return right;
}

/* ---- data --------------------------------------------------------------------------------- */

/* Integers that a float holds, all different within any 2^24 neighbours, and none of them 0. */
static float made(int64_t i, uint32_t seed)
{
    uint32_t value = (uint32_t)i & 0xffffff;
    if (seed) /* odd factors and shifts to the right mix without two going to one */
        value = ((((value ^ value >> 13) + seed) * UINT32_C(0x9e3779b1) & 0xffffff) ^ (seed & 0xfff)) & 0xffffff;
    return (float)(value + 1);
}

void job_input(const struct job *job, float *piece, int64_t first, int64_t count)
{
    if (job->input) {
        memcpy(piece, job->input + first, (size_t)count * sizeof *piece);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        piece[i] = made(first + i, (uint32_t)job->options.seed);
}

void job_compare(struct job *job, const float *got, float *want, int64_t first, int64_t count)
{
    job_input(job, want, first, count);
    for (int launch = 0; launch < job->launches; launch++)
        scale(want, count, job->alpha);
    compare(&job->wrong, got, want, first, count);
}

/*
 * Lab 1: work sizes made from the student's seed, and what becomes of them on an ideal machine of 8 places.
 * The machine: a block starts as soon as a place is free; starting and asking take no time; at equal times the block
 * with the smaller number is served first. Four ways to hand out 24 tiles:
 *   step1   a block for each tile, and a prologue for each
 *   step2   8 blocks; block b does tiles b, b + 8, b + 16
 *   before  8 blocks; a block asks for its next tile when it begins with the one it has
 *   after   8 blocks; a block asks when it has finished the one it has
 */
#include <stdio.h>
#include <stdlib.h>

#include "labs/grader/reference.h"

enum { TILES = 24, PLACES = 8 };
enum { STEP1, STEP2, BEFORE, AFTER, WAYS };

static const char *const way_name[WAYS] = { "step1", "step2", "before", "after" };

struct job {
    const char *name;
    int64_t prologue, units[TILES], total;
};

static int64_t latest(const int64_t *end)
{
    int64_t most = 0;
    for (int b = 0; b < PLACES; b++)
        if (end[b] > most)
            most = end[b];
    return most;
}

static int first_free(const int64_t *end)
{
    int first = 0;
    for (int b = 1; b < PLACES; b++)
        if (end[b] < end[first])
            first = b;
    return first;
}

/* Tiles in order, each to the place that is free first; a prologue for each tile or one for each place. */
static int64_t in_order(const struct job *job, bool prologue_each)
{
    int64_t end[PLACES];
    for (int b = 0; b < PLACES; b++)
        end[b] = prologue_each ? 0 : job->prologue;
    for (int k = 0; k < TILES; k++)
        end[first_free(end)] += job->units[k] + (prologue_each ? job->prologue : 0);
    return latest(end);
}

static int64_t by_stride(const struct job *job)
{
    int64_t end[PLACES] = { 0 };
    for (int k = 0; k < TILES; k++)
        end[k % PLACES] += job->units[k] + (k < PLACES ? job->prologue : 0);
    return latest(end);
}

/* Tile PLACES + b is taken by block b when it begins; from then on, whoever begins a tile takes the next. */
static int64_t reserved_early(const struct job *job)
{
    int64_t due[PLACES], last = 0; /* due: when a block begins with the tile it has reserved */
    int reserved[PLACES], next = 2 * PLACES;
    for (int b = 0; b < PLACES; b++) {
        due[b] = job->prologue + job->units[b];
        reserved[b] = PLACES + b;
    }
    for (int done = PLACES; done < TILES; done++) {
        const int b = first_free(due);
        const int64_t end = due[b] + job->units[reserved[b]];
        if (end > last)
            last = end;
        due[b] = next < TILES ? end : INT64_MAX;
        reserved[b] = next < TILES ? next++ : 0;
    }
    return last;
}

static int64_t time_of(const struct job *job, int way)
{
    return way == STEP2 ? by_stride(job) : way == BEFORE ? reserved_early(job) : in_order(job, way == STEP1);
}

static void tell(FILE *file, const struct job *job, int way)
{
    const int64_t time = time_of(job, way);
    fprintf(file, "%s-%s,%lld,%.1f\n", job->name, way_name[way], (long long)time,
            100.0 * (double)job->total / ((double)PLACES * (double)time));
}

static void give_sizes(FILE *file, const struct job *job, const char *remark)
{
    fprintf(file, "# Lab 1, job %s: units of each of %d tiles, %s. Prologue: %lld units. Places: %d.\n", job->name, TILES,
            remark, (long long)job->prologue, PLACES);
    for (int k = 0; k < TILES; k++)
        fprintf(file, "%lld\n", (long long)job->units[k]);
}

static int longer(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static void make_jobs(struct reference *r, struct job *a, struct job *b)
{
    *a = (struct job){ .name = "a", .prologue = 100 * ref_between(r, 6, 14) };
    for (int k = 0; k < TILES; k++)
        a->units[k] = 10 * ref_between(r, 100, 400);
    a->units[ref_between(r, 12, 22)] = 1000 * ref_between(r, 9, 14); /* the giant */
    for (int k = 0; k < TILES; k++)
        a->total += a->units[k];
    *b = *a;
    b->name = "b";
    qsort(b->units, TILES, sizeof b->units[0], longer);
}

void reference(struct reference *r)
{
    struct job a, b;
    make_jobs(r, &a, &b);
    give_sizes(ref_give(r, "a.txt"), &a, "in the order of their index");
    give_sizes(ref_give(r, "b.txt"), &b, "the same ones, longest first");

    FILE *empty = ref_give(r, "predictions.csv"), *answer = ref_solve(r, "predictions.csv");
    fprintf(empty, "run,time,balance\n");
    fprintf(answer, "run,time,balance\n");
    for (int way = 0; way < WAYS; way++) { /* a table for each, so each is a test of its own */
        char name[32];
        snprintf(name, sizeof name, "%s.csv", way_name[way]);
        FILE *want = ref_table(r, name);
        fprintf(want, "run,time,balance\n");
        fprintf(empty, "a-%s,,\nb-%s,,\n", way_name[way], way_name[way]);
        tell(want, &a, way);
        tell(want, &b, way);
        tell(answer, &a, way);
        tell(answer, &b, way);
    }
}

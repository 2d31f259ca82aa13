/*
 * The job: what a step program was asked to do, and what came of it. Host side, plain C.
 *  - job_prepare()  options, data, work sizes: everything known before a GPU is touched
 *  - job_input()    a piece of the data; job_compare() holds a piece of the result against scale()
 *  - job_report()   prints device, times, timeline and the verdict; returns the exit code
 * job.cuh adds the CUDA side. job_tool.c does without CUDA, for readers who have no nvcc.
 * Not modelled: more than one array, another type than float.
 */
#ifndef COMMON_JOB_H
#define COMMON_JOB_H

#include <stdint.h>

#include "check.h"
#include "ledger.h"
#include "options.h"
#include "sentence.h"
#include "timer.h"

/* A unit of a tile's cost (job.cuh). A bench may put another one here. */
#ifndef TILE_COST
#define TILE_COST(x, half, one) fmaf(x, half, one)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What spend() and compute_scalar() read, in constant memory as `plan`. Set before each launch;
 * launches that overlap share it. The .launch file of a step gives the same fields in the same order.
 */
struct tile_plan {
    const uint32_t *units;       /* of each tile, one more than there are; NULL: `uniform` units each */
    struct tile_record *tiles;   /* one more than there are; NULL: nothing is recorded */
    struct block_record *blocks; /* one a block of the grid; NULL with `tiles` */
    float *never;                /* where the arithmetic would go if it could get there */
    uint32_t count;              /* tiles */
    uint32_t uniform;            /* units */
    uint32_t prologue;           /* units */
    uint32_t busy;               /* 0: no units anywhere and nothing to record */
    float alpha;
    float half, one; /* 0.5 and 1, unknown to the compiler */
    float unused;
};

enum {
    JOB_TILES_MOST = 1 << 30,    /* so that bx + gridDim.x stays an int */
    JOB_RECORDED_MOST = 1 << 22, /* tiles; a longer ledger would need more memory than the data */
    JOB_PIECE = 1 << 20,         /* elements moved and compared at a time */
};

struct job {
    /* Set by job_prepare(), constant afterwards. */
    const char *program;
    unsigned takes; /* enum job_takes */
    struct options options;
    int64_t n;       /* elements */
    int tiles;       /* ceil(n / block), rounded up to whole clusters */
    int block;       /* threads */
    int cluster;     /* blocks; 1 unless --cluster */
    float alpha;
    float *input;    /* from --input, or NULL: made by job_input() */
    uint32_t *sizes; /* tiles + 1 units, or NULL: `uniform` each */
    uint32_t uniform;

    /* Set by main() before job_run(). */
    int grid;        /* blocks to launch */
    const char *clc; /* "instruction", "software" or "not used" */

    /* Set by whoever ran it. */
    float *data; /* device memory, n elements */
    char device[256];
    bool emulated; /* then times are in model cycles */
    int launches;  /* so far: data holds alpha^launches times the input */
    struct wrong wrong;
    struct ledger ledger; /* tiles == NULL: not recorded */
    double *times;        /* of `timed` launches: ms, or model cycles */
    int timed;
};

/*
 * Reads options and files. False: `why` says what is wrong (exit code 2). With --help it prints the
 * help, sets job->options.help and returns true.
 */
bool job_prepare(struct job *job, const char *program, unsigned takes, int argc, char **argv, struct sentence *why);
void job_free(struct job *job);

/* Elements first .. first + count - 1 of the input. */
void job_input(const struct job *job, float *piece, int64_t first, int64_t count);

/* Elements of the piece that starts at `first`. */
static inline int64_t job_piece(const struct job *job, int64_t first)
{
    const int64_t rest = job->n - first;
    return rest < JOB_PIECE ? rest : (int64_t)JOB_PIECE;
}

/* Compares a piece of the result after job->launches launches; `want` is scratch of `count` floats. */
void job_compare(struct job *job, const float *got, float *want, int64_t first, int64_t count);

/* Prints everything; returns the exit code. */
int job_report(struct job *job);

/* Prints `program: sentence` on stderr and leaves with the code. */
void job_die(const char *program, const struct sentence *why, int code);

#ifdef __cplusplus
}
#endif

#endif

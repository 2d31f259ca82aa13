/*
 * A command that we do not trust with this machine: nvcc or emu-run on a
 * student's source.
 *
 * It gets a folder to write, a folder to read, limits on processor time, time,
 * memory and sizes, and an environment of its own. Where Linux allows it, it
 * also gets a file system that holds only these folders, the system's programs
 * (read-only), the compiler and the headers; no network; and, if we are root,
 * another user (nobody).
 * Not limited: how many processes; neither command starts what a source says.
 */
#ifndef LABS_BOX_H
#define LABS_BOX_H

#include "text.h"

/* What must be visible in every box. Set once by box_prepare. */
struct box_view {
    char *toolkit;              /* the compiler's folder; NULL: none */
    char *headers;              /* holds common/ */
    char *emu_run;
    bool nobody;                /* we are root and can become another user; box_prepare finds out */
};

struct box {
    const char *folder;         /* "/box" inside; writable */
    const char *data;           /* "/data" inside; read-only; NULL: none */
};

struct box_limits {
    double cpu, wall;           /* seconds */
    size_t memory;              /* bytes of address space, each process */
    size_t file;                /* bytes of a file it writes */
    size_t output;              /* bytes of standard output and error after which it is stopped */
    size_t kept;                /* of each, so many are kept */
};

enum box_end { BOX_EXIT, BOX_CPU, BOX_WALL, BOX_FILE, BOX_OUTPUT, BOX_SIGNAL };

struct box_result {
    enum box_end end;
    int status;                 /* exit status, or the signal's number */
    double cpu, wall;           /* seconds */
    struct text out, err;
    size_t out_bytes, err_bytes;        /* all that came, kept or not */
};

/* Finds out what this system allows. `scratch` must exist. Call once. */
void box_prepare(const struct box_view *view, const char *scratch);
/* What a box cannot keep apart on this system; "" if nothing: a sentence for the report. */
const char *box_missing(void);
/* The path inside the box: of "/box/x", "/data/x", "/include", "/emu-run". malloc'ed. */
char *box_path(const struct box *box, const char *path);
/* Gives a folder to whoever will run in the box. */
void box_give(const char *folder);
void box_run(const struct box *box, char *const argv[], const struct box_limits *limits, struct box_result *result);
void box_result_free(struct box_result *result);

#endif

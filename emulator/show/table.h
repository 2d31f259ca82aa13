/*
 * A trace (trace/trace.h says what stands in it), read back for drawing.
 *
 * The file stays in memory and lines point into it. Lines come in the order of
 * their effects, with times that go back where a warp ran ahead; table_read
 * sorts them by `when`, a time that never goes back for one warp nor for one
 * object, so that what is read from top to bottom is right for both.
 */
#ifndef EMU_SHOW_TABLE_H
#define EMU_SHOW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum what {
    EV_GRID_START, EV_GRID_END, EV_BLOCK_START, EV_BLOCK_END, EV_EXIT, EV_READ, EV_WRITE, EV_ATOMIC, EV_FENCE,
    EV_BAR_ARRIVE, EV_BAR_PASS, EV_WARP_SYNC, EV_CLUSTER_ARRIVE, EV_CLUSTER_PASS, EV_MBARRIER, EV_COPY, EV_DELIVER,
    EV_REQUEST, EV_RESPONSE, EV_QUERY, EV_GROUP_PASS, EV_COUNT
};

struct line {
    uint64_t time, when;
    uint32_t serial;             /* in the file */
    enum what event;
    int64_t grid, block, warp;   /* -1: none */
    int64_t owner;               /* block in whose shared memory the object lies, or `block` */
    uint32_t lanes;
    uint32_t sm, slot;
    const char *file;            /* of the source, "" none */
    int source;                  /* line there, 0 none */
    const char *object;          /* name, "" none */
    uint64_t offset;
    const char *what;            /* "" none */
    const char *details;
};

struct table {
    struct line *lines;
    size_t count;
    char device[32];
    int64_t blocks, threads;     /* of the first launch: in its grid, in a block */
    int64_t cluster;             /* blocks in a cluster, 1 without clusters */
    char kernel[128];
    char *text;
};

/* Only the first launch is kept: the recorded one. false: `why` holds a sentence. */
bool table_read(struct table *t, const char *path, char *why, size_t size);
void table_free(struct table *t);
/* The number after KEY= in a line's details; `otherwise` when there is none. */
int64_t detail(const struct line *l, const char *key, int64_t otherwise);
/* The text after KEY= up to a blank, into `out`; false: there is none. */
bool detail_text(const struct line *l, const char *key, char *out, size_t size);

#endif

/* One access as the checker looks at it; inside the checker only. */
#ifndef EMU_CHECKER_ACCESS_H
#define EMU_CHECKER_ACCESS_H

#include "checker/state.h"

struct look {
    const struct event *e;
    struct cblock *b;                /* of the accessing lanes */
    struct cblock *owner;            /* of the shared memory; NULL: global memory */
    const struct know *k;            /* what the lanes know */
    uint32_t warp, lanes, n;
    uint16_t site;
    uint8_t flags;                   /* BY_... */
    bool write, acquires;
};

/* An access of a peer to owner's shared memory: `by` must be known there when it exits; `who` for the report. */
void remember_remote(struct checker *c, struct cblock *owner, const struct access_by *by, const struct access_by *who);
void touched_peer(struct checker *c, struct cblock *b, uint32_t warp, uint32_t lanes);
void plain_access_to_mbarrier(struct checker *c, const struct look *x, uint32_t offset, uint32_t bytes);   /* mbarrier.c */
void read_of_response(struct checker *c, const struct look *x, uint32_t offset, uint32_t bytes);           /* async.c */
void global_name(struct checker *c, uint64_t address, char *text, size_t size);                            /* report.c */

#endif

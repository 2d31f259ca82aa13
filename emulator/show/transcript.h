/*
 * The protocol as it happened, one block or cluster: `make transcript`.
 */
#ifndef EMU_SHOW_TRANSCRIPT_H
#define EMU_SHOW_TRANSCRIPT_H

#include <stdio.h>

#include "show/names.h"
#include "show/table.h"

struct transcript_options {
    int64_t block;               /* -1: block 0, or the one that did `tile` */
    int64_t tile;                /* -1: all */
    const char *barrier;         /* NULL: all; a name such as bar, `block` or `cluster` */
};

/* Prints it. false: there is no such block, tile or barrier; `why` says what there is. */
bool transcript(const struct table *t, const struct names *n, const struct transcript_options *o, FILE *out, char *why, size_t size);

#endif

/*
 * Pictures of the protocol, drawn from a trace: tutorial/figures/figures.tsv.
 * Where things stand and what they are called is written here; what happens,
 * when, and with which numbers is the trace's.
 */
#ifndef EMU_SHOW_FIGURE_H
#define EMU_SHOW_FIGURE_H

#include <stdio.h>

#include "show/names.h"
#include "show/table.h"

struct picture {
    const struct table *t;
    const struct names *n;
    FILE *out;
    char why[300];               /* set when a picture cannot be drawn */
};

/* The next line at or after `*at` of this event in this block, with this name and `what` (NULL: any); NULL: none. *at moves
 * behind it. */
const struct line *figure_next(const struct picture *p, size_t *at, int64_t block, enum what event, const char *name, const char *what);
/* Says what the trace lacks; false. */
bool figure_lacks(struct picture *p, const char *what);

/* Each draws one picture. false: p->why says what the trace lacks. */
bool figure_phases(struct picture *p);     /* an mbarrier as two counters */
bool figure_gates(struct picture *p);      /* `result` handed to and fro */
bool figure_overlap(struct picture *p);    /* requests behind tiles */
bool figure_multicast(struct picture *p);  /* one request, an answer to every block */

#endif

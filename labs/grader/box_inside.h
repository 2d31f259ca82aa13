/*
 * How a process goes into its box. Apart from box.c because it is Linux alone.
 */
#ifndef LABS_BOX_INSIDE_H
#define LABS_BOX_INSIDE_H

#include "box.h"

enum { NOBODY = 65534 };

enum apart {
    APART_ALL,          /* own file system, own network, own user if we are root */
    APART_USER,         /* root becomes nobody, no more */
    APART_NOTHING       /* limits alone */
};

/* In the child, after fork. `root` is an empty folder. false: it could not; the process is in no state to go on. */
bool box_enter(enum apart apart, const struct box_view *view, const struct box *box, const char *root);

#endif

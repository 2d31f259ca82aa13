/*
 * Which submissions of a class are alike: for whoever teaches to look at. It says what is the same, not why.
 */
#ifndef LABS_ALIKE_H
#define LABS_ALIKE_H

#include <stdint.h>

#include "lab.h"

struct alike_job {
    const char *student, *folder;       /* folder NULL: nothing was handed in */
    const struct lab *lab;
    bool seeded;                        /* has files of a seed that the student brought along */
};

/* A note for each job, "" for most: `phases.cu as bob; seed as bob, eve`, or `steal.cu is our solution`. All malloc'ed.
 * Sources are compared without comments and blanks; one that is as it was handed out is like no other. */
char **alike_notes(const struct alike_job *jobs, size_t count);

#endif

/*
 * How far the student is: labs/work/progress.tsv, one line a lab, to be read
 * by anybody. A damaged file is put aside with a sentence.
 */
#ifndef LABS_PROGRESS_H
#define LABS_PROGRESS_H

#include "lab.h"

struct progress {
    char lab[64];
    int best, last, of;         /* points; -1: never graded */
    int hints;                  /* taken, 0 to 3 */
    bool passed, solution;      /* ever all points; the solution was shown */
};

/* Of this lab; zero if there is no line. */
struct progress progress_of(const struct lab *lab);
void progress_put(const struct progress *p);
/* "L0 -  L1 100  L2 40 ..." over all labs. */
void progress_print(FILE *out);

#endif

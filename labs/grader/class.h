/*
 * A whole class: every lab in every folder of a folder. What is graded stays
 * graded: a killed run is started again and goes on.
 */
#ifndef LABS_CLASS_H
#define LABS_CLASS_H

#include <stdint.h>

struct class_options {
    const char *folder;         /* FOLDER/STUDENT/L3-steal/... */
    const char *out;            /* where grades go */
    long long lab;              /* -1: all that are handed in */
    const char *seed;           /* NULL: of an earlier run, or a new one */
    int jobs;
};

/* Returns an exit code: 0 all graded, 5 the grader failed on some. */
int class_grade(const struct class_options *options);

#endif

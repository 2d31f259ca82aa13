/*
 * What goes to the student: a lab's files, its hints, in the end its solution.
 */
#ifndef LABS_GIVE_H
#define LABS_GIVE_H

#include <stdint.h>

#include "lab.h"
#include "regions.h"

/* The skeleton or the solution of every file of the lab, into `folder`. Keeps what is there already; returns how many
 * files were written, and how many kept in *kept. */
int give_files(const struct lab *lab, enum part part, uint64_t student_seed, const char *folder, int *kept);
/* The student's page, Makefile and seed besides. */
int give_lab(const struct lab *lab, uint64_t student_seed, const char *folder, int *kept);
/* The seed in folder/seed. false: `why` says what is wrong. */
bool give_seed(const char *folder, uint64_t *seed, char why[WHY]);
/* The hint of that number, from 1; malloc'ed. Dies if hints.txt does not hold three. */
char *give_hint(const struct lab *lab, int number);

#endif

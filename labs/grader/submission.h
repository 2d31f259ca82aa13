/*
 * Grading one folder with everything that belongs to it: seeds, secrets.
 */
#ifndef LABS_SUBMISSION_H
#define LABS_SUBMISSION_H

#include "grading.h"

/* Fills the fields of *g from `folder`, which is `student`'s (NULL: whoever types), and grades. `seed` as typed. */
void submission_grade(struct grading *g, const struct lab *lab, const char *folder, const char *student, const char *seed, int jobs,
                      bool tries, void (*show)(const struct grading *g, int row));
/* Does seeds.tsv of the hidden folder give this student a seed? */
bool submission_seed_given(const char *student);
/* A seed nobody knows. */
uint64_t seed_new(void);

#endif

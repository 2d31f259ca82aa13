/*
 * For an instructor's reference.c: makes a test's inputs from a seed, and what
 * should come out of them, without any kernel.
 *
 *   void reference(struct reference *r)
 *   {
 *       const int64_t n = ref_number(r, "n");                  in.n= of the test
 *       float *x = ref_f32(r, "x", n), *y = ref_f32(r, "y", n);
 *       for (int64_t i = 0; i < n; i++)
 *           y[i] = 3 * (x[i] = (float)ref_between(r, -8, 8));
 *       ref_set(r, "N", n);                                     ${N} in the launch file
 *   }
 *
 * The arrays become files; ${x} in the launch file is the path of x. The
 * program has no main of its own; a wrong use ends it with a sentence.
 */
#ifndef LABS_REFERENCE_H
#define LABS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct reference;

/* in.NAME= of the test. */
bool ref_has(const struct reference *r, const char *name);
const char *ref_text(const struct reference *r, const char *name);
int64_t ref_number(const struct reference *r, const char *name);
int64_t ref_number_or(const struct reference *r, const char *name, int64_t otherwise);

/* Zeroed arrays, at most 2^26 elements. */
float *ref_f32(struct reference *r, const char *name, int64_t count);
double *ref_f64(struct reference *r, const char *name, int64_t count);
int32_t *ref_s32(struct reference *r, const char *name, int64_t count);
uint32_t *ref_u32(struct reference *r, const char *name, int64_t count);
int64_t *ref_s64(struct reference *r, const char *name, int64_t count);
uint64_t *ref_u64(struct reference *r, const char *name, int64_t count);
uint8_t *ref_u8(struct reference *r, const char *name, int64_t count);

/* ${NAME} in the launch file. */
void ref_set(struct reference *r, const char *name, int64_t value);
void ref_set_real(struct reference *r, const char *name, double value);
void ref_set_text(struct reference *r, const char *name, const char *value);

/* Seeded: the same seed, the same numbers. */
uint64_t ref_below(struct reference *r, uint64_t n);                       /* 0 .. n-1 */
int64_t ref_between(struct reference *r, int64_t least, int64_t most);     /* both included */
double ref_unit(struct reference *r);                                      /* 0 <= x < 1 */
int64_t ref_power(struct reference *r, int64_t most);                      /* 1 .. most, P(x) about 1/x^2 */

/* A table that a student's is judged by; a file handed out with the skeleton; the right answer. Never NULL. */
FILE *ref_table(struct reference *r, const char *name);
FILE *ref_give(struct reference *r, const char *name);
FILE *ref_solve(struct reference *r, const char *name);

/* What reference.c defines. */
void reference(struct reference *r);

#endif

/*
 * The answer, and the exact comparison with it.
 *  - scale() is the whole CPU reference: what every kernel of the tutorial computes.
 *  - Two floats are the same if their bits are equal or both are NaN; a NaN alone is a mismatch.
 *  - Data comes and goes in pieces, so that n is bounded by the GPU's memory and not by the host's.
 * Not modelled: tolerances; one multiplication is rounded the same way everywhere.
 */
#ifndef COMMON_CHECK_H
#define COMMON_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* v := alpha v */
void scale(float *data, int64_t n, float alpha);

bool same(float got, float want);

/* The wrong elements found so far; the first few in full. Start with zeros. */
enum { WRONG_SHOWN = 5 };
struct wrong {
    int64_t count;
    int64_t index[WRONG_SHOWN];
    float got[WRONG_SHOWN], want[WRONG_SHOWN];
};

/* Compares a piece whose first element has the index `first`. */
void compare(struct wrong *wrong, const float *got, const float *want, int64_t first, int64_t count);

/* `[17] is nan, want 51` for the k-th wrong element shown. */
void wrong_text(const struct wrong *wrong, int k, char *text, int size);

#ifdef __cplusplus
}
#endif

#endif

/*
 * Lab 3: a table whose rows differ much in length, and the sums of its rows, in plain C.
 *   in.rows     rows            in.threads  threads of a block
 *   in.shape    mixed: up to 150 values, every eighth row empty, every eighth a giant
 *               empty: every second row empty      even: no empty row
 */
#include <string.h>

#include "labs/grader/reference.h"

enum { WEIGHTS = 64 };

static int64_t row_length(struct reference *r, const char *shape)
{
    if (strcmp(shape, "even") != 0 && ref_below(r, strcmp(shape, "empty") == 0 ? 2 : 8) == 0)
        return 0;
    if (strcmp(shape, "mixed") == 0 && ref_below(r, 8) == 0)
        return ref_between(r, 500, 1200);
    return ref_between(r, 1, 150);
}

void reference(struct reference *r)
{
    if (!ref_has(r, "rows"))
        return; /* nothing to hand out */
    const int64_t rows = ref_number(r, "rows");
    int32_t *first = ref_s32(r, "first", rows + 1);
    for (int64_t row = 0; row < rows; row++)
        first[row + 1] = first[row] + (int32_t)row_length(r, ref_text(r, "shape"));

    const int64_t count = first[rows];
    uint32_t *values = ref_u32(r, "values", count ? count : 1);
    for (int64_t i = 0; i < count; i++)
        values[i] = (uint32_t)ref_below(r, INT64_C(1) << 32);
    uint32_t *weights = ref_u32(r, "weights", WEIGHTS);
    for (int k = 0; k < WEIGHTS; k++)
        weights[k] = (uint32_t)ref_below(r, INT64_C(1) << 31);

    uint32_t *old = ref_u32(r, "old", rows), *sums = ref_u32(r, "sums", rows);
    for (int64_t row = 0; row < rows; row++) {
        old[row] = (uint32_t)ref_below(r, INT64_C(1) << 32);
        sums[row] = first[row] == first[row + 1] ? old[row] : 0;
        for (int32_t i = first[row]; i < first[row + 1]; i++)
            sums[row] += (weights[(i - first[row]) % WEIGHTS] * 2 + 1) * values[i];
    }
    ref_set(r, "ROWS", rows);
    ref_set(r, "THREADS", ref_number(r, "threads"));
}

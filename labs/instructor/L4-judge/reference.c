/*
 * Lab 4: data[i] becomes 5 data[i] + 1, once. A tile that is done twice, or never, shows.
 *   in.n  numbers     in.threads  threads of a block, and numbers of a tile
 */
#include "labs/grader/reference.h"

void reference(struct reference *r)
{
    if (!ref_has(r, "n"))
        return; /* the table of verdicts has no arrays */
    const int64_t n = ref_number(r, "n"), threads = ref_number(r, "threads");
    uint32_t *data = ref_u32(r, "data", n), *want = ref_u32(r, "want", n);
    for (int64_t i = 0; i < n; i++) {
        data[i] = (uint32_t)ref_below(r, INT64_C(1) << 32);
        want[i] = 5 * data[i] + 1;
    }
    ref_set(r, "N", n);
    ref_set(r, "TILES", (n + threads - 1) / threads);
    ref_set(r, "THREADS", threads);
}

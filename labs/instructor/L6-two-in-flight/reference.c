/*
 * Lab 6: numbers of very different size, and their Collatz steps.
 *   in.n  numbers     in.threads  threads of a block
 */
#include "labs/grader/reference.h"

static uint32_t collatz(uint64_t value)
{
    uint32_t count = 0;
    for (; value > 1; count++)
        value = value % 2 ? 3 * value + 1 : value / 2;
    return count;
}

void reference(struct reference *r)
{
    if (!ref_has(r, "n"))
        return; /* nothing to hand out */
    const int64_t n = ref_number(r, "n"), threads = ref_number(r, "threads"), tile = threads;
    uint32_t *start = ref_u32(r, "start", n), *steps = ref_u32(r, "steps", n);
    for (int64_t i = 0; i < n; i++) {
        start[i] = (uint32_t)ref_below(r, INT64_C(1) << ref_between(r, 1, 27));
        steps[i] = collatz(start[i]);
    }
    ref_set(r, "N", n);
    ref_set(r, "TILES", (n + tile - 1) / tile);
    ref_set(r, "THREADS", threads);
}

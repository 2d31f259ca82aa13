/*
 * Lab 2: numbers in, and what the three kernels make of them.
 *   in.what     sums (kernel_arrivals) or reversed (kernel_bytes, kernel_phases)
 *   in.threads  of a block, and numbers of a tile
 *   in.n        numbers; sums: a multiple of threads, reversed: of 4
 *   in.grid     blocks; without it as many as tiles
 */
#include <string.h>

#include "labs/grader/reference.h"

static uint32_t sum_of(const uint32_t *in, int64_t count)
{
    uint32_t sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += in[k];
    return sum;
}

void reference(struct reference *r)
{
    if (!ref_has(r, "n"))
        return; /* nothing to hand out */
    const int64_t n = ref_number(r, "n"), threads = ref_number(r, "threads");
    const bool sums = strcmp(ref_text(r, "what"), "sums") == 0;
    uint32_t *in = ref_u32(r, "in", n), *out = ref_u32(r, "out", n);
    for (int64_t i = 0; i < n; i++)
        in[i] = (uint32_t)ref_below(r, INT64_C(1) << 32);
    for (int64_t begin = 0; begin < n; begin += threads) {
        const int64_t count = n - begin < threads ? n - begin : threads;
        const uint32_t sum = sum_of(in + begin, count);
        for (int64_t t = 0; t < count; t++)
            out[begin + t] = sums ? in[begin + t] + sum : in[begin + count - 1 - t];
    }
    ref_set(r, "N", n);
    ref_set(r, "THREADS", threads);
    ref_set(r, "GRID", ref_number_or(r, "grid", (n + threads - 1) / threads));
}

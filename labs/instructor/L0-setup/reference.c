/*
 * Lab 0: data[i] becomes alpha data[i].
 *   in.n  numbers
 */
#include "labs/grader/reference.h"

void reference(struct reference *r)
{
    if (!ref_has(r, "n"))
        return; /* nothing to hand out */
    const int64_t n = ref_number(r, "n");
    const uint32_t alpha = (uint32_t)ref_between(r, 2, 9);
    uint32_t *data = ref_u32(r, "data", n), *want = ref_u32(r, "want", n);
    for (int64_t i = 0; i < n; i++) {
        data[i] = (uint32_t)ref_below(r, INT64_C(1) << 32);
        want[i] = alpha * data[i];
    }
    ref_set(r, "N", n);
    ref_set(r, "TILES", (n + 63) / 64);
    ref_set(r, "ALPHA", alpha);
}

/*
 * Lab 5: a picture, and to each number the sum over its 2 x 2 tiles of 16 x 8. Whole numbers: sums are exact.
 *   in.width, in.height   of the picture
 */
#include "labs/grader/reference.h"

enum { PATCH_X = 2 * 16, PATCH_Y = 2 * 8 };

void reference(struct reference *r)
{
    if (!ref_has(r, "width"))
        return; /* nothing to hand out */
    const int64_t width = ref_number(r, "width"), height = ref_number(r, "height");
    const int64_t across = (width + PATCH_X - 1) / PATCH_X, down = (height + PATCH_Y - 1) / PATCH_Y;
    float *in = ref_f32(r, "in", width * height), *out = ref_f32(r, "out", width * height);
    float *sums = ref_f32(r, "sums", across * down);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            in[y * width + x] = (float)ref_between(r, -99, 99);
            sums[y / PATCH_Y * across + x / PATCH_X] += in[y * width + x];
        }
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            out[y * width + x] = in[y * width + x] + sums[y / PATCH_Y * across + x / PATCH_X];
    ref_set(r, "WIDTH", width);
    ref_set(r, "HEIGHT", height);
    ref_set(r, "COUNT", width * height);
    ref_set(r, "GRID_X", across * 2);
    ref_set(r, "GRID_Y", down * 2);
}

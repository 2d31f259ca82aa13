/*
 * Lab 8: prompts whose lengths follow a power law, and a part of the Mandelbrot set.
 *   in.prompts             prompts, in.longest the length of the longest
 *   in.width, in.height    pixels, in.most turns
 */
#include <stdlib.h>

#include "labs/grader/reference.h"

enum { TABLE = 64 };

static void make_table(uint32_t *table, uint32_t seed)
{
    for (uint32_t k = 0; k < TABLE; k++) {
        table[k] = seed + k;
        for (int turn = 0; turn < 300; turn++)
            table[k] = table[k] * 1664525 + 1013904223;
    }
}

static uint32_t score_of(const uint32_t *tokens, int32_t count, const uint32_t *table)
{
    uint32_t score = 0;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j <= i; j++)
            score += table[(tokens[i] ^ tokens[j]) % TABLE];
    return score;
}

static const int32_t *lengths; /* for qsort */

static int longer(const void *a, const void *b)
{
    const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return lengths[p] != lengths[q] ? (lengths[p] < lengths[q] ? 1 : -1) : (p > q) - (p < q);
}

static void prompts(struct reference *r, const uint32_t *table)
{
    const int32_t count = (int32_t)ref_number(r, "prompts");
    int32_t *first = ref_s32(r, "first", count + 1), *order = ref_s32(r, "order", count), *length = ref_s32(r, "length", count);
    for (int32_t p = 0; p < count; p++) {
        length[p] = (int32_t)ref_power(r, ref_number(r, "longest"));
        order[p] = p;
    }
    length[ref_between(r, count * 3 / 4, count - 1)] = (int32_t)ref_number(r, "longest"); /* a long one comes late */
    for (int32_t p = 0; p < count; p++)
        first[p + 1] = first[p] + length[p];
    lengths = length;
    qsort(order, (size_t)count, sizeof order[0], longer);

    uint32_t *tokens = ref_u32(r, "tokens", first[count]), *scores = ref_u32(r, "scores", count);
    for (int32_t i = 0; i < first[count]; i++)
        tokens[i] = (uint32_t)ref_below(r, 50000);
    for (int32_t p = 0; p < count; p++)
        scores[p] = score_of(tokens + first[p], length[p], table);
    ref_set(r, "PROMPTS", count);
}

static uint32_t escape_count(int64_t cr, int64_t ci, uint32_t most)
{
    int64_t zr = 0, zi = 0;
    uint32_t count = 0;
    for (; count < most; count++) {
        const int64_t rr = zr * zr >> 28, ii = zi * zi >> 28;
        if (rr + ii > INT64_C(4) << 28)
            break;
        zi = (zr * zi >> 27) + ci;
        zr = rr - ii + cr;
    }
    return count;
}

static void mandelbrot(struct reference *r, const uint32_t *table)
{
    const int64_t width = ref_number(r, "width"), height = ref_number(r, "height"), most = ref_number(r, "most");
    const int64_t one = INT64_C(1) << 28, step = one * 5 / 2 / width;
    const int64_t left = -2 * one + ref_between(r, 0, one / 8), top = -step * height / 2 + ref_between(r, 0, one / 8);
    uint32_t *counts = ref_u32(r, "counts", width * height);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const uint32_t count = escape_count(left + x * step, top + y * step, (uint32_t)most);
            counts[y * width + x] = count ^ table[count % TABLE];
        }
    ref_set(r, "WIDTH", width);
    ref_set(r, "HEIGHT", height);
    ref_set(r, "COUNT", width * height);
    ref_set(r, "TILES_X", (width + 15) / 16);
    ref_set(r, "TILES_Y", (height + 7) / 8);
    ref_set(r, "TILES", (width + 15) / 16 * ((height + 7) / 8));
    ref_set(r, "LEFT", left);
    ref_set(r, "TOP", top);
    ref_set(r, "STEP", step);
    ref_set(r, "MOST", most);
}

void reference(struct reference *r)
{
    const uint32_t seed = (uint32_t)ref_below(r, UINT64_C(1) << 32);
    uint32_t table[TABLE];
    make_table(table, seed);
    ref_set(r, "SEED", seed);
    if (ref_has(r, "prompts"))
        prompts(r, table);
    if (ref_has(r, "width"))
        mandelbrot(r, table);
}

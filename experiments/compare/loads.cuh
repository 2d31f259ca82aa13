/*
 * The work sizes of the comparison: a table, and how many units each tile gets.
 * Whatever the work, all its tiles together cost about the same, so that times can be held side by side:
 * 4096 times --units (and --copies); only the light one costs a twentieth of that. Numbers from a file are scaled to it.
 *   load_read()   finds the work by its name, or takes the name as that of a file
 * Not modelled: costs that depend on the data.
 */
#pragma once

#include "common/work.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct load {
    const char *name;  /* as on the command line */
    const char *title; /* as in the table */
    const char *shape; /* of common/work.h, or a file */
    int divide;        /* the mean is --units divided by this */
    bool file;         /* not of the table; the name is a path, and may hold anything */
};

static const struct load loads[] = {
    {"light", "uniform, light", "uniform", 20, false},
    {"heavy", "uniform, heavy", "uniform", 1, false},
    {"mesh", "a mesh of ours: triangles at a vertex", "common/data/mesh_valence.txt", 1, false},
    {"ramp", "a ramp from 0 to twice the mean", "ramp", 1, false},
    {"zipf", "Zipf: one over the rank, shuffled", "zipf", 1, false},
    {"giant", "tile 1 costs eight times the others", "giant", 1, false},
    {"prompts", "lengths of language-model prompts", "common/data/llm_prompt_tokens.txt", 1, false},
    {"rows", "rows of a power-law graph", "common/data/sparse_rows.txt", 1, false},
    {"rings", "outlines on a map of the world", "common/data/map_rings.txt", 1, false},
    {"counties", "outlines of US counties", "common/data/county_segments.txt", 1, false},
};
enum { LOAD_TILES = 4096, LOAD_TILES_MOST = 1 << 20 };

struct load_sizes {
    uint32_t *units; /* tiles + 1: the last for kernels that go too far */
    int tiles;       /* an even number, for clusters of 2 */
    double total;
    uint32_t largest;
};

/* Numbers of a file, scaled so that once through they add up to `total`. */
inline bool scale_file(struct load_sizes *sizes, const struct work_file *file, int64_t count, double total,
                       struct sentence *why)
{
    double sum = 0;
    for (int64_t k = 0; k < file->count; k++)
        sum += file->sizes[k];
    for (int64_t k = 0; k < count; k++) {
        const double size = sum > 0 ? std::floor(file->sizes[k % file->count] * (total / sum) + 0.5) : 0;
        if (size > UINT32_MAX)
            return say(why, "number %lld is so much larger than the others that it would cost %.0f units",
                       (long long)k + 1, size);
        sizes->units[k] = (uint32_t)size;
    }
    return true;
}

inline bool load_fill(struct load_sizes *sizes, const struct load *load, const struct work_file *file, int64_t units,
                      int64_t copies, struct sentence *why)
{
    uint32_t *made = nullptr;
    const int64_t mean = units > load->divide ? units / load->divide : 1;
    const int64_t count = copies * (file->count ? file->count : LOAD_TILES);
    sizes->tiles = (int)(count + count % 2);
    sizes->units = (uint32_t *)calloc((size_t)sizes->tiles + 1, sizeof *sizes->units);
    if (!sizes->units)
        return say(why, "%s: no memory for the sizes of %lld tiles", load->name, (long long)count);
    if (file->count)
        return scale_file(sizes, file, count, (double)mean * LOAD_TILES, why);
    if (!work_sizes(&made, load->shape, file, count, mean, 0, why))
        return false;
    for (int64_t k = 0; k < count; k++)
        sizes->units[k] = made ? made[k] : (uint32_t)mean;
    free(made);
    return true;
}

/* The names of the table, for a sentence. */
inline const char *load_names(void)
{
    static char text[160] = "";
    for (const struct load &load : loads)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", load.name);
    return text;
}

/* `load` is a row of the table, or one for the file of that name. With copies > 1 there are so many times the tiles. */
inline bool load_read(struct load_sizes *sizes, const struct load *load, int64_t units, int64_t copies,
                      struct sentence *why)
{
    struct work_file file = {nullptr, 0};
    if (!work_is_shape(load->shape) && !work_file_read(&file, load->shape, load_names(), why))
        return false;
    if (file.count * copies > LOAD_TILES_MOST) {
        free(file.sizes);
        return say(why, "%s: %lld numbers; %d tiles at most are compared", load->shape, (long long)(file.count * copies),
                   LOAD_TILES_MOST);
    }
    const bool right = load_fill(sizes, load, &file, units, copies, why);
    free(file.sizes);
    sizes->total = 0;
    sizes->largest = 0;
    for (int k = 0; right && k < sizes->tiles; k++) {
        sizes->total += sizes->units[k];
        sizes->largest = sizes->units[k] > sizes->largest ? sizes->units[k] : sizes->largest;
    }
    return right;
}

inline struct load load_find(const char *name)
{
    for (const struct load &load : loads)
        if (strcmp(load.name, name) == 0)
            return load;
    return {name, "numbers from a file", name, 1, true};
}

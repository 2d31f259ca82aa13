/*
 * Work sizes: how many units each tile costs. A unit is one multiply-add in each thread (job.cuh).
 *  - work_sizes() makes the array from a shape or a file; NULL means that every tile costs the same.
 *  - uniform  every tile `units`
 *    ramp     from 0 up to twice `units`, in index order
 *    zipf     proportional to 1/rank, `units` on average, ranks shuffled by the seed
 *    giant    every tile `units`, tile 1 eight times that
 *    FILE     no pipe; one whole number a line, '#' starts a comment line; times `units`; tile k takes
 *             number k modulo their count
 * Not modelled: costs that depend on the data.
 */
#ifndef COMMON_WORK_H
#define COMMON_WORK_H

#include <stdint.h>

#include "sentence.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WORK_FILE_MOST = 1 << 22 }; /* numbers in a file: as many tiles as are recorded (JOB_RECORDED_MOST) */

/* Numbers read from a file. */
struct work_file {
    uint32_t *sizes; /* malloc'ed; NULL after a failure */
    int64_t count;
};

/* True if the name is a shape and no file. */
bool work_is_shape(const char *name);
#define WORK_SHAPES "uniform, ramp, zipf, giant"

/* `others`: what a reader could have named in place of a file, for the sentence about one that is not there. */
bool work_file_read(struct work_file *file, const char *path, const char *others, struct sentence *why);

/*
 * Units of `tiles` tiles. `shape` as above, `file` filled if it is no shape. *sizes is malloc'ed, or
 * NULL if all cost `units`. Refused: a tile of more than 4294967295 units.
 */
bool work_sizes(uint32_t **sizes, const char *shape, const struct work_file *file, int64_t tiles, int64_t units,
                uint32_t seed, struct sentence *why);

#ifdef __cplusplus
}
#endif

#endif

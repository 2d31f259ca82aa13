/*
 * NumPy .npy files: little endian, C order, any shape taken as one flat array.
 *  - npy_read() takes exactly one element type, named as NumPy does ("<f4", "<u4").
 *  - Writing goes to PATH.part and is renamed at the end, so a failure leaves no partial file;
 *    what is no regular file (a pipe, /dev/full) is written directly.
 *  - Format versions 1.0, 2.0 and 3.0 are read, 1.0 is written.
 * Source of the format: numpy/lib/format.py (NEP 1).
 * Not modelled: big endian, Fortran order of more than one dimension, structured types.
 */
#ifndef COMMON_NPY_H
#define COMMON_NPY_H

#include <stdint.h>
#include <stdio.h>

#include "sentence.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the whole array. *data is malloc'ed (never NULL on success, also for 0 elements). */
bool npy_read(const char *path, const char *type, void **data, int64_t *count, struct sentence *why);

/* A file being written: through a temporary name, then renamed. Also used for CSV. */
struct out_file {
    FILE *file;
    const char *path; /* the final name; must outlive the writing */
    char part[1024];  /* the temporary name, "" when written directly */
};

bool out_open(struct out_file *out, const char *path, struct sentence *why);
bool out_bytes(struct out_file *out, const void *bytes, size_t size, struct sentence *why);
bool out_close(struct out_file *out, struct sentence *why); /* renames; after a failure nothing is left */
void out_abandon(struct out_file *out);                     /* removes what was written */

/* Header of an array of `count` elements of `type`; the elements follow by out_bytes(). */
bool npy_header(struct out_file *out, const char *type, int64_t count, struct sentence *why);

/* The whole array in one call. `type` as above, `size` bytes in all. */
bool npy_write(const char *path, const char *type, const void *data, int64_t count, size_t size, struct sentence *why);

#ifdef __cplusplus
}
#endif

#endif

/*
 * NumPy's .npy files, little endian, C order (numpy/lib/format.py, NEP 1).
 * Versions 1.0, 2.0 and 3.0 are read, 1.0 is written. The shape is kept as
 * text, so that an array that came in with one leaves with it.
 * Not modelled: big endian, Fortran order, structured and string types.
 */
#ifndef EMU_RUN_NPY_H
#define EMU_RUN_NPY_H

#include "run/complaint.h"
#include "run/element.h"

struct array {
    enum element element;
    size_t count;           /* elements */
    uint8_t *bytes;         /* count elements, inside `memory` */
    char *memory;           /* to be freed */
    char shape[128];        /* "(3, 4)" as NumPy writes it */
};

bool npy_load(const char *path, struct array *a, struct complaint *c);
/* Shape "" is written as one dimension. Leaves no partial file. */
bool npy_save(const char *path, enum element element, size_t count, const uint8_t *bytes, const char *shape,
              struct complaint *c);
void array_free(struct array *a);

#endif

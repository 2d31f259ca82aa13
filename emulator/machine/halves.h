/*
 * Sums of 16-bit floating-point numbers, for atomics: through float, which
 * holds every f16 and bf16 sum exactly enough to be rounded once.
 */
#ifndef EMU_MACHINE_HALVES_H
#define EMU_MACHINE_HALVES_H

#include <stdbool.h>
#include <stdint.h>

uint16_t half_add(uint16_t a, uint16_t b);      /* IEEE binary16, nearest even, NaN is 0x7fff */
uint16_t bfloat_add(uint16_t a, uint16_t b);    /* bfloat16, nearest even, NaN is 0x7fff */
float half_value(bool bfloat, uint16_t bits);    /* exact */

#endif

/*
 * Element types of buffers and arguments: one table.
 * A value's bytes are little endian, as on the device.
 * f16 holds bits: its values are written as 16-bit integers.
 */
#ifndef EMU_RUN_ELEMENT_H
#define EMU_RUN_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "run/complaint.h"

/* ELEMENT(id, name in a launch file, bytes, NumPy's descr) */
#define ELEMENTS(ELEMENT)                                                      \
    ELEMENT(U8, "u8", 1, "|u1") ELEMENT(S8, "s8", 1, "|i1")                    \
    ELEMENT(U16, "u16", 2, "<u2") ELEMENT(S16, "s16", 2, "<i2")                \
    ELEMENT(U32, "u32", 4, "<u4") ELEMENT(S32, "s32", 4, "<i4")                \
    ELEMENT(U64, "u64", 8, "<u8") ELEMENT(S64, "s64", 8, "<i8")                \
    ELEMENT(F16, "f16", 2, "<f2") ELEMENT(F32, "f32", 4, "<f4")                \
    ELEMENT(F64, "f64", 8, "<f8")

enum element {
#define ELEMENT(id, name, bytes, descr) ELEMENT_##id,
    ELEMENTS(ELEMENT)
#undef ELEMENT
    ELEMENT_COUNT
};

const char *element_name(enum element e);
size_t element_bytes(enum element e);
const char *element_descr(enum element e);
bool element_find(const char *name, enum element *e);              /* "u32" */
bool element_find_descr(const char *descr, size_t length, enum element *e);   /* "<u4"; |b1 is u8 */

/* The number `text` (decimal, 0x..., nan, inf) as an element; false when it is
 * no number or out of range. `bytes` gets element_bytes(e) bytes. */
bool element_parse(enum element e, const char *text, uint8_t *bytes);

/* Equal bits, or both NaN. */
bool element_same(enum element e, const uint8_t *a, const uint8_t *b);
/* For a message: 9 or 17 digits for floating point. Returns `text`. */
enum { ELEMENT_TEXT = 48 };
const char *element_text(enum element e, const uint8_t *bytes, char text[ELEMENT_TEXT]);

#endif

/*
 * Element types of buffers and arguments: see element.h.
 */
#include "run/element.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; size_t bytes; const char *descr; } elements[] = {
#define ELEMENT(id, name, bytes, descr) { name, bytes, descr },
    ELEMENTS(ELEMENT)
#undef ELEMENT
};

const char *element_name(enum element e)
{
    return elements[e].name;
}

size_t element_bytes(enum element e)
{
    return elements[e].bytes;
}

const char *element_descr(enum element e)
{
    return elements[e].descr;
}

bool element_find(const char *name, enum element *e)
{
    for (int i = 0; i < ELEMENT_COUNT; i++)
        if (strcmp(elements[i].name, name) == 0) {
            *e = (enum element)i;
            return true;
        }
    return false;
}

bool element_find_descr(const char *descr, size_t length, enum element *e)
{
    if (length == 3 && memcmp(descr, "|b1", 3) == 0) {
        *e = ELEMENT_U8;
        return true;
    }
    for (int i = 0; i < ELEMENT_COUNT; i++)
        if (length == 3 && memcmp(elements[i].descr, descr, 3) == 0) {
            *e = (enum element)i;
            return true;
        }
    return false;
}

/* ---- numbers ------------------------------------------------------------ */

static bool is_signed(enum element e)
{
    return e == ELEMENT_S8 || e == ELEMENT_S16 || e == ELEMENT_S32 || e == ELEMENT_S64;
}

static void put_little_endian(uint64_t bits, size_t bytes, uint8_t *out)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(bits >> (8 * i));
}

static uint64_t get_little_endian(size_t bytes, const uint8_t *in)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++)
        bits |= (uint64_t)in[i] << (8 * i);
    return bits;
}

static bool parse_integer(enum element e, const char *text, uint64_t *bits)
{
    const bool minus = *text == '-';
    const char *digits = text + minus;
    const int base = digits[0] == '0' && (digits[1] | 32) == 'x' ? 16 : 10;
    const unsigned width = (unsigned)elements[e].bytes * 8;
    char *end;
    const char *first = base == 16 ? digits + 2 : digits;
    const bool starts = (*first >= '0' && *first <= '9') || (base == 16 && ((*first | 32) >= 'a' && (*first | 32) <= 'f'));
    errno = 0;
    *bits = strtoull(digits, &end, base);
    if (!starts || *end || errno)
        return false;
    const uint64_t top = (uint64_t)1 << (width - 1), most = top - 1 + top;
    if (!is_signed(e) && (minus ? *bits != 0 : *bits > most))
        return false;
    /* A signed value in hexadecimal may be given as its bits. */
    if (is_signed(e) && *bits > (minus ? top : base == 16 ? most : top - 1))
        return false;
    if (minus)
        *bits = 0 - *bits;
    return true;
}

static bool parse_float(enum element e, const char *text, uint64_t *bits)
{
    char *end;
    const bool starts = *text && !strchr(" \t\n\v\f\r", *text);
    if (e == ELEMENT_F32) {
        const float value = strtof(text, &end);
        uint32_t bits32;
        memcpy(&bits32, &value, sizeof value);
        *bits = bits32;
        return starts && !*end && (!isinf(value) || strpbrk(text, "iI"));
    }
    const double value = strtod(text, &end);
    memcpy(bits, &value, sizeof value);
    return starts && !*end && (!isinf(value) || strpbrk(text, "iI"));
}

bool element_parse(enum element e, const char *text, uint8_t *bytes)
{
    uint64_t bits;
    if (e == ELEMENT_F32 || e == ELEMENT_F64 ? !parse_float(e, text, &bits) : !parse_integer(e, text, &bits))
        return false;
    put_little_endian(bits, elements[e].bytes, bytes);
    return true;
}

/* ---- comparing and showing ---------------------------------------------- */

static bool is_nan(enum element e, uint64_t bits)
{
    switch (e) {
    case ELEMENT_F16: return (bits & 0x7fff) > 0x7c00;
    case ELEMENT_F32: return (bits & 0x7fffffff) > 0x7f800000;
    case ELEMENT_F64: return (bits & INT64_MAX) > 0x7ff0000000000000u;
    default: return false;
    }
}

bool element_same(enum element e, const uint8_t *a, const uint8_t *b)
{
    const size_t bytes = elements[e].bytes;
    return memcmp(a, b, bytes) == 0
        || (is_nan(e, get_little_endian(bytes, a)) && is_nan(e, get_little_endian(bytes, b)));
}

static double half_value(uint64_t bits)
{
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = (int)(bits >> 10) & 31;
    const double fraction = (double)(bits & 0x3ff);
    return exponent == 0 ? sign * ldexp(fraction, -24) : sign * ldexp(1024 + fraction, exponent - 25);
}

const char *element_text(enum element e, const uint8_t *bytes, char text[ELEMENT_TEXT])
{
    const size_t width = elements[e].bytes;
    const uint64_t bits = get_little_endian(width, bytes);
    const uint64_t sign = (uint64_t)1 << ((8 * width - 1) & 63);
    const uint32_t bits32 = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &bits32, sizeof single);
    memcpy(&value, &bits, sizeof value);
    if (is_nan(e, bits))
        snprintf(text, ELEMENT_TEXT, "nan");
    else if (e == ELEMENT_F16 && (bits & 0x7c00) == 0x7c00)
        snprintf(text, ELEMENT_TEXT, "%sinf", bits & 0x8000 ? "-" : "");
    else if (e == ELEMENT_F16)
        snprintf(text, ELEMENT_TEXT, "%.5g", half_value(bits));
    else if (e == ELEMENT_F32)
        snprintf(text, ELEMENT_TEXT, "%.9g", (double)single);
    else if (e == ELEMENT_F64)
        snprintf(text, ELEMENT_TEXT, "%.17g", value);
    else if (is_signed(e))
        snprintf(text, ELEMENT_TEXT, "%" PRId64, (int64_t)((bits ^ sign) - sign));
    else
        snprintf(text, ELEMENT_TEXT, "%" PRIu64, bits);
    return text;
}

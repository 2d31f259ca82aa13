/* Sums of 16-bit floating-point numbers; see halves.h. */
#include "machine/halves.h"

#include <math.h>
#include <string.h>

static float from_half(uint16_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    float v = exponent == 31 ? (mantissa ? NAN : INFINITY)
            : exponent == 0  ? ldexpf((float)mantissa, -24)
                             : ldexpf((float)(mantissa + 1024), exponent - 25);
    return h >> 15 ? -v : v;
}

/* Exact in double, then rounded once to the half's grid. */
static uint16_t to_half(double v)
{
    if (v != v)
        return 0x7fff;
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    if (a >= 65520.0)
        return (uint16_t)(sign | 0x7c00);
    int exponent = 0;
    if (a > 0)
        frexp(a, &exponent);                /* a = f * 2^exponent, f in [0.5, 1) */
    int scale = exponent - 11 < -24 ? -24 : exponent - 11;
    uint32_t units = (uint32_t)nearbyint(ldexp(a, -scale));
    if (units >= 2048) {                    /* rounded up to the next power of two */
        units >>= 1;
        scale++;
    }
    return units < 1024 ? (uint16_t)(sign | units) : (uint16_t)(sign | (uint32_t)(scale + 25) << 10 | (units - 1024));
}

uint16_t half_add(uint16_t a, uint16_t b) { return to_half((double)from_half(a) + (double)from_half(b)); }

static float from_bfloat(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

/* A bfloat16 sum as one rounding: an exact double sum (8-bit mantissas over at most 2^8 binades around, else the small
 * operand only decides stickiness, which the double keeps), rounded to nearest even on the bfloat grid. */
uint16_t bfloat_add(uint16_t a, uint16_t b)
{
    double v = (double)from_bfloat(a) + (double)from_bfloat(b);
    if (v != v)
        return 0x7fff;
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double x = fabs(v);
    int exponent = 0;
    if (isinf(x))
        return (uint16_t)(sign | 0x7f80);
    if (x > 0)
        frexp(x, &exponent);
    int scale = exponent - 8 < -133 ? -133 : exponent - 8;
    double units = nearbyint(ldexp(x, -scale));
    float f = (float)ldexp(units, scale);    /* at most 8 significant bits: exact, or infinity */
    uint32_t u;
    memcpy(&u, &f, 4);
    return (uint16_t)(sign | u >> 16);
}

float half_value(bool bfloat, uint16_t bits) { return bfloat ? from_bfloat(bits) : from_half(bits); }

/*
 * Arithmetic in the three directed roundings (.rz .rm .rp), f32 and f64.
 *
 * The processor does it: the direction is switched for one operation and
 * switched back. The operands go through volatile objects so that no compiler
 * moves the operation out of the switched part; the file is compiled with
 * -frounding-math where that exists.
 * Not modelled: ROUND_RN and ROUND_RNA (callers have faster ways).
 */
#include "machine/exec_alu_math.h"

#include <fenv.h>

static int direction(enum rounding mode)
{
    switch (mode) {
    case ROUND_RZ: return FE_TOWARDZERO;
    case ROUND_RM: return FE_DOWNWARD;
    case ROUND_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

#define DIRECTED(name, type, params, copies, expression)                       \
    type name params                                                           \
    {                                                                          \
        copies;                                                                \
        volatile type r;                                                       \
        fesetround(direction(mode));                                           \
        r = expression;                                                        \
        fesetround(FE_TONEAREST);                                              \
        return r;                                                              \
    }
#define ROUNDED1(name, type, expression)                                       \
    DIRECTED(name, type, (enum rounding mode, type a), volatile type x = a, expression)
#define ROUNDED2(name, type, expression)                                       \
    DIRECTED(name, type, (enum rounding mode, type a, type b), volatile type x = a; volatile type y = b, expression)
#define ROUNDED3(name, type, expression)                                       \
    DIRECTED(name, type, (enum rounding mode, type a, type b, type c),         \
             volatile type x = a; volatile type y = b; volatile type z = c, expression)

ROUNDED2(round_add32, float, x + y)
ROUNDED2(round_mul32, float, x * y)
ROUNDED3(round_fma32, float, fmaf(x, y, z))
ROUNDED2(round_div32, float, x / y)
ROUNDED1(round_sqrt32, float, sqrtf(x))
ROUNDED2(round_add64, double, x + y)
ROUNDED2(round_mul64, double, x * y)
ROUNDED3(round_fma64, double, fma(x, y, z))
ROUNDED2(round_div64, double, x / y)
ROUNDED1(round_sqrt64, double, sqrt(x))

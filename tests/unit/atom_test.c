/* Atomic operations on values: what an H200 was seen to do (tests/corpus), in small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/grid.h"

enum { SHARED = 0, GLOBAL = 1 };
#define EQ(got, want) assert_true((got) == (want))

static void integers(void **state)
{
    (void)state;
    EQ(atom_combine(ATOM_MIN, PTX_S32, GLOBAL, 0xffffffffu, 1, 0), 0xffffffffu);
    EQ(atom_combine(ATOM_MIN, PTX_U32, GLOBAL, 0xffffffffu, 1, 0), 1);
    EQ(atom_combine(ATOM_INC, PTX_U32, GLOBAL, 5, 5, 0), 0);
    EQ(atom_combine(ATOM_DEC, PTX_U32, GLOBAL, 0, 5, 0), 5);
    EQ(atom_combine(ATOM_DEC, PTX_U32, GLOBAL, 9, 5, 0), 5);
    EQ(atom_combine(ATOM_CAS, PTX_B32, GLOBAL, 3, 3, 7), 7);
    EQ(atom_combine(ATOM_CAS, PTX_B32, GLOBAL, 4, 3, 7), 4);
}

static void subnormal_sums_are_zero_in_global_memory_only(void **state)
{
    (void)state;
    EQ(atom_combine(ATOM_ADD, PTX_F32, SHARED, 1, 1, 0), 2);
    EQ(atom_combine(ATOM_ADD, PTX_F32, GLOBAL, 1, 1, 0), 0);
    EQ(atom_combine(ATOM_ADD, PTX_F32, GLOBAL, 0x80000001u, 0x80000001u, 0), 0x80000000u);
    EQ(atom_combine(ATOM_ADD, PTX_F32, GLOBAL, 0x7fc12345u, 0, 0), 0x7fffffffu);
}

static void which_nan_comes_out_of_a_double_sum(void **state)
{
    (void)state;
    const uint64_t a = UINT64_C(0x7ff0000000000001), b = UINT64_C(0xfff8000000000002), inf = UINT64_C(0x7ff0000000000000);
    EQ(atom_combine(ATOM_ADD, PTX_F64, GLOBAL, a, b, 0), b);
    EQ(atom_combine(ATOM_ADD, PTX_F64, GLOBAL, a, 0, 0), a);
    EQ(atom_combine(ATOM_ADD, PTX_F64, SHARED, a, b, 0), a | UINT64_C(1) << 51);
    EQ(atom_combine(ATOM_ADD, PTX_F64, SHARED, inf, inf | UINT64_C(1) << 63, 0), UINT64_C(0xfff8000000000000));
}

static void halves_compare_as_numbers_and_a_nan_loses(void **state)
{
    (void)state;
    EQ(atom_combine(ATOM_MIN, PTX_F16, GLOBAL, 0x7c01, 0x57f8, 0), 0x57f8);
    EQ(atom_combine(ATOM_MIN, PTX_F16, GLOBAL, 0xbc00, 0x3c00, 0), 0xbc00);
    EQ(atom_combine(ATOM_MAX, PTX_BF16, GLOBAL, 0xbf80, 0x3f80, 0), 0x3f80);
    EQ(atom_combine(ATOM_MAX, PTX_F16, GLOBAL, 0x8000, 0x0000, 0), 0x0000);
}

static void halves_round_once(void **state)
{
    (void)state;
    EQ(atom_combine(ATOM_ADD, PTX_F16, GLOBAL, 0x3c00, 0x3c00, 0), 0x4000);
    EQ(atom_combine(ATOM_ADD, PTX_F16, GLOBAL, 0x7bff, 0x7bff, 0), 0x7c00);
    EQ(atom_combine(ATOM_ADD, PTX_F16, GLOBAL, 0x0001, 0x0001, 0), 0x0002);
    EQ(atom_combine(ATOM_ADD, PTX_F16X2, GLOBAL, 0x3c003c00u, 0x3c00c000u, 0), 0x4000bc00u);
    EQ(atom_combine(ATOM_ADD, PTX_BF16, GLOBAL, 0x3f80, 0x3b80, 0), 0x3f80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(subnormal_sums_are_zero_in_global_memory_only),
        cmocka_unit_test(which_nan_comes_out_of_a_double_sum),
        cmocka_unit_test(halves_compare_as_numbers_and_a_nan_loses),
        cmocka_unit_test(halves_round_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

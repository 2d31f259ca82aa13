/*
 * The table of pointers: what was put in is found, what was taken is gone,
 * and nothing else is lost when a gap closes.
 * link: emulator/runtime/table.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/table.h"

enum { MANY = 2000 };
static char keys[MANY], values[MANY];

static void an_empty_table_answers(void **state)
{
    struct table t = { 0 };
    (void)state;
    assert_null(table_get(&t, keys));
    assert_null(table_take(&t, keys));
}

static void a_second_value_replaces_the_first(void **state)
{
    struct table t = { 0 };
    (void)state;
    assert_true(table_put(&t, keys, &values[0]));
    assert_true(table_put(&t, keys, &values[1]));
    assert_ptr_equal(table_get(&t, keys), &values[1]);
    assert_int_equal(t.used, 1);
    table_clear(&t);
}

static void taking_leaves_the_others(void **state)
{
    struct table t = { 0 };
    (void)state;
    for (int i = 0; i < MANY; i++)
        assert_true(table_put(&t, &keys[i], &values[i]));
    for (int i = 0; i < MANY; i += 3)
        assert_ptr_equal(table_take(&t, &keys[i]), &values[i]);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(table_get(&t, &keys[i]), i % 3 ? &values[i] : NULL);
    for (int i = 0; i < MANY; i += 3)
        assert_true(table_put(&t, &keys[i], &values[0]));
    assert_int_equal(t.used, MANY);
    table_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_answers),
        cmocka_unit_test(a_second_value_replaces_the_first),
        cmocka_unit_test(taking_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

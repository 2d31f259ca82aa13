/*
 * The variables EMU_*: what they mean, and the sentence for nonsense.
 * link: emulator/runtime/settings.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/settings.h"

/* The environment of a test: one variable. */
static const char *only_name, *only_value;

static char *only(const char *name)
{
    return only_name && strcmp(name, only_name) == 0 ? (char *)only_value : NULL;
}

static struct settings s;
static char why[512];

static bool with(const char *name, const char *value)
{
    only_name = name;
    only_value = value;
    why[0] = 0;
    return settings_read(&s, only, why, sizeof why);
}

static void nothing_set_is_the_b200(void **state)
{
    (void)state;
    assert_true(with(NULL, NULL));
    assert_string_equal(s.device->name, "b200");
    assert_int_equal(s.choice.mode, CHOOSE_LOWEST);
    assert_int_equal(s.choice.refuse, REFUSE_NONE);
    assert_int_equal(s.step_budget, 0);
    assert_false(s.check);
    assert_true(with("EMU_DEVICE", ""));       /* empty is unset */
    assert_string_equal(s.device->name, "b200");
}

static void each_variable_is_read(void **state)
{
    (void)state;
    assert_true(with("EMU_DEVICE", "tiny"));   assert_string_equal(s.device->name, "tiny");
    assert_true(with("EMU_SEED", "7"));        assert_int_equal(s.choice.seed, 7);
    assert_true(with("EMU_REFUSE", "3"));      assert_int_equal(s.choice.refuse_k, 3);
    assert_true(with("EMU_CHECK", "1"));       assert_true(s.check);
    assert_true(with("EMU_CHECK", "0"));       assert_false(s.check);
    assert_true(with("EMU_STEPS", "5000"));    assert_int_equal(s.step_budget, 5000);
}

static void complains(const char *name, const char *value, const char *sentence)
{
    assert_false(with(name, value));
    assert_string_equal(why, sentence);
}

static void nonsense_is_named(void **state)
{
    (void)state;
    complains("EMU_DEVICE", "b2000", "EMU_DEVICE=b2000: there is no such device; use tiny, b200, h200 or rtx5090");
    complains("EMU_SEED", "x", "EMU_SEED=x: use a whole number such as 7, alone or after pct, early, late or false");
    complains("EMU_REFUSE", "often",
              "EMU_REFUSE=often: use all, the number of a request such as 3, or a probability such as p0.25");
    complains("EMU_CHECK", "2", "EMU_CHECK=2: use 0 or 1");
    const char *numbers[] = { "0", "-1", "1e6", "99999999999999999999", "12 " };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_false(with("EMU_STEPS", numbers[i]));
    complains("EMU_STEPS", "many", "EMU_STEPS=many: use a number of warp instructions such as 1000000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_set_is_the_b200),
        cmocka_unit_test(each_variable_is_read),
        cmocka_unit_test(nonsense_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

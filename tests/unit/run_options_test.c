/*
 * emu-run's command line, and the names of kernels.
 * link: emulator/run/options.c emulator/run/entry.c emulator/run/element.c emulator/run/complaint.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/entry.h"
#include "run/options.h"

static char *no_variable(const char *name)
{
    (void)name;
    return NULL;
}

static char *tiny(const char *name)
{
    static char device[] = "tiny";
    return strcmp(name, "EMU_DEVICE") == 0 ? device : NULL;
}

static char *nonsense(const char *name)
{
    static char text[] = "lots";
    return strcmp(name, "EMU_STEPS") == 0 ? text : NULL;
}

static struct options o;

#define READ(variable, ...)                                                                      \
    do {                                                                                         \
        const char *const argv[] = { "emu-run", __VA_ARGS__ };                                         \
        struct complaint c = { 0 };                                                              \
        if (!options_read((int)(sizeof argv / sizeof argv[0]), argv, variable, &o, &c))          \
            fail_msg("%s", c.text);                                                              \
    } while (0)

#define COMPLAINS(variable, message, ...)                                                        \
    do {                                                                                         \
        const char *const argv[] = { "emu-run", __VA_ARGS__ };                                         \
        struct complaint c = { 0 };                                                              \
        assert_false(options_read((int)(sizeof argv / sizeof argv[0]), argv, variable, &o, &c)); \
        assert_string_equal(c.text, message);                                                    \
        assert_int_equal(c.code, ENDS_USAGE);                                                    \
    } while (0)

static void words_and_values(void **state)
{
    (void)state;
    READ(no_variable, "m.ptx", "--launch", "m.launch", "--device=tiny", "--seed", "7", "--steps", "100", "--json", "--set",
         "N=a=b", "--save", "data=x.npy", "--set", "M=");
    assert_string_equal(o.module, "m.ptx");
    assert_string_equal(o.launch, "m.launch");
    assert_string_equal(o.device->name, "tiny");
    assert_int_equal(o.choice.mode, CHOOSE_SEEDED);
    assert_int_equal(o.choice.seed, 7);
    assert_int_equal(o.steps, 100);
    assert_true(o.json);
    assert_int_equal(o.setting_count, 2);
    assert_int_equal(o.settings[0].name_length, 1);
    assert_string_equal(o.settings[0].value, "a=b");
    assert_string_equal(o.settings[1].value, "");
    assert_string_equal(o.saves[0].path, "x.npy");
    options_free(&o);
}

static void variables_are_defaults(void **state)
{
    (void)state;
    READ(no_variable, "m.ptx");
    assert_string_equal(o.device->name, "b200");
    options_free(&o);
    READ(tiny, "m.ptx");
    assert_string_equal(o.device->name, "tiny");
    options_free(&o);
    READ(tiny, "m.ptx", "--device", "h200");
    assert_string_equal(o.device->name, "h200");
    options_free(&o);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    COMPLAINS(no_variable, "unknown option '--lunch'; emu-run --help lists them", "m.ptx", "--lunch", "x");
    COMPLAINS(no_variable, "--launch needs a value: FILE", "m.ptx", "--launch");
    COMPLAINS(no_variable, "--json takes no value, not '1'", "m.ptx", "--json=1");
    COMPLAINS(no_variable, "--device: 'b300' is no device; there are: tiny b200 h200 rtx5090", "m.ptx", "--device", "b300");
    COMPLAINS(no_variable, "--seed: 'x' is no whole number such as 7, alone or after pct, early, late or false", "m.ptx", "--seed", "x");
    COMPLAINS(no_variable, "--refuse: 'some' is not all, a number such as 3, or pP such as p0.25", "m.ptx", "--refuse", "some");
    COMPLAINS(no_variable, "--steps: '0' is no number of instructions", "m.ptx", "--steps", "0");
    COMPLAINS(nonsense, "EMU_STEPS: 'lots' is no number of instructions", "m.ptx");
    COMPLAINS(no_variable, "--set: 'N' is not of the form NAME=VALUE", "m.ptx", "--set", "N");
    COMPLAINS(no_variable, "--set: the value of 'N' holds the end of a line", "m.ptx", "--set", "N=1\n2");
    COMPLAINS(no_variable, "--save: 'a=' names no file", "m.ptx", "--save", "a=");
    COMPLAINS(no_variable, "'b.ptx' is a second module; emu-run runs one", "a.ptx", "b.ptx");
    COMPLAINS(no_variable, "no module given: emu-run MODULE.ptx --launch FILE; --help says more", "--json");
}

static void plain_names_of_kernels(void **state)
{
    (void)state;
    assert_true(entry_matches("_Z17kernel_fixed_workPfx", "kernel_fixed_work"));
    assert_false(entry_matches("_Z17kernel_fixed_workPfx", "fixed_work"));
    assert_false(entry_matches("_Z17kernel_fixed_workPfx", "kernel_fixed_workP"));
    assert_true(entry_matches("_ZL4plan", "plan"));
    assert_true(entry_matches("_ZN2ns4planE", "plan"));
    assert_true(entry_matches("_ZN2ns4planE", "ns::plan"));
    assert_false(entry_matches("_ZN2ns4planE", "s::plan"));
    assert_true(entry_matches("_Z2tkIdEvPT_", "tk"));
    assert_false(entry_matches("plan", "plan"));
    assert_false(entry_matches("_Z", "plan"));
    assert_false(entry_matches("_Z99x", "x"));
}

static void kernels_and_variables_are_found(void **state)
{
    static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 _ZN1a1gE;\n"
        ".entry _Z1kPf() { ret; }\n.entry _Z2tkIdEvPT_() { ret; }\n.entry _Z2tkIfEvPT_() { ret; }\n.func _Z1ff() { ret; }\n";
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(text, sizeof text - 1, "m.ptx", &error);
    struct complaint none = { 0 }, two = { 0 }, missing = { 0 }, func = { 0 };
    (void)state;
    assert_non_null(m);
    assert_string_equal(entry_find(m, "k", "l", &none)->name, "_Z1kPf");
    assert_string_equal(entry_find(m, "_Z2tkIfEvPT_", "l", &none)->name, "_Z2tkIfEvPT_");
    assert_string_equal(variable_find(m, "g", "l", &none)->name, "_ZN1a1gE");
    assert_int_equal(none.code, ENDS_RIGHT);
    assert_null(entry_find(m, "tk", "l:1", &two));
    assert_string_equal(two.text, "l:1: 'tk' may be any of: _Z2tkIdEvPT_ _Z2tkIfEvPT_");
    assert_null(entry_find(m, "f", "l:1", &func));
    assert_string_equal(func.text, "l:1: there is no kernel 'f' in m.ptx; there are: k _Z2tkIdEvPT_ _Z2tkIfEvPT_");
    assert_null(entry_find(m, NULL, "l", &missing));
    assert_string_equal(missing.text, "l: the line `kernel NAME` is missing; m.ptx holds: k _Z2tkIdEvPT_ _Z2tkIfEvPT_");
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_values),
        cmocka_unit_test(variables_are_defaults),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(plain_names_of_kernels),
        cmocka_unit_test(kernels_and_variables_are_found)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The line resolver: chains of call sites, toolkit headers, line 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/module.h"

#define FILES ".file 1 \"/home/me/steal.cu\"\n.file 2 \"/home/me/helper.cuh\"\n"                                        \
              ".file 3 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/cccl/cuda/__ptx/barrier.h\"\n"              \
              ".file 4 \"/usr/local/cuda/targets/x86_64-linux/include/cooperative_groups/details/invoke.h\"\n"          \
              ".file 5 \"/home/\\344\\270\\255/k.cu\"\n"                                                                 \
              ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,52,97\n.b8 98,99,100,0\n$L__info_string1:\n.b8 120,0\n}\n"
#define KERNEL(body)                                                                                                   \
    ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 p)\n{\n.reg .b32 r<9>; .reg .b64 d<4>;\n"   \
    ".reg .pred p0;\n" body "\n}\n" FILES

static struct ptx_module *module;

/* The user's line of statement i, as "file:line" without the directory. */
static void is_at(int i, const char *file, int line)
{
    const struct ptx_line l = ptx_user_line(module, ptx_function_find(module, "k"), i);
    if (!file) {
        assert_null(l.file);
        return;
    }
    assert_non_null(l.file);
    assert_string_equal(strrchr(l.file, '/') + 1, file);
    assert_int_equal(l.line, line);
}

static void read_text(const char *text)
{
    struct ptx_error error;
    module = ptx_parse(text, strlen(text), "t.ptx", &error);
    if (!module)
        fail_msg("%s", error.text);
}

static int done(void **state)
{
    (void)state;
    ptx_module_free(module);
    module = NULL;
    return 0;
}

static void a_line_holds_until_the_next(void **state)
{
    (void)state;
    read_text(KERNEL("ret;\n.loc 1 7 3\nret;\nret;\n.loc 5 9 1\nret;"));
    is_at(0, NULL, 0);              /* nothing said yet */
    is_at(1, "steal.cu", 7);
    is_at(2, "steal.cu", 7);
    is_at(3, "k.cu", 9);
    assert_non_null(strstr(ptx_user_line(module, &module->functions[0], 3).file, "/\344\270\255/"));
    is_at(-1, NULL, 0);
    is_at(4, NULL, 0);
}

/* As nvcc writes the guide's request: barrier.h:21 <- steal.cu:30 (lambda) <- invoke.h:100 <- steal.cu:29. */
static void inlined_code_belongs_to_the_outermost_call_of_the_user(void **state)
{
    struct ptx_line frames[8];
    (void)state;
    read_text(KERNEL(".loc 1 29 2\n.loc 4 100 5, function_name $L__info_string0, inlined_at 1 29 2\n"
                     ".loc 1 30 9, function_name $L__info_string1, inlined_at 4 100 5\n"
                     ".loc 3 21 3, function_name $L__info_string1, inlined_at 1 30 9\nret;"));
    is_at(0, "steal.cu", 29);
    assert_int_equal(ptx_frames(module, &module->functions[0], 0, frames, 8), 4);
    assert_int_equal(frames[0].line, 21);
    assert_int_equal(frames[1].line, 30);
    assert_int_equal(frames[2].line, 100);
    assert_int_equal(frames[3].line, 29);
    assert_int_equal(ptx_frames(module, &module->functions[0], 0, frames, 2), 2);
    const struct ptx_statement *s = module->functions[0].statements;
    assert_string_equal(module->places[s->place].function, "x");
    assert_string_equal(module->places[module->places[module->places[s->place].inlined_at].inlined_at].function, "_Z4abcd");
}

static void a_call_site_is_the_last_one_seen(void **state)
{
    (void)state;
    read_text(KERNEL(".loc 1 10 1\n.loc 3 5 1, function_name $L__info_string0, inlined_at 1 10 1\n"
                     ".loc 3 6 1, function_name $L__info_string0, inlined_at 3 5 1\nret;\n"
                     ".loc 1 20 1\n.loc 3 5 1, function_name $L__info_string0, inlined_at 1 20 1\n"
                     ".loc 3 6 1, function_name $L__info_string0, inlined_at 3 5 1\nret;"));
    is_at(0, "steal.cu", 10);
    is_at(1, "steal.cu", 20);
}

static void a_call_site_never_seen_is_still_a_frame(void **state)
{
    (void)state;
    read_text(KERNEL(".loc 3 6 1, function_name $L__info_string0, inlined_at 1 44 1\nret;"));
    is_at(0, "steal.cu", 44);
}

static void code_of_the_toolkit_alone_keeps_its_own_line(void **state)
{
    (void)state;
    read_text(KERNEL(".loc 3 6 1\nret;"));
    is_at(0, "barrier.h", 6);
}

static void a_load_at_line_0_takes_the_line_of_its_first_use(void **state)
{
    (void)state;
    read_text(KERNEL(".loc 1 12 1\nadd.s32 r0, r1, r2;\n.loc 1 0 9\nld.shared.v2.u64 {d0, d1}, [d2];\n"
                     ".loc 1 13 1\nadd.s32 d2, d2, 1;\n.loc 1 14 1\nmov.b64 d3, {d1, d0};\n"));
    is_at(1, "steal.cu", 14);
}

static void other_code_at_line_0_takes_the_line_before(void **state)
{
    (void)state;
    read_text(KERNEL(".loc 1 12 1\nadd.s32 r0, r1, r2;\n.loc 1 0 9\nadd.s32 r3, r1, r2;\n"
                     "ld.global.u32 r4, [d0];\n.loc 1 15 1\nst.global.u32 [d0], r3;"));
    is_at(1, "steal.cu", 12);
    is_at(2, "steal.cu", 12);       /* never used: the line before */
}

static void merged_call_sites_at_line_0_do_not_name_a_header(void **state)
{
    (void)state;
    read_text(KERNEL(".loc 1 12 1\nadd.s32 r0, r1, r2;\n"
                     ".loc 3 6 1, function_name $L__info_string0, inlined_at 1 0 0\nadd.s32 r3, r1, r2;\n"
                     ".loc 2 8 1, function_name $L__info_string0, inlined_at 1 0 0\nadd.s32 r3, r1, r2;"));
    is_at(1, "steal.cu", 12);
    is_at(2, "helper.cuh", 8);
}

static void a_module_without_lines_has_none(void **state)
{
    (void)state;
    read_text(KERNEL("ret;"));
    is_at(0, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_line_holds_until_the_next, done),
        cmocka_unit_test_teardown(inlined_code_belongs_to_the_outermost_call_of_the_user, done),
        cmocka_unit_test_teardown(a_call_site_is_the_last_one_seen, done),
        cmocka_unit_test_teardown(a_call_site_never_seen_is_still_a_frame, done),
        cmocka_unit_test_teardown(code_of_the_toolkit_alone_keeps_its_own_line, done),
        cmocka_unit_test_teardown(a_load_at_line_0_takes_the_line_of_its_first_use, done),
        cmocka_unit_test_teardown(other_code_at_line_0_takes_the_line_before, done),
        cmocka_unit_test_teardown(merged_call_sites_at_line_0_do_not_name_a_header, done),
        cmocka_unit_test_teardown(a_module_without_lines_has_none, done)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

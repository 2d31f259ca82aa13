/*
 * Launch files: what each line means, and the sentence for each mistake.
 * link: emulator/run/launchfile.c emulator/run/words.c emulator/run/value.c emulator/run/npy.c emulator/run/file.c emulator/run/element.c emulator/run/complaint.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/launchfile.h"

#define START "kernel k\ngrid 4\nblock 256\n"

static struct launch_file l;

static void read_text(const char *text)
{
    struct complaint c = { 0 };
    if (!launch_parse("t.launch", text, NULL, 0, &l, &c))
        fail_msg("%s", c.text);
}

static void complains(const char *text, const char *message)
{
    struct complaint c = { 0 };
    assert_false(launch_parse("t.launch", text, NULL, 0, &l, &c));
    assert_string_equal(c.text, message);
    assert_int_equal(c.code, ENDS_USAGE);
}

static int done(void **state)
{
    (void)state;
    launch_free(&l);
    return 0;
}

/* A .npy file of two f32 in the scratch folder, with a blank in its name. */
static const char *two_floats(void)
{
    static char path[300];
    const char *scratch = getenv("TMPDIR");
    const float values[] = { 1.5f, -2 };
    struct complaint c = { 0 };
    snprintf(path, sizeof path, "%s/launch file test.npy", scratch ? scratch : "/tmp");
    assert_true(npy_save(path, ELEMENT_F32, 2, (const uint8_t *)values, "", &c));
    return path;
}

static void shape_of_the_launch(void **state)
{
    (void)state;
    read_text("# how\nkernel  k   # remark\ngrid 3 2\n\tblock 32 4 2\r\ncluster 2\nshared 1024\npriority -5\nrepeat 7\n\n");
    assert_string_equal(l.kernel, "k");
    assert_int_equal(l.grid[0], 3);
    assert_int_equal(l.grid[1], 2);
    assert_int_equal(l.grid[2], 1);
    assert_int_equal(l.block[2], 2);
    assert_int_equal(l.cluster[0], 2);
    assert_int_equal(l.shared, 1024);
    assert_int_equal(l.priority, -5);
    assert_true(l.has_priority);
    assert_int_equal(l.repeat, 7);
}

static void grids_that_follow_the_device(void **state)
{
    (void)state;
    read_text("grid resident\nblock 1\n");
    assert_int_equal(l.grid_kind, GRID_RESIDENT);
    assert_int_equal(l.grid_factor, 1);
    launch_free(&l);
    read_text("grid resident*3\nblock 1\n");
    assert_int_equal(l.grid_factor, 3);
    launch_free(&l);
    read_text("grid resident<=4096\nblock 1\n");
    assert_int_equal(l.grid_most, 4096);
}

static void settings_are_replaced_as_text(void **state)
{
    const struct setting settings[] = { { "N=1", "1", 1 }, { "N=7", "7", 1 }, { "T=", "buffer a", 1 } };
    struct complaint c = { 0 };
    (void)state;
    assert_true(launch_parse("t.launch", "grid ${N}\nblock ${N}${N}\nbuffer a u32 1 zero\narg struct { ${T}; u32 2 }\n",
                             settings, 3, &l, &c));
    assert_int_equal(l.grid[0], 7);            /* the last one wins */
    assert_int_equal(l.block[0], 77);
    assert_int_equal(l.args[0].patch_count, 1);
}

static void buffers_of_every_kind(void **state)
{
    char text[1000];
    const float fill = 1.5f;
    (void)state;
    snprintf(text, sizeof text, START "buffer a u32 10 zero\nbuffer b f32 3 fill 1.5\nbuffer c %s\nbuffer e u8 0 zero\n"
             "expect c %s\n", two_floats(), two_floats());
    read_text(text);
    assert_int_equal(l.buffer_count, 4);
    assert_int_equal(l.buffers[0].count, 10);
    assert_memory_equal(l.buffers[1].fill_value, &fill, 4);
    assert_int_equal(l.buffers[2].element, ELEMENT_F32);
    assert_int_equal(l.buffers[2].count, 2);
    assert_int_equal(l.expects[0].buffer, 2);
    assert_int_equal(launch_buffer(&l, "e"), 3);
    assert_int_equal(launch_buffer(&l, "f"), -1);
}

static void structs_have_natural_alignment(void **state)
{
    (void)state;
    read_text(START "buffer a u32 5 zero\n"
              "arg struct { u8 1; buffer a; struct { u16 2; u64 3; u8 4; }; s32 -1; }\n"
              "arg s16 -2\narg sizeof a\narg bytes 01 fF 0203\nsymbol v struct { f64 1; u8 9 }\n");
    const struct value *v = &l.args[0];
    assert_int_equal(v->size, 48);              /* 1 +7, 8, 2 +6, 8, 1 +7, 4 +4 */
    assert_int_equal(v->align, 8);
    assert_int_equal(v->patches[0].offset, 8);
    assert_int_equal(v->bytes[16], 2);
    assert_int_equal(v->bytes[24], 3);
    assert_int_equal(v->bytes[32], 4);
    assert_int_equal(v->bytes[40], 0xff);
    assert_int_equal(l.args[1].bytes[0], 0xfe);
    assert_int_equal(l.args[2].bytes[0], 5);
    assert_true(l.args[2].is_count);
    assert_memory_equal(l.args[3].bytes, "\1\377\2\3", 4);
    assert_int_equal(l.symbols[0].value.size, 16);
}

static void nested_structs_keep_their_addresses(void **state)
{
    (void)state;
    read_text(START "buffer a u32 5 zero\nbuffer b u32 5 zero\narg struct { u32 1; struct { u8 1; buffer b }; buffer a }\n");
    assert_int_equal(l.args[0].patch_count, 2);
    assert_int_equal(l.args[0].patches[0].offset, 16);
    assert_int_equal(l.args[0].patches[0].buffer, 1);
    assert_int_equal(l.args[0].patches[1].offset, 24);
}

static void mistakes_name_line_and_value(void **state)
{
    (void)state;
    complains("", "t.launch: the line `grid X` is missing");
    complains("grid 1\n", "t.launch: the line `block X` is missing");
    complains("\ngird 1\n", "t.launch:2: 'gird' is no item of a launch file; emu-run --help lists them");
    complains("grid 0\n", "t.launch:1: a size '0' is no whole number from 1 to 2147483647");
    complains("grid -1\n", "t.launch:1: a size '-1' is no whole number from 1 to 2147483647");
    complains("grid 1 2 3 4\n", "t.launch:1: '4' is one word too many");
    complains("grid\n", "t.launch:1: a size is missing at the end of the line");
    complains("grid 1\ngrid 1\n", "t.launch:2: 'grid' is given twice");
    complains("grid resident*x\n", "t.launch:1: 'resident*x' is not resident, resident*K or resident<=N");
    complains("grid resident<=0\n", "t.launch:1: 'resident<=0' asks for no block at all");
    complains("kernel a\nkernel b\n", "t.launch:2: a second kernel 'b': a launch file starts one");
    complains("grid ${N}\n", "t.launch:1: ${N} has no value; give one with --set NAME=VALUE");
    complains("grid ${N\n", "t.launch:1: '${N' has no closing brace");
    complains("buffer a u32 -3 zero\n", "t.launch:1: the number of elements '-3' is no whole number from 0 to 1099511627776");
    complains("buffer a u32 3 one\n", "t.launch:1: expected 'zero' or 'fill VALUE', found 'one'");
    complains("buffer a u8 3 fill 256\n", "t.launch:1: '256' is not a value of type u8");
    complains("buffer a\n", "t.launch:1: buffer 'a' has neither type and size nor a file");
    complains("buffer a u8 1 zero\nbuffer a u8 1 zero\n", "t.launch:2: there are two buffers 'a'");
    complains("buffer a /no/such.npy\n", "t.launch:1: /no/such.npy: cannot be opened: No such file or directory");
    complains("arg buffer a\n", "t.launch:1: there is no buffer 'a' above this line");
    complains("arg q32 1\n", "t.launch:1: 'q32' is neither buffer, sizeof, bytes, struct nor a type such as u32 or f32");
    complains("arg f32 one\n", "t.launch:1: 'one' is not a value of type f32");
    complains("arg bytes 0g\n", "t.launch:1: '0g' is not pairs of hexadecimal digits");
    complains("arg bytes 012\n", "t.launch:1: '012' is not pairs of hexadecimal digits");
    complains("arg struct { u32 1 u32 2 }\n", "t.launch:1: expected ';' or '}' before 'u32'");
    complains("arg struct { u32 1\n", "t.launch:1: '}' of the struct is missing at the end of the line");
    complains("arg struct u32 1\n", "t.launch:1: expected '{' of the struct, found 'u32'");
    complains("arg u32 1 2\n", "t.launch:1: '2' is one word too many");
    complains("expect a x.npy\n", "t.launch:1: there is no buffer 'a' above this line");
    complains("priority high\n", "t.launch:1: priority 'high' is no whole number");
}

static void an_expected_array_has_the_shape_of_its_buffer(void **state)
{
    char text[700], message[800];
    (void)state;
    snprintf(text, sizeof text, "buffer a f32 3 zero\nexpect a %s\n", two_floats());
    snprintf(message, sizeof message, "t.launch:2: %s holds 2 elements of type f32, buffer 'a' 3 of type f32", two_floats());
    complains(text, message);
}

/* Any text ends in a launch or a sentence. */
static void garbage_is_survived(void **state)
{
    static const char good[] = START "buffer a u32 10 zero\nbuffer b f32 3 fill 1.5\ncluster 2\nshared 64\n"
        "arg struct { u8 1; buffer a; struct { u16 2; }; bytes 0102; }\narg sizeof a\nsymbol v u64 0x10\n";
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 4000; i++) {
        char text[sizeof good];
        struct complaint c = { 0 };
        memcpy(text, good, sizeof good);
        for (int k = 0; k <= i % 5; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % (sizeof good - 1)] = "{};${}# \n\t0-x~"[(seed >> 20) % 14];
        }
        if (launch_parse("t.launch", text, NULL, 0, &l, &c))
            launch_free(&l);
        else
            assert_true(strncmp(c.text, "t.launch:", 9) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(shape_of_the_launch, done),
        cmocka_unit_test_teardown(grids_that_follow_the_device, done),
        cmocka_unit_test_teardown(settings_are_replaced_as_text, done),
        cmocka_unit_test_teardown(buffers_of_every_kind, done),
        cmocka_unit_test_teardown(structs_have_natural_alignment, done),
        cmocka_unit_test_teardown(nested_structs_keep_their_addresses, done),
        cmocka_unit_test_teardown(mistakes_name_line_and_value, done),
        cmocka_unit_test_teardown(an_expected_array_has_the_shape_of_its_buffer, done),
        cmocka_unit_test_teardown(garbage_is_survived, done)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

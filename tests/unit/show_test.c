/*
 * What is read back from a trace, and what a transcript makes of it: hand-made
 * traces, so that each rule is seen alone.
 *
 * link: emulator/show/table.c emulator/show/names.c emulator/show/transcript.c
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "show/names.h"
#include "show/table.h"
#include "show/transcript.h"
#include "trace/trace.h"

#define HEAD "# trace 1, device tiny\n0\tgrid-start\t1\t-\t-\t-\t-\t-\tk\t-\tgrid=4x1x1 block=64x1x1 cluster=1x1x1 priority=0 stream=0\n"
#define START "10\tblock-start\t1\t0\t0.0\t-\t-\t-\t-\t-\tid=0,0,0 rank=0 first=0\n"
#define INIT "20\tmbarrier\t1\t0\t0.0\t0\t1\tk.cu:2\tbar+0\tinit\tvalue=1 expected=1 phase=0 pending=1 tx=0 ended=0\n"

static char path[] = "/tmp/show-test-XXXXXX", source[] = "/tmp/show-test-cu-XXXXXX";
static char why[300], page[8192];

static void put(const char *file, const char *text)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int make_files(void **state)
{
    (void)state;
    int a = mkstemp(path), b = mkstemp(source);
    if (a < 0 || b < 0 || close(a) != 0 || close(b) != 0)
        return -1;
    put(source, "// init: makes it\nbar_init();\n\n// Two words: no name\nplain();\n// flip: turns\n// over\nphase ^= 1;\nafter();\n// wait: long\nwhile (a(b) { c }\n) { // x;\n}\nlast();\n");
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    return remove(path) | remove(source);
}

static struct table reads(const char *text)
{
    struct table t;
    put(path, text);
    if (!table_read(&t, path, why, sizeof why))
        fail_msg("%s", why);
    return t;
}

static void refuses(const char *text, const char *sentence)
{
    struct table t;
    put(path, text);
    assert_false(table_read(&t, path, why, sizeof why));
    assert_string_equal(why + strlen(path), sentence);
    assert_null(t.lines);
}

static void lines_have_their_columns(void **state)
{
    (void)state;
    struct table t = reads(HEAD START INIT);
    const struct line *l = &t.lines[2];
    assert_int_equal(t.count, 3);
    assert_string_equal(t.device, "tiny");
    assert_int_equal(t.blocks, 4);
    assert_int_equal(t.threads, 64);
    assert_int_equal(l->event, EV_MBARRIER);
    assert_int_equal(l->source, 2);
    assert_string_equal(l->file, "k.cu");
    assert_string_equal(l->object, "bar");
    assert_int_equal(detail(l, "pending", 7), 1);
    assert_int_equal(detail(l, "pend", 7), 7);     /* no prefix of a key */
    table_free(&t);
}

static void broken_files_are_named(void **state)
{
    (void)state;
    refuses("", ": the trace is empty: nothing was launched");
    refuses("x\n", ":1: this is no trace: EMU_TRACE=FILE or emu-run --trace FILE writes one");
    refuses(HEAD "10\tread", ":3: the trace ends within a line; the run was cut off");
    refuses(HEAD "10\tread\n", ":3: not a line of a trace");
    refuses(HEAD "10\tjump\t1\t0\t0.0\t0\t1\t-\t-\t-\t-\n", ":3: not a line of a trace");
    refuses(HEAD "-5\tread\t1\t0\t0.0\t0\t1\t-\t-\t-\t-\n", ":3: not a line of a trace");
    refuses(HEAD "10\tread\t1\t0\t0.0\t0\tzz\t-\t-\t-\t-\n", ":3: not a line of a trace");
}

/* A warp that ran ahead: its wait stands in the file before the arrival of another, and must not pass it. */
static void effects_keep_their_order(void **state)
{
    (void)state;
    struct table t = reads(HEAD START INIT
        "90\tmbarrier\t1\t0\t0.0\t1\tffffffff\t-\tbar+0\ttry-wait-parity\tparity=0 passed=0 expected=1 phase=0 pending=1 tx=0 ended=0\n"
        "50\tmbarrier\t1\t0\t0.0\t0\t1\t-\tbar+0\tarrive\tvalue=1 expected=1 phase=1 pending=1 tx=0 ended=1\n"
        "40\twrite\t1\t0\t0.0\t0\t1\t-\tdata+0\tweak\tbytes=4 span=4\n"
        "45\tblock-start\t1\t1\t1.0\t-\t-\t-\t-\t-\tid=1,0,0 rank=0 first=1\n");
    assert_int_equal(t.lines[3].time, 45);          /* another block: by time */
    assert_int_equal(t.lines[4].time, 90);
    assert_int_equal(t.lines[5].time, 50);          /* after the wait that saw the phase open */
    assert_int_equal(t.lines[5].when, 90);
    assert_int_equal(t.lines[6].when, 90);          /* and what that warp did next after that */
    table_free(&t);
}

static void only_the_first_launch_counts(void **state)
{
    (void)state;
    struct table t = reads(HEAD START "99\tblock-start\t2\t0\t0.0\t-\t-\t-\t-\t-\tid=0,0,0 rank=0 first=0\n");
    assert_int_equal(t.count, 2);
    table_free(&t);
}

static void comments_name_lines(void **state)
{
    (void)state;
    struct names n;
    const char *file = strrchr(source, '/') + 1;
    assert_true(names_read(&n, source, why, sizeof why));
    assert_string_equal(name_of(&n, file, 2), "init");
    assert_string_equal(name_of(&n, file, 5), "");
    assert_string_equal(name_of(&n, file, 8), "flip");
    assert_string_equal(name_of(&n, file, 9), "");
    assert_string_equal(name_of(&n, file, 11), "wait");
    assert_string_equal(name_of(&n, file, 13), "wait");
    assert_string_equal(name_of(&n, file, 14), "");
    assert_string_equal(name_of(&n, file, 99), "");
    assert_string_equal(name_of(&n, "other.cu", 2), "");
    names_free(&n);
    assert_false(names_read(&n, "/nowhere/k.cu", why, sizeof why));
}

/* The page of a trace, in `page`. */
static void shows(const char *text, struct transcript_options o)
{
    struct table t = reads(text);
    struct names n;
    FILE *out = fmemopen(page, sizeof page, "w");
    assert_non_null(out);
    assert_true(names_read(&n, source, why, sizeof why));
    if (!transcript(&t, &n, &o, out, why, sizeof why))
        fail_msg("%s", why);
    fclose(out);
    names_free(&n);
    table_free(&t);
}

static const struct transcript_options all = {.block = -1, .tile = -1};

static void warps_that_do_the_same_stand_in_one_line(void **state)
{
    (void)state;
    shows(HEAD START
        "20\tbar-arrive\t1\t0\t0.0\t0\tffffffff\t-\tbarrier0\t-\texpected=64 arrived=32\n"
        "30\tbar-arrive\t1\t0\t0.0\t1\tffffffff\t-\tbarrier0\t-\texpected=64 arrived=64\n"
        "30\tbar-pass\t1\t0\t0.0\t0\tffffffff\t-\tbarrier0\t-\t-\n"
        "20\tbar-pass\t1\t0\t0.0\t1\tffffffff\t-\tbarrier0\t-\t-\n", all);
    assert_non_null(strstr(page, "    20 2 warps                           at the block barrier: 64 of 64\n"));
    assert_non_null(strstr(page, "    30 2 warps                           pass the block barrier\n"));
}

/* The second warp's wait comes after an arrival: it does not join the first one's. */
static void no_line_joins_across_a_change(void **state)
{
    (void)state;
    shows(HEAD START INIT
        "30\tmbarrier\t1\t0\t0.0\t0\tffffffff\t-\tbar+0\ttry-wait-parity\tparity=1 passed=ffffffff expected=1 phase=0 pending=1 tx=0 ended=0\n"
        "40\tmbarrier\t1\t0\t0.0\t0\t1\t-\tbar+0\tarrive\tvalue=1 expected=1 phase=1 pending=1 tx=0 ended=1\n"
        "50\tmbarrier\t1\t0\t0.0\t1\tffffffff\t-\tbar+0\ttry-wait-parity\tparity=1 passed=ffffffff expected=1 phase=1 pending=1 tx=0 ended=0\n", all);
    assert_non_null(strstr(page, "    30 warp 0"));
    assert_non_null(strstr(page, "arrives at bar: phase ends"));
    assert_non_null(strstr(page, "    50 warp 1"));
    assert_null(strstr(page, "2 warps"));
}

static void phases_are_counted_beyond_eight(void **state)
{
    char text[4096] = HEAD START INIT;
    (void)state;
    for (int k = 1; k <= 9; k++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d\tmbarrier\t1\t0\t0.0\t0\t1\t-\tbar+0\tarrive\tvalue=1 expected=1 phase=%d pending=1 tx=0 ended=1\n",
                 20 + k, k % 8);
    }
    shows(text, all);
    assert_non_null(strstr(page, "    29 thread 0                          arrives at bar: phase ends                 9       1      0\n"));
}

static void what_there_is_not_is_said(void **state)
{
    (void)state;
    struct table t = reads(HEAD START INIT);
    struct names n;
    assert_true(names_read(&n, source, why, sizeof why));
    static const struct { struct transcript_options o; const char *sentence; } cases[] = {
        {{.block = 4, .tile = -1}, "there is no block 4 in a grid of 4; these ran: 0"},
        {{.block = 3, .tile = -1}, "block 3 of 4 never ran, its work was taken over; these ran: 0"},
        {{.block = -1, .tile = 2}, "there is no tile 2; there are 4, from 0"},
        {{.block = -1, .tile = -1, .barrier = "ba"}, "there is no barrier 'ba' in block 0; there is: bar"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        FILE *out = fmemopen(page, sizeof page, "w");
        assert_false(transcript(&t, &n, &cases[k].o, out, why, sizeof why));
        assert_string_equal(why, cases[k].sentence);
        assert_int_equal(ftell(out), 0);
        fclose(out);
    }
    names_free(&n);
    table_free(&t);
}

static void a_trace_says_why_it_is_not_written(void **state)
{
    (void)state;
    assert_null(trace_open("/nowhere/t", "tiny", why, sizeof why));
    assert_string_equal(why, "/nowhere/t: the trace cannot be written: No such file or directory");
    struct trace *t = trace_open("/dev/full", "tiny", why, sizeof why);
    assert_non_null(t);
    assert_false(trace_close(t, why, sizeof why));
    assert_string_equal(why, "/dev/full: the trace cannot be written: No space left on device");
    t = trace_open(path, "tiny", why, sizeof why);
    assert_non_null(t);
    assert_true(trace_close(t, why, sizeof why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_their_columns), cmocka_unit_test(broken_files_are_named),
        cmocka_unit_test(effects_keep_their_order), cmocka_unit_test(only_the_first_launch_counts),
        cmocka_unit_test(comments_name_lines), cmocka_unit_test(warps_that_do_the_same_stand_in_one_line),
        cmocka_unit_test(no_line_joins_across_a_change), cmocka_unit_test(phases_are_counted_beyond_eight),
        cmocka_unit_test(what_there_is_not_is_said), cmocka_unit_test(a_trace_says_why_it_is_not_written),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}

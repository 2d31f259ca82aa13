/*
 * The job: sizes that follow from options, data that is different everywhere, exact comparison,
 * verdicts and their exit codes.
 * link: common/job.c common/report.c common/check.c common/ledger.c common/timer.c
 * link: common/work.c common/npy.c common/options.c common/sentence.c
 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/job.h"
#include "common/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct job job;
static struct sentence why;

/* A job from up to three words; NULL is no word. */
static bool prepares(unsigned takes, const char *a, const char *b, const char *c)
{
    const char *words[] = {a, b, c};
    char *argv[5] = {(char *)"program"};
    int argc = 1;
    for (int k = 0; k < 3; k++)
        if (words[k])
            argv[argc++] = (char *)(size_t)words[k];
    return job_prepare(&job, "program", takes, argc, argv, &why);
}

static void refused(const char *a, const char *b, const char *c, const char *sentence)
{
    assert_false(prepares(7, a, b, c));
    assert_string_equal(why.text, sentence);
}

static void sizes(const char *n, const char *block, const char *cluster, int tiles)
{
    assert_true(prepares(JOB_CLUSTER, n, block, cluster));
    assert_int_equal(job.tiles, tiles);
    job_free(&job);
}

static void tiles_follow_from_n(void **state)
{
    (void)state;
    sizes("--n=0", NULL, "--cluster=8", 0);
    sizes("--n=1", "--block=256", "--cluster=1", 1);
    sizes("--n=1", "--block=256", "--cluster=8", 8);
    sizes("--n=1000003", "--block=32", "--cluster=1", 31251);
    sizes("--n=1000003", "--block=32", "--cluster=2", 31252);
    sizes("--n=1073741824", "--block=1", "--cluster=1", 1 << 30);
    sizes("--n=1099511627776", "--block=1024", "--cluster=4", 1 << 30);
    refused("--n=1073741825", "--block=1", NULL,
            "--n 1073741825: 1073741826 tiles of 1 threads; 1073741824 tiles is the most, take a larger --block");
}

static void options_that_contradict_are_refused(void **state)
{
    (void)state;
    refused("--cluster=3", NULL, NULL, "--cluster 3: a cluster has 1, 2, 4 or 8 blocks");
    refused("--alpha=nan", NULL, NULL, "--alpha nan: every result would be NaN and nothing could be checked");
    refused("--timeline", "--n=100000", NULL,
            "--timeline: 392 tiles; it draws 64 at most, take a smaller --n or a larger --block");
    refused("--trace=t", "--n=8388608", "--block=1", "--trace t: 8388608 tiles; 4194304 are recorded at most");
    refused("--input=a.npy", "--output=a.npy", NULL, "--output a.npy: that is the input");
    refused("--work=giant", "--units=4294967295", NULL,
            "--units 4294967295: tile 1 of --work giant would cost 34359738360 units; 4294967295 is the most");
}

static void n_comes_from_the_files(void **state)
{
    (void)state;
    char path[] = "/tmp/job-test-XXXXXX", word[64], want[128];
    const float data[5] = {1, 2, 3, 4, 5};
    int made = mkstemp(path);
    assert_true(made >= 0);
    snprintf(word, sizeof word, "--work=%s", path);
    snprintf(want, sizeof want, "%s:2: 'x' is not a whole number from 0 to 4294967295", path);
    assert_int_equal(write(made, "1\nx\n", 4), 4);
    refused(word, NULL, NULL, want);
    assert_int_equal(lseek(made, 0, SEEK_SET), 0);
    assert_int_equal(write(made, "10\n20\n30\n", 9), 9);
    close(made);
    assert_true(prepares(0, word, "--block=64", NULL));
    assert_int_equal(job.n, 192);
    assert_int_equal(job.sizes[2], 30);
    assert_int_equal(job.sizes[3], 0); /* the spare one */
    job_free(&job);
    assert_true(npy_write(path, "<f4", data, 5, sizeof data, &why));
    snprintf(word, sizeof word, "--input=%s", path);
    assert_true(prepares(0, word, NULL, NULL));
    assert_int_equal(job.n, 5);
    job_free(&job);
    snprintf(want, sizeof want, "--n 6: %s holds 5 elements", path);
    refused(word, "--n=6", NULL, want);
    remove(path);
}

static int ascending(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

static void made_data_differs_everywhere(void **state)
{
    (void)state;
    enum { MANY = 1 << 16 };
    static float data[MANY];
    const char *seeds[] = {"--seed=0", "--seed=1", "--seed=4294967295"};
    for (int k = 0; k < 3; k++) {
        assert_true(prepares(0, seeds[k], NULL, NULL));
        job_input(&job, data, 12345, MANY);
        if (k == 0)
            assert_true(data[0] == 12346);
        qsort(data, MANY, sizeof *data, ascending);
        assert_true(data[0] >= 1);
        for (int i = 1; i < MANY; i++)
            assert_true(data[i] != data[i - 1]);
        job_free(&job);
    }
}

static void equal_bits_or_both_nan(void **state)
{
    (void)state;
    assert_true(same(1, 1));
    assert_false(same(0.0f, -0.0f));
    assert_false(same(NAN, 1));
    assert_false(same(1, NAN));
    assert_true(same(NAN, -NAN));
    assert_true(same(INFINITY, INFINITY));
    assert_false(same(INFINITY, -INFINITY));
    assert_false(same(1, nextafterf(1, 2)));
}

static void the_first_wrong_elements_are_kept(void **state)
{
    (void)state;
    struct wrong wrong = {0};
    float got[10], want[10];
    char text[100];
    for (int i = 0; i < 10; i++) {
        want[i] = (float)(3 * (i + 1));
        got[i] = i < 3 ? want[i] : NAN;
    }
    compare(&wrong, got, want, 1000, 10);
    assert_int_equal(wrong.count, 7);
    wrong_text(&wrong, 0, text, sizeof text);
    assert_string_equal(text, "[1003] is nan, want 12");
    wrong_text(&wrong, 4, text, sizeof text);
    assert_string_equal(text, "[1007] is nan, want 24");
}

/* NaN and infinities in the input are data like any other. */
static void special_values_are_scaled(void **state)
{
    (void)state;
    float input[4] = {NAN, INFINITY, -0.0f, 3e38f}, got[4] = {NAN, INFINITY, -0.0f, INFINITY}, want[4];
    assert_true(prepares(0, "--n=4", NULL, NULL));
    job.input = input;
    job.launches = 1;
    job_compare(&job, got, want, 0, 4);
    assert_int_equal(job.wrong.count, 0);
    got[0] = 0;
    job_compare(&job, got, want, 0, 4);
    assert_int_equal(job.wrong.count, 1);
    job.input = NULL;
    job_free(&job);
}

static void several_launches_multiply_several_times(void **state)
{
    (void)state;
    float got[2] = {27, 54}, want[2];
    assert_true(prepares(0, "--n=2", NULL, NULL));
    job.launches = 3;
    job_compare(&job, got, want, 0, 2);
    assert_int_equal(job.wrong.count, 0);
    job_free(&job);
}

/* The report on stdout, captured in a file. */
static int report(char *text, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int old = dup(1);
    dup2(fileno(file), 1);
    int code = job_report(&job);
    dup2(old, 1);
    close(old);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return code;
}

static void the_verdict_is_the_last_line(void **state)
{
    (void)state;
    char text[2048];
    assert_true(prepares(0, "--n=0", NULL, NULL));
    strcpy(job.device, "emulated tiny");
    job.emulated = true;
    assert_int_equal(report(text, sizeof text), EXIT_RIGHT);
    assert_string_equal(text, "program: v := 3 v, n 0, 0 tiles of 256 threads, 0 blocks, work uniform\n"
                              "emulated tiny\nCLC: not used\nnothing to launch: n is 0\nPASS program: 0 elements\n");
    job_free(&job);
    assert_true(prepares(0, "--n=1", NULL, NULL));
    strcpy(job.device, "NVIDIA X");
    float got = NAN, want;
    job.launches = 1;
    job_compare(&job, &got, &want, 0, 1);
    assert_int_equal(report(text, sizeof text), EXIT_WRONG);
    assert_non_null(strstr(text, "\nGPU NVIDIA X\n"));
    assert_non_null(strstr(text, "\nFAIL program: [0] is nan, want 3\n"));
    assert_true(strlen(strstr(text, "FAIL")) == strlen("FAIL program: [0] is nan, want 3\n"));
    job_free(&job);
}

static void a_tile_left_out_fails_though_values_are_right(void **state)
{
    (void)state;
    char text[2048];
    assert_true(prepares(0, "--n=1", "--json", NULL));
    strcpy(job.device, "a \"b\"\\");
    job.ledger = (struct ledger){.tiles = calloc(2, sizeof(struct tile_record)),
                                 .blocks = calloc(1, sizeof(struct block_record)),
                                 .tile_count = 1,
                                 .block_count = 1,
                                 .block_threads = 256};
    assert_int_equal(report(text, sizeof text), EXIT_WRONG);
    assert_string_equal(text, "{\"program\":\"program\",\"verdict\":\"fail\","
                              "\"why\":\"tile 0 was done by nobody\",\"exit\":1,"
                              "\"n\":1,\"block\":256,\"tiles\":1,\"blocks\":0,\"cluster\":1,\"work\":\"uniform\","
                              "\"clc\":\"not used\",\"device\":\"a \\\"b\\\"\\\\\",\"emulated\":false,\"wrong\":0,"
                              "\"prologues\":0,\"stolen\":0,"
                              "\"time\":{\"unit\":\"ms\",\"median\":0,\"least\":0,\"most\":0,\"launches\":0}}\n");
    job_free(&job);
}

static void times_are_sorted(void **state)
{
    (void)state;
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    struct spread s = spread_of(odd, 3);
    assert_true(s.median == 2 && s.least == 1 && s.most == 3 && s.count == 3);
    s = spread_of(even, 4);
    assert_true(s.median == 2.5 && s.least == 1 && s.most == 4);
    assert_int_equal(spread_of(odd, 0).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_follow_from_n),
        cmocka_unit_test(options_that_contradict_are_refused),
        cmocka_unit_test(n_comes_from_the_files),
        cmocka_unit_test(made_data_differs_everywhere),
        cmocka_unit_test(equal_bits_or_both_nan),
        cmocka_unit_test(the_first_wrong_elements_are_kept),
        cmocka_unit_test(special_values_are_scaled),
        cmocka_unit_test(several_launches_multiply_several_times),
        cmocka_unit_test(the_verdict_is_the_last_line),
        cmocka_unit_test(a_tile_left_out_fails_though_values_are_right),
        cmocka_unit_test(times_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

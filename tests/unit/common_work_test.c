/*
 * Work sizes: shapes with their mean, files with their headers, and what is no work size.
 * link: common/work.c common/options.c common/sentence.c
 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/work-test-XXXXXX";
static struct sentence why;

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return remove(path);
}

static bool reads(struct work_file *file, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return work_file_read(file, path, WORK_SHAPES, &why);
}

static void refused(const char *text, const char *sentence)
{
    struct work_file file;
    char want[600];
    snprintf(want, sizeof want, "%s%s", path, sentence);
    assert_false(reads(&file, text));
    assert_string_equal(why.text, want);
}

static void files_are_read(void **state)
{
    (void)state;
    struct work_file file;
    assert_true(reads(&file, "# Title: three\n# Number: x\n7\r\n0\n\n4294967295"));
    assert_int_equal(file.count, 3);
    assert_int_equal(file.sizes[0], 7);
    assert_int_equal(file.sizes[1], 0);
    assert_int_equal(file.sizes[2], UINT32_MAX);
    free(file.sizes);
}

static void files_are_checked(void **state)
{
    (void)state;
    refused("", ":1: the file is empty; a work file has a whole number a line");
    refused("# only\n# comments\n", ":2: no number in the whole file");
    refused("1\n2\nthree\n", ":3: 'three' is not a whole number from 0 to 4294967295");
    refused("1\n-2\n", ":2: '-2' is not a whole number from 0 to 4294967295");
    refused("1.5\n", ":1: '1.5' is not a whole number from 0 to 4294967295");
    refused("1 2\n", ":1: '1 2' is not a whole number from 0 to 4294967295");
    refused("4294967296\n", ":1: '4294967296' is not a whole number from 0 to 4294967295");
    struct work_file file;
    assert_false(work_file_read(&file, "/no/such/file", "light, heavy", &why));
    assert_string_equal(why.text, "/no/such/file: cannot be opened: No such file or directory; "
                                  "--work takes light, heavy or a file");
    assert_false(work_file_read(&file, "/tmp", WORK_SHAPES, &why));
    assert_string_equal(why.text, "/tmp: cannot be read: Is a directory");
}

static void a_pipe_is_refused_at_once(void **state)
{
    (void)state;
    struct work_file file;
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(work_file_read(&file, path, WORK_SHAPES, &why));
    assert_non_null(strstr(why.text, ": is a pipe; --work takes uniform, ramp, zipf, giant or a file"));
    assert_int_equal(remove(path), 0);
    assert_true(reads(&file, "1\n"));
    free(file.sizes);
}

static void a_long_line_is_one_line(void **state)
{
    (void)state;
    char text[5000] = "# ";
    struct work_file file;
    memset(text + 2, '7', 4000);
    strcpy(text + 4002, "\n5\n");
    assert_true(reads(&file, text));
    assert_int_equal(file.count, 1);
    free(file.sizes);
    text[0] = text[1] = '7';
    strcpy(text + 4002, "\n");
    refused(text, ":1: '7777777777777777777777777777777777777777' is not a whole number from 0 to 4294967295");
}

static double mean(const uint32_t *sizes, int64_t tiles)
{
    double sum = 0;
    for (int64_t k = 0; k < tiles; k++)
        sum += sizes[k];
    return sum / (double)tiles;
}

static void shapes_have_their_mean(void **state)
{
    (void)state;
    uint32_t *sizes = (uint32_t *)&why;
    assert_true(work_sizes(&sizes, "uniform", NULL, 10, 100, 0, &why));
    assert_null(sizes);
    assert_true(work_sizes(&sizes, "ramp", NULL, 11, 100, 0, &why));
    assert_int_equal(sizes[0], 0);
    assert_int_equal(sizes[5], 100);
    assert_int_equal(sizes[10], 200);
    free(sizes);
    assert_true(work_sizes(&sizes, "giant", NULL, 20, 100, 0, &why));
    assert_int_equal(sizes[0], 100);
    assert_int_equal(sizes[1], 800);
    assert_int_equal(sizes[19], 100);
    free(sizes);
    assert_true(work_sizes(&sizes, "zipf", NULL, 1000, 10000, 0, &why));
    assert_true(mean(sizes, 1000) > 9999 && mean(sizes, 1000) < 10001);
    free(sizes);
    const char *shapes[] = {"ramp", "giant", "zipf"};
    for (int k = 0; k < 3; k++) { /* one tile, and none */
        assert_true(work_sizes(&sizes, shapes[k], NULL, 1, 100, 0, &why));
        assert_true(sizes[0] == 100 || sizes[0] == 800);
        free(sizes);
        assert_true(work_sizes(&sizes, shapes[k], NULL, 0, 100, 0, &why));
        assert_null(sizes);
    }
}

static void zipf_repeats_its_seed(void **state)
{
    (void)state;
    uint32_t *first, *again, *other;
    assert_true(work_sizes(&first, "zipf", NULL, 500, 1000, 7, &why));
    assert_true(work_sizes(&again, "zipf", NULL, 500, 1000, 7, &why));
    assert_true(work_sizes(&other, "zipf", NULL, 500, 1000, 8, &why));
    assert_memory_equal(first, again, 500 * sizeof *first);
    assert_memory_not_equal(first, other, 500 * sizeof *first);
    free(first);
    free(again);
    free(other);
}

static void a_file_repeats_and_scales(void **state)
{
    (void)state;
    struct work_file file;
    uint32_t *sizes;
    assert_true(reads(&file, "1\n2\n3\n"));
    assert_true(work_sizes(&sizes, path, &file, 7, 10, 0, &why));
    const uint32_t want[] = {10, 20, 30, 10, 20, 30, 10};
    assert_memory_equal(sizes, want, sizeof want);
    free(sizes);
    assert_false(work_sizes(&sizes, "/some/file", &file, 7, UINT32_MAX, 0, &why));
    assert_string_equal(why.text, "--units 4294967295: tile 1 of --work /some/file would cost 8589934590 units; "
                                  "4294967295 is the most");
    free(file.sizes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read),         cmocka_unit_test(files_are_checked),
        cmocka_unit_test(a_long_line_is_one_line), cmocka_unit_test(a_pipe_is_refused_at_once),
        cmocka_unit_test(shapes_have_their_mean), cmocka_unit_test(zipf_repeats_its_seed),
        cmocka_unit_test(a_file_repeats_and_scales),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}

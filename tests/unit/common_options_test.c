/*
 * The option table: what is read, and what is refused with which sentence.
 * link: common/options.c common/sentence.c
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/options.h"

#include <string.h>

static struct options options;
static struct sentence why;

/* Reads one word, or two. */
static bool reads(unsigned takes, const char *first, const char *second)
{
    char *argv[] = {(char *)"program", (char *)(size_t)first, (char *)(size_t)second, NULL};
    why.text[0] = '\0';
    return options_read(&options, takes, second ? 3 : 2, argv, &why);
}

static void refused(unsigned takes, const char *first, const char *second, const char *sentence)
{
    assert_false(reads(takes, first, second));
    assert_string_equal(why.text, sentence);
}

static void defaults_come_from_the_table(void **state)
{
    (void)state;
    char *argv[] = {(char *)"program", NULL};
    assert_true(options_read(&options, 0, 1, argv, &why));
    assert_int_equal(options.n, OPTION_AUTO);
    assert_int_equal(options.block, 256);
    assert_int_equal(options.repeat, OPTION_AUTO);
    assert_true(options.alpha == 3);
    assert_string_equal(options.work, "uniform");
    assert_string_equal(options.input, "");
    assert_false(options.json);
}

static void both_spellings_are_read(void **state)
{
    (void)state;
    assert_true(reads(0, "--n", "1000003"));
    assert_int_equal(options.n, 1000003);
    assert_true(reads(0, "--n=0", NULL));
    assert_int_equal(options.n, 0);
    assert_true(reads(0, "--n=auto", NULL));
    assert_int_equal(options.n, OPTION_AUTO);
    assert_true(reads(0, "--alpha=-0x1p-3", NULL));
    assert_true(options.alpha == -0.125f);
    assert_true(reads(0, "--alpha=-1.5e-3", NULL));
    assert_true(options.alpha == -1.5e-3f);
    assert_true(reads(0, "--json", NULL));
    assert_true(options.json);
    assert_true(reads(0, "--help", NULL));
    assert_true(options.help);
}

static void the_last_one_wins(void **state)
{
    (void)state;
    assert_true(reads(0, "--block=32", "--block=64"));
    assert_int_equal(options.block, 64);
}

static void numbers_are_checked(void **state)
{
    (void)state;
    refused(0, "--n", "-3", "--n -3: not a whole number from 0 to 1099511627776");
    refused(0, "--n", "12a", "--n 12a: not a whole number from 0 to 1099511627776");
    refused(0, "--n", " 1", "--n  1: not a whole number from 0 to 1099511627776");
    refused(0, "--n=", NULL, "--n : not a whole number from 0 to 1099511627776");
    refused(0, "--n=99999999999999999999999", NULL,
            "--n 99999999999999999999999: not a whole number from 0 to 1099511627776");
    refused(0, "--block=0", NULL, "--block 0: not a whole number from 1 to 1024");
    refused(0, "--block=1025", NULL, "--block 1025: not a whole number from 1 to 1024");
    refused(0, "--block=auto", NULL, "--block auto: not a whole number from 1 to 1024");
    refused(0, "--alpha=fast", NULL, "--alpha fast: not a number that a float holds");
    refused(0, "--alpha=1e99", NULL, "--alpha 1e99: not a number that a float holds");
    refused(0, "--alpha=", NULL, "--alpha : not a number that a float holds");
}

static void words_are_checked(void **state)
{
    (void)state;
    refused(0, "--size", NULL, "--size: no such option here; --help lists them");
    refused(0, "--siz=3", NULL, "--siz=3: no such option here; --help lists them");
    refused(0, "1000", NULL, "1000: no such option here; --help lists them");
    refused(0, "-n", "3", "-n: no such option here; --help lists them");
    refused(0, "--", NULL, "--: no such option here; --help lists them");
    refused(0, "--n", NULL, "--n: N is missing after it");
    refused(0, "--json=1", NULL, "--json=1: --json takes no value");
}

static void a_program_takes_only_its_own(void **state)
{
    (void)state;
    refused(0, "--blocks=3", NULL, "--blocks=3: no such option here; --help lists them");
    assert_true(reads(JOB_BLOCKS, "--blocks=3", NULL));
    assert_int_equal(options.blocks, 3);
    refused(JOB_BLOCKS, "--cluster=2", NULL, "--cluster=2: no such option here; --help lists them");
}

/* The help has a line for each row that the program takes, and for --help. */
static void help_lists_the_table(void **state)
{
    (void)state;
    char text[8192] = "";
    int lines = 0, rows = 1;
    FILE *file = tmpfile();
    assert_non_null(file);
    options_help(file, "program", JOB_BLOCKS);
    rewind(file);
    while (fgets(text, sizeof text, file))
        lines += strncmp(text, "  --", 4) == 0;
    fclose(file);
#define OPTION(field, kind, argument, initial, min, max, takes, help) rows += !(takes) || ((takes) & JOB_BLOCKS);
#include "common/options.def"
#undef OPTION
    assert_int_equal(lines, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table), cmocka_unit_test(both_spellings_are_read),
        cmocka_unit_test(the_last_one_wins),            cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(words_are_checked),            cmocka_unit_test(a_program_takes_only_its_own),
        cmocka_unit_test(help_lists_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

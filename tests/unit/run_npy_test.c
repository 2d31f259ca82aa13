/*
 * emu-run's .npy files, element types and the judge.
 * link: emulator/run/npy.c emulator/run/file.c emulator/run/element.c emulator/run/judge.c emulator/run/complaint.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/file.h"
#include "run/judge.h"
#include "run/npy.h"

static char path[300];

static int name_scratch(void **state)
{
    const char *scratch = getenv("TMPDIR");
    (void)state;
    snprintf(path, sizeof path, "%s/run_npy_test.npy", scratch ? scratch : "/tmp");
    return 0;
}

static int remove_scratch(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

/* A file of version 1.0 with this dictionary and `bytes` of elements. */
static void write_file(const char *dictionary, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fwrite("\x93NUMPY\1\0", 1, 8, f);
    fputc((int)(strlen(dictionary) & 0xff), f);
    fputc((int)(strlen(dictionary) >> 8), f);
    fputs(dictionary, f);
    for (size_t i = 0; i < bytes; i++)
        fputc((int)i, f);
    assert_int_equal(fclose(f), 0);
}

static void refuses(const char *dictionary, size_t bytes, const char *why)
{
    struct complaint c = { 0 };
    struct array a;
    char message[600];
    write_file(dictionary, bytes);
    assert_false(npy_load(path, &a, &c));
    snprintf(message, sizeof message, "%s: %s", path, why);
    assert_string_equal(c.text, message);
    assert_int_equal(c.code, ENDS_USAGE);
}

static void what_is_saved_is_loaded(void **state)
{
    const double values[] = { 1, -0.5, 3 };
    struct complaint c = { 0 };
    struct array a;
    (void)state;
    assert_true(npy_save(path, ELEMENT_F64, 3, (const uint8_t *)values, "(3, 1)", &c));
    assert_true(npy_load(path, &a, &c));
    assert_int_equal(a.element, ELEMENT_F64);
    assert_int_equal(a.count, 3);
    assert_string_equal(a.shape, "(3, 1)");
    assert_memory_equal(a.bytes, values, sizeof values);
    array_free(&a);
    assert_true(npy_save(path, ELEMENT_U8, 0, (const uint8_t *)values, "", &c));
    assert_true(npy_load(path, &a, &c));
    assert_int_equal(a.count, 0);
    assert_string_equal(a.shape, "(0,)");
    array_free(&a);
}

static void what_numpy_writes_is_loaded(void **state)
{
    struct complaint c = { 0 };
    struct array a;
    (void)state;
    write_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }", 12);
    assert_true(npy_load(path, &a, &c));
    assert_int_equal(a.count, 6);
    assert_int_equal(a.bytes[11], 11);
    array_free(&a);
    write_file("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 1);
    assert_true(npy_load(path, &a, &c));
    assert_int_equal(a.count, 1);
    array_free(&a);
    write_file("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8);
    assert_true(npy_load(path, &a, &c));
    array_free(&a);
}

static void other_files_are_refused_with_a_sentence(void **state)
{
    (void)state;
    refuses("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8,
            "elements of type '>f4' are not read; NumPy converts them with astype");
    refuses("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", 8,
            "elements of a structured type are not read");
    refuses("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", 16,
            "Fortran order is not read; NumPy converts it with ascontiguousarray");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 8,
            "cut short: 8 bytes of elements, the header says 12");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 8,
            "too long: 8 bytes of elements, the header says 4");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 8,
            "the shape in the header makes no sense: (99999999999999999999,), }");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 8,
            "the shape in the header makes no sense: (-1,), }");
    refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (2", 8, "the shape in the header makes no sense: (2");
    refuses("{'descr': '<f4', 'shape': (2,), }", 8, "the header names no 'fortran_order'");
    refuses("{'fortran_order': False, 'shape': (2,), }", 8, "the header names no 'descr'");
    refuses("", 0, "the header names no 'descr'");
}

static void text_and_missing_files_are_refused(void **state)
{
    struct complaint c = { 0 }, d = { 0 };
    struct array a;
    FILE *f = fopen(path, "wb");
    (void)state;
    assert_non_null(f);
    fputs("1,2,3\n4,5,6\n", f);
    fclose(f);
    assert_false(npy_load(path, &a, &c));
    assert_non_null(strstr(c.text, ": not a .npy file: it does not start with \\x93NUMPY"));
    assert_false(npy_load("/", &a, &d));
    assert_non_null(strstr(d.text, "/: cannot be read: "));
}

static void an_output_that_cannot_be_written_leaves_nothing(void **state)
{
    struct complaint c = { 0 }, d = { 0 };
    (void)state;
    assert_false(npy_save("/no/such/dir/x.npy", ELEMENT_U8, 0, (const uint8_t *)"", "", &c));
    assert_string_equal(c.text, "/no/such/dir/x.npy: cannot be written: No such file or directory");
    assert_int_equal(c.code, ENDS_USAGE);
    assert_false(npy_save("/dev/full", ELEMENT_U8, 1, (const uint8_t *)"x", "", &d));
    assert_string_equal(d.text, "/dev/full: cannot be written: No space left on device");
    assert_null(fopen("/dev/full.part", "rb"));
}

static void numbers_must_fit_their_type(void **state)
{
    uint8_t b[8] = { 0 };
    (void)state;
    assert_true(element_parse(ELEMENT_S8, "-128", b));
    assert_int_equal(b[0], 0x80);
    assert_false(element_parse(ELEMENT_S8, "-129", b));
    assert_false(element_parse(ELEMENT_S8, "128", b));
    assert_true(element_parse(ELEMENT_S8, "0xff", b));
    assert_true(element_parse(ELEMENT_U64, "18446744073709551615", b));
    assert_false(element_parse(ELEMENT_U64, "18446744073709551616", b));
    assert_true(element_parse(ELEMENT_S64, "-9223372036854775808", b));
    assert_false(element_parse(ELEMENT_S64, "9223372036854775808", b));
    assert_false(element_parse(ELEMENT_U32, "-1", b));
    assert_false(element_parse(ELEMENT_U32, "", b));
    assert_false(element_parse(ELEMENT_U32, "1 ", b));
    assert_false(element_parse(ELEMENT_U32, "+1", b));
    assert_false(element_parse(ELEMENT_U32, "0x", b));
    assert_true(element_parse(ELEMENT_U32, "010", b));
    assert_int_equal(b[0], 10);
    assert_true(element_parse(ELEMENT_F32, "nan", b));
    assert_true(element_parse(ELEMENT_F32, "-inf", b));
    assert_false(element_parse(ELEMENT_F32, "1e99", b));
    assert_false(element_parse(ELEMENT_F32, " 1", b));
    assert_true(element_parse(ELEMENT_F16, "0x3c00", b));
}

static void equal_bits_or_both_nan(void **state)
{
    const uint32_t got[] = { 0x7fc00000, 0x3f800000, 0x7fc00001, 0, 0x80000000 };
    const uint32_t want[] = { 0x7fffffff, 0x3f800000, 0x424c0000, 0, 0 };
    struct judgement j = { 0 };
    (void)state;
    judge(&j, "", ELEMENT_F32, 5, (const uint8_t *)got, (const uint8_t *)want);
    assert_int_equal(j.compared, 5);
    assert_int_equal(j.wrong, 2);
    assert_string_equal(j.line[0], "[2] is nan, want 51");
    assert_string_equal(j.line[1], "[4] is -0, want 0");
    judge(&j, "data", ELEMENT_U32, 1, (const uint8_t *)got, (const uint8_t *)want);
    assert_string_equal(j.line[2], "data[0] is 2143289344, want 2147483647");
}

static void half_values_are_shown_as_numbers(void **state)
{
    char text[ELEMENT_TEXT];
    const uint8_t one[] = { 0, 0x3c }, least[] = { 1, 0x80 }, inf[] = { 0, 0xfc }, nan[] = { 1, 0x7c };
    (void)state;
    assert_string_equal(element_text(ELEMENT_F16, one, text), "1");
    assert_string_equal(element_text(ELEMENT_F16, least, text), "-5.9605e-08");
    assert_string_equal(element_text(ELEMENT_F16, inf, text), "-inf");
    assert_string_equal(element_text(ELEMENT_F16, nan, text), "nan");
    const uint8_t minus[] = { 0xfe };
    assert_string_equal(element_text(ELEMENT_S8, minus, text), "-2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_loaded),
        cmocka_unit_test(what_numpy_writes_is_loaded),
        cmocka_unit_test(other_files_are_refused_with_a_sentence),
        cmocka_unit_test(text_and_missing_files_are_refused),
        cmocka_unit_test(an_output_that_cannot_be_written_leaves_nothing),
        cmocka_unit_test(numbers_must_fit_their_type),
        cmocka_unit_test(equal_bits_or_both_nan),
        cmocka_unit_test(half_values_are_shown_as_numbers)
    };
    return cmocka_run_group_tests(tests, name_scratch, remove_scratch);
}

/*
 * .npy files: what is written is read again, byte by byte as NumPy writes it; every way in which a
 * file can be wrong has a sentence; a failure leaves no file.
 * link: common/npy.c common/sentence.c
 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/npy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/npy-test-XXXXXX";
static char path[64], part[80];
static struct sentence why;

static int make_dir(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/a.npy", dir);
    snprintf(part, sizeof part, "%s.part", path);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    remove(path);
    return rmdir(dir); /* fails if a partial file was left */
}

static void put(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* A file of the version with this dictionary and `bytes` bytes of zeros behind it. */
static void put_header(int version, const char *dictionary, size_t bytes)
{
    unsigned char text[600] = "\x93NUMPY";
    size_t length = strlen(dictionary), at = 8;
    text[6] = (unsigned char)version;
    text[at++] = (unsigned char)length;
    text[at++] = (unsigned char)(length >> 8);
    if (version > 1)
        at += 2;
    memcpy(text + at, dictionary, length);
    put(text, at + length + bytes);
}

static bool reads(int64_t *count)
{
    void *data = NULL;
    bool right = npy_read(path, "<f4", &data, count, &why);
    if (right)
        free(data);
    return right;
}

/* Refused with this text behind the path. */
static void refused(const char *text)
{
    char want[600];
    int64_t count;
    snprintf(want, sizeof want, "%s: %s", path, text);
    assert_false(reads(&count));
    assert_string_equal(why.text, want);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    const float data[3] = {1, -0.0f, 1e-45f};
    void *got = NULL;
    int64_t count;
    assert_true(npy_write(path, "<f4", data, 3, sizeof data, &why));
    assert_int_equal(access(part, F_OK), -1);
    assert_true(npy_read(path, "<f4", &got, &count, &why));
    assert_int_equal(count, 3);
    assert_memory_equal(got, data, sizeof data);
    free(got);
    assert_true(npy_write(path, "<f4", data, 0, 0, &why));
    assert_true(reads(&count));
    assert_int_equal(count, 0);
}

/* numpy.save of float32 [1.0] by NumPy 1.24, byte for byte. */
static void the_bytes_are_numpys(void **state)
{
    (void)state;
    const char dictionary[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
    const float one = 1;
    char want[132], got[132];
    memset(want, ' ', sizeof want);
    memcpy(want, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(want + 10, dictionary, sizeof dictionary - 1);
    want[127] = '\n';
    memcpy(want + 128, &one, 4);
    assert_true(npy_write(path, "<f4", &one, 1, 4, &why));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(got, 1, sizeof got, file), sizeof got);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    assert_memory_equal(got, want, sizeof want);
}

static void every_version_and_shape_is_read(void **state)
{
    (void)state;
    int64_t count;
    for (int version = 1; version <= 3; version++) {
        put_header(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
        assert_true(reads(&count));
        assert_int_equal(count, 6);
    }
    put_header(1, "{'shape': (), 'fortran_order': False, 'descr': '<f4'}", 4);
    assert_true(reads(&count));
    assert_int_equal(count, 1);
    put_header(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (5,), }", 20);
    assert_true(reads(&count));
    put_header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7), }", 0);
    assert_true(reads(&count));
    assert_int_equal(count, 0);
}

static void wrong_files_have_a_sentence(void **state)
{
    (void)state;
    put("", 0);
    refused("not a .npy file (it is empty)");
    put("1\n2\n3\n4\n5\n6\n", 12);
    refused("not a .npy file (it does not start with \\x93NUMPY)");
    put("\x93NUM", 4);
    refused("not a .npy file (it does not start with \\x93NUMPY)");
    put("\x93NUMPY\x04\x00\x10\x00", 10);
    refused(".npy version 4.0; 1.0, 2.0 and 3.0 are read");
    put("\x93NUMPY\x01\x00\x10\x00{'des", 15);
    refused("truncated in the header");
    put("\x93NUMPY\x02\x00\x10\x00", 10);
    refused("truncated in the header");
    put("\x93NUMPY\x02\x00\x10\x00\x00\x10", 12);
    refused("a header of 268435472 bytes; more than 1048576 are not read");
    remove(path);
    refused("cannot be opened: No such file or directory");
    assert_int_equal(mkdir(path, 0700), 0);
    refused("cannot be read: Is a directory");
    assert_int_equal(rmdir(path), 0);
}

static void wrong_headers_have_a_sentence(void **state)
{
    (void)state;
    put_header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (100,), }", 399);
    refused("truncated: 399 bytes of elements, the header says 400");
    put_header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (100,), }", 401);
    refused("too long: 401 bytes of elements, the header says 400");
    put_header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (500000000000,), }", 4);
    refused("truncated: 4 bytes of elements, the header says 2000000000000");
    put_header(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 8);
    refused("elements of type '<f8', want '<f4'; in NumPy: a.astype('<f4')");
    put_header(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4);
    refused("elements of type '>f4', want '<f4'; in NumPy: a.astype('<f4')");
    put_header(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", 16);
    refused("Fortran order; in NumPy: numpy.ascontiguousarray(a)");
    put_header(1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4);
    refused("header not understood: {'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }");
    put_header(1, "{'descr': '<f4', 'shape': (1,), }", 4);
    refused("header not understood: {'descr': '<f4', 'shape': (1,), }");
    put_header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4);
    refused("header not understood: {'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }");
    put_header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }", 4);
    refused("header not understood: {'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }");
    put_header(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3", 4);
    refused("header not understood: {'descr': '<f4', 'fortran_order': False, 'shape': (3");
}

static void a_full_disk_is_said(void **state)
{
    (void)state;
    const char zeros[100000] = {0};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_false(npy_write("/dev/full", "<f4", zeros, 25000, sizeof zeros, &why));
    assert_string_equal(why.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(access("/dev/full", W_OK), 0); /* not renamed over */
    assert_int_equal(access("/dev/full.part", F_OK), -1);
    assert_false(npy_write("/dev/full", "<f4", zeros, 1, 4, &why)); /* seen when closing */
    assert_string_equal(why.text, "/dev/full: cannot be written: No space left on device");
}

static void an_old_file_stays_if_writing_fails(void **state)
{
    (void)state;
    struct out_file out;
    char text[4] = "";
    put("old", 3);
    assert_true(out_open(&out, path, &why));
    assert_true(out_bytes(&out, "new", 3, &why));
    out_abandon(&out);
    assert_int_equal(access(part, F_OK), -1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, 3, file), 3);
    fclose(file);
    assert_string_equal(text, "old");
    assert_false(out_open(&out, "/no/such/folder/a.npy", &why));
    assert_string_equal(why.text, "/no/such/folder/a.npy: cannot be written: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),       cmocka_unit_test(the_bytes_are_numpys),
        cmocka_unit_test(every_version_and_shape_is_read), cmocka_unit_test(wrong_files_have_a_sentence),
        cmocka_unit_test(wrong_headers_have_a_sentence), cmocka_unit_test(a_full_disk_is_said),
        cmocka_unit_test(an_old_file_stays_if_writing_fails),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

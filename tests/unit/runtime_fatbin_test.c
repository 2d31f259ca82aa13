/*
 * Fat binaries: which entry a device runs, and how it is unpacked. The
 * images are put together here as nvcc 13.0 writes them.
 * link: emulator/runtime/fatbin.c emulator/runtime/lz4.c emulator/runtime/zstd.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/fatbin.h"
#include "runtime/lz4.h"
#include "runtime/zstd.h"

enum { A = 0x100000, F = 0x200000, LZ4 = 0x2000, ZSTD = 0x8000 };

/* A fat binary under construction. */
static struct { uint8_t bytes[4096]; size_t used; } image;

static void put(const void *bytes, size_t count)
{
    memcpy(image.bytes + image.used, bytes, count);
    image.used += count;
}

static void put_number(uint64_t value, size_t count)
{
    put(&value, count);
}

static void set_length(void)
{
    uint64_t length = image.used - 16;
    memcpy(image.bytes + 8, &length, sizeof length);
}

static void begin(void)
{
    image.used = 0;
    put_number(0xBA55ED50, 4), put_number(1, 2), put_number(16, 2), put_number(0, 8);
}

/* The payload is padded to 8 bytes; a plain one has neither packed nor plain size. */
static void add(int kind, int arch, uint64_t flags, const void *payload, size_t packed, size_t plain)
{
    size_t padded = (packed + 7) / 8 * 8;
    put_number((uint64_t)kind, 2), put_number(0x101, 2), put_number(64, 4), put_number(padded, 8);
    put_number(plain ? packed : 0, 4), put_number(64, 4), put_number(0, 2), put_number(9, 2);
    put_number((uint64_t)arch, 4), put_number(0, 4), put_number(0, 4);
    put_number(flags | 0x11, 8), put_number(0, 8), put_number(plain, 8);
    put(payload, packed);
    image.used += padded - packed;
    set_length();
}

static void add_text(int kind, int arch, uint64_t flags, const char *text)
{
    add(kind, arch, flags, text, strlen(text) + 1, 0);
}

static const char *chosen(int cc)
{
    static char *text;
    struct fatbin_entry e;
    size_t length;
    char why[512] = "";
    free(text);
    text = NULL;
    if (fatbin_choose(image.bytes, cc, &e) != FATBIN_FOUND)
        return "none";
    text = fatbin_text(&e, &length, why, sizeof why);
    return text ? text : "damaged";
}

static void entries_are_chosen_by_flags_not_by_order(void **state)
{
    (void)state;
    begin();                                        /* nvcc -arch=sm_100a: */
    add_text(FATBIN_PTX, 100, 0, "plain 100");      /* first in the file   */
    add_text(FATBIN_ELF, 100, A, "code 100a");
    add_text(FATBIN_PTX, 100, A, "ptx 100a");
    assert_string_equal(chosen(100), "ptx 100a");
    assert_string_equal(chosen(103), "plain 100");  /* `a` is for 100 alone */
    assert_string_equal(chosen(90), "none");
    add_text(FATBIN_PTX, 100, F, "ptx 100f");
    assert_string_equal(chosen(100), "ptx 100a");
    assert_string_equal(chosen(103), "ptx 100f");
    assert_string_equal(chosen(120), "plain 100");  /* another family */
}

static void the_newest_target_that_runs_is_taken(void **state)
{
    (void)state;
    begin();
    add_text(FATBIN_PTX, 75, 0, "75");
    add_text(FATBIN_PTX, 90, 0, "90");
    add_text(FATBIN_PTX, 80, 0, "80");
    add_text(FATBIN_PTX, 120, 0, "120");
    assert_string_equal(chosen(100), "90");
    assert_string_equal(chosen(120), "120");
    assert_string_equal(chosen(75), "75");
}

static void without_ptx_the_reason_is_told_apart(void **state)
{
    struct fatbin_entry e;
    (void)state;
    begin();
    assert_int_equal(fatbin_choose(image.bytes, 100, &e), FATBIN_EMPTY);
    add_text(FATBIN_ELF, 100, A, "code");
    assert_int_equal(fatbin_choose(image.bytes, 100, &e), FATBIN_ONLY_ELF);
    assert_int_equal(fatbin_choose(image.bytes, 90, &e), FATBIN_WRONG_TARGET);
}

static void damage_is_noticed(void **state)
{
    struct fatbin_entry e;
    (void)state;
    begin();
    add_text(FATBIN_PTX, 100, 0, "text");
    uint64_t longer = image.used;                   /* more than there is for a second entry's header */
    memcpy(image.bytes + 8, &longer, 8);
    assert_int_equal(fatbin_choose(image.bytes, 100, &e), FATBIN_DAMAGED);
    set_length();
    image.bytes[16 + 8] = 0xff;                     /* a payload longer than the file */
    assert_int_equal(fatbin_choose(image.bytes, 100, &e), FATBIN_DAMAGED);
    memset(image.bytes + 8, 0xff, 8);               /* an end beyond all addresses, of the file and of the payload */
    memset(image.bytes + 16 + 8, 0xff, 7);
    assert_int_equal(fatbin_choose(image.bytes, 100, &e), FATBIN_DAMAGED);
    image.bytes[0] = 0;
    assert_int_equal(fatbin_choose(image.bytes, 100, &e), FATBIN_DAMAGED);
}

static void text_longer_than_memory_is_refused(void **state)
{
    static const uint8_t block[] = { 0x10, 'x' };
    (void)state;
    begin();
    add(FATBIN_PTX, 100, LZ4, block, sizeof block, SIZE_MAX);
    assert_string_equal(chosen(100), "damaged");
    begin();
    add(FATBIN_PTX, 100, LZ4, block, sizeof block, SIZE_MAX / 2);
    assert_string_equal(chosen(100), "damaged");
}

static void lz4_text_is_unpacked(void **state)
{
    /* "abc" three times: 3 literals, a match of 6 at distance 3; then "!" alone. */
    static const uint8_t block[] = { 0x32, 'a', 'b', 'c', 3, 0, 0x10, '!' };
    (void)state;
    begin();
    add(FATBIN_PTX, 100, LZ4, block, sizeof block, 10);
    assert_string_equal(chosen(100), "abcabcabc!");
}

static void lz4_counts_of_fifteen_go_on(void **state)
{
    /* 1 literal, then a match of 4 + 15 + 255 + 2 at distance 1. */
    static const uint8_t block[] = { 0x1f, 'x', 1, 0, 255, 2, 0x00 };
    uint8_t plain[277];
    (void)state;
    assert_true(lz4_decode(block, sizeof block, plain, sizeof plain));
    for (size_t i = 0; i < sizeof plain; i++)
        assert_int_equal(plain[i], 'x');
    assert_false(lz4_decode(block, sizeof block, plain, sizeof plain - 1));   /* would not fit */
    assert_false(lz4_decode(block, 4, plain, sizeof plain));                  /* cut off */
}

static void lz4_never_reads_before_its_start(void **state)
{
    static const uint8_t block[] = { 0x10, 'x', 2, 0, 0x00 };   /* distance 2 after one byte */
    uint8_t plain[8];
    (void)state;
    assert_false(lz4_decode(block, sizeof block, plain, 5));
}

static void zstd_text_is_unpacked(void **state)
{
    /* A frame of one raw block. */
    static const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x29, 0, 0, 'h', 'e', 'l', 'l', 'o' };
    (void)state;
    if (!zstd_available())
        skip();
    begin();
    add(FATBIN_PTX, 100, ZSTD, frame, sizeof frame, 5);
    assert_string_equal(chosen(100), "hello");
    begin();
    add(FATBIN_PTX, 100, ZSTD, frame, sizeof frame - 1, 5);
    assert_string_equal(chosen(100), "damaged");
}

static void wrappers_lead_to_images(void **state)
{
    const void *parts[] = { "one", "two", NULL }, *found[2] = { 0 };
    struct { int32_t magic, version; const void *data, *parts; } w = { 0x466243B1, 1, "data", NULL };
    (void)state;
    assert_int_equal(fatbin_images(&w, found, 2), 1);
    assert_string_equal(found[0], "data");
    w.version = 2, w.parts = parts;                 /* separate compilation */
    assert_int_equal(fatbin_images(&w, found, 1), 2);
    assert_int_equal(fatbin_images(&w, found, 2), 2);
    assert_string_equal(found[1], "two");
    w.version = 3;
    assert_int_equal(fatbin_images(&w, found, 2), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_chosen_by_flags_not_by_order),
        cmocka_unit_test(the_newest_target_that_runs_is_taken),
        cmocka_unit_test(without_ptx_the_reason_is_told_apart),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(text_longer_than_memory_is_refused),
        cmocka_unit_test(lz4_text_is_unpacked),
        cmocka_unit_test(lz4_counts_of_fifteen_go_on),
        cmocka_unit_test(lz4_never_reads_before_its_start),
        cmocka_unit_test(zstd_text_is_unpacked),
        cmocka_unit_test(wrappers_lead_to_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

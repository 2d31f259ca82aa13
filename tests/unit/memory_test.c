/* Device memory: addresses, what is where, which bytes were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "memory/memory.h"

static struct heap *heap;

static struct memory *fresh(uint64_t limit)
{
    heap = heap_new();
    return memory_new(heap, limit);
}

static void addresses_are_fixed_aligned_and_never_reused(void **state)
{
    (void)state;
    struct memory *m = fresh(1 << 20);
    struct allocation *a = memory_alloc(m, 1000, MEMORY_DEVICE, "cudaMalloc");
    assert_true(a->address == MEMORY_BASE);
    assert_true(memory_free(m, MEMORY_BASE));
    struct allocation *b = memory_alloc(m, 1, MEMORY_DEVICE, "cudaMalloc");
    assert_true(b->address > MEMORY_BASE + 1000);
    assert_int_equal(b->address % MEMORY_ALIGN, 0);
    assert_int_equal(b->serial, 2);                               /* the second cudaMalloc */
    heap_delete(heap);
}

static void an_address_finds_its_allocation_freed_or_not(void **state)
{
    (void)state;
    struct memory *m = fresh(1 << 20);
    uint64_t a = memory_alloc(m, 1000, MEMORY_DEVICE, "a")->address;
    uint64_t b = memory_alloc(m, 1000, MEMORY_DEVICE, "b")->address;
    assert_string_equal(memory_find(m, a + 999)->label, "a");
    assert_null(memory_find(m, a + 1000));                        /* one past the end is nobody's */
    assert_string_equal(memory_nearest(m, a + 1000)->label, "a");
    assert_string_equal(memory_find(m, b)->label, "b");
    assert_string_equal(memory_nearest(m, a + 5)->label, "a");    /* inside it, however near the next begins */
    assert_true(memory_free(m, a));
    assert_true(memory_find(m, a + 5)->freed);
    assert_false(memory_free(m, a));                              /* not twice */
    assert_false(memory_free(m, b + 1));                          /* not from within */
    heap_delete(heap);
}

static void memory_ends_where_the_device_ends(void **state)
{
    (void)state;
    struct memory *m = fresh(1000);
    assert_null(memory_alloc(m, 1001, MEMORY_DEVICE, "a"));
    assert_non_null(memory_alloc(m, 1000, MEMORY_DEVICE, "a"));
    assert_null(memory_alloc(m, 1, MEMORY_DEVICE, "a"));
    assert_null(memory_alloc(m, 0, MEMORY_DEVICE, "a"));
    assert_true(memory_free(m, MEMORY_BASE));
    assert_non_null(memory_alloc(m, 1, MEMORY_DEVICE, "a"));
    heap_delete(heap);
}

static void written_bytes_are_known_to_the_byte(void **state)
{
    (void)state;
    unsigned char bits[32] = {0};
    bits_set(bits, 3, 100);
    assert_false(bits_any(bits, 0, 3));
    assert_true(bits_all(bits, 3, 100));
    assert_false(bits_all(bits, 3, 101));
    assert_true(bits_any(bits, 102, 8));
    assert_false(bits_any(bits, 103, 100));
    for (size_t first = 0; first < 8; first++)       /* nothing is set and nothing read where nothing is asked for */
        bits_set(bits + sizeof bits, first, 0);
}

static void a_few_bits_are_set_within_their_bytes(void **state)
{
    (void)state;
    for (size_t first = 0; first < 16; first++)
        for (size_t count = 1; count <= 16; count++) {
            unsigned char bits[5] = {0};
            bits_set(bits, first, count);
            for (size_t i = 0; i < 40; i++)
                assert_int_equal(bits_any(bits, i, 1), i >= first && i < first + count);
            assert_true(bits_all(bits, first, count));
            assert_false(bits_all(bits, first, count + 1));
            assert_false(bits_any(bits, 0, first));
            assert_false(bits_any(bits, first + count, 40 - first - count));
        }
}

static void host_memory_may_be_mapped_again(void **state)
{
    (void)state;
    static char host[64];
    struct memory *m = fresh(1 << 20);
    assert_non_null(memory_map(m, host, 64, MEMORY_PINNED, "cudaHostAlloc"));
    assert_ptr_equal(memory_find(m, (uint64_t)(uintptr_t)host + 63)->bytes, host);
    assert_true(memory_unmap(m, host));
    assert_false(memory_unmap(m, host));
    assert_non_null(memory_map(m, host, 32, MEMORY_MANAGED, "cudaMallocManaged"));
    assert_int_equal(memory_find(m, (uint64_t)(uintptr_t)host)->size, 32);
    heap_delete(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_fixed_aligned_and_never_reused),
        cmocka_unit_test(an_address_finds_its_allocation_freed_or_not),
        cmocka_unit_test(memory_ends_where_the_device_ends),
        cmocka_unit_test(written_bytes_are_known_to_the_byte),
        cmocka_unit_test(a_few_bits_are_set_within_their_bytes),
        cmocka_unit_test(host_memory_may_be_mapped_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The machine's heap: what is saved comes back, at the same addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "memory/heap.h"

static void memory_comes_zeroed_also_when_used_again(void **state)
{
    (void)state;
    struct heap *h = heap_new();
    unsigned char *a = heap_alloc(h, 100);
    memset(a, 7, 100);
    heap_free(h, a, 100);
    unsigned char *b = heap_alloc(h, 100);
    assert_ptr_equal(a, b);                        /* the same block again */
    for (int k = 0; k < 100; k++)
        assert_int_equal(b[k], 0);
    assert_int_equal((uintptr_t)b % 64, 0);
    heap_delete(h);
}

static void a_restored_heap_equals_the_saved_one(void **state)
{
    (void)state;
    struct heap *h = heap_new();
    int *small = heap_alloc(h, sizeof *small);
    int *large = heap_alloc(h, 1000000);
    *small = 1;
    large[999] = 2;
    struct heap_snapshot *s = heap_save(h);
    assert_true(heap_equals(h, s));
    *small = 3;
    assert_false(heap_equals(h, s));
    heap_free(h, large, 1000000);                  /* kept for the snapshot */
    assert_non_null(heap_alloc(h, 2000000));
    heap_restore(h, s);
    assert_true(heap_equals(h, s));
    assert_int_equal(*small, 1);
    assert_int_equal(large[999], 2);
    heap_snapshot_delete(h, s);
    heap_delete(h);
}

static void two_snapshots_live_side_by_side(void **state)
{
    (void)state;
    struct heap *h = heap_new();
    int *x = heap_alloc(h, sizeof *x);
    *x = 1;
    struct heap_snapshot *first = heap_save(h);
    *x = 2;
    assert_non_null(heap_alloc(h, 3000000));
    struct heap_snapshot *second = heap_save(h);
    heap_restore(h, first);
    assert_int_equal(*x, 1);
    heap_restore(h, second);
    assert_int_equal(*x, 2);
    heap_snapshot_delete(h, first);
    heap_snapshot_delete(h, second);
    heap_delete(h);
}

static void growing_keeps_what_was_there(void **state)
{
    (void)state;
    struct heap *h = heap_new();
    char *p = heap_alloc(h, 10);
    memcpy(p, "123456789", 10);
    p = heap_grow(h, p, 10, 200000);
    assert_string_equal(p, "123456789");
    assert_int_equal(p[199999], 0);
    heap_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_comes_zeroed_also_when_used_again),
        cmocka_unit_test(a_restored_heap_equals_the_saved_one),
        cmocka_unit_test(two_snapshots_live_side_by_side),
        cmocka_unit_test(growing_keeps_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

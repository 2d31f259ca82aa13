/*
 * Launch control: the pool of a grid under requests, and the 16 opaque bytes.
 * The machine is bare: a heap, a choice source and a grid that nobody runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine/grid.h"
#include "sync/launch_control.h"

static struct machine machine;
static struct grid grid, other;

static int bare(void **state)
{
    (void)state;
    memset(&machine, 0, sizeof machine);
    memset(&grid, 0, sizeof grid);
    memset(&other, 0, sizeof other);
    machine.heap = heap_new();
    choice_init(&machine.choice, &(struct choice_options){.mode = CHOOSE_LOWEST});
    grid.clusters = grid.pending = 6;
    machine.active = &grid;
    return 0;
}

static int done(void **state)
{
    (void)state;
    heap_delete(machine.heap);
    return 0;
}

#define GRANTED(n) assert_int_equal(launch_control_request(&machine, &grid, &got), CLC_GRANTED); assert_int_equal(got, n)
#define REFUSED(why) assert_int_equal(launch_control_request(&machine, &grid, &got), why)

static void grants_ascend_and_end(void **state)
{
    uint64_t got, started;
    (void)state;
    assert_true(grid_take_next(&grid, &started));                     /* cluster 0 starts by itself */
    GRANTED(1); GRANTED(2);
    assert_true(grid_take_next(&grid, &started));
    assert_int_equal(started, 3);                                     /* what was cancelled does not start */
    GRANTED(4); GRANTED(5);
    REFUSED(CLC_NONE_PENDING);
    assert_false(grid_take_next(&grid, &started));
}

static void any_order_hands_out_each_cluster_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint64_t got, seen = 0;
        choice_init(&machine.choice, &(struct choice_options){.mode = CHOOSE_SEEDED, .seed = seed});
        grid = (struct grid){.clusters = 40, .pending = 40};
        for (int k = 0; k < 40; k++) {
            if (k % 3 == 0)
                assert_true(grid_take_next(&grid, &got));
            else
                assert_int_equal(launch_control_request(&machine, &grid, &got), CLC_GRANTED);
            assert_true(got < 40);
            assert_int_equal(seen >> got & 1, 0);
            seen |= UINT64_C(1) << got;
        }
        REFUSED(CLC_NONE_PENDING);
    }
}

static void a_waiting_grid_of_higher_priority_refuses(void **state)
{
    uint64_t got;
    (void)state;
    other = (struct grid){.clusters = 2, .pending = 2, .priority = -1, .next_active = &grid};
    machine.active = &other;
    REFUSED(CLC_PRIORITY);
    other.ready_at = 100;                                             /* launched, but not there yet */
    GRANTED(0);
    machine.now = 100;
    REFUSED(CLC_PRIORITY);
    other.pending = 0;                                                /* all of it has started */
    GRANTED(1);
    other.pending = 1;
    other.priority = 0;                                               /* of the same priority */
    GRANTED(2);
}

static void the_run_may_ask_for_refusals(void **state)
{
    uint64_t got;
    (void)state;
    choice_init(&machine.choice, &(struct choice_options){.refuse = REFUSE_KTH, .refuse_k = 2});
    GRANTED(0); REFUSED(CLC_REFUSED); GRANTED(1);                     /* the refused request lost nothing */
    choice_init(&machine.choice, &(struct choice_options){.refuse = REFUSE_ALL});
    REFUSED(CLC_REFUSED); REFUSED(CLC_REFUSED);
    assert_int_equal(grid.pending, 4);
}

/* ---- the response ------------------------------------------------------------ */

static void a_response_is_read_back(void **state)
{
    const uint32_t places[][3] = {{0, 0, 0}, {7, 0, 0}, {0x7ffffffe, 65534, 65534}, {3, 2, 1}};
    (void)state;
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t request = 1; request < 5000; request += 7) {
            struct clc_response r = {.granted = true, .request = request}, got;
            uint32_t words[4];
            memcpy(r.ctaid, places[k], sizeof r.ctaid);
            clc_encode(&r, words);
            assert_true(clc_decode(words, &got));
            assert_true(got.granted);
            assert_int_equal(got.request, request);
            assert_memory_equal(got.ctaid, r.ctaid, sizeof r.ctaid);
        }
}

static void a_refusal_has_no_plausible_index(void **state)
{
    struct clc_response r = {.granted = false, .request = 9}, got;
    uint32_t words[4];
    (void)state;
    clc_encode(&r, words);
    assert_true(clc_decode(words, &got));
    assert_false(got.granted);
    for (int d = 0; d < 3; d++)
        for (uint32_t threads = 1; threads <= 1024; threads *= 2) {
            assert_true(got.ctaid[d] > 0x7fffffffu);
            assert_true((int32_t)(got.ctaid[d] * threads) < 0);
        }
}

static void torn_stale_and_foreign_bytes_are_seen(void **state)
{
    struct clc_response a = {.granted = true, .ctaid = {5, 0, 0}, .request = 1}, b = {.granted = true, .ctaid = {5, 0, 0}, .request = 2};
    uint32_t x[4], y[4], zeros[4] = {0}, ones[4] = {~0u, ~0u, ~0u, ~0u};
    struct clc_response got;
    (void)state;
    clc_encode(&a, x);
    clc_encode(&b, y);
    for (uint32_t mixed = 1; mixed < 15; mixed++) {                   /* every mixture of two responses for the same place */
        uint32_t words[4];
        for (int k = 0; k < 4; k++)
            words[k] = mixed >> k & 1 ? x[k] : y[k];
        assert_false(clc_decode(words, &got));
    }
    for (int bit = 0; bit < 128; bit++) {
        uint32_t words[4];
        memcpy(words, x, sizeof words);
        words[bit / 32] ^= 1u << bit % 32;
        assert_false(clc_decode(words, &got));
    }
    assert_false(clc_decode(zeros, &got));
    assert_false(clc_decode(ones, &got));
    assert_int_not_equal(x[0], 5);                                    /* decoding by hand gives nothing */
    assert_int_not_equal(x[2], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grants_ascend_and_end, bare, done),
        cmocka_unit_test_setup_teardown(any_order_hands_out_each_cluster_once, bare, done),
        cmocka_unit_test_setup_teardown(a_waiting_grid_of_higher_priority_refuses, bare, done),
        cmocka_unit_test_setup_teardown(the_run_may_ask_for_refusals, bare, done),
        cmocka_unit_test(a_response_is_read_back),
        cmocka_unit_test(a_refusal_has_no_plausible_index),
        cmocka_unit_test(torn_stale_and_foreign_bytes_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

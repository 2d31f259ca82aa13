/*
 * The mbarrier room, as timelines: one operation and its consequence a line.
 *
 * link: emulator/sync/mbarrier.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sync/mbarrier.h"

static uint64_t word;

#define EQ(got, want) assert_int_equal(got, want)
#define STATE(pending_, tx_, phase_) \
    EQ(mbarrier_decode(word).pending, pending_); EQ(mbarrier_decode(word).tx, tx_); EQ(mbarrier_decode(word).phase, phase_)

static void init_sets_the_first_phase(void **state)
{
    (void)state;
    EQ(mbarrier_init(&word, 3), MBAR_OPEN);               STATE(3, 0, 0);
    EQ(mbarrier_decode(word).expected, 3);
    EQ(mbarrier_init(&word, 0), MBAR_BAD_COUNT);          STATE(3, 0, 0);      /* refused: nothing changed */
    EQ(mbarrier_init(&word, 1 << 20), MBAR_BAD_COUNT);
    EQ(mbarrier_init(&word, (1 << 20) - 1), MBAR_OPEN);   STATE((1 << 20) - 1, 0, 0);
}

static void the_last_arrival_ends_the_phase(void **state)
{
    (void)state;
    mbarrier_init(&word, 3);
    EQ(mbarrier_arrive(&word, 1), MBAR_OPEN);             STATE(2, 0, 0);
    EQ(mbarrier_arrive(&word, 2), MBAR_COMPLETED);        STATE(3, 0, 1);      /* re-armed */
    EQ(mbarrier_arrive(&word, 4), MBAR_TOO_MANY);         STATE(3, 0, 1);
    EQ(mbarrier_arrive(&word, 0), MBAR_BAD_COUNT);
}

static void bytes_hold_a_phase_open(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    EQ(mbarrier_expect_tx(&word, 16), MBAR_OPEN);         STATE(1, 16, 0);
    EQ(mbarrier_arrive(&word, 1), MBAR_OPEN);             STATE(0, 16, 0);     /* 16 bytes still out */
    EQ(mbarrier_complete_tx(&word, 8), MBAR_OPEN);        STATE(0, 8, 0);
    EQ(mbarrier_complete_tx(&word, 8), MBAR_COMPLETED);   STATE(1, 0, 1);      /* the last byte flips */
}

static void bytes_may_come_before_they_are_expected(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    EQ(mbarrier_complete_tx(&word, 16), MBAR_OPEN);       STATE(1, -16, 0);    /* the missing arrival keeps it open */
    EQ(mbarrier_arrive_expect_tx(&word, 16), MBAR_COMPLETED); STATE(1, 0, 1);
}

static void expecting_the_wrong_number_never_ends(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    EQ(mbarrier_arrive_expect_tx(&word, 8), MBAR_OPEN);
    EQ(mbarrier_complete_tx(&word, 16), MBAR_OPEN);       STATE(0, -8, 0);
    mbarrier_init(&word, 1);
    EQ(mbarrier_arrive_expect_tx(&word, 32), MBAR_OPEN);
    EQ(mbarrier_complete_tx(&word, 16), MBAR_OPEN);       STATE(0, 16, 0);
}

static void expecting_after_the_last_arrival_may_end_it(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    mbarrier_complete_tx(&word, 16);
    EQ(mbarrier_arrive(&word, 1), MBAR_OPEN);             STATE(0, -16, 0);
    EQ(mbarrier_expect_tx(&word, 16), MBAR_COMPLETED);    STATE(1, 0, 1);
}

static void the_byte_count_has_a_range(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    EQ(mbarrier_expect_tx(&word, MBARRIER_MAX), MBAR_OPEN);       STATE(1, MBARRIER_MAX, 0);
    EQ(mbarrier_expect_tx(&word, 1), MBAR_TX_RANGE);              STATE(1, MBARRIER_MAX, 0);
    EQ(mbarrier_arrive_expect_tx(&word, 1), MBAR_TX_RANGE);       STATE(1, MBARRIER_MAX, 0);
    EQ(mbarrier_expect_tx(&word, UINT32_MAX), MBAR_TX_RANGE);
    mbarrier_init(&word, 1);
    EQ(mbarrier_complete_tx(&word, MBARRIER_MAX), MBAR_OPEN);     STATE(1, -MBARRIER_MAX, 0);
    EQ(mbarrier_complete_tx(&word, 1), MBAR_TX_RANGE);            STATE(1, -MBARRIER_MAX, 0);
}

static void a_drop_lowers_what_later_phases_expect(void **state)
{
    (void)state;
    mbarrier_init(&word, 3);
    EQ(mbarrier_drop(&word, 1), MBAR_OPEN);               STATE(2, 0, 0); EQ(mbarrier_decode(word).expected, 2);
    EQ(mbarrier_arrive(&word, 2), MBAR_COMPLETED);        STATE(2, 0, 1);
    EQ(mbarrier_drop(&word, 2), MBAR_COMPLETED);          STATE(0, 0, 2);      /* nobody is left */
    EQ(mbarrier_arrive(&word, 1), MBAR_TOO_MANY);
    EQ(mbarrier_drop_expect_tx(&word, 16), MBAR_TOO_MANY);
}

static void a_drop_may_expect_bytes(void **state)
{
    (void)state;
    mbarrier_init(&word, 2);
    EQ(mbarrier_drop_expect_tx(&word, 16), MBAR_OPEN);    STATE(1, 16, 0); EQ(mbarrier_decode(word).expected, 1);
    EQ(mbarrier_arrive(&word, 1), MBAR_OPEN);
    EQ(mbarrier_complete_tx(&word, 16), MBAR_COMPLETED);  STATE(1, 0, 1);
}

static void no_complete_must_leave_something_missing(void **state)
{
    (void)state;
    mbarrier_init(&word, 3);
    EQ(mbarrier_arrive_no_complete(&word, 2), MBAR_OPEN);              STATE(1, 0, 0);
    EQ(mbarrier_arrive_no_complete(&word, 1), MBAR_WOULD_COMPLETE);    STATE(1, 0, 0);
    EQ(mbarrier_drop_no_complete(&word, 1), MBAR_WOULD_COMPLETE);      STATE(1, 0, 0);
    EQ(mbarrier_expect_tx(&word, 4), MBAR_OPEN);
    EQ(mbarrier_arrive_no_complete(&word, 1), MBAR_OPEN);              STATE(0, 4, 0);   /* bytes keep it open */
}

static void parity_asks_for_the_current_phase_or_the_one_before(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    assert_false(mbarrier_test_parity(word, 0));          /* phase 0 is open */
    assert_true(mbarrier_test_parity(word, 1));           /* "the phase before the first" is over: producers use it */
    mbarrier_arrive(&word, 1);
    assert_true(mbarrier_test_parity(word, 0));
    assert_false(mbarrier_test_parity(word, 1));
    mbarrier_arrive(&word, 1);
    assert_false(mbarrier_test_parity(word, 0));          /* two phases on, the parity means another phase */
    assert_false(mbarrier_test_parity(word, 2));          /* only its lowest bit counts */
}

static void a_token_names_the_phase_it_arrived_in(void **state)
{
    (void)state;
    mbarrier_init(&word, 2);
    uint64_t token = word;
    mbarrier_arrive(&word, 1);
    assert_false(mbarrier_test(word, token));
    EQ(mbarrier_pending_count(token), 2);                 /* before that arrive */
    EQ(mbarrier_pending_count(word), 1);
    mbarrier_arrive(&word, 1);
    assert_true(mbarrier_test(word, token));
    assert_false(mbarrier_test(word, word));
}

static void phases_are_counted_modulo_eight(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    for (uint32_t phase = 0; phase < 20; phase++) {
        STATE(1, 0, phase % 8);
        EQ(mbarrier_test_parity(word, phase & 1), false);
        EQ(mbarrier_arrive(&word, 1), MBAR_COMPLETED);
        EQ(mbarrier_test_parity(word, phase & 1), true);
    }
}

static void an_asynchronous_arrive_may_be_added(void **state)
{
    (void)state;
    mbarrier_init(&word, 1);
    EQ(mbarrier_add_pending(&word), MBAR_OPEN);           STATE(2, 0, 0);
    EQ(mbarrier_arrive(&word, 1), MBAR_OPEN);             /* the copies' own arrive comes later */
    EQ(mbarrier_arrive(&word, 1), MBAR_COMPLETED);        STATE(1, 0, 1);
    mbarrier_init(&word, MBARRIER_MAX);
    EQ(mbarrier_add_pending(&word), MBAR_OVERFLOW);       STATE(MBARRIER_MAX, 0, 0);
}

static void the_word_holds_every_state(void **state)
{
    (void)state;
    const int32_t txs[] = {0, 1, -1, 16, -16, MBARRIER_MAX, -MBARRIER_MAX};
    const uint32_t counts[] = {0, 1, 2, 255, MBARRIER_MAX};
    for (int t = 0; t < 7; t++)
        for (int c = 0; c < 5; c++)
            for (uint32_t phase = 0; phase < 8; phase++) {
                struct mbarrier b = {counts[c], counts[4 - c], txs[t], phase}, got;
                got = mbarrier_decode(mbarrier_encode(b));
                assert_memory_equal(&got, &b, sizeof b);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_sets_the_first_phase),
        cmocka_unit_test(the_last_arrival_ends_the_phase),
        cmocka_unit_test(bytes_hold_a_phase_open),
        cmocka_unit_test(bytes_may_come_before_they_are_expected),
        cmocka_unit_test(expecting_the_wrong_number_never_ends),
        cmocka_unit_test(expecting_after_the_last_arrival_may_end_it),
        cmocka_unit_test(the_byte_count_has_a_range),
        cmocka_unit_test(a_drop_lowers_what_later_phases_expect),
        cmocka_unit_test(a_drop_may_expect_bytes),
        cmocka_unit_test(no_complete_must_leave_something_missing),
        cmocka_unit_test(parity_asks_for_the_current_phase_or_the_one_before),
        cmocka_unit_test(a_token_names_the_phase_it_arrived_in),
        cmocka_unit_test(phases_are_counted_modulo_eight),
        cmocka_unit_test(an_asynchronous_arrive_may_be_added),
        cmocka_unit_test(the_word_holds_every_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

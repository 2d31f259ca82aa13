/* The choice source: same choices, same run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/choice.h"

static void lowest_first_never_chooses(void **state)
{
    (void)state;
    struct choice c;
    choice_init(&c, &(struct choice_options){.mode = CHOOSE_LOWEST});
    for (uint32_t n = 1; n < 100; n++)
        assert_int_equal(choose(&c, CHOICE_WARP, n), 0);
}

static void the_same_seed_chooses_the_same_and_another_does_not(void **state)
{
    (void)state;
    struct choice a, b, other;
    unsigned different = 0;
    choice_init(&a, &(struct choice_options){.mode = CHOOSE_SEEDED, .seed = 7});
    choice_init(&b, &(struct choice_options){.mode = CHOOSE_SEEDED, .seed = 7});
    choice_init(&other, &(struct choice_options){.mode = CHOOSE_SEEDED, .seed = 8});
    for (int k = 0; k < 1000; k++) {
        uint32_t x = choose(&a, CHOICE_WARP, 10);
        assert_true(x < 10);
        assert_int_equal(x, choose(&b, CHOICE_WARP, 10));
        different += x != choose(&other, CHOICE_WARP, 10);
    }
    assert_true(different > 500);
}

static void a_recording_replays(void **state)
{
    (void)state;
    struct choice a, b;
    choice_init(&a, &(struct choice_options){.mode = CHOOSE_SEEDED, .seed = 1, .record = true});
    for (int k = 0; k < 300; k++)
        choose(&a, CHOICE_WARP, 5);
    choose(&a, CHOICE_WARP, 1);                                /* a choice of one is not recorded */
    assert_int_equal(a.recorded_count, 300);
    choice_init(&b, &(struct choice_options){.mode = CHOOSE_REPLAY, .replay = a.recorded, .replay_count = 300});
    for (int k = 0; k < 300; k++)
        assert_int_equal(choose(&b, CHOICE_WARP, 5), a.recorded[k]);
    assert_int_equal(choose(&b, CHOICE_WARP, 5), 0);           /* past its end: lowest */
    choice_free(&a);
}

static void refusals_come_where_they_were_asked_for(void **state)
{
    (void)state;
    struct choice c;
    struct choice_options o = {.mode = CHOOSE_LOWEST};
    assert_true(choice_parse_refuse("3", &o));
    choice_init(&c, &o);
    assert_false(choice_refuse(&c));
    assert_false(choice_refuse(&c));
    assert_true(choice_refuse(&c));
    assert_false(choice_refuse(&c));
    assert_true(choice_parse_refuse("all", &o));
    choice_init(&c, &o);
    assert_true(choice_refuse(&c));
    assert_true(choice_parse_refuse("p0", &o));
    choice_init(&c, &o);
    assert_false(choice_refuse(&c));
}

static void nonsense_is_no_seed_and_no_refusal(void **state)
{
    (void)state;
    struct choice_options o = {.mode = CHOOSE_LOWEST};
    const char *const bad_seed[] = {"x", "-1", "1x", " 1", "99999999999999999999999"};
    const char *const bad_refuse[] = {"none of it", "0", "-1", "p", "p2", "px", "p0.5x", "pnan"};
    for (size_t k = 0; k < sizeof bad_seed / sizeof *bad_seed; k++)
        assert_false(choice_parse_seed(bad_seed[k], &o));
    for (size_t k = 0; k < sizeof bad_refuse / sizeof *bad_refuse; k++)
        assert_false(choice_parse_refuse(bad_refuse[k], &o));
    assert_int_equal(o.mode, CHOOSE_LOWEST);
    assert_int_equal(o.refuse, REFUSE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowest_first_never_chooses),
        cmocka_unit_test(the_same_seed_chooses_the_same_and_another_does_not),
        cmocka_unit_test(a_recording_replays),
        cmocka_unit_test(refusals_come_where_they_were_asked_for),
        cmocka_unit_test(nonsense_is_no_seed_and_no_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Clocks: what is known to have happened before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checker/clock.h"
#include "checker/explore.h"
#include "checker/rule.h"

#include <string.h>

static struct heap *h;

static int set_up(void **state)
{
    (void)state;
    h = heap_new();
    return h == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    heap_delete(h);
    return 0;
}

#define EQ(got, want) assert_int_equal(got, want)

static void past_is_of_all_threads(void **state)
{
    (void)state;
    struct clock *c = clock_with_past(h, NULL, 7, 3);
    EQ(clock_past(c, 7), 3);
    EQ(clock_past(c, 8), 0);                                   /* nothing is known of another block */
    EQ(clock_lanes(c, 7, 2, 0xff, 3), 0xff);
    EQ(clock_lanes(c, 7, 2, 0xff, 4), 0);                      /* a later epoch is not known */
    clock_drop(h, c);
}

static void some_is_of_lanes(void **state)
{
    (void)state;
    struct clock *a = clock_with_some(h, NULL, (struct some){.block = 7, .epoch = 5, .mask = 0x0f, .warp = 1});
    struct clock *b = clock_with_some(h, a, (struct some){.block = 7, .epoch = 6, .mask = 0x03, .warp = 1});
    EQ(clock_lanes(b, 7, 1, 0xff, 5), 0x0f);
    EQ(clock_lanes(b, 7, 1, 0xff, 6), 0x03);                   /* two lanes are known better */
    EQ(clock_lanes(b, 7, 0, 0xff, 1), 0);                      /* the other warp not at all */
    EQ(clock_all_lanes(b, 7, 1, 0x0f), 5);
    clock_drop(h, a);
    clock_drop(h, b);
}

static void past_swallows_some(void **state)
{
    (void)state;
    struct clock *a = clock_with_some(h, NULL, (struct some){.block = 7, .epoch = 5, .mask = 1, .warp = 0});
    struct clock *b = clock_with_past(h, a, 7, 5);
    EQ(b->somes, 0);
    clock_drop(h, a);
    clock_drop(h, b);
}

static void join_knows_both(void **state)
{
    (void)state;
    struct clock *a = clock_with_past(h, NULL, 1, 4), *b = clock_with_seen(h, NULL, 10, 2);
    struct clock *c = clock_join(h, a, b);
    EQ(clock_past(c, 1), 4);
    EQ(clock_seen(c, 10), 2);
    struct clock *again = clock_join(h, c, b);
    assert_ptr_equal(again, c);                                /* nothing new: the same clock */
    clock_drop(h, again);
    clock_drop(h, a);
    clock_drop(h, b);
    clock_drop(h, c);
}

static void self_becomes_lanes(void **state)
{
    (void)state;
    struct clock *a = clock_with_self(h, NULL, 9), *b = clock_sent(h, a, 3, 2, 0x10);
    EQ(clock_lanes(b, 3, 2, 0xff, 9), 0x10);
    EQ(b->self, 0);
    clock_drop(h, a);
    clock_drop(h, b);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    struct clock *c = NULL;
    for (uint32_t block = 1; block <= 5000; block++) {
        struct clock *n = clock_with_past(h, c, block, 1);
        clock_drop(h, c);
        c = n;
    }
    assert_true(c->pasts <= 1024);
    EQ(clock_past(c, 5000), 1);
    EQ(clock_past(c, 1), UINT32_MAX);                          /* forgotten counts as known: no race is invented */
    clock_drop(h, c);
}

static void schedules_have_words(void **state)
{
    (void)state;
    char words[SCHEDULE_WORDS];
    struct choice_options base = {0};
    EQ(explore_schedule(&base, 0, 3, words).mode, CHOOSE_LOWEST);
    assert_string_equal(words, "");
    EQ(explore_schedule(&base, 2, 3, words).lean, LEAN_PCT);
    assert_string_equal(words, "--schedules 0 --seed pct1");
    EQ(explore_schedule(&base, 3, 3, words).refuse, REFUSE_KTH);
    assert_string_equal(words, "--schedules 0 --refuse 1");
    struct choice_options read = {0};
    assert_true(choice_parse_seed("late4", &read));
    EQ(read.lean, LEAN_LATE);
    EQ(read.seed, 4);
}

static void rules_are_found(void **state)
{
    (void)state;
    EQ(rule_find("px4"), RULE_PX4);
    EQ(rule_find("PX"), RULE_COUNT);
    assert_string_equal(rules[RULE_TC9].id, "TC9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(past_is_of_all_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(some_is_of_lanes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(past_swallows_some, set_up, tear_down),
        cmocka_unit_test_setup_teardown(join_knows_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(self_becomes_lanes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_is_bounded, set_up, tear_down),
        cmocka_unit_test(schedules_have_words), cmocka_unit_test(rules_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

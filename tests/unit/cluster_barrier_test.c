/*
 * The cluster barrier: counts, exits, phases. The threads are the test's.
 *
 * link: emulator/sync/cluster_barrier.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sync/cluster_barrier.h"

#define ARRIVED(b, n, p) assert_int_equal((b).arrived, n); assert_int_equal((b).phase, p)

static void everyone_opens_it(void **state)
{
    (void)state;
    struct cluster_barrier b = {0};
    assert_false(cluster_barrier_arrive(&b, 32, 64));     ARRIVED(b, 32, 0);
    assert_true(cluster_barrier_arrive(&b, 32, 64));      ARRIVED(b, 0, 1);     /* and the next phase begins */
    assert_false(cluster_barrier_arrive(&b, 63, 64));     ARRIVED(b, 63, 1);
    assert_true(cluster_barrier_arrive(&b, 1, 64));       ARRIVED(b, 0, 2);
}

static void exited_threads_are_not_waited_for(void **state)
{
    (void)state;
    struct cluster_barrier b = {0};
    assert_false(cluster_barrier_arrive(&b, 10, 64));
    assert_false(cluster_barrier_exit(&b, 0, 32));        ARRIVED(b, 10, 0);    /* half of the cluster leaves */
    assert_false(cluster_barrier_arrive(&b, 21, 32));     ARRIVED(b, 31, 0);
    assert_true(cluster_barrier_exit(&b, 0, 31));         ARRIVED(b, 0, 1);     /* the one that was missing exits */
}

static void a_thread_that_arrived_and_exited_counts_for_nobody(void **state)
{
    (void)state;
    struct cluster_barrier b = {0};
    assert_false(cluster_barrier_arrive(&b, 1, 2));
    assert_false(cluster_barrier_exit(&b, 1, 1));         ARRIVED(b, 0, 0);     /* the other has not come yet */
    assert_true(cluster_barrier_arrive(&b, 1, 1));        ARRIVED(b, 0, 1);
}

static void an_empty_barrier_stays_shut(void **state)
{
    (void)state;
    struct cluster_barrier b = {0};
    assert_false(cluster_barrier_exit(&b, 0, 0));         ARRIVED(b, 0, 0);     /* all exit, nobody ever arrived */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyone_opens_it),
        cmocka_unit_test(exited_threads_are_not_waited_for),
        cmocka_unit_test(a_thread_that_arrived_and_exited_counts_for_nobody),
        cmocka_unit_test(an_empty_barrier_stays_shut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

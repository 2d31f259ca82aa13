/*
 * The machine as a whole: launches, waiting, saved state, bounded memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/grid.h"

/* count(p): every thread adds 1 to *p. spin(p): one thread waits until *p is not 0. set(p): *p = 1. */
static const char ptx[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry count(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nbar.sync 0;\n"
    "atom.global.add.u32 %r1, [%rd2], 1;\nret;\n}\n"
    ".visible .entry spin(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "again:\nld.volatile.global.u32 %r1, [%rd2];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra again;\nret;\n}\n"
    ".visible .entry set(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nst.volatile.global.u32 [%rd2], 1;\nret;\n}\n";

struct fixture { struct machine *m; struct ptx_module *module; int id; uint64_t p; };

static struct fixture make(struct choice_options choice)
{
    struct fixture f = {.id = 0};
    struct ptx_error error;
    f.module = ptx_parse(ptx, strlen(ptx), "machine_test", &error);
    assert_non_null(f.module);
    struct machine_options o = {.device = device_find("tiny"), .choice = choice, .step_budget = 100000000};
    f.m = machine_new(&o);
    assert_non_null(f.m);
    assert_int_equal(machine_load(f.m, f.module, &f.id, &error), LOAD_OK);
    f.p = machine_alloc(f.m, 4, MEMORY_DEVICE, "cudaMalloc");
    machine_fill(f.m, f.p, 0, 4);
    return f;
}

static void drop(struct fixture *f)
{
    machine_delete(f->m);
    ptx_module_free(f->module);
}

static enum launch_error launch(struct fixture *f, int stream, const char *entry, uint32_t grid, uint32_t block)
{
    struct launch l = {.module = f->id, .entry = entry, .grid = {grid, 1, 1}, .block = {block, 1, 1},
                       .params = &f->p, .param_bytes = 8};
    return machine_launch(f->m, stream, &l);
}

static uint32_t value(struct fixture *f)
{
    uint32_t v = 0;
    assert_true(machine_read(f->m, f->p, &v, 4));
    return v;
}

static void a_launch_waits_until_the_host_does(void **state)
{
    (void)state;
    struct fixture f = make((struct choice_options){.mode = CHOOSE_LOWEST});
    assert_int_equal(launch(&f, 0, "count", 10, 64), LAUNCH_OK);
    assert_int_equal(value(&f), 0);                       /* queued, not run */
    assert_true(machine_wait_all(f.m));
    assert_int_equal(value(&f), 640);
    assert_int_equal(machine_counts(f.m)->blocks_finished, 10);
    drop(&f);
}

static void saved_state_runs_on_as_the_first_time(void **state)
{
    (void)state;
    struct fixture f = make((struct choice_options){.mode = CHOOSE_SEEDED, .seed = 5});
    assert_int_equal(launch(&f, 0, "count", 50, 96), LAUNCH_OK);
    for (int k = 0; k < 20; k++)
        assert_true(machine_advance(f.m));                /* in the middle of it */
    uint32_t before = value(&f);
    struct snapshot *middle = machine_save(f.m);
    assert_true(machine_equals(f.m, middle));
    assert_true(machine_wait_all(f.m));
    assert_int_equal(value(&f), 4800);
    uint64_t end = machine_now(f.m);
    assert_false(machine_equals(f.m, middle));
    for (int again = 0; again < 3; again++) {
        machine_restore(f.m, middle);
        assert_true(machine_equals(f.m, middle));
        assert_int_equal(value(&f), before);
        assert_true(machine_wait_all(f.m));
        assert_int_equal(value(&f), 4800);
        assert_true(machine_now(f.m) == end);
    }
    snapshot_delete(f.m, middle);
    drop(&f);
}

static void two_runs_of_one_seed_are_one_run(void **state)
{
    (void)state;
    uint64_t end[2];
    for (int k = 0; k < 2; k++) {
        struct fixture f = make((struct choice_options){.mode = CHOOSE_SEEDED, .seed = 9});
        launch(&f, 0, "count", 33, 64);
        assert_true(machine_wait_all(f.m));
        end[k] = machine_now(f.m);
        drop(&f);
    }
    assert_true(end[0] == end[1]);
}

static void a_kernel_that_waits_for_another_stream_ends(void **state)
{
    (void)state;
    struct fixture f = make((struct choice_options){.mode = CHOOSE_LOWEST});
    int a = machine_stream_new(f.m, STREAM_NONBLOCKING, 0), b = machine_stream_new(f.m, STREAM_NONBLOCKING, 0);
    launch(&f, a, "spin", 1, 1);
    launch(&f, b, "set", 1, 1);
    assert_true(machine_wait_stream(f.m, a));
    drop(&f);
}

static void a_kernel_that_waits_for_nobody_runs_out_of_budget(void **state)
{
    (void)state;
    struct fixture f = make((struct choice_options){.mode = CHOOSE_LOWEST});
    f.m->step_budget = 1000000;
    launch(&f, 0, "spin", 1, 1);
    assert_false(machine_wait_all(f.m));
    assert_int_equal(machine_fault(f.m)->kind, FAULT_BUDGET);
    assert_int_equal(launch(&f, 0, "set", 1, 1), LAUNCH_AFTER_FAULT);
    machine_reset_fault(f.m);
    assert_int_equal(launch(&f, 0, "set", 1, 1), LAUNCH_OK);
    assert_true(machine_wait_all(f.m));
    assert_int_equal(value(&f), 1);
    drop(&f);
}

static void impossible_launches_are_refused_with_a_sentence(void **state)
{
    (void)state;
    struct fixture f = make((struct choice_options){.mode = CHOOSE_LOWEST});
    assert_int_equal(launch(&f, 0, "count", 0, 32), LAUNCH_BAD_SHAPE);
    assert_int_equal(launch(&f, 0, "count", 1, 1025), LAUNCH_BAD_SHAPE);
    assert_non_null(strstr(machine_launch_message(f.m), "1025"));
    assert_int_equal(launch(&f, 0, "nobody", 1, 32), LAUNCH_NO_FUNCTION);
    struct launch l = {.module = f.id, .entry = "count", .grid = {3, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1},
                       .params = &f.p, .param_bytes = 8};
    assert_int_equal(machine_launch(f.m, 0, &l), LAUNCH_BAD_CLUSTER);
    drop(&f);
}

static void targets_run_where_the_driver_runs_them(void **state)
{
    (void)state;
    assert_true(target_runs_on(90, 0, 100));
    assert_false(target_runs_on(100, 0, 90));
    assert_true(target_runs_on(100, 'a', 100));
    assert_false(target_runs_on(100, 'a', 103));
    assert_true(target_runs_on(100, 'f', 103));
    assert_false(target_runs_on(100, 'f', 120));
}

static void memory_does_not_grow_with_the_grid(void **state)
{
    (void)state;
    struct fixture f = make((struct choice_options){.mode = CHOOSE_LOWEST});
    launch(&f, 0, "count", 100, 64);
    assert_true(machine_wait_all(f.m));
    size_t small = heap_bytes(f.m->heap);
    launch(&f, 0, "count", 100000, 64);
    assert_true(machine_wait_all(f.m));
    assert_true(heap_bytes(f.m->heap) <= small + (1 << 20));
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_waits_until_the_host_does),
        cmocka_unit_test(saved_state_runs_on_as_the_first_time),
        cmocka_unit_test(two_runs_of_one_seed_are_one_run),
        cmocka_unit_test(a_kernel_that_waits_for_another_stream_ends),
        cmocka_unit_test(a_kernel_that_waits_for_nobody_runs_out_of_budget),
        cmocka_unit_test(impossible_launches_are_refused_with_a_sentence),
        cmocka_unit_test(targets_run_where_the_driver_runs_them),
        cmocka_unit_test(memory_does_not_grow_with_the_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

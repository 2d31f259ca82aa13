/*
 * The synchronising rooms in a running machine, as listeners see them: small
 * kernels, and the events they leave, one a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/event.h"
#include "machine/sync_ops.h"

/* ---- a machine that runs one kernel and writes down what happens ------------------ */

static const char head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p_out)\n{\n"
    ".reg .pred p<8>;\n.reg .b32 r<16>;\n.reg .b64 d<16>;\n.reg .b128 q<4>;\n"
    ".shared .align 8 .b8 bar[8];\n.shared .align 16 .b8 slot[16];\n.shared .align 16 .b8 room[256];\n"
    "ld.param.u64 d0, [p_out];\ncvta.to.global.u64 d0, d0;\nmov.u32 r0, %tid.x;\nmov.u32 r15, %cluster_ctarank;\n";

struct listener { struct observer base; char *text; size_t used, size; uint64_t asked, answered; };
static struct machine *machine;
static struct ptx_module *module;
static struct listener listener;
static uint64_t out;

static const char *const mbarrier_names[] = {
    "init", "inval", "expect", "complete", "arrive", "arrive.expect", "arrive.noComplete", "drop", "drop.expect", "drop.noComplete",
    "test", "test.parity", "try", "try.parity", "pending", "async arrive", "async add", "async complete"};

static void write_line(struct listener *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    l->used += (size_t)vsnprintf(l->text + l->used, l->size - l->used, format, args);
    va_end(args);
}

/* "0 init 1" is: block 0, mbarrier.init of 1. A wait ends in yes or no, what ended a phase in "flips". */
static void hear(struct observer *self, const struct event *e)
{
    struct listener *l = (struct listener *)self;
    unsigned b = e->block != NULL ? (unsigned)e->block->linear : 99;
    l->asked = e->kind == EVENT_REQUEST ? e->time : l->asked;
    l->answered = e->kind == EVENT_RESPONSE ? e->time : l->answered;
    switch (e->kind) {
    case EVENT_MBARRIER:
        if (e->sub >= MBARRIER_TEST_WAIT && e->sub < MBARRIER_PENDING_COUNT)
            write_line(l, "%u %s %u %s\n", b, mbarrier_names[e->sub], (unsigned)e->a, e->b == e->mask ? "yes" : e->b ? "some" : "no");
        else
            write_line(l, "%u %s %u%s\n", b, mbarrier_names[e->sub], (unsigned)e->a, e->flags == 1 ? " flips" : "");
        break;
    case EVENT_REQUEST: write_line(l, "%u request %u\n", b, (unsigned)e->b); break;
    case EVENT_RESPONSE: write_line(l, "%u response %u %s\n", b, (unsigned)e->b, e->a ? "granted" : "refused"); break;
    case EVENT_QUERY: write_line(l, "%u query %u %s\n", b, (unsigned)e->b, e->a ? "granted" : "refused"); break;
    case EVENT_ASYNC_ISSUE: write_line(l, "%u issue %u bytes\n", b, (unsigned)e->a); break;
    case EVENT_ASYNC_DELIVER: write_line(l, "%u land %u bytes\n", b, e->bytes); break;
    case EVENT_CLUSTER_ARRIVE: write_line(l, "%u cluster arrive\n", b); break;
    case EVENT_CLUSTER_WAIT: write_line(l, "%u cluster leave\n", b); break;
    case EVENT_FENCE: write_line(l, "%u fence %u\n", b, e->sub); break;
    default: break;
    }
}

static void open_machine(const char *body, struct choice_options choice)
{
    struct ptx_error error = {.line = 0};
    char text[8192];
    int id;
    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    module = ptx_parse(text, strlen(text), "k.ptx", &error);
    if (module == NULL)
        fail_msg("%s", error.text);
    machine = machine_new(&(struct machine_options){.device = device_find("tiny"), .choice = choice, .observe = true});
    assert_non_null(machine);
    listener = (struct listener){.base.event = hear, .text = calloc(1, 1 << 16), .size = 1 << 16};
    machine_observe(machine, &listener.base);
    assert_int_equal(machine_load(machine, module, &id, &error), LOAD_OK);
    out = machine_alloc(machine, 256, MEMORY_DEVICE, "out");
    machine_fill(machine, out, 0, 256);
}

static void launch(uint32_t blocks, uint32_t cluster, uint32_t threads)
{
    struct launch l = {.module = 0, .entry = "k", .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = &out, .param_bytes = 8};
    if (cluster != 0)
        memcpy(l.cluster, (uint32_t[3]){cluster, 1, 1}, sizeof l.cluster);
    assert_int_equal(machine_launch(machine, 0, &l), LAUNCH_OK);
}

static void close_machine(void)
{
    if (machine_fault(machine)->kind != FAULT_NONE)
        fail_msg("%s", machine_fault(machine)->text);
    machine_delete(machine);
    ptx_module_free(module);
    free(listener.text);
}

static void run(const char *body, uint32_t blocks, uint32_t cluster, uint32_t threads, struct choice_options choice)
{
    open_machine(body, choice);
    launch(blocks, cluster, threads);
    machine_wait_all(machine);
}

static const struct choice_options lowest = {.mode = CHOOSE_LOWEST};

/* ---- timelines ---------------------------------------------------------------------- */

#define REQUEST \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [slot], [bar];\n"
#define EXPECT(n) "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], " #n ";\n"
#define WAIT(p) \
    "{ W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p7, [bar], " #p ";\n@!p7 bra W; }\n"
#define QUERY "ld.shared.b128 q1, [slot];\nclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p2, q1;\n"

static void a_response_lands_and_then_completes_its_bytes(void **state)
{
    (void)state;
    run("mbarrier.init.shared.b64 [bar], 1;" REQUEST EXPECT(16) WAIT(0) QUERY, 1, 0, 1, lowest);
    assert_string_equal(listener.text,
        "0 init 1\n"
        "0 request 1\n"
        "0 arrive.expect 16\n"
        "0 try.parity 0 no\n"
        "0 response 1 refused\n"
        "0 async complete 16 flips\n"
        "0 try.parity 0 yes\n"
        "0 query 1 refused\n");
    close_machine();
}

static void bytes_may_land_before_they_are_expected(void **state)
{
    (void)state;
    run("mbarrier.init.shared.b64 [bar], 1;" REQUEST "nanosleep.u32 100000;" EXPECT(16) WAIT(0) QUERY, 1, 0, 1, lowest);
    assert_string_equal(listener.text,
        "0 init 1\n"
        "0 request 1\n"
        "0 response 1 refused\n"
        "0 async complete 16\n"
        "0 arrive.expect 16 flips\n"
        "0 try.parity 0 yes\n"
        "0 query 1 refused\n");
    close_machine();
}

static void both_orders_come_up_among_seeds(void **state)
{
    int early = 0, late = 0, spurious = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 64; seed++) {
        run("mbarrier.init.shared.b64 [bar], 1;" REQUEST EXPECT(16) WAIT(0), 1, 0, 1,
            (struct choice_options){.mode = CHOOSE_SEEDED, .seed = seed});
        bool first = strstr(listener.text, "response") < strstr(listener.text, "arrive.expect");
        early += first;
        late += !first;
        spurious += strstr(strstr(listener.text, "flips"), "0 try.parity 0 no") != NULL;
        close_machine();
    }
    assert_true(early > 0);
    assert_true(late > 0);
    assert_true(spurious > 0);                   /* a wait that said no after the phase was over */
}

/* Block 1 opens the cluster barrier at which block 0 has waited, and is busy for long: its SM must not run ahead and let
 * the answer to block 0 land when it comes back. */
static void an_sm_that_wakes_another_does_not_leave_it_behind(void **state)
{
    enum { SLACK = 300 };                /* cycles that SMs may be apart, and a warp ahead of them */
    (void)state;
    run("mbarrier.init.shared.b64 [bar], 1;"
        "setp.eq.u32 p1, r15, 0; @!p1 nanosleep.u32 2000;"
        "barrier.cluster.arrive; barrier.cluster.wait;"
        "@!p1 bra WORK;" REQUEST EXPECT(16) WAIT(0) "bra END;"
        "WORK: mov.u32 r1, 40;"
        "MORE: bar.sync 0; " "add.u32 r2, r2, r1; mul.lo.u32 r2, r2, r2; add.u32 r2, r2, r1; mul.lo.u32 r2, r2, r2;"
        "mov.u32 r3, 10; SPIN: sub.u32 r3, r3, 1; setp.ne.u32 p2, r3, 0; @p2 bra SPIN;"
        "sub.u32 r1, r1, 1; setp.ne.u32 p2, r1, 0; @p2 bra MORE;"
        "END: barrier.cluster.arrive; barrier.cluster.wait;", 2, 2, 1, lowest);
    assert_in_range(listener.answered - listener.asked, device_find("tiny")->clc_latency, device_find("tiny")->clc_latency + SLACK);
    close_machine();
}

static void multicast_answers_every_block_on_its_own_mbarrier(void **state)
{
    (void)state;
    run("mbarrier.init.shared.b64 [bar], 1;"
        "fence.mbarrier_init.release.cluster;"
        "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
        EXPECT(16)
        "setp.eq.u32 p1, r15, 0;"
        "@p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [slot], [bar];"
        "nanosleep.u32 100000;"
        WAIT(0) QUERY, 2, 2, 1, lowest);
    const char *text = listener.text;
    assert_non_null(strstr(text, "0 fence 2\n"));
    assert_non_null(strstr(text, "0 request 1\n"));
    assert_null(strstr(text, "1 request"));
    assert_non_null(strstr(text, "0 response 1 refused\n0 async complete 16 flips\n1 response 1 refused\n1 async complete 16 flips\n"));
    assert_non_null(strstr(text, "0 query 1 refused\n"));
    assert_non_null(strstr(text, "1 query 1 refused\n"));
    close_machine();
}

static void the_cluster_barrier_lets_all_leave_after_the_last_arrival(void **state)
{
    (void)state;
    run("setp.eq.u32 p1, r15, 0; @p1 nanosleep.u32 1000; barrier.cluster.arrive; barrier.cluster.wait;", 2, 2, 32, lowest);
    assert_string_equal(listener.text,
        "1 cluster arrive\n"
        "0 cluster arrive\n"
        "1 cluster leave\n"
        "0 cluster leave\n");
    close_machine();
}

static void copies_land_before_the_arrive_that_counts_them(void **state)
{
    (void)state;
    run("mbarrier.init.shared.b64 [bar], 1;"
        "cp.async.ca.shared.global [room], [d0], 16;"
        "cp.async.mbarrier.arrive.shared.b64 [bar];"
        "cp.async.ca.shared.global [room+16], [d0], 16;"
        "mbarrier.arrive.shared.b64 _, [bar];"
        "cp.async.wait_all;" WAIT(0), 1, 0, 1, lowest);
    assert_string_equal(listener.text,
        "0 init 1\n"
        "0 issue 16 bytes\n"
        "0 async add 1\n"
        "0 issue 0 bytes\n"
        "0 issue 16 bytes\n"
        "0 arrive 1\n"
        "0 land 16 bytes\n"
        "0 async arrive 1 flips\n"              /* the second copy is not waited for */
        "0 land 16 bytes\n"
        "0 try.parity 0 yes\n");
    close_machine();
}

static void groups_end_in_order(void **state)
{
    (void)state;
    run("cp.async.ca.shared.global [room], [d0], 8; cp.async.commit_group;"
        "cp.async.ca.shared.global [room+16], [d0], 16; cp.async.commit_group;"
        "cp.async.wait_group 1; ld.shared.u32 r1, [room]; cp.async.wait_group 0;"
        "st.shared.u32 [room], 9; fence.proxy.async;"
        "mov.u32 r2, room; cp.async.bulk.global.shared::cta.bulk_group [d0], [r2], 32;"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; st.shared.u32 [room], 10; cp.async.bulk.wait_group 0;",
        1, 0, 1, lowest);
    assert_string_equal(listener.text,
        "0 issue 8 bytes\n"
        "0 issue 16 bytes\n"
        "0 land 8 bytes\n"
        "0 land 16 bytes\n"
        "0 fence 3\n"
        "0 issue 32 bytes\n"
        "99 land 32 bytes\n");
    uint32_t word;
    assert_true(machine_read(machine, out, &word, 4));
    assert_int_equal(word, 9);                   /* the source as it was when .read was over, or before */
    close_machine();
}

/* ---- saved state ---------------------------------------------------------------------- */

/* More requests than responses so far. */
static bool in_flight(const char *text)
{
    int open = 0;
    for (; (text = strchr(text, ' ')) != NULL; text++)
        open += !strncmp(text, " request ", 9) - !strncmp(text, " response ", 10);
    return open > 0;
}

static void a_saved_state_holds_what_is_in_flight(void **state)
{
    uint32_t first[64], again[64];
    (void)state;
    open_machine("setp.eq.u32 p1, r0, 0;"
                 "@p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;"
                 "mov.u32 r9, 0; mov.u32 r10, %ctaid.x;"
                 "LOOP: @p1 " REQUEST "@p1 " EXPECT(16)
                 "shl.b32 r1, r10, 2; cvt.u64.u32 d1, r1; add.u64 d2, d0, d1; mov.u32 r11, %ctaid.x; add.u32 r11, r11, 1;"
                 "@p1 st.global.u32 [d2], r11;"
                 "W: mbarrier.try_wait.parity.shared.b64 p7, [bar], r9; @!p7 bra W; xor.b32 r9, r9, 1;" QUERY
                 "@!p2 bra DONE;"
                 "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 r10, q1;"
                 "bar.sync 0; bra LOOP; DONE:",
                 (struct choice_options){.mode = CHOOSE_SEEDED, .seed = 5});
    launch(64, 0, 64);
    struct snapshot *saved;
    while (!in_flight(listener.text))
        assert_true(machine_poll(machine));
    saved = machine_save(machine);
    assert_non_null(saved);
    assert_true(machine_wait_all(machine));
    uint64_t end = machine_now(machine);
    assert_true(machine_read(machine, out, first, sizeof first));
    machine_restore(machine, saved);
    assert_true(machine_equals(machine, saved));
    assert_true(machine_wait_all(machine));
    assert_true(machine_read(machine, out, again, sizeof again));
    assert_memory_equal(first, again, sizeof first);
    assert_int_equal(machine_now(machine), end);
    for (int k = 0; k < 64; k++)
        assert_int_not_equal(first[k], 0);       /* every index was done by somebody */
    snapshot_delete(machine, saved);
    close_machine();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_response_lands_and_then_completes_its_bytes),
        cmocka_unit_test(bytes_may_land_before_they_are_expected),
        cmocka_unit_test(both_orders_come_up_among_seeds),
        cmocka_unit_test(an_sm_that_wakes_another_does_not_leave_it_behind),
        cmocka_unit_test(multicast_answers_every_block_on_its_own_mbarrier),
        cmocka_unit_test(the_cluster_barrier_lets_all_leave_after_the_last_arrival),
        cmocka_unit_test(copies_land_before_the_arrive_that_counts_them),
        cmocka_unit_test(groups_end_in_order),
        cmocka_unit_test(a_saved_state_holds_what_is_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

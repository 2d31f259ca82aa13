/*
 * The opcode table: every listed spelling decodes, modifiers may come in any
 * order, and what a spelling means for the instruction, one a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/sync_ops.h"
#include "ptx/opcode.h"

static struct instr accept(const char *spelling)
{
    struct opcode o;
    if (opcode_decode(spelling, &o) != OPCODE_ACCEPTED) fail_msg("%s is not accepted", spelling);
    return o.instr;
}
static void refuse(const char *spelling)
{
    struct opcode o;
    if (opcode_decode(spelling, &o) == OPCODE_ACCEPTED) fail_msg("%s is accepted", spelling);
    assert_int_equal(o.instr.klass, CLASS_REFUSED);
}

/* class, sub, space, sem, scope, flags, count, type */
#define IS(spelling, klass_, sub_, space_, sem_, scope_, flags_, count_, type_)                    \
    do {                                                                                          \
        struct instr i = accept(spelling);                                                        \
        if (i.klass != CLASS_##klass_ || i.sub != (sub_) || i.space != MEM_##space_ || i.sem != SEM_##sem_ || i.scope != SCOPE_##scope_ || \
            i.flags != (flags_) || i.count != (count_) || i.type != PTX_##type_)                  \
            fail_msg("%s: class %d sub %d space %d sem %d scope %d flags %d count %d type %d", spelling, i.klass, i.sub, i.space,          \
                     i.sem, i.scope, i.flags, i.count, i.type);                                   \
    } while (0)

static void memory(void **state)
{
    (void)state;
    IS("ld.global.f32", LD, 0, GLOBAL, WEAK, NONE, 0, 1, F32);
    IS("ld.u32", LD, 0, GENERIC, WEAK, NONE, 0, 1, U32);
    IS("ld.shared.v2.u64", LD, 0, SHARED, WEAK, NONE, 0, 2, U64);
    IS("ld.global.nc.v4.f32", LD, 0, GLOBAL, WEAK, NONE, LD_NC, 4, F32);
    IS("ld.acquire.gpu.b64", LD, 0, GENERIC, ACQUIRE, GPU, 0, 1, B64);
    IS("ld.volatile.shared.s8", LD, 0, SHARED, VOLATILE, NONE, LD_SIGNED, 1, S8);
    IS("ld.relaxed.cluster.shared::cluster.u32", LD, 0, CLUSTER, RELAXED, CLUSTER, 0, 1, U32);
    IS("ld.mmio.relaxed.sys.global.u32", LD, 0, GLOBAL, MMIO, SYS, 0, 1, U32);
    IS("ld.global.cs.L1::no_allocate.L2::cache_hint.L2::128B.u32", LD, 0, GLOBAL, WEAK, NONE, 0, 1, U32);
    IS("ld.global.v8.b32", LD, 0, GLOBAL, WEAK, NONE, 0, 8, B32);
    IS("ld.param::func.b128", LD, 0, FRAME, WEAK, NONE, 0, 1, B128);
    IS("st.release.sys.global.b32", ST, 0, GLOBAL, RELEASE, SYS, 0, 1, B32);
    IS("st.relaxed.cta.b32", ST, 0, GENERIC, RELAXED, CTA, 0, 1, B32);
    refuse("ld.acquire.b32");                 /* needs a scope */
    refuse("ld.release.gpu.b32");
    refuse("st.acquire.gpu.b32");
    refuse("ld.global.v4.b64.b64");
    refuse("ld.shared.v8.b32");
    refuse("st.const.b32");
    refuse("ld.nc.b32");
    refuse("ld.global");
}

static void atomics(void **state)
{
    (void)state;
    IS("atom.global.add.u32", ATOM, ATOM_ADD, GLOBAL, RELAXED, GPU, 0, 1, U32);
    IS("atom.add.acq_rel.cta.u64", ATOM, ATOM_ADD, GENERIC, ACQ_REL, CTA, 0, 1, U64);
    IS("atom.acq_rel.cta.add.u64", ATOM, ATOM_ADD, GENERIC, ACQ_REL, CTA, 0, 1, U64);
    IS("atom.relaxed.global.cas.b64", ATOM, ATOM_CAS, GLOBAL, RELAXED, GPU, 0, 1, B64); /* nvcc 13: atomicCAS */
    IS("red.release.global.add.u32", RED, ATOM_ADD, GLOBAL, RELEASE, GPU, 0, 1, U32);
    IS("atom.sys.global.exch.b128", ATOM, ATOM_EXCH, GLOBAL, RELAXED, SYS, 0, 1, B128);
    IS("atom.shared::cluster.cas.b32", ATOM, ATOM_CAS, CLUSTER, RELAXED, GPU, 0, 1, B32);
    IS("atom.global.add.noftz.f16x2", ATOM, ATOM_ADD, GLOBAL, RELAXED, GPU, 0, 1, F16X2);
    IS("atom.global.v4.add.f32", ATOM, ATOM_ADD, GLOBAL, RELAXED, GPU, 0, 4, F32);
    IS("red.and.release.cta.b32", RED, ATOM_AND, GENERIC, RELEASE, CTA, 0, 1, B32);
    refuse("atom.add.b32");
    refuse("atom.global.add.f16");
    refuse("red.cas.b32");
    refuse("red.acquire.gpu.add.u32");
    refuse("atom.local.add.u32");
}

static void synchronisation(void **state)
{
    (void)state;
    IS("bar.sync", BAR, BAR_SYNC, GENERIC, WEAK, NONE, 0, 1, NOTYPE);
    assert_true(accept("bar.sync").aligned);
    assert_false(accept("barrier.sync").aligned);
    assert_true(accept("barrier.cta.sync.aligned").aligned);
    assert_int_equal(accept("bar.red.or.pred").sub, BAR_RED_OR);
    refuse("bar.red.popc.pred");
    refuse("bar.sync.u32");
    assert_int_equal(accept("bar.warp.sync").sub, WARP_SYNC);
    assert_int_equal(accept("shfl.sync.bfly.b32").sub, WARP_SHFL_BFLY);
    assert_int_equal(accept("vote.ballot.sync.b32").sub, WARP_VOTE_BALLOT);
    assert_int_equal(accept("vote.sync.all.pred").sub, WARP_VOTE_ALL);
    assert_int_equal(accept("match.any.sync.b64").sub, WARP_MATCH_ANY);
    assert_int_equal(accept("redux.sync.max.s32").sub, WARP_REDUX_MAX);
    assert_int_equal(accept("elect.sync").sub, WARP_ELECT);
    refuse("shfl.up.b32");                    /* without .sync: gone since compute capability 7.0 */
    IS("membar.gl", FENCE, FENCE_THREAD, GENERIC, SC, GPU, 0, 1, NOTYPE);
    IS("fence.acq_rel.cluster", FENCE, FENCE_THREAD, GENERIC, ACQ_REL, CLUSTER, 0, 1, NOTYPE);
    IS("fence.mbarrier_init.release.cluster", FENCE, FENCE_MBARRIER_INIT, GENERIC, RELEASE, CLUSTER, 0, 1, NOTYPE);
    IS("fence.proxy.async.shared::cta", FENCE, FENCE_PROXY_ASYNC, SHARED, WEAK, NONE, 0, 1, NOTYPE);
    IS("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", FENCE, FENCE_PROXY_HALF, CLUSTER, ACQUIRE, CLUSTER, 0, 1,
       NOTYPE);
    IS("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", FENCE, FENCE_PROXY_HALF, SHARED, RELEASE, CLUSTER, 0, 1,
       NOTYPE);
    IS("fence.release.sync_restrict::shared::cta.cluster", FENCE, FENCE_SYNC_RESTRICT, SHARED, RELEASE, CLUSTER, 0, 1, NOTYPE);
    refuse("fence.proxy.async::generic.release.sync_restrict::shared::cluster.cluster");
    refuse("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cta");
    IS("barrier.cluster.arrive.relaxed.aligned", CLUSTER_BAR, CLUSTER_ARRIVE, GENERIC, RELAXED, CLUSTER, 0, 1, NOTYPE);
    IS("barrier.cluster.wait", CLUSTER_BAR, CLUSTER_WAIT, GENERIC, ACQUIRE, CLUSTER, 0, 1, NOTYPE);
}

static void barriers_in_memory(void **state)
{
    (void)state;
    IS("mbarrier.init.shared.b64", MBARRIER, MBARRIER_INIT, SHARED, WEAK, NONE, 0, 1, B64);
    IS("mbarrier.arrive.shared::cta.b64", MBARRIER, MBARRIER_ARRIVE, SHARED, RELEASE, CTA, 0, 1, B64);
    IS("mbarrier.arrive.release.cluster.shared::cluster.b64", MBARRIER, MBARRIER_ARRIVE, CLUSTER, RELEASE, CLUSTER, 0, 1, B64);
    IS("mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64", MBARRIER, MBARRIER_ARRIVE_EXPECT_TX, SHARED, RELAXED, CTA, 0, 1, B64);
    IS("mbarrier.arrive.noComplete.shared.b64", MBARRIER, MBARRIER_ARRIVE_NOCOMPLETE, SHARED, RELEASE, CTA, 0, 1, B64);
    IS("mbarrier.arrive_drop.b64", MBARRIER, MBARRIER_DROP, GENERIC, RELEASE, CTA, 0, 1, B64);
    IS("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", MBARRIER, MBARRIER_EXPECT_TX, SHARED, RELAXED, CTA, 0, 1, B64);
    IS("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64", MBARRIER, MBARRIER_COMPLETE_TX, CLUSTER, RELAXED, CLUSTER, 0, 1, B64);
    IS("mbarrier.test_wait.shared.b64", MBARRIER, MBARRIER_TEST_WAIT, SHARED, ACQUIRE, CTA, 0, 1, B64);
    IS("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64", MBARRIER, MBARRIER_TRY_WAIT_PARITY, SHARED, ACQUIRE, CLUSTER, 0, 1, B64);
    IS("mbarrier.pending_count.b64", MBARRIER, MBARRIER_PENDING_COUNT, GENERIC, WEAK, NONE, 0, 1, B64);
    refuse("mbarrier.init.shared::cluster.b64");
    refuse("mbarrier.try_wait.parity.acquire.cluster.shared::cluster.b64");
    refuse("mbarrier.arrive.acquire.cta.b64");
}

static void asynchronous_operations(void **state)
{
    (void)state;
    IS("cp.async.ca.shared.global", CP_ASYNC, CP_ASYNC_COPY, SHARED, WEAK, NONE, 0, 1, NOTYPE);
    IS("cp.async.wait_group", CP_ASYNC, CP_ASYNC_WAIT_GROUP, GENERIC, WEAK, NONE, 0, 1, NOTYPE);
    IS("cp.async.mbarrier.arrive.noinc.shared.b64", CP_ASYNC, CP_ASYNC_MBARRIER_ARRIVE, SHARED, WEAK, NONE, CP_ASYNC_NOINC, 1, B64);
    IS("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", CP_BULK, BULK_TO_SHARED, CLUSTER, WEAK, NONE, 0, 1,
       NOTYPE);
    IS("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster", CP_BULK, BULK_TO_SHARED, CLUSTER, WEAK, NONE,
       BULK_MULTICAST, 1, NOTYPE);
    IS("cp.async.bulk.global.shared::cta.bulk_group", CP_BULK, BULK_TO_GLOBAL, GLOBAL, WEAK, NONE, 0, 1, NOTYPE);
    IS("cp.async.bulk.wait_group.read", CP_BULK, BULK_WAIT_GROUP, GENERIC, WEAK, NONE, BULK_READ, 1, NOTYPE);
    IS("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32", CP_BULK, BULK_REDUCE_GLOBAL, GLOBAL, WEAK, NONE, 0, ATOM_ADD, F32);
    IS("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32", ST_ASYNC, ST_ASYNC, CLUSTER, WEAK, NONE, 0, 4, B32);
    IS("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32", ST_ASYNC, RED_ASYNC, CLUSTER, RELAXED, CLUSTER, 0,
       ATOM_ADD, U32);
    refuse("cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes");
    refuse("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes");
}

static void launch_control(void **state)
{
    (void)state;
    IS("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128", CLC, CLC_TRY_CANCEL, SHARED, WEAK, NONE, 0, 1, B128);
    IS("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128", CLC, CLC_TRY_CANCEL, SHARED,
       WEAK, NONE, CLC_MULTICAST, 1, B128);
    IS("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", CLC, CLC_IS_CANCELED, GENERIC, WEAK, NONE, 0, 1, PRED);
    IS("clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128", CLC, CLC_FIRST_Y, GENERIC, WEAK, NONE, 0, 1, B32);
    IS("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128", CLC, CLC_FIRST_V4, GENERIC, WEAK, NONE, 0, 4, B32);
}

static void arithmetic(void **state)
{
    (void)state;
    assert_int_equal(accept("add.s32").op, accept("add.u32").op);
    assert_int_equal(accept("add.f32").op, accept("add.rn.f32").op);
    assert_int_equal(accept("shr.b32").op, accept("shr.u32").op);
    assert_int_equal(accept("mad.rn.f32").op, accept("fma.rn.f32").op);
    assert_int_equal(accept("setp.lt.and.f32").op, accept("setp.lt.f32").op);
    assert_int_equal(accept("setp.lt.and.f32").sub, BOOL_AND);
    assert_int_equal(accept("setp.hs.u32").op, accept("setp.ge.u32").op);
    assert_int_equal(accept("cvt.rn.f32.s32").type, PTX_F32);
    assert_int_equal(accept("cvt.rn.f32.s32").type2, PTX_S32);
    assert_int_equal(accept("cvt.rpi.ftz.sat.u8.f32").op, OP_cvt_any);
    assert_int_equal(accept("div.s32").cost, COST_SPECIAL);
    refuse("setp.hs.s32");
    refuse("setp.lt.b32");
    refuse("setp.equ.s32");
    refuse("cvt.f32.s32");                    /* needs a rounding */
    refuse("cvt.rn.f64.f32");                 /* exact: takes none */
    refuse("cvt.rzi.s32.u32");
    refuse("add.u8");
    refuse("add");
    refuse("");
    refuse("mov pack");
}

static void refused_by_name(void **state)
{
    struct opcode o;
    struct ptx_operand callee = {.kind = PTX_OPR_FUNC, .name = "cudaGraphLaunch"};
    struct ptx_statement call = {.name = "call.uni", .opr = &callee, .oprs = 1}, tex = {.name = "tex.2d.v4.f32.f32"};
    char text[100];
    (void)state;
    assert_int_equal(opcode_decode("wmma.load.a.sync.row.m16n16k16.f16", &o), OPCODE_REFUSED);
    assert_int_equal(opcode_decode("frobnicate.u32", &o), OPCODE_UNKNOWN);
    opcode_refusal_text(&tex, text, sizeof text);
    assert_string_equal(text, "`tex.2d.v4.f32.f32` (textures)");
    opcode_refusal_text(&call, text, sizeof text);
    assert_string_equal(text, "`call.uni` of cudaGraphLaunch");
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void the_list_holds_each_spelling_once_and_all_decode(void **state)
{
    static char *lines[40000];
    char text[300];
    size_t count = 0;
    FILE *f = tmpfile();
    (void)state;
    assert_non_null(f);
    opcode_print_list(f);
    rewind(f);
    while (fgets(text, sizeof text, f) && count < 40000) {
        text[strcspn(text, "\n")] = '\0';
        accept(text);
        lines[count] = malloc(strlen(text) + 1);
        strcpy(lines[count++], text);
    }
    fclose(f);
    assert_true(count > 5000);
    qsort(lines, count, sizeof *lines, by_text);
    for (size_t k = 1; k < count; k++)
        if (strcmp(lines[k - 1], lines[k]) == 0) fail_msg("%s is listed twice", lines[k]);
    for (size_t k = 0; k < count; k++) free(lines[k]);
}

static void the_coverage_page_knows_every_base(void **state)
{
    static char page[100000];
    char list[300], cell[64];
    FILE *f = tmpfile(), *l = tmpfile();
    (void)state;
    assert_true(f && l);
    opcode_print_coverage(f);
    rewind(f);
    page[fread(page, 1, sizeof page - 1, f)] = '\0';
    opcode_print_list(l);
    rewind(l);
    while (fgets(list, sizeof list, l)) {
        snprintf(cell, sizeof cell, "| `%.*s` |", (int)strcspn(list, ".\n"), list);
        if (!strstr(page, cell)) fail_msg("the page has no row for %s", list);
    }
    fclose(f);
    fclose(l);
    assert_non_null(strstr(page, "| `tex` | textures |"));
    assert_null(strstr(page, "| 0 |"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory),
        cmocka_unit_test(atomics),
        cmocka_unit_test(synchronisation),
        cmocka_unit_test(barriers_in_memory),
        cmocka_unit_test(asynchronous_operations),
        cmocka_unit_test(launch_control),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(refused_by_name),
        cmocka_unit_test(the_list_holds_each_spelling_once_and_all_decode),
        cmocka_unit_test(the_coverage_page_knows_every_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

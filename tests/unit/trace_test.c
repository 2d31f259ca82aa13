/*
 * The trace of a running machine: small kernels, and the lines they leave.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/machine.h"
#include "trace/trace.h"

static const char head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p_out)\n{\n"
    ".reg .pred p<8>;\n.reg .b32 r<16>;\n.reg .b64 d<16>;\n.reg .b128 q<4>;\n"
    ".shared .align 8 .b8 _ZZ1kPfE3bar[8];\n.shared .align 16 .b8 slot[16];\n"
    "ld.param.u64 d0, [p_out];\ncvta.to.global.u64 d0, d0;\nmov.u32 r0, %tid.x;\n";

static char path[] = "/tmp/trace-test-XXXXXX", why[400], *text;

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return remove(path);
}

static char *read_all(void)
{
    FILE *f = fopen(path, "r");
    char *all = calloc(1, 1 << 16);
    assert_non_null(f);
    assert_non_null(all);
    assert_true(fread(all, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return all;
}

/* Runs a kernel of one block a grid position, and leaves its trace in `text`. */
static void traced(const char *body, uint32_t blocks, uint32_t cluster, uint32_t threads)
{
    struct ptx_error error = {.line = 0};
    char source[8192];
    int id;
    snprintf(source, sizeof source, "%s%s\nret;\n}\n", head, body);
    struct ptx_module *module = ptx_parse(source, strlen(source), "k.ptx", &error);
    if (module == NULL)
        fail_msg("%s", error.text);
    struct machine *m = machine_new(&(struct machine_options){.device = device_find("tiny"), .observe = true});
    struct trace *t = trace_open(path, "tiny", why, sizeof why);
    assert_non_null(m);
    assert_non_null(t);
    trace_attach(t, m);
    assert_int_equal(machine_load(m, module, &id, &error), LOAD_OK);
    uint64_t out = machine_alloc(m, 256, MEMORY_DEVICE, "my out");
    machine_fill(m, out, 0, 256);
    struct launch l = {.module = 0, .entry = "k", .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .params = &out, .param_bytes = 8};
    if (cluster != 0)
        l.cluster[0] = cluster, l.cluster[1] = l.cluster[2] = 1;
    assert_int_equal(machine_launch(m, 0, &l), LAUNCH_OK);
    assert_true(machine_wait_all(m));
    assert_true(trace_close(t, why, sizeof why));
    machine_delete(m);
    ptx_module_free(module);
    free(text);
    text = read_all();
}

/* There is a line with this event, object, what and details. */
static void has(const char *event, const char *tail)
{
    char *copy = strdup(text), *save = NULL;
    bool found = false;
    assert_non_null(copy);
    for (char *line = strtok_r(copy, "\n", &save); line != NULL && !found; line = strtok_r(NULL, "\n", &save)) {
        char *name = strchr(line, '\t');
        size_t length = strlen(line), size = strlen(tail);
        found = name != NULL && strncmp(name + 1, event, strlen(event)) == 0 && length >= size && strcmp(line + length - size, tail) == 0;
    }
    free(copy);
    if (!found)
        fail_msg("no line `%s ... %s` in\n%s", event, tail, text);
}

static void lives_and_barriers_are_told(void **state)
{
    (void)state;
    traced("bar.sync 0;", 2, 0, 64);
    assert_memory_equal(text, "# trace 1, device tiny\n", 23);
    has("grid-start", "\tk\t-\tgrid=2x1x1 block=64x1x1 cluster=1x1x1 priority=0 stream=0");
    has("block-start", "\t-\t-\tid=1,0,0 rank=0 first=1");
    has("bar-arrive", "\tbarrier0\t-\texpected=64 arrived=64");
    has("bar-pass", "\tbarrier0\t-\t-");
    has("block-end", "\t-\t-\t-\t-\t-\t-");
    has("grid-end", "\t-\t-\t-\t-\t-\t-\t-\t-");
}

static void an_mbarrier_is_told_with_what_it_is(void **state)
{
    (void)state;
    traced("setp.ne.u32 p0, r0, 0;\n@p0 bra E;\n"
           "mbarrier.init.shared.b64 [_ZZ1kPfE3bar], 2;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [_ZZ1kPfE3bar], 16;\n"
           "mbarrier.try_wait.parity.shared.b64 p1, [_ZZ1kPfE3bar], 1;\n"
           "mbarrier.arrive.shared.b64 _, [_ZZ1kPfE3bar];\n"
           "mbarrier.complete_tx.shared.b64 [_ZZ1kPfE3bar], 16;\nE:", 1, 0, 32);
    has("mbarrier", "\tbar+0\tinit\tvalue=2 expected=2 phase=0 pending=2 tx=0 ended=0");
    has("mbarrier", "\tbar+0\tarrive-expect-tx\tvalue=16 expected=2 phase=0 pending=1 tx=16 ended=0");
    has("mbarrier", "\tbar+0\ttry-wait-parity\tparity=1 passed=1 expected=2 phase=0 pending=1 tx=16 ended=0");
    has("mbarrier", "\tbar+0\tarrive\tvalue=1 expected=2 phase=0 pending=0 tx=16 ended=0");
    has("mbarrier", "\tbar+0\tcomplete-tx\tvalue=16 expected=2 phase=1 pending=2 tx=0 ended=1");
}

static void a_request_and_its_answer_are_told(void **state)
{
    (void)state;
    traced("setp.ne.u32 p0, r0, 0;\n@p0 bra E;\n"
           "mbarrier.init.shared.b64 [_ZZ1kPfE3bar], 1;\n"
           "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [slot], [_ZZ1kPfE3bar];\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [_ZZ1kPfE3bar], 16;\n"
           "W: mbarrier.try_wait.parity.shared.b64 p1, [_ZZ1kPfE3bar], 0;\n@!p1 bra W;\nE:", 16, 0, 32);
    has("request", "\tslot+0\t-\trequest=1 bar=bar+0");
    has("response", "\tslot+0\tgranted\tbytes=16 request=1 first=8");
    has("mbarrier", "\tbar+0\tasync-complete-tx\tvalue=16 ticket=1 expected=1 phase=1 pending=1 tx=0 ended=1");
}

static void accesses_and_fences_are_told(void **state)
{
    (void)state;
    traced("mul.wide.u32 d1, r0, 4;\nadd.s64 d1, d0, d1;\nst.global.u32 [d1+64], r0;\nred.global.add.u32 [d0], 1;\n"
           "st.shared.u32 [slot+4], r0;\nfence.proxy.async.shared::cta;\nfence.acq_rel.gpu;", 1, 0, 32);
    has("write", "\tmy_out+64\tweak\tbytes=4 span=128");
    has("atomic", "\tmy_out+0\trelaxed\tbytes=4 span=4");
    has("write", "\tslot+4\tweak\tbytes=4 span=4");
    has("fence", "\t-\tproxy-async\tsem=weak scope=none space=shared::cta");
    has("fence", "\t-\tthread\tsem=acq_rel scope=gpu space=generic");
}

static void a_peers_memory_is_named(void **state)
{
    (void)state;
    traced("mov.u32 r1, %cluster_ctarank;\nsetp.ne.u32 p0, r1, 0;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           "mov.u32 r2, slot;\nmapa.shared::cluster.u32 r3, r2, 1;\n@!p0 st.shared::cluster.u32 [r3], r0;\n"
           "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;", 2, 2, 32);
    has("write", "\tslot+0@1\tweak\tbytes=4 span=4");
    has("cluster-arrive", "\tcluster\t-\tsem=release");
    has("cluster-pass", "\tcluster\t-\tsem=acquire");
    has("block-start", "\tid=1,0,0 rank=1 first=0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives_and_barriers_are_told), cmocka_unit_test(an_mbarrier_is_told_with_what_it_is),
        cmocka_unit_test(a_request_and_its_answer_are_told), cmocka_unit_test(accesses_and_fences_are_told),
        cmocka_unit_test(a_peers_memory_is_named),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}

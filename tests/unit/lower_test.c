/*
 * Lowering: PTX text in, instructions out; where registers, variables and
 * literals lie, what addresses become, and the sentences for broken modules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "machine/sync_ops.h"
#include "ptx/opcode.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"

static struct ptx_module *module;
static struct code *code;
static struct ptx_error error;
static uint64_t var_address[16];

static void drop(void)
{
    code_free(code);
    if (module) ptx_module_free(module);
    code = NULL;
    module = NULL;
}

/* Lowers entry k; the code stays until the next call. */
static bool lower(const char *text)
{
    struct code_env env = {.var_address = var_address, .cc = 100};
    drop();
    for (uint64_t k = 0; k < 16; k++) var_address[k] = 0x10000 + k * 0x100;
    module = ptx_parse(text, strlen(text), "t.ptx", &error);
    if (!module) fail_msg("does not parse: %s", error.text);
    const struct ptx_function *entry = ptx_function_find(module, "k");
    assert_non_null(entry);
    code = code_build(module, entry, &env, &error);
    return code != NULL;
}
static const struct code_function *function(const char *name)
{
    if (!code) abort();                       /* lower() failed, and the test has not looked */
    return &code->functions[ptx_function_find(module, name) - module->functions];
}
static const struct instr *at(int k) { return &function("k")->code[k]; }

/* The body of an entry k without parameters. */
static void body(const char *text)
{
    char all[4000];
    snprintf(all, sizeof all, HEAD ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
             ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%d<9>; .reg .f64 %%g<9>; .reg .b128 %%q<9>;\n"
             "%s\n}\n", text);
    if (!lower(all)) fail_msg("%s", error.text);
}
static void broken(const char *text, const char *sentence)
{
    char all[4000];
    snprintf(all, sizeof all, HEAD ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
             ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%d<9>; .reg .f64 %%g<9>; .reg .b128 %%q<9>;\n"
             "%s\n}\n", text);
    if (lower(all)) fail_msg("accepted: %s", text);
    if (!strstr(error.text, sentence)) fail_msg("\"%s\" does not say \"%s\"", error.text, sentence);
}

static int bank_of(opref r) { return (int)(r >> 30); }
static uint64_t constant(opref r, size_t bytes)
{
    uint64_t first = 0, last = 0;
    const uint8_t *p = function("k")->consts + (r & 0x3fffffff);
    assert_int_equal(bank_of(r), BANK_CONST);
    memcpy(&first, p, bytes);
    memcpy(&last, p + 31 * bytes, bytes);
    assert_true(first == last);               /* every lane holds it */
    return first;
}

static void statements_become_instructions_at_the_same_index(void **state)
{
    (void)state;
    body("ld.param.u32 %r1, [n];\n"
         "setp.lt.s32 %p1, %r1, 7;\n"
         "@!%p1 bra DONE;\n"
         "add.s32 %r2, %r1, -1;\n"
         "DONE: ret;");
    const struct code_function *f = function("k");
    assert_int_equal(f->count, 6);
    assert_int_equal(at(0)->klass, CLASS_LD);      assert_int_equal(at(0)->space, MEM_KPARAM);
    assert_int_equal(at(0)->imm, 8);               assert_int_equal(at(0)->r[1], OPREF_NONE);
    assert_int_equal(at(1)->op, OP_setp_lt_s32);   assert_int_equal(constant(at(1)->r[2], 4), 7);
    assert_int_equal(at(2)->klass, CLASS_BRA);     assert_int_equal(at(2)->imm, 4);
    assert_int_equal(at(2)->guard, at(1)->r[0]);   assert_int_equal(at(2)->guard_not, 1);
    assert_int_equal(constant(at(3)->r[2], 4), 0xffffffff);
    assert_int_equal(at(4)->klass, CLASS_RET);     assert_int_equal(at(4)->guard, OPREF_NONE);
    assert_int_equal(at(5)->klass, CLASS_RET);     /* the end of the text */
}

static void registers_do_not_overlap(void **state)
{
    (void)state;
    body("mov.b16 %h1, 1; mov.b32 %r1, 2; mov.b64 %d1, 3; mov.b128 %q1, {%d1, %d1}; mov.pred %p1, 1;\n"
         "@%p1 st.global.b128 [%d1], %q1; st.global.v2.b16 [%d1], {%h1, %h1}; st.global.b32 [%d1], %r1; ret;");
    const opref r[] = {at(0)->r[0], at(1)->r[0], at(2)->r[0], at(3)->r[0], at(4)->r[0]};
    const uint32_t size[] = {64, 128, 256, 512, 4};
    for (int a = 0; a < 5; a++) {
        assert_int_equal(bank_of(r[a]), BANK_REG);
        assert_true(r[a] + size[a] <= function("k")->reg_bytes);
        assert_int_equal(r[a] % (size[a] < 32 ? 4 : 32), 0);
        for (int b = 0; b < 5; b++) assert_true(a == b || r[a] + size[a] <= r[b] || r[b] + size[b] <= r[a]);
    }
}

/* Offset of r[k] of instruction n. */
static opref reg(int n, int k) { return at(n)->r[k]; }

static void short_lived_registers_share_places(void **state)
{
    (void)state;
    body("mov.b32 %r1, 1; st.global.b32 [%d1], %r1; mov.b32 %r2, 2; st.global.b32 [%d1], %r2; ret;");
    assert_int_equal(reg(0, 0), reg(2, 0));
    body("mov.b32 %r1, 1; add.s32 %r2, %r1, 1; st.global.b32 [%d1], %r2; ret;");
    assert_int_not_equal(reg(1, 0), reg(1, 1));                        /* both are needed at 1 */
    body("mov.b32 %r1, 1; @%p1 mov.b32 %r2, 2; st.global.b32 [%d1], %r1; st.global.b32 [%d1], %r2; ret;");
    assert_int_not_equal(reg(0, 0), reg(1, 0));
}

static void what_a_loop_carries_keeps_its_place(void **state)
{
    (void)state;
    /* r1 is set once and read at the end of each round: r2, which dies before, must not take its place. */
    body("mov.b32 %r1, 1;\n"
         "L: mov.b32 %r2, 2; st.global.b32 [%d1], %r2; st.global.b32 [%d1], %r1; mov.b32 %r3, 3; st.global.b32 [%d1], %r3; @%p1 bra L; ret;");
    assert_int_not_equal(reg(0, 0), reg(1, 0));
    assert_int_not_equal(reg(0, 0), reg(4, 0));
    assert_int_equal(reg(1, 0), reg(4, 0));
    /* r1 is set in some rounds only and read in later ones: it crosses the whole loop. */
    body("L: @%p2 bra M; mov.b32 %r1, 1; M: st.global.b32 [%d1], %r1; mov.b32 %r2, 2; st.global.b32 [%d1], %r2; @%p1 bra L; ret;");
    assert_int_not_equal(reg(1, 0), reg(3, 0));
    /* Two loops that overlap count as one. */
    body("A: mov.b32 %r2, 2; st.global.b32 [%d1], %r2; B: mov.b32 %r1, 1; @%p1 bra A; st.global.b32 [%d1], %r1; @%p2 bra B; ret;");
    assert_int_not_equal(reg(0, 0), reg(2, 0));
}

static void literals_have_the_width_of_the_operand_and_are_kept_once(void **state)
{
    (void)state;
    body("mov.f32 %f1, 0f3F800000; add.f32 %f2, %f1, 0f3F800000;\n"
         "mov.f64 %g1, 0d3FF0000000000000; add.f32 %f3, %f1, 0d3FF0000000000000;\n"
         "add.s64 %d1, %d1, -1; and.b16 %h1, %h1, -2; selp.f32 %f1, 0f3F800000, %f2, %p1; mov.b32 %r1, 0x3f800000;\n"
         "and.pred %p1, %p2, 1; st.global.u8 [%d1], 255; add.f64 %g1, %g1, 0f3F800000; ret;");
    assert_int_equal(constant(at(0)->r[1], 4), 0x3f800000);
    assert_int_equal(at(0)->r[1], at(1)->r[2]);
    assert_int_equal(at(3)->r[2], at(0)->r[1]);                        /* the double literal, as f32 */
    assert_int_equal(at(7)->r[1], at(0)->r[1]);
    assert_int_equal(at(6)->r[1], at(0)->r[1]);
    assert_true(constant(at(2)->r[1], 8) == UINT64_C(0x3ff0000000000000));
    assert_int_equal(at(10)->r[2], at(2)->r[1]);
    assert_true(constant(at(4)->r[2], 8) == UINT64_MAX);
    assert_int_equal(constant(at(5)->r[2], 2), 0xfffe);
    uint32_t mask;
    memcpy(&mask, function("k")->consts + (at(8)->r[2] & 0x3fffffff), 4);
    assert_int_equal(mask, 0xffffffff);
    assert_int_equal(constant(at(9)->r[1], 2), 255);                   /* 8-bit values live in 16 bits */
}

static void special_registers_are_rows_or_instructions(void **state)
{
    (void)state;
    body("mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.y; mov.u64 %d1, %globaltimer; mov.u64 %d2, %gridid; mad.lo.s32 %r1, %ctaid.x, %ntid.x, %r1; ret;");
    assert_int_equal(at(0)->r[1], OPREF(BANK_WARP, PTX_SREG_TID_X * SREG_ROW));
    assert_int_equal(at(1)->r[1], OPREF(BANK_BLOCK, (uint32_t)block_row(PTX_SREG_CTAID_Y) * SREG_ROW));
    assert_int_equal(at(2)->klass, CLASS_MOV_SREG);
    assert_int_equal(at(2)->imm, PTX_SREG_GLOBALTIMER);
    assert_int_equal(at(3)->op, OP_cvt_u64_u32);
    assert_int_equal(bank_of(at(4)->r[1]), BANK_BLOCK);
}

static void variables(void **state)
{
    (void)state;
    lower(HEAD ".global .align 4 .u32 g; .const .align 4 .b8 job[24]; .shared .align 8 .b8 s[12]; .shared .u32 unused;\n"
          ".extern .shared .align 128 .b8 dyn[];\n"
          ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .b64 %d<9>; .local .align 16 .b8 depot[20]; .shared .align 4 .u32 own;\n"
          "mov.u64 %d1, g; ld.const.u32 %r1, [job+8]; st.shared.u32 [s+4], %r1; mov.u32 %r2, own; mov.u64 %d2, dyn; ld.shared.u32 %r3, [dyn+4];\n"
          "mov.u64 %d3, depot; st.local.u32 [depot+16], %r1; ld.global.u32 %r4, [g+0]; ld.global.u32 %r4, [%d1+-4]; ld.shared.u32 %r4, [%r2];\n"
          "mov.b64 %d4, p; ld.param.u64 %d5, [%d4]; ret; }");
    assert_non_null(code);
    assert_true(constant(at(0)->r[1], 8) == 0x10000);
    assert_int_equal(at(1)->space, MEM_CONST);     assert_int_equal(at(1)->imm, 0x10108);   assert_int_equal(at(1)->r[1], OPREF_NONE);
    assert_int_equal(at(2)->space, MEM_SHARED);    assert_int_equal(at(2)->imm, 4);
    assert_int_equal(constant(at(3)->r[1], 4), 12);                                   /* behind s; `unused` takes no room */
    assert_int_equal(code->shared_bytes, 16);      assert_int_equal(code->dynamic_shared_offset, 128);
    assert_int_equal(constant(at(4)->r[1], 8), 128);
    assert_int_equal(at(5)->imm, 132);
    assert_int_equal(at(6)->klass, CLASS_MOV_FRAME);
    assert_int_equal(at(7)->space, MEM_FRAME);     assert_int_equal(at(7)->imm, at(6)->imm + 16);
    assert_int_equal(function("k")->frame_bytes, 20);
    assert_int_equal(at(8)->imm, 0x10000);
    assert_int_equal(at(9)->imm, -4);              assert_int_equal(at(9)->addr32, 0);
    assert_int_equal(at(10)->addr32, 1);
    assert_int_equal(constant(at(11)->r[1], 8), 0);
    assert_int_equal(at(12)->space, MEM_KPARAM);   assert_int_equal(bank_of(at(12)->r[1]), BANK_REG);
}

static void loads_into_wider_registers_and_vectors(void **state)
{
    (void)state;
    body("ld.global.u8 %h1, [%d1]; ld.global.s8 %r1, [%d1]; ld.global.u32 %d2, [%d1]; ld.global.v2.u16 {%h1, _}, [%d1];\n"
         "st.global.v4.f32 [%d1], {%f1, 0f3F800000, %f2, %f3}; ld.shared.b128 %q1, [%r1]; st.global.u16 [%d1], %r1; ret;");
    assert_int_equal(at(0)->flags, 0);
    assert_int_equal(at(1)->flags, LD_SIGNED | LD_WIDE_REG32);
    assert_int_equal(at(2)->flags, LD_WIDE_REG64);
    assert_int_equal(at(3)->count, 2);
    assert_int_equal(function("k")->list[at(3)->list + 1], OPREF_NONE);
    assert_int_equal(at(4)->count, 4);
    assert_int_equal(constant(function("k")->list[at(4)->list + 1], 4), 0x3f800000);
    assert_int_equal(at(6)->flags, LD_WIDE_REG32);
}

static void conversions_choose_by_register_width(void **state)
{
    (void)state;
    body("cvt.u64.u32 %d1, %r1; cvt.u32.u8 %r1, %h1; cvt.s8.s32 %r1, %r2; cvt.rn.f32.s32 %f1, %r1; cvt.u16.u32 %r1, %r2; cvt.f32.f16 %f1, %h1; ret;");
    assert_int_equal(at(0)->op, OP_cvt_u64_u32);
    assert_int_equal(at(1)->op, OP_cvt_any);       assert_int_equal(at(1)->flags, 2 << CVT_DST_SHIFT | 1 << CVT_SRC_SHIFT);
    assert_int_equal(at(2)->flags, 2 << CVT_DST_SHIFT | 2 << CVT_SRC_SHIFT);
    assert_int_equal(at(3)->op, OP_cvt_rn_f32_s32);
    assert_int_equal(at(4)->op, OP_cvt_any);       assert_int_equal(at(4)->type, PTX_U16);
    assert_int_equal(at(5)->op, OP_cvt_f32_f16);
}

static void packing_and_predicates(void **state)
{
    (void)state;
    body("mov.b64 %d1, {%r1, 5}; mov.b64 {%r1, _}, %d1; mov.b128 {%d1, %d2}, %q1; setp.eq.or.s32 %p1|%p2, %r1, %r2, !%p3;\n"
         "elect.sync _|%p1, -1; shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; vote.sync.any.pred %p1, !%p2, -1; bar.red.popc.u32 %r1, 0, !%p1;\n"
         "add.cc.u32 %r1, %r2, %r3; addc.u32 %r1, %r2, %r3; ret;");
    assert_int_equal(at(0)->op, OP_mov_pack);      assert_int_equal(at(0)->count, 2);   assert_int_equal(constant(at(0)->r[2], 4), 5);
    assert_int_equal(at(1)->op, OP_mov_unpack);    assert_int_equal(at(1)->r[1], OPREF_NONE);
    assert_int_equal(at(2)->count, 2);
    assert_int_equal(at(3)->sub, BOOL_OR);         assert_int_equal(at(3)->negate, 1 << 3);
    assert_true(at(3)->r[5] != OPREF_NONE && at(3)->r[5] != at(3)->r[0]);
    assert_int_equal(at(4)->r[0], OPREF_NONE);     assert_int_equal(at(4)->r[5], at(3)->r[0]);
    assert_int_equal(constant(at(5)->r[4], 4), 0xffffffff);
    assert_int_equal(at(6)->negate, 1 << 1);
    assert_int_equal(at(7)->r[2], OPREF_NONE);     assert_int_equal(at(7)->negate, 1 << 3);
    assert_int_equal(at(8)->r[5], at(9)->r[5]);                                       /* the carry flag */
}

static void synchronising_operands(void **state)
{
    (void)state;
    body("mbarrier.init.shared.b64 [%r1+8], 1; mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r1], 16;\n"
         "mbarrier.arrive.shared.b64 %d1, [%r1]; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r1], %r2, 100;\n"
         "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1+16], [%r2+-8];\n"
         "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %q1; cp.async.ca.shared.global [%r1], [%d1+4], 16;\n"
         "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4]; mapa.shared::cluster.u32 %r1, %r2, 1;\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 32, [%r2+8]; ret;");
    assert_int_equal(at(0)->imm, 8);               assert_int_equal(at(0)->addr32, 1);
    assert_int_equal(at(1)->r[0], OPREF_NONE);     assert_int_equal(constant(at(1)->r[2], 4), 16);
    assert_int_equal(at(2)->r[2], OPREF_NONE);
    assert_int_equal(constant(at(3)->r[3], 4), 100);
    assert_int_equal(sync_offset(at(4), 0), 16);   assert_int_equal(sync_offset(at(4), 1), -8);
    assert_int_equal(at(4)->addr32, 3);
    assert_int_equal(at(5)->count, 4);             assert_int_equal(function("k")->list[at(5)->list + 3], OPREF_NONE);
    assert_int_equal(at(6)->count, 16);            assert_int_equal(at(6)->addr32, 1);   assert_int_equal(sync_offset(at(6), 1), 4);
    assert_int_equal(at(7)->count, 2);             assert_int_equal(at(7)->addr32, 3);
    assert_int_equal(constant(at(8)->r[2], 4), 1);
    assert_int_equal(sync_offset(at(9), 2), 8);    assert_int_equal(at(9)->addr32, 5);
}

static void calls(void **state)
{
    (void)state;
    lower(HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.extern .func (.param .b32 r) foreign (.param .b64 a);\n"
          ".func unused() { ret; }\n"
          ".func (.param .b32 ret) callee(.param .b32 x, .param .align 8 .b8 big[16]) { .reg .f32 %f<3>; ld.param.f32 %f1, [x]; st.param.f32 [ret], %f1; ret; }\n"
          ".func pointed() { ret; }\n"
          ".global .align 8 .u64 table[1] = {pointed};\n"
          ".visible .entry k()\n{ .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
          "{ .param .b32 a0; .param .align 8 .b8 a1[16]; .param .b32 r0; st.param.b32 [a0], %r1; call.uni (r0), callee, (a0, a1); ld.param.b32 %r2, [r0]; }\n"
          "{ .param .b64 a0; .param .b64 a1; .param .b32 r0; call.uni (r0), vprintf, (a0, a1); }\n"
          "{ .param .b64 a0; .param .b32 r0; call.uni (r0), foreign, (a0); }\n"
          "{ proto: .callprototype ()_ (); call %d1, (), proto; }\n"
          "mov.u64 %d2, callee; ret; }");
    if (!code) fail_msg("%s", error.text);
    const struct code_function *f = function("k"), *callee = function("callee");
    const struct code_call *direct = &f->calls[at(1)->imm], *print = &f->calls[at(3)->imm], *indirect = &f->calls[at(5)->imm];
    assert_int_equal(direct->kind, CALL_FUNCTION);
    assert_int_equal(direct->arg_count, 2);        assert_int_equal(direct->arg_bytes[1], 16);
    assert_int_equal(direct->arg_offset[0], at(0)->imm);   assert_int_equal(at(0)->space, MEM_FRAME);
    assert_int_equal(direct->ret_offset[0], at(2)->imm);
    assert_int_equal(direct->arg_offset[1] % 8, 0);
    assert_int_equal(callee->code[0].imm, callee->param_offset[0]);   assert_int_equal(callee->code[0].space, MEM_FRAME);
    assert_int_equal(callee->code[1].imm, callee->ret_offset[0]);
    assert_int_equal(print->kind, CALL_VPRINTF);
    assert_int_equal(at(4)->klass, CLASS_REFUSED);                                    /* no such function: stops there, not before */
    assert_int_equal(indirect->kind, CALL_INDIRECT);
    assert_int_equal(bank_of(indirect->target), BANK_REG);
    assert_non_null(function("pointed")->code);                                       /* named in a table, callable through a register */
    assert_null(function("unused")->code);
    assert_true(constant(at(6)->r[1], 8) == FUNCTION_ADDRESS(callee - code->functions));
}

static void unknown_instructions_stop_only_when_reached(void **state)
{
    (void)state;
    body("tanh.approx.f64 %g1, %g2; vadd.u32.u32.u32 %r1, %r2, %r3; ret;");
    assert_int_equal(at(0)->klass, CLASS_REFUSED);
    assert_int_equal(at(1)->klass, CLASS_REFUSED);
}

static void broken_modules_are_named(void **state)
{
    (void)state;
    broken("add.s32 %r1, %r2, %d1;", "t.ptx:7: add.s32: register %d1 has type .b64, the instruction needs 32 bits");
    broken("add.s32 %r1, %r2;", "operand 3 is missing");
    broken("add.s32 %r1, %r2, %r3, %r4;", "4 operands instead of 3");
    broken("add.f32 %f1, %f2, 1;", "a floating-point operand cannot be an integer");
    broken("add.s32 5, %r2, %r3;", "the result must be a register");
    broken("selp.b32 %r1, %r2, %r3, %r4;", "register %r4 is no predicate");
    broken("ld.global.u32 %h1, [%d1];", "register %h1 has type .b16");
    broken("ld.global.f32 %d1, [%d1];", "too wide");
    broken("ld.global.v2.u32 %r1, [%d1];", "1 elements instead of 2");
    broken("ld.global.u32 %r1, [%h1];", "an address has 32 or 64 bits");
    broken("ld.global.u32 %r1, %d1;", "an address in brackets is missing");
    broken("cp.async.ca.shared.global [%r1], [%d1], 5;", "4, 8 or 16 bytes");
    broken("add.s32 %r1, %r2, %clock;", "only be read by mov");
}

static void launch_control_needs_its_target(void **state)
{
    const char *kernel = ".visible .entry k() { .reg .b32 %%r<3>;\n"
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes%s.b128 [%%r1], [%%r2]; ret; }";
    char text[500];
    (void)state;
    int n = sprintf(text, ".version 9.0\n.target sm_90a\n.address_size 64\n");
    sprintf(text + n, kernel, "");
    assert_false(lower(text));
    assert_non_null(strstr(error.text, "Feature 'clusterlaunchcontrol.try_cancel.async' requires .target sm_100 or higher"));
    n = sprintf(text, ".version 9.0\n.target sm_100\n.address_size 64\n");
    sprintf(text + n, kernel, "");
    assert_true(lower(text));
    sprintf(text + n, kernel, ".multicast::cluster::all");
    assert_false(lower(text));
    assert_non_null(strstr(error.text, "Feature '.multicast::cluster::all' not supported on .target 'sm_100'"));
    n = sprintf(text, ".version 9.0\n.target sm_120f\n.address_size 64\n");
    sprintf(text + n, kernel, ".multicast::cluster::all");
    assert_true(lower(text));
}

static void a_large_module_takes_linear_time(void **state)
{
    enum { LINES = 100000 };
    (void)state;
    char *text = malloc((size_t)LINES * 40 + 1000);
    size_t n = (size_t)sprintf(text, HEAD ".visible .entry k() { .reg .b32 %%r<%d>;\n", LINES + 2);
    for (int k = 0; k < LINES; k++) n += (size_t)sprintf(text + n, "add.s32 %%r%d, %%r%d, %d;\n", k + 1, k, k);
    strcpy(text + n, "ret; }");
    clock_t start = clock();
    assert_true(lower(text));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5.0);
    assert_int_equal(constant(at(LINES - 1)->r[2], 4), LINES - 1);
    assert_true(function("k")->reg_bytes < 1000);                      /* not 12 MB: two live at a time */
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_become_instructions_at_the_same_index),
        cmocka_unit_test(registers_do_not_overlap),
        cmocka_unit_test(short_lived_registers_share_places),
        cmocka_unit_test(what_a_loop_carries_keeps_its_place),
        cmocka_unit_test(literals_have_the_width_of_the_operand_and_are_kept_once),
        cmocka_unit_test(special_registers_are_rows_or_instructions),
        cmocka_unit_test(variables),
        cmocka_unit_test(loads_into_wider_registers_and_vectors),
        cmocka_unit_test(conversions_choose_by_register_width),
        cmocka_unit_test(packing_and_predicates),
        cmocka_unit_test(synchronising_operands),
        cmocka_unit_test(calls),
        cmocka_unit_test(unknown_instructions_stop_only_when_reached),
        cmocka_unit_test(broken_modules_are_named),
        cmocka_unit_test(launch_control_needs_its_target),
        cmocka_unit_test(a_large_module_takes_linear_time),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    drop();
    return failed;
}

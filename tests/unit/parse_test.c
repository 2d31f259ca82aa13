/*
 * The parser: what each construct of PTX becomes, and what is said about
 * text that is not PTX. The last test alters a module in thousands of ways;
 * run it under the sanitizers (make lint).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/module.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n" body "\n}\n"

static struct ptx_module *read_text(const char *text)
{
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(text, strlen(text), "t.ptx", &error);
    if (!m)
        fail_msg("%s", error.text);
    return m;
}

/* The message for a text that must not parse. */
static void complains(const char *text, const char *message, bool unsupported)
{
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(text, strlen(text), "t.ptx", &error);
    assert_null(m);
    assert_string_equal(error.text, message);
    assert_int_equal(error.unsupported, unsupported);
}

static const struct ptx_statement *statement(const struct ptx_module *m, int i)
{
    const struct ptx_function *f = ptx_function_find(m, "k");
    assert_true(i < f->statement_count);
    return &f->statements[i];
}

static void head_names_version_and_target(void **state)
{
    struct ptx_module *m = read_text("// comment\n.version 8.7\n.target sm_90, debug\n.address_size 64\n");
    (void)state;
    assert_int_equal(m->version_major, 8);
    assert_int_equal(m->version_minor, 7);
    assert_int_equal(m->target_cc, 90);
    assert_int_equal(m->target_kind, 0);
    assert_true(m->debug);
    ptx_module_free(m);
    m = read_text(HEAD);
    assert_string_equal(m->target, "sm_100a");
    assert_int_equal(m->target_cc, 100);
    assert_int_equal(m->target_kind, 'a');
    ptx_module_free(m);
}

static void entry_keeps_its_directives_and_parameter_offsets(void **state)
{
    struct ptx_module *m = read_text(HEAD
        ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .u16 c,\n"
        "  .param .align 16 .b8 d[20], .param .f32 e)\n"
        ".maxntid 256, 2\n.reqntid 32\n.minnctapersm 4\n.maxnreg 64\n"
        ".explicitcluster\n.reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n.blocksareclusters\n{ ret; }\n");
    const struct ptx_function *f = ptx_function_find(m, "k");
    const size_t offset[] = { 0, 8, 16, 32, 52 };
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(f->params[i].offset, offset[i]);
    assert_int_equal(f->param_bytes, 56);
    assert_int_equal(f->params[1].align, 8);    /* .ptr .align is the pointee's */
    assert_true(f->is_entry && f->is_visible && f->has_body && f->explicitcluster && f->blocksareclusters);
    assert_int_equal(f->maxntid[0], 256);
    assert_int_equal(f->maxntid[1], 2);
    assert_int_equal(f->maxntid[2], 1);
    assert_int_equal(f->reqntid[0], 32);
    assert_int_equal(f->reqnctapercluster[0], 2);
    assert_int_equal(f->minnctapersm, 4);
    assert_int_equal(f->maxnreg, 64);
    assert_int_equal(f->maxclusterrank, 8);
    ptx_module_free(m);
}

static void registers_come_in_ranges_and_vectors(void **state)
{
    struct ptx_module *m = read_text(KERNEL(
        ".reg .pred %p<2>;\n.reg .b32 %r<3>, x;\n.reg .v2 .b64 %v;\n.reg .b128 q;\n"
        "mov.b128 q, %v;\nmov.b64 %v.y, 7;\nret;"));
    const struct ptx_function *f = ptx_function_find(m, "k");
    (void)state;
    assert_int_equal(f->reg_count, 2 + 3 + 1 + 2 + 1);
    assert_string_equal(f->regs[4].name, "%r2");
    assert_int_equal(f->regs[4].type, PTX_B32);
    assert_int_equal(statement(m, 0)->opr[1].kind, PTX_OPR_VEC);
    assert_int_equal(statement(m, 0)->opr[1].elem[1].reg, statement(m, 1)->opr[0].reg);
    assert_string_equal(f->regs[statement(m, 1)->opr[0].reg].name, "%v.y");
    ptx_module_free(m);
}

static void braces_scope_registers_and_labels(void **state)
{
    struct ptx_module *m = read_text(KERNEL(
        ".reg .pred p;\n"
        "{ .reg .pred p; W: @p bra W; @!p bra DONE; DONE: }\n"
        "{ .reg .pred p; W: @p bra W; bra END; }\n"
        "@p bra END;\nEND: ret;"));
    (void)state;
    const int inner = statement(m, 0)->guard, second = statement(m, 2)->guard, outer = statement(m, 4)->guard;
    assert_true(inner != second && second != outer && inner != outer);
    assert_int_equal(statement(m, 0)->opr[0].target, 0);
    assert_true(statement(m, 1)->guard_negated);
    assert_int_equal(statement(m, 1)->opr[0].target, 2);
    assert_int_equal(statement(m, 2)->opr[0].target, 2);
    assert_int_equal(statement(m, 3)->opr[0].target, 5);    /* forward, out of the inner scope */
    assert_int_equal(statement(m, 4)->opr[0].target, 5);
    assert_string_equal(statement(m, 3)->opr[0].name, "END");
    ptx_module_free(m);
}

static void operands_of_every_kind(void **state)
{
    struct ptx_module *m = read_text(HEAD ".global .align 4 .b8 g[16];\n"
        ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .b32 r<4>; .reg .b64 d<2>; .reg .pred p<2>;\n"
        "ld.param.u64 d0, [p+8];\n"                               /* 0 */
        "ld.global.v4.u32 {r0,r1,_,r2}, [d0+-16];\n"              /* 1 */
        "mov.u64 d1, g+4;\n"                                      /* 2 */
        "elect.sync _|p0, 0xFFFFffff;\n"                          /* 3 */
        "vote.sync.any.pred p0, !p1, -1;\n"                       /* 4 */
        "mov.f32 r0, 0f3F800000;\nmov.f64 d0, 0dBFF0000000000000;\n"
        "mov.u32 r0, 0b101U;\nmov.u32 r0, 017;\nmov.u32 r0, (1<<3)+WARP_SZ*2-1;\n"    /* 7 8 9 */
        "mov.u32 r0, %ctaid.y;\nmov.v4.u32 {r0,r1,r2,r3}, %tid;\n"                    /* 10 11 */
        "ld.global.u32 r0, [g - 4];\nld.shared.u32 r0, [16];\n"                       /* 12 13 */
        "cp.async.bulk.tensor.2d.x [r0], [d0, {r1, r2}], [r3];\n"                     /* 14 */
        "setp.lt.s32 p0|p1, r0, -9223372036854775808;\n}\n");                         /* 15 */
    (void)state;
    const struct ptx_operand *o = statement(m, 0)->opr;
    assert_int_equal(o[1].kind, PTX_OPR_ADDR);
    assert_int_equal(o[1].elem[0].kind, PTX_OPR_VAR);
    assert_ptr_equal(o[1].elem[0].var, &ptx_function_find(m, "k")->params[0]);
    assert_int_equal(o[1].offset, 8);
    o = statement(m, 1)->opr;
    assert_int_equal(o[0].kind, PTX_OPR_VEC);
    assert_int_equal(o[0].count, 4);
    assert_int_equal(o[0].elem[2].kind, PTX_OPR_SINK);
    assert_int_equal(o[1].offset, -16);
    o = statement(m, 2)->opr;
    assert_ptr_equal(o[1].var, ptx_var_find(m, "g"));
    assert_int_equal(o[1].offset, 4);
    o = statement(m, 3)->opr;
    assert_int_equal(o[0].kind, PTX_OPR_PAIR);
    assert_int_equal(o[0].elem[0].kind, PTX_OPR_SINK);
    assert_int_equal(o[1].bits, 0xffffffff);
    assert_true(statement(m, 4)->opr[1].negated);
    assert_true(statement(m, 4)->opr[2].bits == UINT64_MAX);
    assert_int_equal(statement(m, 5)->opr[1].bits, 0x3f800000);
    assert_int_equal(statement(m, 5)->opr[1].float_bytes, 4);
    assert_true(statement(m, 6)->opr[1].bits == 0xbff0000000000000u);
    assert_int_equal(statement(m, 7)->opr[1].bits, 5);
    assert_int_equal(statement(m, 8)->opr[1].bits, 15);
    assert_int_equal(statement(m, 9)->opr[1].bits, 71);
    assert_int_equal(statement(m, 10)->opr[1].sreg, PTX_SREG_CTAID_Y);
    assert_int_equal(statement(m, 11)->opr[1].elem[2].sreg, PTX_SREG_TID_Z);
    assert_int_equal(statement(m, 12)->opr[1].offset, -4);
    assert_int_equal(statement(m, 13)->opr[1].elem[0].bits, 16);
    assert_int_equal(statement(m, 14)->opr[1].count, 2);
    assert_true(statement(m, 15)->opr[2].bits == 0x8000000000000000u);
    ptx_module_free(m);
}

static void calls_direct_and_indirect(void **state)
{
    struct ptx_module *m = read_text(HEAD
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".func (.param .b32 r) f(.param .b32 a) .noreturn;\n"
        ".visible .entry k()\n{\n.reg .b64 d;\n"
        "{ .param .b64 a; .param .b64 b; .param .b32 v; call.uni (v), vprintf, (a, b); }\n"
        "{ .param .b32 a; .param .b32 v; mov.u64 d, f;\n"
        "  proto_1 : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "  call (v), d, (a), proto_1; }\ncall later;\n}\n"
        ".func later() { ret; }\n");
    (void)state;
    const struct ptx_operand *o = statement(m, 0)->opr;
    assert_int_equal(o[0].kind, PTX_OPR_LIST);
    assert_int_equal(o[1].kind, PTX_OPR_FUNC);
    assert_string_equal(o[1].name, "vprintf");
    assert_string_equal(o[2].elem[1].var->name, "b");
    assert_int_equal(statement(m, 1)->opr[1].kind, PTX_OPR_FUNC);
    o = statement(m, 2)->opr;
    assert_int_equal(o[1].kind, PTX_OPR_REG);
    assert_int_equal(o[3].kind, PTX_OPR_PROTO);
    assert_int_equal(ptx_function_find(m, "k")->protos[o[3].target].param_count, 1);
    assert_string_equal(statement(m, 3)->opr[0].name, "later");
    assert_true(ptx_function_find(m, "f")->is_noreturn && !ptx_function_find(m, "f")->has_body);
    assert_true(ptx_function_find(m, "later")->has_body);
    ptx_module_free(m);
}

static void variables_have_initial_values(void **state)
{
    struct ptx_module *m = read_text(HEAD
        ".func f();\n"
        ".global .align 4 .u32 a = 7;\n.const .align 4 .f32 b[3] = {1, 0f40000000, 0.5};\n"
        ".global .align 2 .u16 c[2][3] = {{1,2},{4}};\n.global .align 1 .b8 s[] = \"h\\303\\251\\n\";\n"
        ".global .align 8 .u64 t[3] = {f, generic(a), generic(s)+2};\n"
        ".global .align 1 .u8 packed[9] = {1, 0xFF(generic(a)+4), 0XFF00(generic(a)+4), 0xFF0000(generic(a)+4),"
        " 0xFF000000(generic(a)+4), 0xFF00000000(generic(a)+4), 0xFF0000000000(generic(a)+4),"
        " 0xFF000000000000(generic(a)+4), 0xFF00000000000000(generic(a)+4)};\n"
        ".global .align 16 .v4 .f32 v;\n.extern .shared .align 16 .b8 dyn[];\n"
        ".global .attribute(.managed) .align 4 .u32 man;\n.global .f64 z = -1.5;\n");
    (void)state;
    const float b[] = { 1, 2, 0.5f };
    const uint16_t c[] = { 1, 2, 0, 4, 0, 0 };
    const double z = -1.5;
    const struct ptx_var *t = ptx_var_find(m, "t"), *packed = ptx_var_find(m, "packed");
    assert_int_equal(ptx_var_find(m, "a")->init[0], 7);
    assert_memory_equal(ptx_var_find(m, "b")->init, b, sizeof b);
    assert_memory_equal(ptx_var_find(m, "c")->init, c, sizeof c);
    assert_int_equal(ptx_var_find(m, "s")->size, 5);
    assert_memory_equal(ptx_var_find(m, "s")->init, "h\303\251\n", 5);
    assert_string_equal(t->relocs->symbol, "f");
    assert_false(t->relocs->generic);
    assert_true(t->relocs->next->generic);
    assert_int_equal(t->relocs->next->next->addend, 2);
    assert_int_equal(t->relocs->next->next->offset, 16);
    assert_int_equal(packed->relocs->offset, 1);
    assert_int_equal(packed->relocs->bytes, 8);
    assert_int_equal(packed->relocs->addend, 4);
    assert_null(packed->relocs->next);
    assert_int_equal(ptx_var_find(m, "v")->size, 16);
    assert_int_equal(ptx_var_find(m, "dyn")->size, 0);
    assert_true(ptx_var_find(m, "dyn")->is_extern);
    assert_true(ptx_var_find(m, "man")->is_managed);
    assert_memory_equal(ptx_var_find(m, "z")->init, &z, sizeof z);
    ptx_module_free(m);
}

static void opcode_with_blanks_is_one_spelling(void **state)
{
    struct ptx_module *m = read_text(KERNEL(".reg.u32 r;\nld .param .u32 r, [n];"));
    (void)state;
    assert_string_equal(statement(m, 0)->name, "ld.param.u32");
    assert_int_equal(statement(m, 0)->line, 7);
    ptx_module_free(m);
}

static void a_definition_replaces_its_declarations(void **state)
{
    struct ptx_module *m = read_text(HEAD ".extern .global .align 4 .u32 x;\n.func f();\n.func f() { ret; }\n.func f();\n"
                                          ".global .align 4 .u32 x = 3;\n.weak .func w() { ret; }\n.weak .func w() { }\n");
    (void)state;
    assert_int_equal(m->var_count, 1);
    assert_false(m->vars[0].is_extern);
    assert_int_equal(m->vars[0].init[0], 3);
    assert_int_equal(m->function_count, 2);
    assert_int_equal(ptx_function_find(m, "f")->statement_count, 1);
    assert_int_equal(ptx_function_find(m, "w")->statement_count, 1);
    ptx_module_free(m);
}

static void mistakes_are_named_with_line_and_text(void **state)
{
    (void)state;
    complains("", "t.ptx:1: this is not PTX: it starts with the end of the text, not with .version", false);
    complains("hello\n", "t.ptx:1: this is not PTX: it starts with 'hello', not with .version", false);
    complains("\177ELF", "t.ptx:1: '\\x7f' does not belong in PTX", false);
    complains(".version 9.0\n", "t.ptx:2: the module names no .target", false);
    complains(".version 9.0\n.target sm_x\n", "t.ptx:3: 'sm_x' is not a target such as sm_100a", false);
    complains(HEAD ".address_size 32\n", "t.ptx:4: .address_size 32 is not covered, only 64", true);
    complains(KERNEL("mov.u32 %r1, 0;"), "t.ptx:6: register '%r1' is not declared", false);
    complains(KERNEL(".reg .b32 a;\nmov.u32 a, %envreg31;"), "t.ptx:7: the special register '%envreg31' is not covered", true);
    complains(KERNEL("bra NOWHERE;"), "t.ptx:6: there is no label 'NOWHERE' here to branch to", false);
    complains(KERNEL(".reg .b32 a, a;"), "t.ptx:6: 'a' is declared twice in the same scope", false);
    complains(KERNEL("L: L: ret;"), "t.ptx:6: label 'L' is set twice in the same scope", false);
    complains(KERNEL(".reg .b32 a;\n@a ret;"), "t.ptx:7: the guard 'a' is not a .pred register", false);
    complains(KERNEL("ret"), "t.ptx:7: expected an operand, found '}'", false);
    complains(KERNEL(".reg .b32 a;\nmov.u32 a, 0x;"), "t.ptx:7: the number '0x' has no digits", false);
    complains(KERNEL(".reg .b32 a;\nmov.u32 a, 99999999999999999999;"),
              "t.ptx:7: the number '99999999999999999999' does not fit in 64 bits", false);
    complains(KERNEL(".reg .b32 a;\nmov.u32 a, 1/0;"), "t.ptx:7: a constant is divided by zero", false);
    complains(HEAD ".global .u8 a[2] = {1,2,3};", "t.ptx:4: 'a' is given more values than it holds", false);
    complains(HEAD ".global .u64 a = b;", "t.ptx: the value of 'a' names 'b', which is not declared", false);
    complains(HEAD ".global .texref t;", "t.ptx:4: textures and surfaces ('.texref') are not covered", true);
    complains(HEAD ".entry k() {", "t.ptx:4: the function that starts here has no closing brace", false);
    complains(HEAD ".entry k() {} .entry k() {}", "t.ptx:4: function 'k' is defined twice", false);
    complains(HEAD "/* ", "t.ptx:4: this comment has no end", false);
}

static const char mutated[] = HEAD
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".global .align 8 .u64 t[3] = {vprintf, generic(s), 0x10};\n.global .align 1 .b8 s[4] = {104,0xFF(t),0};\n"
    ".visible .entry k(.param .u64 .ptr .align 1 p, .param .align 4 .b8 n[12]) .maxntid 256,1,1 .pragma \"x\";\n{\n"
    ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .v2 .b64 v;\n.loc 1 3 4\n"
    "ld.param.u64 %rd1, [p]; .loc 2 7 1, function_name $L__info_string0, inlined_at 1 3 4\n"
    "L1: { .reg .pred p; setp.lt.s32 p, %r1, -(1<<3); @!p bra L1; bra L2; }\n"
    "{ .param .b64 a; call.uni (a), vprintf, (a, %rd1); proto : .callprototype ()_(.param .b64 _); call %rd1, (a), proto; }\n"
    "mov.b128 v, {%rd1,%rd2}; elect.sync %r1|%p1, 0xffffffff; mov.f64 %rd1, 0d3FF0000000000000;\nL2: ret;\n}\n"
    ".file 1 \"/a/\\344b.cu\"\n.file 2 \"/usr/include/crt/x.h\", 1, 2\n"
    ".section .debug_str { $L__info_string0: .b8 95,90,\n.b8 0 }\n.section .debug_loc { .b64 $L1 }\n";

static unsigned random_below(uint64_t *state, size_t limit)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % limit);
}

static void any_text_ends_in_a_module_or_a_sentence(void **state)
{
    static const char marks[] = ";,.:{}()[]<>@!|&-+019%$_\"xU \n/*=~?";
    const size_t length = sizeof mutated - 1;
    uint64_t seed = 7;
    int good = 0;
    (void)state;
    for (int i = 0; i < 6000; i++) {
        size_t n = i % 4 ? length : random_below(&seed, length + 1);
        char *text = malloc(n + 1);         /* exact, so that a sanitizer sees a read past the end */
        struct ptx_error error;
        memcpy(text, mutated, n);
        for (int k = i % 4; k > 0 && n; k--)
            text[random_below(&seed, n)] = i % 8 < 4 ? marks[random_below(&seed, sizeof marks - 1)]
                                                     : (char)random_below(&seed, 256);
        struct ptx_module *m = ptx_parse(text, n, "t.ptx", &error);
        good += m != NULL;
        if (!m)
            assert_true(strncmp(error.text, "t.ptx:", 6) == 0 && !strchr(error.text, '\n'));
        ptx_module_free(m);
        free(text);
    }
    assert_true(good > 0 && good < 6000);
}

static void reading_takes_linear_time(void **state)
{
    const int functions = 2000;
    char *text = malloc(64 + (size_t)functions * 4096), *out = text;
    struct ptx_error error;
    (void)state;
    out += sprintf(out, "%s", HEAD);
    for (int f = 0; f < functions; f++) {
        out += sprintf(out, ".func f%d()\n{\n.reg .b32 %%r<64>;\n", f);
        for (int i = 0; i < 60; i++)
            out += sprintf(out, "add.s32 %%r%d, %%r%d, %d;\n", i, i + 1, i);
        out += sprintf(out, "ret;\n}\n");
    }
    struct ptx_module *m = ptx_parse(text, (size_t)(out - text), "t.ptx", &error);
    assert_non_null(m);
    assert_int_equal(m->function_count, functions);
    assert_non_null(ptx_function_find(m, "f1999"));
    ptx_module_free(m);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_names_version_and_target),
        cmocka_unit_test(entry_keeps_its_directives_and_parameter_offsets),
        cmocka_unit_test(registers_come_in_ranges_and_vectors),
        cmocka_unit_test(braces_scope_registers_and_labels),
        cmocka_unit_test(operands_of_every_kind),
        cmocka_unit_test(calls_direct_and_indirect),
        cmocka_unit_test(variables_have_initial_values),
        cmocka_unit_test(opcode_with_blanks_is_one_spelling),
        cmocka_unit_test(a_definition_replaces_its_declarations),
        cmocka_unit_test(mistakes_are_named_with_line_and_text),
        cmocka_unit_test(any_text_ends_in_a_module_or_a_sentence),
        cmocka_unit_test(reading_takes_linear_time)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

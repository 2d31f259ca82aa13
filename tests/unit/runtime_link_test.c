/*
 * Linking modules of separate compilation: definitions meet declarations,
 * private names stay apart, source lines keep their files.
 * link: emulator/runtime/link.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/link.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"

static struct ptx_module *part(const char *text)
{
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(text, strlen(text), "part", &error);
    if (!m)
        fail_msg("%s", error.text);
    return m;
}

static struct ptx_error error;

static struct ptx_module *linked(const char *a, const char *b)
{
    struct ptx_module *parts[2] = { part(a), part(b) };
    return link_modules(parts, 2, &error);
}

/* The first variable among the operands of an entry's statement. */
static const struct ptx_var *used(const struct ptx_module *m, const char *entry, int statement)
{
    const struct ptx_function *f = ptx_function_find(m, entry);
    assert_non_null(f);
    const struct ptx_statement *s = &f->statements[statement];
    for (int i = 0; i < s->oprs; i++) {
        const struct ptx_operand *o = s->opr[i].elem ? s->opr[i].elem : &s->opr[i];
        if (o->kind == PTX_OPR_VAR)
            return o->var;
    }
    return NULL;
}

#define ENTRY(name, body) ".visible .entry " name "()\n{\n.reg .u64 %r<3>;\n.reg .u32 %u;\n" body "ret;\n}\n"

static void one_module_stays_itself(void **state)
{
    struct ptx_module *m = part(HEAD ".visible .global .u32 g = 3;\n");
    (void)state;
    assert_ptr_equal(link_modules(&m, 1, &error), m);
    ptx_module_free(m);
}

static void a_declaration_finds_its_definition(void **state)
{
    struct ptx_module *m = linked(
        HEAD ".extern .global .u32 g;\n.extern .func f;\n" ENTRY("k", "ld.global.u32 %u, [g];\ncall.uni f;\n"),
        HEAD ".visible .global .u32 h = 1;\n.visible .global .u32 g = 3;\n.visible .func f\n{\nret;\n}\n");
    (void)state;
    assert_non_null(m);
    assert_int_equal(m->var_count, 2);
    assert_ptr_equal(used(m, "k", 0), ptx_var_find(m, "g"));
    assert_false(ptx_var_find(m, "g")->is_extern);
    assert_ptr_equal(&m->vars[ptx_var_find(m, "g")->index], ptx_var_find(m, "g"));
    assert_true(ptx_function_find(m, "f")->has_body);
    ptx_module_free(m);
}

static void private_names_stay_apart(void **state)
{
    static const char *text = HEAD ".global .align 1 .b8 $str[2] = {97};\n.func helper\n{\nret;\n}\n"
        ".global .u64 table = helper;\n" ENTRY("k1", "mov.u64 %r0, $str;\ncall.uni helper;\n");
    char other[1024];
    struct ptx_module *m;
    (void)state;
    strcpy(other, text);
    memcpy(strstr(other, "k1"), "k2", 2);
    m = linked(text, other);
    assert_non_null(m);
    assert_ptr_not_equal(used(m, "k1", 0), used(m, "k2", 0));
    assert_string_equal(used(m, "k1", 0)->name, "$str");
    assert_string_equal(used(m, "k2", 0)->name, "$str.part2");
    const struct ptx_statement *call = &ptx_function_find(m, "k2")->statements[1];
    assert_string_equal(call->opr[0].name, "helper.part2");
    assert_true(ptx_function_find(m, "helper.part2")->has_body);
    assert_string_equal(ptx_var_find(m, "table.part2")->relocs->symbol, "helper.part2");
    assert_string_equal(ptx_var_find(m, "table")->relocs->symbol, "helper");
    ptx_module_free(m);
}

static void of_weak_definitions_the_first_is_kept(void **state)
{
    static const char *text = HEAD ".weak .entry k()\n{\nret;\n}\n.weak .global .u32 g = 3;\n";
    struct ptx_module *m = linked(text, text);
    (void)state;
    assert_non_null(m);
    assert_int_equal(m->function_count, 1);
    assert_int_equal(m->var_count, 1);
    ptx_module_free(m);
}

static void dynamic_shared_memory_is_one(void **state)
{
    struct ptx_module *m = linked(HEAD ".extern .shared .align 4 .b8 s[];\n" ENTRY("k1", "mov.u64 %r0, s;\n"),
                                  HEAD ".extern .shared .align 16 .b8 s[];\n" ENTRY("k2", "mov.u64 %r0, s;\n"));
    (void)state;
    assert_non_null(m);
    assert_int_equal(m->var_count, 1);
    assert_int_equal(m->vars[0].align, 16);
    assert_ptr_equal(used(m, "k1", 0), used(m, "k2", 0));
    ptx_module_free(m);
}

static void defined_twice_or_nowhere_is_an_error(void **state)
{
    (void)state;
    assert_null(linked(HEAD ".visible .global .u32 g;\n", HEAD ".visible .global .u32 g;\n"));
    assert_string_equal(error.text, "the device variable g is defined in two source files");
    assert_null(linked(HEAD ".visible .func f\n{\nret;\n}\n", HEAD ".visible .func f\n{\nret;\n}\n"));
    assert_string_equal(error.text, "the device function f is defined in two source files");
    assert_null(linked(HEAD ".extern .global .u32 g;\n", HEAD));
    assert_string_equal(error.text, "the device variable g is declared, but no source file defines it");
}

static void lines_keep_their_files(void **state)
{
    struct ptx_module *m = linked(HEAD ENTRY("k1", ".loc 1 10 3\nmov.u64 %r0, 1;\n") ".file 1 \"a.cu\"\n",
                                  HEAD ENTRY("k2", ".loc 1 20 3\nmov.u64 %r0, 1;\n") ".file 1 \"b.cu\"\n");
    (void)state;
    assert_non_null(m);
    struct ptx_line one = ptx_user_line(m, ptx_function_find(m, "k1"), 0);
    struct ptx_line two = ptx_user_line(m, ptx_function_find(m, "k2"), 0);
    assert_string_equal(one.file, "a.cu"); assert_int_equal(one.line, 10);
    assert_string_equal(two.file, "b.cu"); assert_int_equal(two.line, 20);
    ptx_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_module_stays_itself),
        cmocka_unit_test(a_declaration_finds_its_definition),
        cmocka_unit_test(private_names_stay_apart),
        cmocka_unit_test(of_weak_definitions_the_first_is_kept),
        cmocka_unit_test(dynamic_shared_memory_is_one),
        cmocka_unit_test(defined_twice_or_nowhere_is_an_error),
        cmocka_unit_test(lines_keep_their_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

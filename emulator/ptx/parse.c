/*
 * From text to module: the module's own directives, functions, statements
 * (PTX ISA chapters 4, 5 and 11).
 *
 *   module    = .version .target .address_size { linkage ( variables | function ) | debug }
 *   function  = ( .entry | .func ) [ params ] name [ params ] { directive } ( ";" | body )
 *   body      = "{" { declaration | label ":" | statement ";" | body | .loc } "}"
 *   statement = [ "@" [ "!" ] predicate ] opcode [ operand { "," operand } ]
 *
 * An opcode is only a spelling here; lower.c knows them.
 * Not modelled: what module.h says; each is refused by name.
 */
#include "ptx/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens and memory ------------------------------------------------ */

void *parse_alloc(struct parser *p, size_t bytes)
{
    void *piece = ptx_arena_alloc(p->arena, bytes);
    if (!piece)
        ptx_out_of_memory(&p->lex);
    return piece;
}

void *pile_push(struct parser *p, struct pile *pile)
{
    if (pile->count == pile->room) {
        const size_t room = pile->room ? pile->room * 2 : 64;
        void *data = pile->count >= INT_MAX / 2 ? NULL : realloc(pile->data, room * pile->item);
        if (!data)
            ptx_out_of_memory(&p->lex);
        pile->data = data;
        pile->room = room;
    }
    void *item = (char *)pile->data + pile->count++ * pile->item;
    return memset(item, 0, pile->item);
}

/* Items from `first` on, copied to the arena. */
const void *pile_keep(struct parser *p, const struct pile *pile, size_t first)
{
    const size_t bytes = (pile->count - first) * pile->item;
    void *kept = parse_alloc(p, bytes);
    if (bytes)
        memcpy(kept, (char *)pile->data + first * pile->item, bytes);
    return kept;
}

bool at_mark(const struct parser *p, int mark)
{
    return p->lex.token.kind == TOKEN_MARK && p->lex.token.mark == mark;
}

bool at_key(const struct parser *p, enum keyword key)
{
    return p->lex.token.name && p->lex.token.name->keyword == (int)key;
}

bool take_mark(struct parser *p, int mark)
{
    if (!at_mark(p, mark))
        return false;
    lex_next(&p->lex);
    return true;
}

bool take_key(struct parser *p, enum keyword key)
{
    if (!at_key(p, key))
        return false;
    lex_next(&p->lex);
    return true;
}

_Noreturn void fail_here(struct parser *p, const char *expected)
{
    char quoted[QUOTE_BYTES];
    ptx_fail(&p->lex, p->lex.token.line, "expected %s, found %s", expected, lex_quote(&p->lex, quoted));
}

void want_mark(struct parser *p, int mark, const char *where)
{
    char quoted[QUOTE_BYTES];
    if (!take_mark(p, mark))
        ptx_fail(&p->lex, p->lex.token.line, "expected '%c' %s, found %s", mark, where, lex_quote(&p->lex, quoted));
}

struct ptx_name *want_word(struct parser *p, const char *what)
{
    struct ptx_name *name = p->lex.token.name;
    if (p->lex.token.kind != TOKEN_WORD)
        fail_here(p, what);
    lex_next(&p->lex);
    return name;
}

int64_t want_int(struct parser *p, int64_t low, int64_t high, const char *what)
{
    const int line = p->lex.token.line;
    const int64_t value = parse_int_constant(p);
    if (value < low || value > high)
        ptx_fail(&p->lex, line, "%s is %lld, which is not within %lld and %lld", what, (long long)value,
                 (long long)low, (long long)high);
    return value;
}

void nest(struct parser *p)
{
    if (++p->nesting > MAX_NESTING)
        ptx_fail(&p->lex, p->lex.token.line, "an operand is nested more than %d deep", MAX_NESTING);
}

/* ---- statements ------------------------------------------------------- */

/* "@p" or "@!p" before an instruction. */
static void parse_guard(struct parser *p, struct ptx_statement *s)
{
    s->guard = -1;
    if (!take_mark(p, '@'))
        return;
    s->guard_negated = take_mark(p, '!');
    s->guard = parse_register(p, "a predicate register after '@'");
    if (((struct ptx_reg *)p->regs.data)[s->guard].type != PTX_PRED)
        ptx_fail(&p->lex, p->lex.token.line, "the guard '%.100s' is not a .pred register",
                 ((struct ptx_reg *)p->regs.data)[s->guard].name);
}

/* "ld .global .u32" with blanks between the parts. */
static const char *join_suffixes(struct parser *p, const struct ptx_name *name)
{
    char text[256];
    size_t length = name->length;
    if (p->lex.token.kind != TOKEN_DIRECTIVE)
        return name->text;
    for (const struct ptx_name *part = name; part; part = p->lex.token.name) {
        const size_t at = part == name ? 0 : length;
        if (at + part->length > sizeof text)
            ptx_fail(&p->lex, p->lex.token.line, "an opcode is longer than %d characters", (int)sizeof text);
        memcpy(text + at, part->text, part->length);
        length = at + part->length;
        if (part != name)
            lex_next(&p->lex);
        if (p->lex.token.kind != TOKEN_DIRECTIVE)
            break;
    }
    name = ptx_name_of(p->lex.names, text, length);
    if (!name)
        ptx_out_of_memory(&p->lex);
    return name->text;
}

static bool has_base(const char *opcode, const char *base)
{
    const size_t length = strlen(base);
    return strncmp(opcode, base, length) == 0 && (opcode[length] == '\0' || opcode[length] == '.');
}

/* After the opcode. */
static void finish_statement(struct parser *p, const struct ptx_name *opcode, struct ptx_statement s)
{
    s.name = join_suffixes(p, opcode);
    s.place = p->place;
    if (has_base(s.name, "brx"))
        ptx_refuse(&p->lex, s.line, "'%.100s' (a branch through a table) is not covered", s.name);
    p->in_call = has_base(s.name, "call");
    s.opr = parse_operands(p, has_base(s.name, "bra"), &s.oprs);
    p->in_call = false;
    want_mark(p, ';', "after the operands");
    *(struct ptx_statement *)pile_push(p, &p->statements) = s;
}

/* After "name :": ".callprototype (rets) _ (params) ;". */
static void parse_proto(struct parser *p, struct ptx_name *name)
{
    struct ptx_proto proto = { .name = name->text };
    declare(p, name, MEANS_PROTO, (int)p->protos.count);
    if (at_mark(p, '('))
        proto.rets = parse_params(p, &proto.ret_count, NULL, false);
    want_word(p, "'_' in a .callprototype");
    if (at_mark(p, '('))
        proto.params = parse_params(p, &proto.param_count, NULL, false);
    for (;;) {
        if (take_key(p, KEY_ABI_PRESERVE) || take_key(p, KEY_ABI_PRESERVE_CONTROL))
            want_int(p, 0, INT_MAX, "a number of registers");
        else if (!take_key(p, KEY_NORETURN))
            break;
    }
    want_mark(p, ';', "after the .callprototype");
    *(struct ptx_proto *)pile_push(p, &p->protos) = proto;
}

/* A word at the start: a label, a prototype or an opcode. */
static void parse_named(struct parser *p)
{
    const int line = p->lex.token.line;
    struct ptx_name *name = want_word(p, "an opcode");
    if (!take_mark(p, ':')) {
        finish_statement(p, name, (struct ptx_statement){ .guard = -1, .line = line });
        return;
    }
    if (take_key(p, KEY_CALLPROTOTYPE))
        parse_proto(p, name);
    else if (at_key(p, KEY_BRANCHTARGETS) || at_key(p, KEY_CALLTARGETS))
        ptx_refuse(&p->lex, line, "tables of targets (%s) are not covered", p->lex.token.name->text);
    else
        declare_label(p, name, line);
}

static void parse_guarded(struct parser *p)
{
    struct ptx_statement s = { .line = p->lex.token.line };
    parse_guard(p, &s);
    finish_statement(p, want_word(p, "an opcode after the guard"), s);
}

/* ".pragma "text" { , "text" } ;": hints for ptxas, without effect here. */
static void parse_pragma(struct parser *p)
{
    do {
        if (p->lex.token.kind != TOKEN_STRING)
            fail_here(p, "a string after .pragma");
        lex_next(&p->lex);
    } while (take_mark(p, ','));
    want_mark(p, ';', "after .pragma");
}

static void parse_body_directive(struct parser *p)
{
    const struct ptx_name *name = p->lex.token.name;
    const int line = p->lex.token.line;
    const struct ptx_var plain = { 0 };
    lex_next(&p->lex);
    switch (name->keyword) {
    case KEY_REG: parse_reg(p); break;
    case KEY_LOCAL: parse_variables(p, PTX_LOCAL, plain); break;
    case KEY_SHARED: parse_variables(p, PTX_SHARED, plain); break;
    case KEY_PARAM: parse_variables(p, PTX_PARAM, plain); break;
    case KEY_LOC: parse_loc(p); break;
    case KEY_PRAGMA: parse_pragma(p); break;
    default:
        ptx_fail(&p->lex, line, "the directive '%.100s' does not belong in the body of a function", name->text);
    }
}

/* After "{" of the function, up to its "}". */
static void parse_body(struct parser *p)
{
    const int params = p->depth, line = p->lex.token.line;
    scope_open(p);
    while (p->depth > params) {
        if (p->lex.token.kind == TOKEN_WORD)
            parse_named(p);
        else if (at_mark(p, '@'))
            parse_guarded(p);
        else if (p->lex.token.kind == TOKEN_DIRECTIVE)
            parse_body_directive(p);
        else if (take_mark(p, '{'))
            scope_open(p);
        else if (take_mark(p, '}'))
            scope_close(p);
        else if (p->lex.token.kind == TOKEN_END)
            ptx_fail(&p->lex, line, "the function that starts here has no closing brace");
        else if (!take_mark(p, ';'))
            fail_here(p, "an instruction");
    }
}

/* ---- functions -------------------------------------------------------- */

/* "x [, y [, z]]"; what is left out is 1. */
static void parse_extent(struct parser *p, int extent[3], const char *what)
{
    extent[0] = (int)want_int(p, 1, INT_MAX, what);
    extent[1] = take_mark(p, ',') ? (int)want_int(p, 1, INT_MAX, what) : 1;
    extent[2] = take_mark(p, ',') ? (int)want_int(p, 1, INT_MAX, what) : 1;
}

/* One directive between the parameters and the body; false when there is none. */
static bool parse_function_directive(struct parser *p, struct ptx_function *f)
{
    const struct ptx_name *name = p->lex.token.name;
    const int line = p->lex.token.line;
    if (p->lex.token.kind != TOKEN_DIRECTIVE)
        return false;
    lex_next(&p->lex);
    switch (name->keyword) {
    case KEY_MAXNTID: parse_extent(p, f->maxntid, ".maxntid"); break;
    case KEY_REQNTID: parse_extent(p, f->reqntid, ".reqntid"); break;
    case KEY_REQNCTAPERCLUSTER: parse_extent(p, f->reqnctapercluster, ".reqnctapercluster"); break;
    case KEY_MINNCTAPERSM: f->minnctapersm = (int)want_int(p, 0, INT_MAX, ".minnctapersm"); break;
    case KEY_MAXNCTAPERSM: want_int(p, 0, INT_MAX, ".maxnctapersm"); break;
    case KEY_MAXNREG: f->maxnreg = (int)want_int(p, 0, INT_MAX, ".maxnreg"); break;
    case KEY_MAXCLUSTERRANK: f->maxclusterrank = (int)want_int(p, 0, INT_MAX, ".maxclusterrank"); break;
    case KEY_EXPLICITCLUSTER: f->explicitcluster = true; break;
    case KEY_BLOCKSARECLUSTERS: f->blocksareclusters = true; break;
    case KEY_NORETURN: f->is_noreturn = true; break;
    case KEY_ABI_PRESERVE: case KEY_ABI_PRESERVE_CONTROL: want_int(p, 0, INT_MAX, "a number of registers"); break;
    case KEY_PRAGMA: parse_pragma(p); break;
    default: ptx_fail(&p->lex, line, "the directive '%.100s' does not belong before the body of '%.100s'", name->text,
                      f->name);
    }
    return true;
}

static struct ptx_var *keep_variables(struct parser *p, const struct pile *pile)
{
    struct ptx_var *list = parse_alloc(p, pile->count * sizeof *list);
    for (size_t i = 0; i < pile->count; i++) {
        struct declared *d = ((struct declared **)pile->data)[i];
        d->var.index = (int)i;
        list[i] = d->var;
        d->at = &list[i];
    }
    return list;
}

static void start_function(struct parser *p)
{
    p->regs.count = p->locals.count = p->statements.count = p->protos.count = 0;
    p->place = -1;
    p->function_number++;
    scope_open(p);
}

static void keep_function(struct parser *p, struct ptx_function *f)
{
    f->has_body = true;
    f->regs = pile_keep(p, &p->regs, 0);
    f->reg_count = (int)p->regs.count;
    f->vars = keep_variables(p, &p->locals);
    f->var_count = (int)p->locals.count;
    f->statements = pile_keep(p, &p->statements, 0);
    f->statement_count = (int)p->statements.count;
    f->protos = pile_keep(p, &p->protos, 0);
    f->proto_count = (int)p->protos.count;
}

/* A function may be declared many times and defined once. */
static void add_function(struct parser *p, struct ptx_name *name, const struct ptx_function *f)
{
    char quoted[QUOTE_BYTES];
    struct ptx_function *known;
    if (name->var)
        ptx_fail(&p->lex, f->line, "%s is already a variable", lex_quote_text(name->text, name->length, quoted));
    if (!name->function) {
        *(struct ptx_function *)pile_push(p, &p->functions) = *f;
        name->function = (int)p->functions.count;
        return;
    }
    known = &((struct ptx_function *)p->functions.data)[name->function - 1];
    if (known->has_body && f->has_body && !known->is_weak)
        ptx_fail(&p->lex, f->line, "function %s is defined twice", lex_quote_text(name->text, name->length, quoted));
    if (!known->has_body)
        *known = *f;
}

/* After ".func" or ".entry". */
static void parse_function(struct parser *p, struct ptx_function f)
{
    f.line = p->lex.token.line;
    start_function(p);
    if (at_key(p, KEY_ATTRIBUTE))
        ptx_refuse(&p->lex, f.line, "an .attribute of a function is not covered");
    if (at_mark(p, '('))
        f.rets = parse_params(p, &f.ret_count, NULL, true);
    struct ptx_name *name = want_word(p, "the name of a function");
    f.name = name->text;
    if (at_mark(p, '('))
        f.params = parse_params(p, &f.param_count, &f.param_bytes, true);
    while (parse_function_directive(p, &f))
        ;
    if (take_mark(p, ';')) {
        scope_close(p);
        add_function(p, name, &f);
        return;
    }
    want_mark(p, '{', "or ';' after the head of a function");
    add_function(p, name, &f);          /* it may call itself */
    parse_body(p);
    scope_close(p);
    keep_function(p, &f);
    add_function(p, name, &f);
}

/* ---- the module ------------------------------------------------------- */

/* "9.0" after ".version". */
static void parse_version(struct parser *p)
{
    const struct token t = p->lex.token;
    const char *dot = t.length ? memchr(t.text, '.', t.length) : NULL;
    if (t.kind != TOKEN_FLOAT || t.float_bytes != 8 || !dot || t.length > 8)
        fail_here(p, "a version such as 9.0");
    p->module->version_major = atoi(t.text);
    p->module->version_minor = dot + 1 < t.text + t.length ? atoi(dot + 1) : 0;
    lex_next(&p->lex);
}

/* "sm_100a, debug" after ".target". */
static void parse_target(struct parser *p)
{
    const struct ptx_name *name = want_word(p, "a target such as sm_100a");
    const char *digits = name->text + 3;
    int cc = 0;
    if (strncmp(name->text, "sm_", 3) != 0)
        ptx_fail(&p->lex, p->lex.token.line, "'%.60s' is not a target such as sm_100a", name->text);
    while (*digits >= '0' && *digits <= '9' && cc < 10000)
        cc = cc * 10 + (*digits++ - '0');
    if (cc < 10 || cc > 9999 || (*digits && (digits[1] || (*digits != 'a' && *digits != 'f'))))
        ptx_fail(&p->lex, p->lex.token.line, "'%.60s' is not a target such as sm_100a", name->text);
    p->module->target = name->text;
    p->module->target_cc = cc;
    p->module->target_kind = *digits;
    while (take_mark(p, ',')) {
        p->module->debug |= at_key(p, KEY_DEBUG);
        want_word(p, "an option of .target");
    }
}

static void parse_address_size(struct parser *p)
{
    const int line = p->lex.token.line;
    const int64_t bits = want_int(p, 0, 1024, ".address_size");
    if (bits != 64)
        ptx_refuse(&p->lex, line, ".address_size %d is not covered, only 64", (int)bits);
}

/* Linkage, then a function or variables. */
static void parse_declaration(struct parser *p)
{
    struct ptx_var v = { 0 };
    struct ptx_function f = { 0 };
    for (;; lex_next(&p->lex)) {
        if (at_key(p, KEY_EXTERN))
            v.is_extern = f.is_extern = true;
        else if (at_key(p, KEY_VISIBLE))
            v.is_visible = f.is_visible = true;
        else if (at_key(p, KEY_WEAK) || at_key(p, KEY_COMMON))
            v.is_weak = f.is_weak = true;
        else
            break;
    }
    f.is_entry = at_key(p, KEY_ENTRY);
    if (take_key(p, KEY_ENTRY) || take_key(p, KEY_FUNC))
        parse_function(p, f);
    else if (take_key(p, KEY_GLOBAL))
        parse_variables(p, PTX_GLOBAL, v);
    else if (take_key(p, KEY_CONST))
        parse_variables(p, PTX_CONST, v);
    else if (take_key(p, KEY_SHARED))
        parse_variables(p, PTX_SHARED, v);
    else
        fail_here(p, "a function or variable");
}

static void parse_top(struct parser *p)
{
    if (take_key(p, KEY_VERSION))
        parse_version(p);
    else if (take_key(p, KEY_TARGET))
        parse_target(p);
    else if (take_key(p, KEY_ADDRESS_SIZE))
        parse_address_size(p);
    else if (take_key(p, KEY_FILE))
        parse_file(p);
    else if (take_key(p, KEY_SECTION))
        parse_section(p);
    else if (take_key(p, KEY_PRAGMA))
        parse_pragma(p);
    else if (take_key(p, KEY_LOC))
        parse_loc(p);
    else if (at_key(p, KEY_ALIAS))
        ptx_refuse(&p->lex, p->lex.token.line, "a second name for a function (.alias) is not covered");
    else if (!take_mark(p, ';'))
        parse_declaration(p);
}

/* Names in initial values must exist. */
static void check_relocs(struct parser *p)
{
    const struct ptx_module *m = p->module;
    for (int i = 0; i < m->var_count; i++)
        for (const struct ptx_reloc *r = m->vars[i].relocs; r; r = r->next) {
            const struct ptx_name *name = ptx_name_find(p->lex.names, r->symbol, strlen(r->symbol));
            if (!name || (!name->var && !name->function))
                ptx_fail(&p->lex, 0, "the value of '%.100s' names '%.100s', which is not declared", m->vars[i].name,
                         r->symbol);
        }
}

static void keep_module(struct parser *p)
{
    struct ptx_module *m = p->module;
    m->vars = keep_variables(p, &p->vars);
    m->var_count = (int)p->vars.count;
    for (size_t i = 0; i < p->var_operands.count; i++) {
        struct ptx_operand *o = ((struct ptx_operand **)p->var_operands.data)[i];
        o->var = ((const struct declared *)o->var)->at;
    }
    finish_places(p);
    m->functions = pile_keep(p, &p->functions, 0);
    m->function_count = (int)p->functions.count;
    m->files = pile_keep(p, &p->files, 0);
    m->file_count = (int)p->files.count;
    m->places = pile_keep(p, &p->places, 0);
    m->place_count = (int)p->places.count;
    check_relocs(p);
}

static void parse_module(struct parser *p)
{
    char quoted[QUOTE_BYTES];
    lex_next(&p->lex);
    if (!at_key(p, KEY_VERSION))
        ptx_fail(&p->lex, p->lex.token.line, "this is not PTX: it starts with %s, not with .version",
                 lex_quote(&p->lex, quoted));
    while (p->lex.token.kind != TOKEN_END)
        parse_top(p);
    if (!p->module->target)
        ptx_fail(&p->lex, p->lex.token.line, "the module names no .target");
    keep_module(p);
}

/* ---- start and end ---------------------------------------------------- */

static void teach_words(struct parser *p)
{
    static const char *const spelling[] = {
        "",
#define WORD(id, text) text,
        KEYWORDS(WORD)
#undef WORD
    };
    for (int i = 1; i < KEY_COUNT + PTX_TYPE_COUNT; i++) {
        char dotted[16] = ".";
        const char *text = i < KEY_COUNT ? spelling[i] : dotted;
        if (i == KEY_COUNT)
            continue;                       /* PTX_NOTYPE */
        if (i > KEY_COUNT)
            strcat(dotted, ptx_type_name((enum ptx_type)(i - KEY_COUNT)));
        struct ptx_name *name = ptx_name_of(p->lex.names, text, strlen(text));
        if (!name)
            ptx_out_of_memory(&p->lex);
        if (i < KEY_COUNT)
            name->keyword = i;
        else
            name->type = i - KEY_COUNT;
    }
}

static void init_piles(struct parser *p)
{
    p->functions.item = sizeof(struct ptx_function);
    p->vars.item = p->locals.item = p->params.item = sizeof(struct declared *);
    p->var_operands.item = sizeof(struct ptx_operand *);
    p->files.item = sizeof(char *);
    p->places.item = sizeof(struct ptx_place);
    p->place_names.item = sizeof(struct place_name);
    p->debug_bytes.item = p->bytes.item = 1;
    p->regs.item = sizeof(struct ptx_reg);
    p->statements.item = sizeof(struct ptx_statement);
    p->protos.item = sizeof(struct ptx_proto);
    p->operands.item = sizeof(struct ptx_operand);
}

static void free_piles(struct parser *p)
{
    struct pile *const piles[] = { &p->functions, &p->vars, &p->var_operands, &p->files, &p->places, &p->place_names,
                                   &p->debug_bytes, &p->regs, &p->locals, &p->statements, &p->protos, &p->operands,
                                   &p->params, &p->bytes };
    for (size_t i = 0; i < sizeof piles / sizeof piles[0]; i++)
        free(piles[i]->data);
    free(p->place_keys);
}

static bool run_parser(struct parser *p)
{
    if (setjmp(p->lex.escape))
        return false;
    teach_words(p);
    declare_sregs(p);
    parse_module(p);
    return true;
}

static struct ptx_module *new_module(const char *name)
{
    struct ptx_arena *arena = ptx_arena_new();
    struct ptx_module *module = arena ? ptx_arena_alloc(arena, sizeof *module) : NULL;
    char *copy = module ? ptx_arena_alloc(arena, strlen(name) + 1) : NULL;
    struct ptx_names *names = copy ? ptx_names_new(arena) : NULL;
    if (!names) {
        ptx_arena_free(arena);
        return NULL;
    }
    strcpy(copy, name);
    *module = (struct ptx_module){ .name = copy, .arena = arena, .names = names };
    return module;
}

struct ptx_module *ptx_parse(const char *text, size_t length, const char *name, struct ptx_error *error)
{
    struct parser *p = calloc(1, sizeof *p);
    struct ptx_module *module = p ? new_module(name) : NULL;
    *error = (struct ptx_error){ .text = "memory is out" };
    if (!module) {
        free(p);
        return NULL;
    }
    p->module = module;
    p->arena = module->arena;
    p->lex = (struct lexer){ .next = text, .end = text + length, .line = 1, .module_name = module->name,
                             .names = module->names, .error = error };
    init_piles(p);
    const bool done = run_parser(p);
    free_piles(p);
    free(p);
    if (done) {
        *error = (struct ptx_error){ 0 };
        return module;
    }
    ptx_module_free(module);
    return NULL;
}

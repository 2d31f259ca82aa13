/*
 * Operands and constant expressions (PTX ISA chapters 4.5 and 6).
 *
 *   operand  = "!" operand | "[" address "]" | "{" list "}" | "(" list ")" in a call
 *            | name { ("+" | "-") constant } | name "|" name | constant
 *   address  = (name | constant) { ("+" | "-") constant } { "," operand }
 *
 * A finished list is copied to the arena; its operands that name variables or
 * labels are noted there, to be completed when the name's place is known.
 * Not modelled: byte selectors of the video instructions (%r.b0).
 */
#include "ptx/parse.h"

#include <string.h>

/* ---- constant expressions --------------------------------------------- */

static struct constant parse_binary(struct parser *p, int lowest);

static struct constant integer(uint64_t bits, bool is_unsigned)
{
    return (struct constant){ .bits = bits, .is_unsigned = is_unsigned };
}

/* "(.s64)" or "(.u64)": a cast. */
static bool take_cast(struct parser *p, bool *is_unsigned)
{
    if (p->lex.token.kind != TOKEN_DIRECTIVE)
        return false;
    const int type = p->lex.token.name->type;
    if (type != PTX_S64 && type != PTX_U64)
        fail_here(p, ".s64 or .u64");
    *is_unsigned = type == PTX_U64;
    lex_next(&p->lex);
    want_mark(p, ')', "after the cast");
    return true;
}

static struct constant parse_unary(struct parser *p);

static struct constant parse_parenthesis(struct parser *p)
{
    bool is_unsigned;
    struct constant c;
    nest(p);
    if (take_cast(p, &is_unsigned)) {
        c = parse_unary(p);
        c.is_unsigned = is_unsigned;
    } else {
        c = parse_constant(p);
        want_mark(p, ')', "after the expression");
    }
    p->nesting--;
    return c;
}

static struct constant negate(struct constant c)
{
    if (c.is_float)
        c.bits ^= (uint64_t)1 << (c.float_bytes * 8 - 1);
    else
        c.bits = 0 - c.bits;
    return c;
}

static struct constant parse_unary(struct parser *p)
{
    const struct token t = p->lex.token;
    struct constant c;
    if (take_mark(p, '('))
        return parse_parenthesis(p);
    if (t.kind == TOKEN_INT || t.kind == TOKEN_FLOAT) {
        lex_next(&p->lex);
        return (struct constant){ t.kind == TOKEN_FLOAT, t.is_unsigned, t.float_bytes, t.bits };
    }
    if (take_key(p, KEY_WARP_SZ))
        return integer(32, false);
    if (!at_mark(p, '-') && !at_mark(p, '+') && !at_mark(p, '~') && !at_mark(p, '!'))
        fail_here(p, "an operand");
    nest(p);
    lex_next(&p->lex);
    c = parse_unary(p);
    p->nesting--;
    if (t.mark == '-')
        return negate(c);
    if (c.is_float && t.mark != '+')
        ptx_fail(&p->lex, t.line, "'%c' does not apply to a floating-point number", t.mark);
    return t.mark == '~' ? integer(~c.bits, c.is_unsigned) : t.mark == '!' ? integer(!c.bits, false) : c;
}

/* Binding strength of a binary operator, 0 for anything else. */
static int strength(const struct token *t)
{
    if (t->kind == TOKEN_WORD && t->length == 1 && *t->text == '%')
        return 10;
    if (t->kind != TOKEN_MARK)
        return 0;
    switch (t->mark) {
    case '*': case '/': return 10;
    case '+': case '-': return 9;
    case MARK_SHL: case MARK_SHR: return 8;
    case '<': case '>': case MARK_LE: case MARK_GE: return 7;
    case MARK_EQ: case MARK_NE: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case MARK_AND: return 2;
    case MARK_OR: return 1;
    default: return 0;
    }
}

static uint64_t divide(struct parser *p, int op, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (b == 0)
        ptx_fail(&p->lex, p->lex.token.line, "a constant is divided by zero");
    if (is_unsigned)
        return op == '/' ? a / b : a % b;
    if (b == UINT64_MAX)                            /* -1: INT64_MIN / -1 wraps */
        return op == '/' ? 0 - a : 0;
    return op == '/' ? (uint64_t)((int64_t)a / (int64_t)b) : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t shift_right(uint64_t a, unsigned by, bool is_unsigned)
{
    const bool fill = !is_unsigned && a >> 63;
    if (by == 0)
        return a;
    return a >> by | (fill ? ~(uint64_t)0 << (64 - by) : 0);
}

static bool is_less(uint64_t a, uint64_t b, bool is_unsigned)
{
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static struct constant apply(struct parser *p, int op, struct constant left, struct constant right)
{
    const uint64_t a = left.bits, b = right.bits;
    const bool u = left.is_unsigned || right.is_unsigned;
    if (left.is_float || right.is_float)
        ptx_refuse(&p->lex, p->lex.token.line, "arithmetic on floating-point constants is not covered");
    switch (op) {
    case '*': return integer(a * b, u);
    case '/': case '%': return integer(divide(p, op, a, b, u), u);
    case '+': return integer(a + b, u);
    case '-': return integer(a - b, u);
    case MARK_SHL: return integer(b > 63 ? 0 : a << b, left.is_unsigned);
    case MARK_SHR: return integer(shift_right(a, b > 63 ? 63 : (unsigned)b, left.is_unsigned), left.is_unsigned);
    case '<': return integer(is_less(a, b, u), false);
    case '>': return integer(is_less(b, a, u), false);
    case MARK_LE: return integer(!is_less(b, a, u), false);
    case MARK_GE: return integer(!is_less(a, b, u), false);
    case MARK_EQ: return integer(a == b, false);
    case MARK_NE: return integer(a != b, false);
    case '&': return integer(a & b, u);
    case '^': return integer(a ^ b, u);
    case '|': return integer(a | b, u);
    case MARK_AND: return integer(a && b, false);
    default: return integer(a || b, false);
    }
}

static struct constant parse_binary(struct parser *p, int lowest)
{
    struct constant left = parse_unary(p);
    for (int s; (s = strength(&p->lex.token)) >= lowest && s > 0;) {
        const int op = p->lex.token.kind == TOKEN_WORD ? '%' : p->lex.token.mark;
        nest(p);
        lex_next(&p->lex);
        left = apply(p, op, left, parse_binary(p, s + 1));
        p->nesting--;
    }
    return left;
}

struct constant parse_constant(struct parser *p)
{
    const struct constant c = parse_binary(p, 1);
    if (!take_mark(p, '?'))
        return c;
    nest(p);
    const struct constant yes = parse_constant(p);
    want_mark(p, ':', "between the two values after '?'");
    const struct constant no = parse_constant(p);
    p->nesting--;
    return c.bits ? yes : no;
}

int64_t parse_int_constant(struct parser *p)
{
    const int line = p->lex.token.line;
    const struct constant c = parse_constant(p);
    if (c.is_float)
        ptx_fail(&p->lex, line, "an integer is wanted here, not a floating-point number");
    return (int64_t)c.bits;
}

int64_t parse_offsets(struct parser *p)
{
    uint64_t sum = 0;
    while (at_mark(p, '+') || at_mark(p, '-')) {
        const bool minus = at_mark(p, '-');
        lex_next(&p->lex);
        const struct constant c = parse_binary(p, 10);
        if (c.is_float)
            ptx_fail(&p->lex, p->lex.token.line, "an offset cannot be a floating-point number");
        sum = minus ? sum - c.bits : sum + c.bits;
    }
    return (int64_t)sum;
}

/* ---- operands --------------------------------------------------------- */

static struct ptx_operand parse_operand(struct parser *p);

/* Moves the operands from `first` to the arena; they leave the stack. A name
 * that is not known yet has kind LABEL and count 1 (must be one) or 0. */
static struct ptx_operand *keep_operands(struct parser *p, size_t first)
{
    const size_t count = p->operands.count - first;
    struct ptx_operand *kept = parse_alloc(p, count * sizeof *kept);
    if (count)
        memcpy(kept, (struct ptx_operand *)p->operands.data + first, count * sizeof *kept);
    p->operands.count = first;
    for (size_t i = 0; i < count; i++) {
        struct ptx_operand *o = &kept[i];
        if (o->kind == PTX_OPR_VAR)
            *(struct ptx_operand **)pile_push(p, &p->var_operands) = o;
        if (o->kind == PTX_OPR_LABEL)
            expect_name(p, o, ptx_name_find(p->lex.names, o->name, strlen(o->name)), o->count == 1);
    }
    return kept;
}

static void push_operand(struct parser *p, struct ptx_operand operand)
{
    *(struct ptx_operand *)pile_push(p, &p->operands) = operand;
}

static struct ptx_operand keep_as(struct parser *p, enum ptx_operand_kind kind, size_t first)
{
    struct ptx_operand o = { .kind = kind, .count = (int)(p->operands.count - first) };
    o.elem = keep_operands(p, first);
    return o;
}

/* "{a, b, _}" and "(a, b)". */
static struct ptx_operand parse_list(struct parser *p, enum ptx_operand_kind kind, int close)
{
    const size_t first = p->operands.count;
    const bool in_call = p->in_call;
    nest(p);
    p->in_call = false;         /* what stands in a list is no function to call */
    if (!at_mark(p, close))
        do
            push_operand(p, parse_operand(p));
        while (take_mark(p, ','));
    want_mark(p, close, "at the end of the list");
    p->in_call = in_call;
    p->nesting--;
    return keep_as(p, kind, first);
}

static struct ptx_operand registers(struct parser *p, const struct meaning *m, enum ptx_operand_kind kind)
{
    const size_t first = p->operands.count;
    for (int i = 0; i < m->count; i++)
        push_operand(p, (struct ptx_operand){ .kind = kind, .reg = m->index + i,
                                              .sreg = kind == PTX_OPR_SREG ? (enum ptx_sreg)(m->index + i) : 0 });
    if (kind == PTX_OPR_SREG)
        push_operand(p, (struct ptx_operand){ .kind = PTX_OPR_INT });
    return keep_as(p, PTX_OPR_VEC, first);
}

static struct ptx_operand meant(struct parser *p, const struct meaning *m)
{
    switch (m->kind) {
    case MEANS_REG:
        return (struct ptx_operand){ .kind = PTX_OPR_REG, .reg = m->index };
    case MEANS_SREG:
        return (struct ptx_operand){ .kind = PTX_OPR_SREG, .sreg = (enum ptx_sreg)m->index };
    case MEANS_REGS:
        return registers(p, m, PTX_OPR_REG);
    case MEANS_SREGS:
        return registers(p, m, PTX_OPR_SREG);
    case MEANS_PROTO:
        return (struct ptx_operand){ .kind = PTX_OPR_PROTO, .name = m->name->text, .target = m->index };
    case MEANS_VAR:
        break;
    }
    return (struct ptx_operand){ .kind = PTX_OPR_VAR, .var = &m->declared->var, .offset = parse_offsets(p) };
}

/* Special registers of PTX that the emulator does not have. */
static bool is_uncovered_sreg(const char *text)
{
    static const char *const uncovered[] = { "%envreg", "%pm", "%aggr_smem_size", "%current_graph_exec" };
    for (size_t i = 0; i < sizeof uncovered / sizeof uncovered[0]; i++)
        if (strncmp(text, uncovered[i], strlen(uncovered[i])) == 0)
            return true;
    return false;
}

/* A word without a meaning yet: component of a vector register, else a label
 * or function that comes later. */
static struct ptx_operand parse_unknown_word(struct parser *p, struct ptx_name *name)
{
    char quoted[QUOTE_BYTES];
    int component;
    const struct meaning *vector = component_of(p, name, &component);
    if (vector)
        return (struct ptx_operand){ .kind = PTX_OPR_REG, .reg = vector->index + component };
    if (is_uncovered_sreg(name->text))
        ptx_refuse(&p->lex, p->lex.token.line, "the special register %s is not covered",
                   lex_quote_text(name->text, name->length, quoted));
    if (*name->text == '%')
        ptx_fail(&p->lex, p->lex.token.line, "register %s is not declared",
                 lex_quote_text(name->text, name->length, quoted));
    if (p->in_call)
        return (struct ptx_operand){ .kind = PTX_OPR_FUNC, .name = name->text };
    return (struct ptx_operand){ .kind = PTX_OPR_LABEL, .name = name->text };
}

static struct ptx_operand parse_word(struct parser *p)
{
    struct ptx_name *name = p->lex.token.name;
    struct ptx_operand o;
    lex_next(&p->lex);
    if (name->keyword == KEY_SINK)
        o = (struct ptx_operand){ .kind = PTX_OPR_SINK };
    else
        o = name->meaning ? meant(p, name->meaning) : parse_unknown_word(p, name);
    if ((o.kind != PTX_OPR_REG && o.kind != PTX_OPR_SINK) || !take_mark(p, '|'))
        return o;
    const size_t first = p->operands.count;
    push_operand(p, o);
    nest(p);
    push_operand(p, parse_operand(p));
    p->nesting--;
    return keep_as(p, PTX_OPR_PAIR, first);
}

static struct ptx_operand parse_constant_operand(struct parser *p)
{
    const struct constant c = parse_constant(p);
    return (struct ptx_operand){ .kind = c.is_float ? PTX_OPR_FLOAT : PTX_OPR_INT, .bits = c.bits,
                                 .float_bytes = c.float_bytes };
}

/* After "[". */
static struct ptx_operand parse_address(struct parser *p)
{
    const size_t first = p->operands.count;
    int64_t offset = 0;
    nest(p);
    struct ptx_operand base = parse_operand(p);
    if (base.kind == PTX_OPR_VAR) {
        offset = base.offset;
        base.offset = 0;
    }
    if (base.kind == PTX_OPR_REG)
        offset = parse_offsets(p);
    push_operand(p, base);
    while (take_mark(p, ','))
        push_operand(p, parse_operand(p));
    want_mark(p, ']', "after the address");
    p->nesting--;
    struct ptx_operand o = keep_as(p, PTX_OPR_ADDR, first);
    o.offset = offset;
    return o;
}

static struct ptx_operand parse_negated(struct parser *p)
{
    nest(p);
    struct ptx_operand o = parse_operand(p);
    p->nesting--;
    if (o.kind == PTX_OPR_INT)
        o.bits = !o.bits;
    else if (o.kind == PTX_OPR_REG)
        o.negated = !o.negated;
    else
        ptx_fail(&p->lex, p->lex.token.line, "'!' stands before a predicate register only");
    return o;
}

static struct ptx_operand parse_operand(struct parser *p)
{
    if (p->lex.token.kind == TOKEN_WORD && p->lex.token.name->keyword != KEY_WARP_SZ)
        return parse_word(p);
    if (take_mark(p, '['))
        return parse_address(p);
    if (take_mark(p, '{'))
        return parse_list(p, PTX_OPR_VEC, '}');
    if (p->in_call && take_mark(p, '('))
        return parse_list(p, PTX_OPR_LIST, ')');
    if (take_mark(p, '!'))
        return parse_negated(p);
    return parse_constant_operand(p);
}

/* Operands up to ";", which stays. A branch's last operand is a label even
 * where a variable has the same name. */
struct ptx_operand *parse_operands(struct parser *p, bool is_branch, int *count)
{
    const size_t first = p->operands.count;
    while (!at_mark(p, ';')) {
        if (is_branch && p->lex.token.kind == TOKEN_WORD) {
            push_operand(p, (struct ptx_operand){ .kind = PTX_OPR_LABEL, .name = p->lex.token.name->text,
                                                  .count = 1 });
            lex_next(&p->lex);
        } else {
            push_operand(p, parse_operand(p));
        }
        if (!take_mark(p, ',') && !at_mark(p, ';'))
            fail_here(p, "',' or ';' after an operand");
    }
    *count = (int)(p->operands.count - first);
    return keep_operands(p, first);
}

int parse_register(struct parser *p, const char *what)
{
    const struct token t = p->lex.token;
    if (t.kind != TOKEN_WORD || !t.name->meaning || t.name->meaning->kind != MEANS_REG)
        fail_here(p, what);
    lex_next(&p->lex);
    return t.name->meaning->index;
}

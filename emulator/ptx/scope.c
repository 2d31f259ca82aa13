/*
 * What a name means here.
 *
 * Braces open a scope for registers, variables and labels (inline assembly
 * repeats the same names in every copy). A declaration hides the outer one
 * until its scope ends; a label may be used before it is set, so uses wait in
 * the scope for its end and then move one scope out.
 * Not modelled: labels as values.
 */
#include "ptx/parse.h"

#include <string.h>

void scope_open(struct parser *p)
{
    if (p->depth + 1 >= MAX_SCOPES)
        ptx_fail(&p->lex, p->lex.line, "more than %d braces stand within each other", MAX_SCOPES - 1);
    p->scopes[++p->depth] = (struct scope){ 0 };
}

/* A name that no scope knew as a label: a function, or nothing. */
static void resolve_outside(struct parser *p, const struct pending *use)
{
    char quoted[QUOTE_BYTES];
    const struct ptx_name *name = use->name;
    lex_quote_text(name->text, name->length, quoted);
    if (use->must_be_label)
        ptx_fail(&p->lex, use->line, "there is no label %s here to branch to", quoted);
    if (!name->function)
        ptx_fail(&p->lex, use->line, "%s is not declared", quoted);
    use->operand->kind = PTX_OPR_FUNC;
    use->operand->name = name->text;
}

static void resolve_labels(struct parser *p, struct scope *scope)
{
    struct scope *outer = &p->scopes[p->depth - 1];
    for (struct pending *use = scope->pending, *next; use; use = next) {
        const struct label *label = use->name->label;
        next = use->next;
        use->operand->count = 0;
        if (label && label->depth == p->depth) {
            use->operand->kind = PTX_OPR_LABEL;
            use->operand->name = use->name->text;
            use->operand->target = label->target;
        } else if (p->depth == 1) {
            resolve_outside(p, use);
        } else {
            use->next = outer->pending;
            outer->pending = use;
        }
    }
}

void scope_close(struct parser *p)
{
    struct scope *scope = &p->scopes[p->depth];
    resolve_labels(p, scope);
    for (struct meaning *m = scope->meanings; m; m = m->next)
        m->name->meaning = m->hidden;
    for (struct label *l = scope->labels; l; l = l->next)
        l->name->label = l->hidden;
    p->depth--;
}

struct meaning *declare(struct parser *p, struct ptx_name *name, enum meaning_kind kind, int index)
{
    char quoted[QUOTE_BYTES];
    struct meaning *m = name->meaning;
    if (m && m->depth == p->depth)
        ptx_fail(&p->lex, p->lex.line, "%s is declared twice in the same scope",
                 lex_quote_text(name->text, name->length, quoted));
    m = parse_alloc(p, sizeof *m);
    *m = (struct meaning){ .kind = kind, .index = index, .count = 1, .name = name, .hidden = name->meaning,
                           .next = p->scopes[p->depth].meanings, .depth = p->depth };
    name->meaning = m;
    p->scopes[p->depth].meanings = m;
    return m;
}

/* Special registers are names of the outermost scope; "%tid" without a
 * component is the vector of its three and a zero (PTX ISA 10.1). */
void declare_sregs(struct parser *p)
{
    static const char *const spellings[] = {
#define SREG(id, spelling) spelling,
        PTX_SREGS(SREG)
#undef SREG
    };
    for (int i = 0; i < PTX_SREG_COUNT; i++) {
        const size_t length = strlen(spellings[i]);
        struct ptx_name *name = ptx_name_of(p->lex.names, spellings[i], length);
        if (!name)
            ptx_out_of_memory(&p->lex);
        declare(p, name, MEANS_SREG, i);
        if (strcmp(spellings[i] + length - 2, ".x") != 0)
            continue;
        name = ptx_name_of(p->lex.names, spellings[i], length - 2);
        if (!name)
            ptx_out_of_memory(&p->lex);
        declare(p, name, MEANS_SREGS, i)->count = 3;
    }
}

void declare_label(struct parser *p, struct ptx_name *name, int line)
{
    char quoted[QUOTE_BYTES];
    if (name->label && name->label->depth == p->depth)
        ptx_fail(&p->lex, line, "label %s is set twice in the same scope",
                 lex_quote_text(name->text, name->length, quoted));
    struct label *label = parse_alloc(p, sizeof *label);
    *label = (struct label){ (int)p->statements.count, p->depth, name, name->label, p->scopes[p->depth].labels };
    name->label = label;
    p->scopes[p->depth].labels = label;
}

void expect_name(struct parser *p, struct ptx_operand *operand, struct ptx_name *name, bool must_be_label)
{
    struct pending *use = parse_alloc(p, sizeof *use);
    *use = (struct pending){ operand, name, p->lex.token.line, must_be_label, p->scopes[p->depth].pending };
    p->scopes[p->depth].pending = use;
}

/* "%v.x" of a vector register %v: its meaning and which component, or NULL. */
const struct meaning *component_of(struct parser *p, const struct ptx_name *name, int *index)
{
    static const char letters[] = "xrygzbwa";       /* .x or .r is the first, ... */
    if (name->length < 3 || name->text[name->length - 2] != '.')
        return NULL;
    const char *letter = strchr(letters, name->text[name->length - 1]);
    const struct ptx_name *vector = ptx_name_find(p->lex.names, name->text, name->length - 2);
    if (!letter || !vector || !vector->meaning || vector->meaning->kind != MEANS_REGS)
        return NULL;
    *index = (int)(letter - letters) / 2;
    return *index < vector->meaning->count ? vector->meaning : NULL;
}

/*
 * Decoding a spelling, and printing what can be decoded.
 *
 * An arithmetic row is found by its full spelling. A family is found by its
 * longest prefix; what follows is split at the dots and each word goes to the
 * first group of modifiers of the family that knows it and is still free, so
 * modifiers may come in any order. opcode_family.c judges the combination.
 * The printed list turns this round: all combinations that are judged legal.
 */
#include "ptx/opcode.h"

#include <string.h>

/* ---- Tables ------------------------------------------------------------------ */

struct row { const char *spelling; uint8_t length; uint8_t cost; uint16_t id; const char *shape; };
static const struct row rows[] = {
#define OP(id, spelling, shape, cost, ...) {spelling, sizeof spelling - 1, COST_##cost, OP_##id, #shape},
#include "ptx/opcodes.def"
};
static const struct row aliases[] = {
#define OP(id, spelling, shape, cost, ...)
#define SAME(spelling, id) {spelling, sizeof spelling - 1, 0, OP_##id, NULL},
#include "ptx/opcodes.def"
};
struct family { const char *prefix; uint16_t id; uint8_t klass, cost; const char *modifiers; };
static const struct family families[] = {
#define FAMILY(id, prefix, klass, cost, modifiers) {prefix, OP_##id, CLASS_##klass, COST_##cost, modifiers},
#include "ptx/opcodes.def"
};
struct modifier { uint8_t group, value, length; const char *spelling; };
static const struct modifier modifiers[] = {
#define MOD(group, spelling, value) {MOD_##group, value, sizeof spelling - 1, spelling},
#include "ptx/opcodes.def"
};
struct pair { const char *name, *text; };
static const struct pair bases[] = {
#define BASE(name, sections) {name, sections},
#include "ptx/opcodes.def"
};
static const struct pair refused[] = {
#define REFUSED(name, why) {name, why},
#include "ptx/opcodes.def"
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *const group_names[MOD_GROUP_COUNT] = {
    [MOD_sem] = "sem", [MOD_scope] = "scope", [MOD_level_of] = "level_of", [MOD_space] = "space", [MOD_from] = "from",
    [MOD_mmio] = "mmio", [MOD_nc] = "nc", [MOD_to] = "to", [MOD_uni] = "uni", [MOD_sync] = "sync",
    [MOD_aligned] = "aligned", [MOD_ftz] = "ftz", [MOD_sat] = "sat", [MOD_relu] = "relu", [MOD_noftz] = "noftz",
    [MOD_cop] = "cop", [MOD_evict] = "evict", [MOD_evict2] = "evict2", [MOD_second] = "second", [MOD_hint] = "hint",
    [MOD_prefetch] = "prefetch", [MOD_level] = "level", [MOD_vec] = "vec", [MOD_atomop] = "atomop",
    [MOD_redbulk] = "redbulk", [MOD_rnd] = "rnd", [MOD_irnd] = "irnd", [MOD_cmp] = "cmp", [MOD_boolop] = "boolop",
    [MOD_incdec] = "incdec", [MOD_mask] = "mask", [MOD_tensormap] = "tensormap", [MOD_griddep] = "griddep",
    [MOD_cta] = "cta", [MOD_barop] = "barop", [MOD_redop] = "redop", [MOD_shflop] = "shflop", [MOD_voteop] = "voteop",
    [MOD_matchop] = "matchop", [MOD_reduxop] = "reduxop", [MOD_proxy] = "proxy", [MOD_restrict] = "restrict",
    [MOD_expect] = "expect", [MOD_nocomplete] = "nocomplete", [MOD_parity] = "parity", [MOD_cachea] = "cachea",
    [MOD_noinc] = "noinc", [MOD_read] = "read", [MOD_completion] = "completion", [MOD_multicast] = "multicast",
    [MOD_bytemask] = "bytemask", [MOD_multiall] = "multiall", [MOD_async] = "async", [MOD_type] = "type",
    [MOD_type2] = "type2"};

/* ---- Words ------------------------------------------------------------------- */

struct word { const char *text; size_t length; };

static bool word_is(struct word w, const char *text)
{
    return strlen(text) == w.length && memcmp(text, w.text, w.length) == 0;
}
/* The next word of `text` up to `separator`; length 0 at the end. */
static struct word next_word(const char **text, char separator)
{
    struct word w = {*text, 0};
    while (w.text[w.length] != '\0' && w.text[w.length] != separator) w.length++;
    *text = w.text + w.length + (w.text[w.length] != '\0');
    return w;
}
static bool has_prefix(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(text, prefix, n) == 0 && (text[n] == '\0' || text[n] == '.');
}

/* ---- A family's groups ---------------------------------------------------------- */

enum need { REQUIRED, OPTIONAL, HINT };
struct slots { int count; struct { enum mod_group group; enum need need; } slot[16]; };

static struct slots slots_of(const struct family *f)
{
    struct slots s = {0};
    const char *text = f->modifiers;
    for (struct word w = next_word(&text, ' '); w.length; w = next_word(&text, ' ')) {
        char last = w.text[w.length - 1];
        s.slot[s.count].need = last == '?' ? OPTIONAL : last == '*' ? HINT : REQUIRED;
        if (last == '?' || last == '*') w.length--;
        for (int g = 0; g < MOD_GROUP_COUNT; g++)
            if (word_is(w, group_names[g])) s.slot[s.count].group = (enum mod_group)g;
        s.count++;
    }
    return s;
}

static int modifier_value(enum mod_group group, struct word w)
{
    if (group == MOD_type || group == MOD_type2) {
        enum ptx_type t = ptx_type_find(w.text, w.length);
        return t == PTX_NOTYPE ? -1 : (int)t;
    }
    for (size_t k = 0; k < COUNT(modifiers); k++)
        if (modifiers[k].group == group && modifiers[k].length == w.length && memcmp(modifiers[k].spelling, w.text, w.length) == 0)
            return modifiers[k].value;
    return -1;
}

static bool take_modifiers(const struct slots *s, const char *rest, struct mods *m)
{
    for (int g = 0; g < MOD_GROUP_COUNT; g++) m->value[g] = -1;
    for (struct word w = next_word(&rest, '.'); w.length; w = next_word(&rest, '.')) {
        bool taken = false;
        for (int k = 0; k < s->count && !taken; k++) {
            int *value = &m->value[s->slot[k].group];
            if (*value < 0) taken = (*value = modifier_value(s->slot[k].group, w)) >= 0;
        }
        if (!taken) return false;
    }
    for (int k = 0; k < s->count; k++)
        if (s->slot[k].need == REQUIRED && m->value[s->slot[k].group] < 0) return false;
    return true;
}

static const struct family *family_of(const char *spelling)
{
    const struct family *best = NULL;
    for (size_t k = 0; k < COUNT(families); k++)
        if (has_prefix(spelling, families[k].prefix) && (!best || strlen(families[k].prefix) > strlen(best->prefix)))
            best = &families[k];
    return best;
}

/* ---- Decoding -------------------------------------------------------------------- */

static const struct row *row_of(enum op_id id)
{
    for (size_t k = 0; k < COUNT(rows); k++)
        if (rows[k].id == id) return &rows[k];
    return NULL;
}

enum op_id opcode_row(const char *spelling)
{
    size_t length = strlen(spelling);
    for (size_t k = 0; k < COUNT(rows); k++)
        if (rows[k].length == length && memcmp(rows[k].spelling, spelling, length) == 0) return (enum op_id)rows[k].id;
    for (size_t k = 0; k < COUNT(aliases); k++)
        if (aliases[k].length == length && memcmp(aliases[k].spelling, spelling, length) == 0)
            return (enum op_id)aliases[k].id;
    return OP_COUNT;
}

/* The last two types of a spelling. */
static void types_of(const char *spelling, struct instr *i)
{
    for (struct word w = next_word(&spelling, '.'); w.length; w = next_word(&spelling, '.')) {
        enum ptx_type t = ptx_type_find(w.text, w.length);
        if (t == PTX_NOTYPE) continue;
        i->type2 = i->type;
        i->type = (uint8_t)t;
    }
}

void opcode_take_row(enum op_id id, struct opcode *o)
{
    const struct row *r = row_of(id);
    o->instr.op = (uint16_t)id;
    o->instr.klass = CLASS_ALU;
    o->instr.cost = r->cost;
    o->shape = r->shape;
}

static void clear(struct opcode *o)
{
    *o = (struct opcode){.family = OP_COUNT};
    o->instr.guard = OPREF_NONE;
    o->instr.count = 1;
    for (int k = 0; k < 6; k++) o->instr.r[k] = OPREF_NONE;
}

enum opcode_verdict opcode_decode(const char *spelling, struct opcode *out)
{
    const struct family *f = family_of(spelling);
    struct mods m;
    clear(out);
    enum op_id row = opcode_row(spelling);
    if (f != NULL) {
        const struct slots s = slots_of(f);
        size_t n = strlen(f->prefix);
        out->family = (enum op_id)f->id;
        out->instr.op = f->id;
        out->instr.klass = f->klass;
        out->instr.cost = f->cost;
        if (take_modifiers(&s, spelling + n + (spelling[n] == '.'), &m) && opcode_finish((enum op_id)f->id, &m, out)) {
            if (row != OP_COUNT) opcode_take_row(row, out);     /* cvt: a faster row of its own */
            return OPCODE_ACCEPTED;
        }
        clear(out);
    }
    if (row != OP_COUNT) {
        opcode_take_row(row, out);
        types_of(spelling, &out->instr);
        return OPCODE_ACCEPTED;
    }
    out->instr.op = OP_REFUSED;
    out->instr.klass = CLASS_REFUSED;
    return f != NULL || opcode_refusal(spelling) != NULL ? OPCODE_REFUSED : OPCODE_UNKNOWN;
}

const char *opcode_refusal(const char *spelling)
{
    const struct pair *best = NULL;
    for (size_t k = 0; k < COUNT(refused); k++)
        if (has_prefix(spelling, refused[k].name) && (!best || strlen(refused[k].name) > strlen(best->name)))
            best = &refused[k];
    return best ? best->text : NULL;
}

void opcode_refusal_text(const struct ptx_statement *st, char *text, size_t size)
{
    const char *why = opcode_refusal(st->name);
    for (int k = 0; k < st->oprs; k++)
        if (st->opr[k].kind == PTX_OPR_FUNC && strncmp(st->name, "call", 4) == 0) {
            bool by_kernel = strncmp(st->opr[k].name, "__cudaCDP", strlen("__cudaCDP")) == 0;
            snprintf(text, size, "%s`%s` of %s", by_kernel ? "dynamic parallelism, a kernel that launches kernels: " : "", st->name,
                     st->opr[k].name);
            return;
        }
    if (why) snprintf(text, size, "`%s` (%s)", st->name, why);
    else snprintf(text, size, "`%s`", st->name);
}

const char *opcode_name(enum op_id op)
{
    const struct row *r = row_of(op);
    if (r) return r->spelling;
    for (size_t k = 0; k < COUNT(families); k++)
        if (families[k].id == op) return families[k].prefix;
    return "refused";
}

/* ---- Printing ---------------------------------------------------------------------- */

/* What a group may spell, one after the other, and its value; NULL at the end. */
static const char *choice(enum mod_group group, int index, int *value)
{
    if (group == MOD_type || group == MOD_type2) {
        *value = index + 1;
        return index + 1 < PTX_TYPE_COUNT ? ptx_type_name((enum ptx_type)(index + 1)) : NULL;
    }
    for (size_t k = 0; k < COUNT(modifiers); k++)
        if (modifiers[k].group == group && index-- == 0) {
            *value = modifiers[k].value;
            return modifiers[k].spelling;
        }
    return NULL;
}

struct printer { FILE *out; const char *base; size_t printed; };

/* Prints (or, without a file, counts) one spelling if it belongs to the base asked for. */
static void print_spelling(struct printer *p, const char *spelling)
{
    if (p->base && !has_prefix(spelling, p->base)) return;
    if (p->out) fprintf(p->out, "%s\n", spelling);
    p->printed++;
}

static bool legal(const struct family *f, const struct mods *m)
{
    struct opcode o;
    clear(&o);
    return opcode_finish((enum op_id)f->id, m, &o);
}

/* All combinations from slot k on, depth first; m and text hold those of the slots before. Few are legal, so that is asked first. */
static void print_combinations(struct printer *p, const struct family *f, const struct slots *s, int k, struct mods *m, char *text, size_t length)
{
    if (k == s->count) {
        struct mods read;
        size_t n = strlen(f->prefix);
        if (legal(f, m) && take_modifiers(s, text + n + (text[n] == '.'), &read) && legal(f, &read) && opcode_row(text) == OP_COUNT)
            print_spelling(p, text);
        return;
    }
    int *value = &m->value[s->slot[k].group];
    *value = -1;
    if (s->slot[k].need != REQUIRED) print_combinations(p, f, s, k + 1, m, text, length);
    if (s->slot[k].need == HINT) return;
    const char *word;
    for (int c = 0; (word = choice(s->slot[k].group, c, value)) != NULL; c++) {
        int n = snprintf(text + length, 200 - length, ".%s", word);
        print_combinations(p, f, s, k + 1, m, text, length + (size_t)n);
        text[length] = '\0';
    }
    *value = -1;
}

static void print_all(struct printer *p)
{
    char text[200];
    for (size_t k = 0; k < COUNT(rows); k++) print_spelling(p, rows[k].spelling);
    for (size_t k = 0; k < COUNT(aliases); k++) print_spelling(p, aliases[k].spelling);
    for (size_t k = 0; k < COUNT(families); k++) {
        const struct family *f = &families[k];
        if (strchr(f->prefix, ' ')) continue;
        if (p->base && strncmp(f->prefix, p->base, strcspn(p->base, ".")) != 0) continue;
        const struct slots s = slots_of(f);
        struct mods m;
        for (int g = 0; g < MOD_GROUP_COUNT; g++) m.value[g] = -1;
        snprintf(text, sizeof text, "%s", f->prefix);
        print_combinations(p, f, &s, 0, &m, text, strlen(text));
    }
}

void opcode_print_list(FILE *out)
{
    struct printer p = {.out = out};
    print_all(&p);
}

static void print_family_modifiers(FILE *out, const struct family *f)
{
    struct slots s = slots_of(f);
    fprintf(out, "- `%s`", f->prefix);
    for (int k = 0; k < s.count; k++) {
        const char *word;
        int value;
        fprintf(out, " %s", s.slot[k].need == REQUIRED ? "{" : "[");
        if (s.slot[k].group == MOD_type || s.slot[k].group == MOD_type2)
            fprintf(out, "type");
        else
            for (int c = 0; (word = choice(s.slot[k].group, c, &value)) != NULL; c++)
                fprintf(out, "%s`.%s`", c ? " " : "", word);
        fprintf(out, "%s", s.slot[k].need == REQUIRED ? "}" : "]");
    }
    fprintf(out, "\n");
}

void opcode_print_coverage(FILE *out)
{
    fprintf(out, "# PTX instructions the emulator executes\n\n"
                 "Made from the opcode table (`emulator/ptx/opcodes.def`) by `emu-run --coverage`;\n"
                 "`emu-run --list-opcodes` prints every spelling. Sections are those of the PTX ISA 9.0.\n\n"
                 "| instruction | PTX ISA | spellings |\n|---|---|---|\n");
    for (size_t k = 0; k < COUNT(bases); k++) {
        struct printer p = {.base = bases[k].name};
        print_all(&p);
        fprintf(out, "| `%s` | %s | %zu |\n", bases[k].name, bases[k].text, p.printed);
    }
    fprintf(out, "\n## Modifiers of the families\n\n"
                 "In braces: one must be there; in brackets: may be there. Any order is read. Cache\n"
                 "operators, eviction priorities, prefetch sizes and cache policies are accepted and\n"
                 "have no effect.\n\n");
    for (size_t k = 0; k < COUNT(families); k++)
        if (!strchr(families[k].prefix, ' ')) print_family_modifiers(out, &families[k]);
    fprintf(out, "\n## Not exact\n\n"
                 "The `.approx` and `.full` forms of div, rcp, sqrt, rsqrt, sin, cos, lg2, ex2 and tanh are\n"
                 "correctly rounded, or as good as the C library's double function; hardware is not.\n"
                 "\n## Refused by name\n\n| instruction | belongs to |\n|---|---|\n");
    for (size_t k = 0; k < COUNT(refused); k++) fprintf(out, "| `%s` | %s |\n", refused[k].name, refused[k].text);
}

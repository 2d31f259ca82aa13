/*
 * Findings: gathered by cause (rule and the two lines concerned), counted,
 * printed once each:
 *
 *   clc_blocks.cu:41: the acquire half of the proxy fence is missing  [PX4]
 *       before   :52 block 3 thread 17 read `result`
 *       try      fence_proxy_async_generic_sync_restrict(sem_acquire, ...) before the request  (chapter proxy-fences)
 *       V=1      here     block 3 thread 0: asks for work; it will write `result` through the async proxy
 *                note     ptxas 13.0 makes no instruction of it: hardware will not show it today
 *                again    make run SEED=7          more: make explain RULE=PX4
 *
 * The V=1 lines are printed only when asked for. Text goes where the caller
 * says; colour only when the options say that it is a terminal.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "checker/state.h"
#include "checker/access.h"
#include "memory/memory.h"

enum { MOST_WAITS = 1024 };      /* bytes about who arrived last */

/* ---- words ------------------------------------------------------------------------ */

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static struct place_of place_of(const struct checker *c, uint32_t site)
{
    struct place_of p = {"", 0};
    if (site == 0 || site > c->site_count)
        return p;
    const struct site *s = &c->sites[site];
    const struct ptx_module *module = s->code->module;
    struct ptx_line line = ptx_user_line(module, s->function->source, (int)s->pc);
    if (line.file == NULL || line.line <= 0) {
        line.file = module->name;
        line.line = (int)s->pc < s->function->source->statement_count ? s->function->source->statements[s->pc].line : 0;
    }
    snprintf(p.file, sizeof p.file, "%s", base_name(line.file));
    p.line = line.line;
    return p;
}

/* "block 3 thread 17", or with three coordinates where the launch has them. */
static void say_thread(char *text, size_t size, const struct grid *g, uint64_t linear, uint32_t thread)
{
    if (g->dim[1] == 1 && g->dim[2] == 1)
        append(text, size, "block %" PRIu64, linear);
    else
        append(text, size, "block (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", linear % g->dim[0], linear / g->dim[0] % g->dim[1],
               linear / g->dim[0] / g->dim[1]);
    if (g->block_dim[1] == 1 && g->block_dim[2] == 1)
        append(text, size, " thread %u", thread);
    else
        append(text, size, " thread (%u,%u,%u)", thread % g->block_dim[0], thread / g->block_dim[0] % g->block_dim[1],
               thread / g->block_dim[0] / g->block_dim[1]);
}

static uint32_t first_lane(uint32_t mask)
{
    uint32_t lane = 0;
    while (lane < LANES - 1 && !(mask >> lane & 1))
        lane++;
    return lane;
}

static void say_by(const struct checker *c, const struct access_by *by, char *text, size_t size)
{
    uint32_t at = by->block - c->born_base - 1;
    const struct cgrid *g = c->grids;
    if (by->flags & BY_ASYNC) {
        append(text, size, "the operation started here");
        return;
    }
    if (at >= c->born_capacity) {
        append(text, size, "an earlier block");
        return;
    }
    while (g != NULL && g->number != c->born[at].grid)
        g = g->next;
    if (g != NULL)
        say_thread(text, size, &g->shape, c->born[at].linear, by->warp * LANES + first_lane(by->mask));
    if ((by->mask & (by->mask - 1)) != 0)
        append(text, size, " and other lanes");
}

void shared_name(const struct cblock *b, uint32_t offset, char *text, size_t size)
{
    const struct code *code = b->grid->shape.code;
    char name[64];
    for (int k = 0; k < code->shared_var_count; k++) {
        const struct code_shared *v = &code->shared_vars[k];
        if (offset < v->offset || offset >= v->offset + v->var->size)
            continue;
        snprintf(text, size, "`%s`", last_name(v->var->name, name, sizeof name));
        if (offset != v->offset && v->var->size > 16)
            append(text, size, " + %u bytes", offset - v->offset);
        return;
    }
    snprintf(text, size, "shared address 0x%x", offset);
}

void global_name(struct checker *c, uint64_t address, char *text, size_t size)
{
    const struct allocation *a = memory_find(c->machine->memory, address);
    char name[64];
    if (a == NULL) {
        snprintf(text, size, "address 0x%" PRIx64, address);
        return;
    }
    if (a->kind == MEMORY_VARIABLE)
        snprintf(text, size, "`%s` + %" PRIu64 " bytes", last_name(a->label, name, sizeof name), address - a->address);
    else
        snprintf(text, size, "byte %" PRIu64 " of the %zu-byte allocation %s number %u", address - a->address, a->size, a->label, a->serial);
}

/* ---- gathering ------------------------------------------------------------------------ */

static struct finding *find(struct checker *c, enum rule_id rule, uint32_t here, uint32_t before, bool note)
{
    for (struct finding *f = c->findings; f != NULL; f = f->next)
        if (f->rule == rule && f->here_site == here && f->before_site == before && f->note == note)
            return f;
    return NULL;
}

static struct finding *new_finding(struct checker *c, enum rule_id rule)
{
    struct finding *f = heap_alloc(c->h, sizeof *f);
    f->rule = rule;
    f->count = 1;
    *c->last_finding = f;
    c->last_finding = &f->next;
    c->unreported++;
    return f;
}

static uint32_t line_site(struct checker *c, uint32_t site)
{
    /* Two statements of one source line are one cause. */
    struct place_of p = place_of(c, site);
    for (uint32_t s = 1; s < site && p.line > 0; s++) {
        struct place_of q = place_of(c, s);
        if (q.line == p.line && strcmp(q.file, p.file) == 0)
            return s;
    }
    return site;
}

/* The first of the sites on the same line, worked out once a site. */
static uint32_t canonical(struct checker *c, uint32_t site)
{
    if (site == 0)
        return 0;
    if (c->sites[site].line_site == 0)
        c->sites[site].line_site = line_site(c, site);
    return c->sites[site].line_site;
}

static void say_before(struct checker *c, struct finding *f, const struct report *r, const struct place_of *here)
{
    struct place_of p = place_of(c, r->before->site);
    char *text = f->before;
    size_t size = sizeof f->before;
    if (p.line > 0 && strcmp(p.file, here->file) != 0)
        append(text, size, "%s", p.file);
    if (p.line > 0)
        append(text, size, ":%d ", p.line);
    say_by(c, r->before, text, size);
    append(text, size, " %s%s%s", r->verb != NULL ? r->verb : "", r->object != NULL ? " " : "", r->object != NULL ? r->object : "");
}

void found(struct checker *c, const struct report *r)
{
    uint32_t here = canonical(c, r->event != NULL ? site_of(c, r->event) : r->site);
    uint32_t before = r->before != NULL ? canonical(c, r->before->site) : 0;
    struct finding *f = find(c, r->rule, here, before, r->note);
    if (f != NULL) {
        f->count++;
        return;
    }
    struct place_of p = place_of(c, here);
    f = new_finding(c, r->rule);
    f->here_site = here;
    f->before_site = before;
    f->note = r->note;
    snprintf(f->where, sizeof f->where, "%s:%d", p.file, p.line);
    if (r->before != NULL)
        say_before(c, f, r, &p);
    if (r->event != NULL && r->event->warp != NULL) {
        const struct block *b = r->event->block;
        say_thread(f->here, sizeof f->here, b->grid, b->linear, r->event->warp->index * LANES + first_lane(r->mask));
        append(f->here, sizeof f->here, ": ");
    }
    if (r->what != NULL)
        append(f->here, sizeof f->here, "%s", r->what);
    if (r->object != NULL && r->what != NULL && strchr(r->what, '`') == NULL && strchr(r->what, ';') == NULL)
        append(f->here, sizeof f->here, " %s", r->object);
    if (r->note_text != NULL)
        append(f->note_text, sizeof f->note_text, "%s", r->note_text);
    f->advice = r->advice;
}

/* The end of a block has no line of its own: the report stands at what it did not wait for. */
void report_end(struct checker *c, struct cblock *b, enum rule_id rule, const struct access_by *before, const char *verb)
{
    char text[80];
    struct report r = {.rule = rule, .site = before->site, .before = before, .verb = verb, .what = text};
    text[0] = '\0';
    append(text, sizeof text, "block %" PRIu64 " exits", b->block->linear);
    found(c, &r);
}

void checker_tell(struct checker *c, enum rule_id rule, const char *where, const char *detail)
{
    struct finding *f = c->findings;
    while (f != NULL && !(f->rule == rule && strcmp(f->where, where != NULL ? where : "") == 0 && f->here_site == 0))
        f = f->next;
    if (f != NULL) {
        f->count++;
        return;
    }
    f = new_finding(c, rule);
    snprintf(f->where, sizeof f->where, "%s", where != NULL ? where : "");
    snprintf(f->here, sizeof f->here, "%s", detail != NULL ? detail : "");
}

/* Barriers somebody waits at: how far they are, and who arrived last. */
static void say_who_came(struct checker *c, char *text, size_t size)
{
    enum { LINES = 4 };
    int lines = 0;
    for (const struct cblock *b = c->resident; b != NULL; b = b->next)
        for (const struct cmbar *m = b->mbarriers; m != NULL && lines < LINES; m = m->next) {
            char name[96] = "";
            struct place_of p = place_of(c, m->last_arrive.site);
            if (!m->waited || m->waited_phase != m->phase)
                continue;
            shared_name(b, m->offset, name, sizeof name);
            append(text, size, "    %s of block %" PRIu64 ", phase %u (from 0): ", name, c->born[b->serial - c->born_base - 1].linear, m->phase);
            if (m->last_arrive.block == 0) {
                append(text, size, "nobody has ever arrived\n");
            } else {
                append(text, size, "%s :%d ", m->last_phase == m->phase ? "the last arrival is at" : "no arrival yet; the last one, of an earlier phase, at", p.line);
                say_by(c, &m->last_arrive, text, size);
                append(text, size, "\n");
            }
            lines++;
        }
}

/* "FILE:LINE: words\n    kernel ...\n": the place, the words, the rest. Hangs have one line a wait below the first. */
bool checker_fault(struct checker *c, const struct fault *fault)
{
    enum rule_id rule = fault->rule != NULL ? rule_find(fault->rule) : RULE_COUNT;
    const char *colon = strstr(fault->text, ": "), *end = strchr(fault->text, '\n');
    char where[160] = "";
    bool hang = fault->kind == FAULT_DEADLOCK || fault->kind == FAULT_BUDGET;
    if (rule == RULE_COUNT || colon == NULL)
        return false;
    if (end == NULL)
        end = fault->text + strlen(fault->text);
    if (fault->kind == FAULT_DEADLOCK && *end != '\0') {     /* stands where the first one waits */
        const char *first = end + 1 + strspn(end + 1, " "), *stop = strstr(first, ": ");
        if (stop != NULL && stop - first < (long)sizeof where)
            snprintf(where, sizeof where, "%.*s", (int)(stop - first), first);
    } else if (colon < end) {
        snprintf(where, sizeof where, "%.*s", (int)(colon - fault->text < 150 ? colon - fault->text : 150), fault->text);
    }
    struct finding *f = new_finding(c, rule);
    snprintf(f->where, sizeof f->where, "%s", where);
    if (!hang) {
        snprintf(f->here, sizeof f->here, "%.*s", (int)(end - colon - 2), colon + 2);
        if (*end != '\0')
            snprintf(f->note_text, sizeof f->note_text, "%.*s", (int)strcspn(end + 1 + strspn(end + 1, " "), "\n"), end + 1 + strspn(end + 1, " "));
        return true;
    }
    f->waits = heap_alloc(c->h, strlen(fault->text) + MOST_WAITS);
    strcpy(f->waits, *end != '\0' && fault->kind == FAULT_DEADLOCK ? end + 1 : fault->text);
    if (fault->kind == FAULT_DEADLOCK)
        say_who_came(c, f->waits, strlen(fault->text) + MOST_WAITS);
    return true;
}

/* ---- printing ----------------------------------------------------------------------------- */

static void print_rest(const struct checker *c, const struct finding *f, FILE *out)
{
    const char *lead = "    V=1      ", *next = "             ";
    if (f->here[0] != '\0' && f->before[0] != '\0') {
        fprintf(out, "%shere     %s\n", lead, f->here);
        lead = next;
    }
    if (f->note_text[0] != '\0') {
        fprintf(out, "%snote     %s\n", lead, f->note_text);
        lead = next;
    }
    if (c->again != NULL) {
        fprintf(out, "%sagain    %s\n", lead, c->again);
        lead = next;
    }
    fprintf(out, "%smore     make explain RULE=%s\n", lead, rules[f->rule].id);
}

static const char *advice_of(const struct finding *f) { return f->advice != NULL ? f->advice : rules[f->rule].try_; }

static void print_finding(const struct checker *c, const struct finding *f, FILE *out)
{
    const struct rule *r = &rules[f->rule];
    const char *bold = c->colour ? "\033[1m" : "", *red = !c->colour ? "" : r->severity == SEVERITY_LINT || f->note ? "\033[33m" : "\033[31m";
    const char *plain = c->colour ? "\033[0m" : "";
    char times[48] = "";
    if (f->count > 1)
        snprintf(times, sizeof times, "   (%" PRIu64 " times)", f->count);
    fprintf(out, "%s%s%s%s%s%s%s%s  [%s]\n", bold, f->where, f->where[0] != '\0' ? ": " : "", plain, red,
            f->note ? "note: " : r->severity == SEVERITY_LINT ? "lint: " : "", r->cause, plain, r->id);
    if (f->before[0] != '\0')
        fprintf(out, "    before   %s%s\n", f->before, times);
    else if (f->here[0] != '\0')
        fprintf(out, "    here     %s%s\n", f->here, times);
    if (f->waits != NULL)
        fputs(f->waits, out);
    if (!c->lab)
        fprintf(out, "    try      %s   (chapter %s)\n", advice_of(f), r->chapter);
    if (c->verbose)
        print_rest(c, f, out);
}

unsigned checker_report(struct checker *c, FILE *out)
{
    unsigned printed = 0;
    for (struct finding *f = c->findings; f != NULL; f = f->next) {
        if (f->printed)
            continue;
        print_finding(c, f, out);
        f->printed = true;
        printed++;
    }
    c->unreported = 0;
    return printed;
}

unsigned checker_unreported(const struct checker *c) { return c->unreported; }

unsigned checker_count(const struct checker *c, enum severity severity)
{
    unsigned n = 0;
    for (const struct finding *f = c->findings; f != NULL; f = f->next)
        n += (f->note ? SEVERITY_LINT : rules[f->rule].severity) == severity;
    return n;
}

bool checker_broken(const struct checker *c)
{
    return checker_count(c, SEVERITY_ERROR) + checker_count(c, SEVERITY_HANG) > 0;
}

void checker_again(struct checker *c, const char *again)
{
    free(c->again);
    c->again = NULL;
    if (again == NULL)
        return;
    c->again = malloc(strlen(again) + 1);
    if (c->again != NULL)
        strcpy(c->again, again);
}

/* ---- for machines ---------------------------------------------------------------------------- */

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++)
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < ' ')
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    fputc('"', out);
}

static void json_pair(FILE *out, const char *key, const char *text, const char *after)
{
    fprintf(out, "\"%s\": ", key);
    json_string(out, text);
    fputs(after, out);
}

void checker_json(const struct checker *c, FILE *out)
{
    fputc('[', out);
    for (const struct finding *f = c->findings; f != NULL; f = f->next) {
        const struct rule *r = &rules[f->rule];
        fputs(f == c->findings ? "{" : ", {", out);
        json_pair(out, "rule", r->id, ", ");
        json_pair(out, "severity", f->note ? "note" : severity_name(r->severity), ", ");
        json_pair(out, "where", f->where, ", ");
        json_pair(out, "cause", r->cause, ", ");
        json_pair(out, "here", f->here, ", ");
        json_pair(out, "before", f->before, ", ");
        json_pair(out, "note", f->note_text, ", ");
        json_pair(out, "waits", f->waits != NULL ? f->waits : "", ", ");
        json_pair(out, "try", advice_of(f), ", ");
        json_pair(out, "chapter", r->chapter, ", ");
        json_pair(out, "again", c->again != NULL ? c->again : "", ", ");
        fprintf(out, "\"count\": %" PRIu64 "}", f->count);
    }
    fputc(']', out);
}

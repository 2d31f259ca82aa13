/*
 * A source to PTX, in a box: see grading.h. What was compiled before, with the
 * same compiler and headers, comes out of build/labs/ptx.
 */
#define _GNU_SOURCE
#include "grading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "regions.h"

enum { MOST_PTX = 8 << 20 };

static const struct box_limits compile_limits = {
    .cpu = 12, .wall = 150, .memory = (size_t)4 << 30, .file = 64 << 20, .output = 4 << 20, .kept = 64 << 10
};

static const char *const options[] = { "-ptx", "-O3", "-std=c++17", "-lineinfo", "-gencode", "arch=compute_100a,code=compute_100a" };
enum { OPTIONS = sizeof options / sizeof *options };

/* build/labs/ptx/DIGEST.ptx */
static char *stored_path(const char *name, const struct text *source)
{
    struct digest d;
    char hex[DIGEST_TEXT];
    digest_begin(&d);
    digest_text(&d, tools.version);
    digest_text(&d, tools.nvcc);
    digest_text(&d, tools.headers_digest);
    for (int i = 0; i < OPTIONS; i++)
        digest_text(&d, options[i]);
    digest_text(&d, name);
    digest_add(&d, text_of(source), source->length);
    digest_end(&d, hex);
    return form("build/labs/ptx/%s.ptx", hex);
}

/* The compiler's messages; the first few lines say enough. */
static void say_compiler(struct row *row, const struct box_result *r, const char *name, const char *scratch)
{
    switch (r->end) {
    case BOX_CPU: row_fail(row, "%s: the compiler did not end within %g s of processor time", name, compile_limits.cpu); return;
    case BOX_WALL:
        row->code = ENDS_MACHINE;   /* a compiler does not sleep */
        row_fail(row, "%s: the compiler did not end within %g s, nor used up its %g s of processor time: this machine is too busy", name,
                 compile_limits.wall, compile_limits.cpu);
        return;
    case BOX_FILE: row_fail(row, "%s: the compiler wrote a file of more than %zu MiB", name, compile_limits.file >> 20); return;
    case BOX_OUTPUT: row_fail(row, "%s: the compiler printed more than %zu MiB", name, compile_limits.output >> 20); break;
    case BOX_SIGNAL: row_fail(row, "%s: the compiler was stopped by signal %d (memory is limited to 4 GiB)", name, r->status); break;
    case BOX_EXIT: row_fail(row, "%s does not compile", name); break;
    }
    char *err = form("%s%s", text_of(&r->err), text_of(&r->out)), *at = err;
    for (int line = 0; line < 30 && *at; line++)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0');
    *at = '\0';
    row_keep(row->report, sizeof row->report, err, scratch);
    free(err);
}

/* nvcc in the box `folder`; true: folder/out.ptx is there. */
static bool run_nvcc(const char *folder, const char *name, struct row *row)
{
    const struct box box = { .folder = folder };
    struct box_result r;
    char *include = box_path(&box, "/include"), *headers = form("-I%s", include), *argv[OPTIONS + 8];
    int count = 0;
    argv[count++] = tools.nvcc;
    for (int i = 0; i < OPTIONS; i++)
        argv[count++] = (char *)(uintptr_t)options[i];
    if (tools.ccbin) {
        argv[count++] = (char[]){ "-ccbin" };
        argv[count++] = tools.ccbin;
    }
    argv[count++] = headers;
    argv[count++] = (char *)(uintptr_t)name;
    argv[count++] = (char[]){ "-o" };
    argv[count++] = (char[]){ "out.ptx" };
    argv[count] = NULL;
    box_run(&box, argv, &compile_limits, &r);
    row->seconds = r.wall;
    const bool done = r.end == BOX_EXIT && r.status == 0;
    if (!done)
        say_compiler(row, &r, name, folder);
    box_result_free(&r);
    free(headers);
    free(include);
    return done;
}

/* Compiles into `ptx`, which names a file of the store. */
static bool compile(const char *name, const struct text *source, const char *scratch, const char *ptx, struct row *row)
{
    struct text made = { 0 };
    char why[WHY];
    if (file_there(ptx))
        return true;
    if (!tools.nvcc)
        die(ENDS_MACHINE, "there is %s to compile with; make toolkit fetches one", tools.why ? tools.why : "no nvcc");
    char *folder = form("%s/compile-%s-%ld", scratch, name, (long)getpid()), *path = form("%s/%s", folder, name);
    folder_make(folder);
    file_put(path, text_of(source), source->length);
    box_give(folder);
    const bool done = run_nvcc(folder, name, row)
                   && (file_get(folder, "out.ptx", MOST_PTX, &made, why) || (row_fail(row, "%s: its PTX %s", name, why), false));
    if (done) {
        folder_make("build/labs/ptx");
        file_put(ptx, text_of(&made), made.length);
    }
    text_free(&made);
    folder_drop(folder);
    free(folder);
    free(path);
    return done;
}

void compile_source(const struct grading *g, int index, struct row *row)
{
    const struct source *source = &g->sources[index];
    if (!source->there)
        row_fail(row, "%s/%s %s", g->folder, g->lab->sources[index], source->why);
    else if (compile(g->lab->sources[index], &source->text, g->scratch, source->ptx, row))
        row->state = ROW_PASSED;
}

/* The source of an instructor's kernel; *name becomes a file's name. */
static void read_own(const struct grading *g, const struct test *test, const char **name, struct text *source)
{
    const bool skeleton = strcmp(*name, "skeleton") == 0, part = skeleton || strcmp(*name, "solution") == 0;
    struct text whole = { 0 };
    char why[WHY];
    *name = part ? test_word(test, "file") : *name;
    char *path = lab_file(g->lab, *name);
    if (!path)
        die(ENDS_USAGE, "%s: %s has no %s", test->where, g->lab->instructor, *name);
    if (!file_get(".", path, MOST_SOURCE_BYTES, part ? &whole : source, why))
        die(ENDS_USAGE, "%s %s", path, why);
    if (part && !regions_cut(path, text_of(&whole), skeleton ? PART_SKELETON : PART_SOLUTION, source, why))
        die(ENDS_USAGE, "%s", why);
    text_free(&whole);
    free(path);
}

char *compile_own(const struct grading *g, const struct test *test, const char *name)
{
    struct text source = { 0 };
    struct row row = { 0 };
    read_own(g, test, &name, &source);
    char *ptx = stored_path(name, &source);
    if (!compile(name, &source, g->scratch, ptx, &row))
        die(ENDS_USAGE, "%s: %s: %s\n%s", test->where, name, row.sentence, row.report);
    text_free(&source);
    return ptx;
}

/* ---- reading a submission ----------------------------------------------------------- */

void grading_open(struct grading *g)
{
    for (int i = 0; i < g->lab->source_count; i++) {
        struct source *source = &g->sources[i];
        source->there = file_get(g->folder, g->lab->sources[i], MOST_SOURCE_BYTES, &source->text, source->why);
        if (source->there && strlen(text_of(&source->text)) != source->text.length) {
            source->there = false;
            snprintf(source->why, sizeof source->why, "holds a NUL byte");
        }
        if (source->there && tools.nvcc)
            source->ptx = stored_path(g->lab->sources[i], &source->text);
    }
    g->scratch = form("%s/%s", tools.scratch, g->lab->name);
    folder_make(g->scratch);
    inputs_prepare(g->lab);
}

void grading_close(struct grading *g)
{
    for (int i = 0; i < g->lab->source_count; i++) {
        text_free(&g->sources[i].text);
        free(g->sources[i].ptx);
    }
    folder_drop(g->scratch);
    free(g->scratch);
}

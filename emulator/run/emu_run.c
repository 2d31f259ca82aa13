/*
 * emu-run: runs one kernel of a PTX module on an emulated GPU and judges what
 * it computed. Reads the module, the launch file and .npy arrays; prints one
 * verdict line and the time in model cycles, or one JSON object.
 *
 *   options.c     the command line         launchfile.c  how to launch
 *   entry.c       names of kernels         npy.c         arrays
 *   run.c         the machine              judge.c       right or wrong
 *
 * Needs libc alone. Not modelled: more than one kernel a run.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "ptx/module.h"
#include "ptx/opcode.h"
#include "run/complaint.h"
#include "run/entry.h"
#include "run/file.h"
#include "run/judge.h"
#include "run/launchfile.h"
#include "run/npy.h"
#include "run/options.h"
#include "run/run.h"

enum { MOST_PTX = 1 << 30 };

/* ---- what is printed --------------------------------------------------------- */

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < ' ')
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    fputc('"', out);
}

static void json_pair(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\": ", key);
    json_string(out, text);
    fputs(", ", out);
}

/* As the launch file names it. */
static const char *kernel_name(const struct run *run)
{
    return run->file && run->file->kernel ? run->file->kernel : run->entry ? run->entry->name : "";
}

static void print_json(const struct run *run, const struct judgement *j, const struct complaint *c, int code)
{
    const struct machine_counts zero = { 0 };
    const struct machine_counts *n = run->machine ? machine_counts(run->machine) : &zero;
    fputc('{', stdout);
    json_pair(stdout, "kernel", kernel_name(run));
    json_pair(stdout, "device", run->options->device->name);
    json_pair(stdout, "verdict", c->code ? "error" : code ? "fail" : "pass");
    if (c->code)
        json_pair(stdout, "error", c->text);            /* a fault's text has several lines */
    printf("\"cycles\": %" PRIu64 ", \"exit\": %d, ", run->cycles, code);
    printf("\"blocks\": %" PRIu64 ", ", c->code ? 0 : (uint64_t)run->grid[0] * run->grid[1] * run->grid[2]);
    printf("\"compared\": %zu, \"wrong\": %zu, \"first\": ", j->compared, j->wrong);
    json_string(stdout, j->shown ? j->line[0] : "");
    printf(", \"counts\": {\"launches\": %" PRIu64 ", \"blocks_started\": %" PRIu64 ", \"blocks_finished\": %" PRIu64
           ", \"threads\": %" PRIu64 ", \"warp_instructions\": %" PRIu64 ", \"requests\": %" PRIu64
           ", \"granted\": %" PRIu64 ", \"refused\": %" PRIu64 "}",
           n->launches, n->blocks_started, n->blocks_finished, n->threads_finished, n->warp_instructions, n->requests,
           n->granted, n->refused);
    printf(", \"resident\": %" PRIu64 ", \"told\": ", run->resident);
    json_string(stdout, run->told);
    if (run->checker) {
        fputs(", \"findings\": ", stdout);
        checker_json(run->checker, stdout);
    }
    puts("}");
}

static void print_text(const struct run *run, const struct judgement *j)
{
    judge_print(j, kernel_name(run), stdout);
    if (run->options->schedules > 0)
        printf("schedules %u besides this one, none told\n", run->tried);
    printf("time %" PRIu64 " model cycles on emulated %s\n", run->cycles, run->options->device->name);
}

/* The whole text of a fault; anything else is one sentence. */
static void print_complaint(const struct run *run, const struct complaint *c, FILE *out)
{
    const struct fault *fault = run->machine ? machine_fault(run->machine) : NULL;
    if (fault && fault->kind != FAULT_NONE && run->checker && checker_fault(run->checker, fault))
        return;                          /* a rule has a report of its own */
    if (fault && fault->kind != FAULT_NONE)
        fprintf(out, "%s%s", fault->text, fault->text[0] && fault->text[strlen(fault->text) - 1] == '\n' ? "" : "\n");
    else
        fprintf(out, "emu-run: %s\n", c->text);
}

/* What was found, and how to see it again. */
static void print_reports(const struct run *run, const struct complaint *c, FILE *out)
{
    if (c->code)
        print_complaint(run, c, out);
    if (run->checker)
        checker_report(run->checker, out);
    if (run->told[0])
        fprintf(out, "schedule %u of %" PRIu64 " is the first that tells; again: %s %s\n", run->tried, run->options->schedules,
                run->options->again, run->told);
}

/* To standard error, or to the file that was asked for. */
static void report(const struct run *run, struct complaint *c)
{
    const char *path = run->options->reports;
    FILE *out = path ? fopen(path, "w") : stderr;
    if (!out) {
        print_reports(run, c, stderr);
        complain(c, ENDS_USAGE, "--reports: %s cannot be written", path);
        return;
    }
    print_reports(run, c, out);
    if (path && fclose(out) != 0)
        complain(c, ENDS_USAGE, "--reports: %s cannot be written", path);
}

/* ---- steps of a run ------------------------------------------------------------ */

static struct ptx_module *read_module(const char *path, struct complaint *c)
{
    struct ptx_error error = { 0 };
    char *text;
    size_t length;
    if (!file_read(path, MOST_PTX, &text, &length, c))
        return NULL;
    struct ptx_module *module = ptx_parse(text, length, path, &error);
    free(text);
    if (!module)
        complain(c, error.unsupported ? ENDS_COVERAGE : ENDS_USAGE, "%s", error.text);
    return module;
}

static int find_saved(const struct run *run, const struct save *s)
{
    for (int i = 0; i < run->file->buffer_count; i++)
        if (strlen(run->file->buffers[i].name) == s->buffer_length
            && memcmp(run->file->buffers[i].name, s->buffer, s->buffer_length) == 0)
            return i;
    return -1;
}

/* Before anything runs: does every --save name a buffer? */
static bool check_saves(const struct run *run, struct complaint *c)
{
    for (int i = 0; i < run->options->save_count; i++)
        if (find_saved(run, &run->options->saves[i]) < 0)
            return complain(c, ENDS_USAGE, "--save: %s has no buffer '%.*s'", run->file->path,
                            (int)run->options->saves[i].buffer_length, run->options->saves[i].buffer);
    return true;
}

static bool judge_expected(const struct run *run, struct judgement *j, struct complaint *c)
{
    for (int i = 0; i < run->file->expect_count; i++) {
        const struct expect *e = &run->file->expects[i];
        const struct buffer *b = &run->file->buffers[e->buffer];
        uint8_t *got = run_result(run, e->buffer, c);
        if (!got)
            return false;
        judge(j, run->file->expect_count > 1 ? b->name : "", b->element, b->count, got, e->array.bytes);
        free(got);
    }
    return true;
}

static bool save_buffers(const struct run *run, struct complaint *c)
{
    bool done = true;
    for (int i = 0; done && i < run->options->save_count; i++) {
        const int index = find_saved(run, &run->options->saves[i]);
        const struct buffer *b = &run->file->buffers[index];
        uint8_t *bytes = run_result(run, index, c);
        done = bytes && npy_save(run->options->saves[i].path, b->element, b->count, bytes, b->array.shape, c);
        free(bytes);
    }
    return done;
}

static int finish(const struct run *run, const struct judgement *j, struct complaint *c)
{
    const bool broken = run->checker && checker_broken(run->checker);
    report(run, c);
    const int code = c->code ? c->code : j->wrong || broken ? ENDS_WRONG : ENDS_RIGHT;
    if (run->options->json)
        print_json(run, j, c, code);
    else if (!c->code)
        print_text(run, j);
    return code;
}

static int run_module(const struct options *options)
{
    struct complaint c = { 0 };
    struct judgement j = { 0 };
    struct launch_file file = { 0 };
    struct run run = { .options = options };
    struct ptx_module *module = read_module(options->module, &c);
    run.module = module;
    if (module && !options->launch && !options->json) {
        entry_list(module, stdout);
        ptx_module_free(module);
        return ENDS_RIGHT;
    }
    if (module && !options->launch)
        complain(&c, ENDS_USAGE, "--json needs --launch FILE");
    if (c.code == ENDS_RIGHT && launch_read(options->launch, options->settings, options->setting_count, &file, &c)) {
        run.file = &file;
        if (check_saves(&run, &c) && run_kernel(&run, &c) && judge_expected(&run, &j, &c))
            save_buffers(&run, &c);
    }
    if (c.code == ENDS_RIGHT)
        run_close_trace(&run, &c);
    else
        run_close_trace(&run, &(struct complaint){ 0 });    /* what went wrong first is what is told */
    const int code = finish(&run, &j, &c);
    run_end(&run);
    launch_free(&file);
    ptx_module_free(module);
    return code;
}

/* ---- lists ----------------------------------------------------------------------- */

static void list_devices(void)
{
    printf("%-8s %5s %10s  %s\n", "device", "SMs", "capability", "PTX target");
    for (int i = 0; device_at(i); i++) {
        const struct device *d = device_at(i);
        printf("%-8s %5d %8d.%d  compute_%s\n", d->name, d->sms, d->cc / 10, d->cc % 10, d->target);
    }
}

static int explain(const char *rule)
{
    if (checker_explain(stdout, rule))
        return ENDS_RIGHT;
    fprintf(stderr, "emu-run: there is no rule '%s'; emu-run --list-rules shows all\n", rule);
    return ENDS_USAGE;
}

static int start(const struct options *options)
{
    switch (options->mode) {
    case MODE_HELP: options_help(stdout); return ENDS_RIGHT;
    case MODE_OPCODES: opcode_print_list(stdout); return ENDS_RIGHT;
    case MODE_COVERAGE: opcode_print_coverage(stdout); return ENDS_RIGHT;
    case MODE_DEVICES: list_devices(); return ENDS_RIGHT;
    case MODE_RULES: checker_list_rules(stdout); return ENDS_RIGHT;
    case MODE_EXPLAIN: return explain(options->rule);
    case MODE_RUN: break;
    }
    return run_module(options);
}

/* A limit on processor time, such as ulimit -t, is up. */
static void time_is_up(int number)
{
    (void)number;
    machine_time_is_up = 1;
}

int main(int argc, char **argv)
{
    struct complaint c = { 0 };
    struct options options;
#ifdef SIGXCPU
    signal(SIGXCPU, time_is_up);
#endif
    if (!options_read(argc, (const char *const *)argv, getenv, &options, &c)) {
        fprintf(stderr, "emu-run: %s\n", c.text);
        return c.code;
    }
    int code = start(&options);
    options_free(&options);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "emu-run: standard output cannot be written\n");
        code = code ? code : ENDS_USAGE;
    }
    return code;
}

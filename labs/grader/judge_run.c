/*
 * Runs a submission's kernel under a launch of ours and judges what came:
 * values and protocol by emu-run, and from its counts what the test asks for.
 * What the kernel prints is shown to its author and counts for nothing.
 */
#define _GNU_SOURCE
#include "grading.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "json.h"

enum { MOST_ARGUMENTS = 256, MOST_REPORTED = 4 << 20, MOST_TRACED = 64 << 20 };

/* One run of emu-run. */
struct trial {
    const struct grading *g;
    const struct test *test;
    char *folder;               /* holds box/ and data/ */
    struct box box;
    struct text settings;       /* NAME=VALUE lines */
    struct box_result result;
    double limit;
};

/* ---- the folders ------------------------------------------------------------------ */

static void copy_file(const char *from, const char *to)
{
    struct text text = { 0 };
    char why[WHY];
    if (!file_get(".", from, (size_t)1 << 28, &text, why))
        die(ENDS_USAGE, "%s %s", from, why);
    file_put(to, text_of(&text), text.length);
    text_free(&text);
}

static void copy_into(const struct trial *t, const char *from, const char *name)
{
    char *to = form("%s/%s", t->box.data, name);
    copy_file(from, to);
    free(to);
}

static void copy_launch(const struct trial *t, const char *name)
{
    char *path = lab_file(t->g->lab, name);
    if (!path)
        die(ENDS_USAGE, "%s: %s has no %s", t->test->where, t->g->lab->instructor, name);
    copy_into(t, path, name);
    free(path);
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

/* Every array that is there gets a setting of its name; those of the instructor's folder are under ${HERE}. */
static void name_arrays(struct trial *t)
{
    char *data = box_path(&t->box, "/data");
    DIR *folder = opendir(t->box.data), *own = opendir(t->g->lab->instructor);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (ends_with(entry->d_name, ".npy"))
            text_add(&t->settings, "%.*s=%s/%s\n", (int)strlen(entry->d_name) - 4, entry->d_name, data, entry->d_name);
    for (struct dirent *entry; own && (entry = readdir(own));)
        if (ends_with(entry->d_name, ".npy")) {
            char *from = form("%s/%s", t->g->lab->instructor, entry->d_name);
            copy_into(t, from, entry->d_name);
            free(from);
        }
    text_add(&t->settings, "HERE=%s\n", data);
    if (folder)
        closedir(folder);
    if (own)
        closedir(own);
    free(data);
}

static void open_trial(struct trial *t, const struct grading *g, const struct test *test, int input)
{
    char *seed = form("%" PRIu64 " %s %d", g->seed, test->id, input);
    *t = (struct trial){ .g = g, .test = test, .folder = form("%s/run-%s", g->scratch, test->id) };
    t->limit = test_real(test, "limit", 5);   /* our solutions need 0.1 to 1; a row that needs more says so */
    t->box.folder = form("%s/box", t->folder);
    t->box.data = form("%s/data", t->folder);
    folder_drop(t->folder);
    folder_make(t->box.folder);
    folder_make(t->box.data);
    box_give(t->box.folder);
    inputs_make(g->lab, test, "test", digest_number(seed), t->box.data, &t->settings);
    name_arrays(t);
    for (int i = 0; i < test->word_count; i++)
        if (strncmp(test->words[i].key, "set.", 4) == 0)
            text_add(&t->settings, "%s=%s\n", test->words[i].key + 4, test->words[i].value);
    free(seed);
}

static void close_trial(struct trial *t)
{
    folder_drop(t->folder);
    free(t->folder);
    free((char *)(uintptr_t)t->box.folder);
    free((char *)(uintptr_t)t->box.data);
    text_free(&t->settings);
}

/* ---- the command --------------------------------------------------------------------- */

struct command { char *argv[MOST_ARGUMENTS]; int count; };

static void add(struct command *c, const char *word)
{
    if (c->count + 1 == MOST_ARGUMENTS)
        die(ENDS_USAGE, "more than %d words for emu-run", MOST_ARGUMENTS);
    c->argv[c->count++] = form("%s", word);
    c->argv[c->count] = NULL;
}

static void add_option(struct command *c, const char *option, const char *value)
{
    if (value) {
        add(c, option);
        add(c, value);
    }
}

static void add_path(struct command *c, const struct box *box, const char *option, const char *path)
{
    char *inside = box_path(box, path);
    if (option)
        add(c, option);
    add(c, inside);
    free(inside);
}

static void add_settings(struct command *c, const struct text *settings)
{
    char *copy = form("%s", text_of(settings)), *at = copy;
    for (char *line; (line = line_next(&at));)
        if (*line)
            add_option(c, "--set", line);
    free(copy);
}

/* What messages call the compiled bytes.cu: bytes.ptx. */
static char *ptx_name(const struct trial *t)
{
    const char *file = test_word(t->test, "file");
    return form("%.*s.ptx", (int)strcspn(file, "."), file);
}

/* As the row says; or without the checker and other schedules: to compare times, for a trace, or for one with all refused. */
enum manner { AS_ASKED, PLAIN, TRACED, ALONE };

static void make_command(struct command *c, const struct trial *t, const char *launch, enum manner manner)
{
    const struct test *test = t->test;
    char *launch_path = form("/data/%s", launch), *name = ptx_name(t), *ptx_path = form("/data/%s", name);
    const char *device = test_word(test, "device"), *steps = test_word(test, "steps");
    add_path(c, &t->box, NULL, "/emu-run");
    add_path(c, &t->box, NULL, ptx_path);
    add_path(c, &t->box, "--launch", launch_path);
    add_path(c, &t->box, "--reports", "/box/reports");
    add(c, "--json");
    add_option(c, "--device", device ? device : "tiny");
    add_option(c, "--steps", steps ? steps : "400000");
    if (!t->g->tries)
        add(c, "--no-try");
    if (manner == AS_ASKED && test_number(test, "check", 1, 0, 1) == 1)
        add(c, "--check");
    add_option(c, "--refuse", manner == ALONE ? "all" : test_word(test, "refuse"));
    if (manner == AS_ASKED)
        add_option(c, "--schedules", test_word(test, "schedules"));
    if (manner != PLAIN)
        add_option(c, "--seed", test_word(test, "schedule"));
    if (manner == TRACED || manner == ALONE)
        add_path(c, &t->box, "--trace", "/box/trace");
    add_settings(c, &t->settings);
    free(launch_path);
    free(ptx_path);
    free(name);
}

/* Somebody else may want the processor too. */
static double wall_limit(double cpu) { return 10 * cpu + 30; }

static void run_trial(struct trial *t, const char *ptx, const char *launch, enum manner manner)
{
    const struct box_limits limits = { .cpu = t->limit, .wall = wall_limit(t->limit), .memory = (size_t)8 << 30,
                                       .file = manner == TRACED || manner == ALONE ? MOST_TRACED : MOST_REPORTED,
                                       .output = 16 << 20, .kept = 1 << 20 };
    struct command c = { .count = 0 };
    char *name = ptx_name(t);
    copy_into(t, ptx, name);
    free(name);
    copy_launch(t, launch);
    make_command(&c, t, launch, manner);
    box_run(&t->box, c.argv, &limits, &t->result);
    for (int i = 0; i < c.count; i++)
        free(c.argv[i]);
}

/* ---- what came out -------------------------------------------------------------------------- */

static double count_of(const struct trial *t, const char *path)
{
    double number;
    if (!json_number(text_of(&t->result.out), path, &number))
        die(ENDS_BROKEN, "%s: emu-run's answer has no %s", t->test->where, path);
    return number;
}

/* A line without what only helps who runs emu-run by hand: its name, the command to repeat it, its variables. */
static void keep_line(struct text *kept, char *line)
{
    char *again = strncmp(line, "schedule ", 9) == 0 ? strstr(line, "; again: ") : NULL;
    char *steps = strstr(line, " (EMU_STEPS=");
    if (strncmp(line, "emu-run: ", 9) == 0)
        line += 9;
    if (again)
        *again = '\0';
    if (steps)
        *steps = '\0';
    text_add(kept, "%s\n", line);
}

static void keep_reports(const struct trial *t, struct row *row)
{
    struct text reports = { 0 }, kept = { 0 };
    char why[WHY];
    if (file_get(t->box.folder, "reports", 4 << 20, &reports, why)) {
        char *at = reports.at;
        for (char *line; (line = line_next(&at));)
            keep_line(&kept, line);
        row_keep(row->report, sizeof row->report, text_of(&kept), t->folder);
    }
    text_free(&reports);
    text_free(&kept);
}

static void keep_printed(const struct trial *t, struct row *row)
{
    row_keep(row->printed, sizeof row->printed, text_of(&t->result.err), t->folder);
}

/* It did not come to an end of its own. */
static void say_stopped(const struct trial *t, struct row *row)
{
    const struct box_result *r = &t->result;
    switch (r->end) {
    case BOX_CPU:
        row->endless = true;
        row_fail(row, "it did not end within %g s of processor time", t->limit);
        break;
    case BOX_WALL:
        row->code = ENDS_MACHINE;       /* the emulator does not sleep */
        row_fail(row, "it did not end within %g s, nor used up its %g s of processor time: this machine is too busy", wall_limit(t->limit),
                 t->limit);
        break;
    case BOX_OUTPUT:
        row->endless = true;
        row_fail(row, "it printed more than 16 MiB and was stopped");
        break;
    case BOX_FILE: row_fail(row, "its reports are longer than %d MiB, or its events than %d", MOST_REPORTED >> 20, MOST_TRACED >> 20); break;
    case BOX_SIGNAL:
    case BOX_EXIT:
        row->code = ENDS_BROKEN;
        row_fail(row, "the emulator was stopped by signal %d: its fault, or memory was out", r->status);
    }
}

static void first_line(const char *text, char *line, size_t size)
{
    const char *steps = strstr(text, " (EMU_STEPS=");
    const size_t length = strcspn(text, "\n");
    snprintf(line, size, "%.*s", (int)(steps && (size_t)(steps - text) < length ? (size_t)(steps - text) : length), text);
}

/* An `expect` line of the launch file: of `array`, or of the only one if that is empty, which is then filled in. true: the
 * array is wanted as it was put in. */
static bool expected_as_put_in(const struct trial *t, char array[80])
{
    struct text launch = { 0 };
    char why[WHY], name[80], value[2][200] = { "", "-" };
    if (!file_get(t->box.data, test_word(t->test, "launch"), 1 << 18, &launch, why))
        return false;
    char *copy = form("%s", text_of(&launch)), *at = copy;
    for (char *line; (line = line_next(&at));)
        if (sscanf(line, " expect %79s %199s", name, value[1]) == 2 && (!*array || strcmp(name, array) == 0)) {
            snprintf(array, 80, "%s", name);
            break;
        }
    at = launch.at;
    for (char *line; (line = line_next(&at));)
        if (sscanf(line, " buffer %79s %199s", name, value[0]) == 2 && strcmp(name, array) == 0)
            break;
    free(copy);
    text_free(&launch);
    return strcmp(value[0], value[1]) == 0;
}

/* `first` is emu-run's "sums[3] is 1, want 2", or "[3] is 1, want 2" where the launch file expects one array. */
static void say_values(const struct trial *t, struct row *row, double wrong, double compared, const char *first)
{
    char array[80] = "";
    const int length = (int)strcspn(first, "[");
    snprintf(array, sizeof array, "%.*s", length, first);
    const bool input = expected_as_put_in(t, array);
    char *of = length ? form("%s", "") : form(" of %.0f", compared);    /* inputs, too, are compared where there are several */
    char *why = input ? form(" (%s is an input, and must stay as it was)", array) : form("%s", "");
    row_fail(row, "%.0f%s value%s wrong: %s%s%s", wrong, of, wrong == 1 && length ? " is" : "s are", array, first + length, why);
    free(of);
    free(why);
}

/* emu-run could not call the kernel: what was handed in takes other things than what was handed out, or is not there. */
static void say_uncallable(const struct trial *t, struct row *row, const char *line)
{
    const char *file = test_word(t->test, "file");
    struct text kernel = { 0 }, given = { 0 };
    char why[WHY], *path = lab_file(t->g->lab, file), *wanted = NULL, *found = NULL;
    if (json_text(text_of(&t->result.out), "kernel", &kernel) && path && file_get(".", path, MOST_SOURCE_BYTES, &given, why)) {
        wanted = signature_in(text_of(&given), text_of(&kernel));
        found = signature_in(text_of(&t->g->sources[lab_source(t->g->lab, file)].text), text_of(&kernel));
    }
    if (!wanted)
        row_fail(row, "%s", line);
    else if (strstr(line, "' may be any of: "))
        row_fail(row, "%s has more than one kernel called %s; the tests call %s", file, text_of(&kernel), wanted);
    else if (found && strcmp(found, wanted) != 0)
        row_fail(row, "%s has %s; the tests call %s", file, found, wanted);
    else
        row_fail(row, "%s; the tests call %s", line, wanted);
    *row->report = '\0';            /* it says the same in the compiler's words */
    text_free(&kernel);
    text_free(&given);
    free(path);
    free(wanted);
    free(found);
}

/* Exit 1 to 5 of emu-run. */
static void say_wrong(const struct trial *t, struct row *row)
{
    const char *json = text_of(&t->result.out);
    struct text error = { 0 }, first = { 0 };
    double wrong = 0, compared = 0;
    char line[600];
    json_text(json, "error", &error);
    json_text(json, "first", &first);
    json_number(json, "wrong", &wrong);
    json_number(json, "compared", &compared);
    row->endless = t->result.cpu >= 0.8 * t->limit; /* the emulator said itself where it was stopped */
    first_line(*text_of(&error) ? text_of(&error) : row->report, line, sizeof line);
    if (t->result.status >= ENDS_BROKEN || !*json) {
        row->code = ENDS_BROKEN;
        row_fail(row, "a fault of the emulator, not of the kernel: %s", *line ? line : text_of(&t->result.err));
    } else if (t->result.status == ENDS_USAGE) {
        say_uncallable(t, row, line);
    } else if (t->result.status != ENDS_WRONG) {
        row_fail(row, "%s", line);
    } else if (*text_of(&error) || wrong == 0) {
        row_fail(row, "%s", *line ? line : "a rule of the protocol is broken");
    } else {
        say_values(t, row, wrong, compared, text_of(&first));
    }
    text_free(&error);
    text_free(&first);
}

static bool is_word(const struct test *test, const char *key, const char *value)
{
    const char *word = test_word(test, key);
    return word && strcmp(word, value) == 0;
}

/* What values and rules do not show: did it steal, and did it go on stealing? */
static void judge_counts(const struct trial *t, struct row *row)
{
    const struct test *test = t->test;
    const double granted = count_of(t, "counts.granted"), requests = count_of(t, "counts.requests");
    const double started = count_of(t, "counts.blocks_started"), launches = count_of(t, "counts.launches");
    const double blocks = count_of(t, "blocks") * launches, resident = count_of(t, "resident") * launches;
    if (is_word(test, "steals", "some") && granted == 0)
        row_fail(row, "no block was stolen: %.0f requests, none granted", requests);
    else if (is_word(test, "steals", "most") && started * 2 > blocks)
        row_fail(row, "most blocks were not stolen: %.0f of %.0f started, %.0f requests, %.0f granted", started, blocks, requests, granted);
    else if (is_word(test, "steals", "none") && granted > 0)
        row_fail(row, "%.0f blocks were stolen, and none should be", granted);
    else if (is_word(test, "requests", "0") && requests > 0)
        row_fail(row, "it asked for work %.0f times, and should not ask", requests);
    else if (is_word(test, "requests", "some") && requests == 0)
        row_fail(row, "it never asked for work");
    else if (is_word(test, "requests", "twice") && requests < 2 * started)
        row_fail(row, "%.0f blocks asked %.0f times: each should have two requests in flight", started, requests);
    else if (is_word(test, "started", "resident") && started > resident)
        row_fail(row, "%.0f blocks started, where %.0f fit at once: somebody stopped stealing while there was work", started, resident);
}

static void judge_trial(const struct trial *t, struct row *row)
{
    keep_reports(t, row);
    keep_printed(t, row);
    if (t->result.end != BOX_EXIT)
        say_stopped(t, row);
    else if (t->result.status != ENDS_RIGHT)
        say_wrong(t, row);
    else
        judge_counts(t, row);
}

/* ---- time beside a kernel of ours ------------------------------------------------------------ */

static void judge_time(struct trial *t, struct row *row, const char *ptx)
{
    const char *baseline = test_word(t->test, "baseline"), *launch = test_word(t->test, "launch");
    const char *other = test_word(t->test, "baseline-launch");
    const double factor = test_real(t->test, "factor", 1);
    char *own = compile_own(t->g, t->test, baseline);
    box_result_free(&t->result);
    run_trial(t, own, other ? other : launch, PLAIN);
    if (t->result.end != BOX_EXIT || t->result.status != ENDS_RIGHT)
        die(t->result.end == BOX_EXIT ? ENDS_USAGE : ENDS_MACHINE, "%s: %s does not run: %s%s", t->test->where, baseline, text_of(&t->result.out), text_of(&t->result.err));
    const double theirs = count_of(t, "cycles");
    box_result_free(&t->result);
    run_trial(t, ptx, launch, PLAIN);
    if (t->result.end != BOX_EXIT || t->result.status != ENDS_RIGHT) {
        judge_trial(t, row);
    } else {
        const double cycles = count_of(t, "cycles");
        if (!(cycles <= factor * theirs))
            row_fail(row, "it takes %.0f model cycles, %.2f of the %.0f that %s%s takes; at most %.2f is wanted", cycles, cycles / theirs,
                     theirs, strchr(baseline, '.') ? "" : "the ", baseline, factor);
    }
    free(own);
}

/* ---- what it did, once it is right ------------------------------------------------------------ */

static void judge_events(struct trial *t, struct row *row, const char *ptx)
{
    box_result_free(&t->result);
    run_trial(t, ptx, test_word(t->test, "launch"), TRACED);
    if (t->result.end != BOX_EXIT || t->result.status != ENDS_RIGHT)
        judge_trial(t, row);
    else
        judge_did(t->test, t->box.folder, "trace", row);
}

/* Whether it comes to the right end when all is refused, other tests ask; here only who wrote what. */
static void judge_refused(struct trial *t, struct row *row, const char *ptx)
{
    char *trace = form("%s/trace", t->box.folder);
    unlink(trace);
    box_result_free(&t->result);
    run_trial(t, ptx, test_word(t->test, "launch"), ALONE);
    if (t->result.end == BOX_EXIT && file_there(trace))
        judge_alone(t->test, t->box.folder, "trace", row);
    free(trace);
}

/* ---- one test ---------------------------------------------------------------------------------- */

void judge_run(const struct grading *g, const struct test *test, struct row *row)
{
    const int inputs = (int)test_number(test, "inputs", 1, 1, 100);
    const char *ptx = g->sources[lab_source(g->lab, test_word(test, "file"))].ptx;
    const bool slow = row->endless;         /* another test had to be stopped: no need to wait as long again */
    row->endless = false;
    for (int i = 0; i < inputs && row->state == ROW_RUNS; i++) {
        struct trial t;
        open_trial(&t, g, test, i);
        t.limit *= slow ? 0.4 : 1;
        run_trial(&t, ptx, test_word(test, "launch"), AS_ASKED);
        judge_trial(&t, row);
        if (row->state == ROW_RUNS && test_word(test, "did"))
            judge_events(&t, row, ptx);
        if (row->state == ROW_RUNS && test_word(test, "alone"))
            judge_refused(&t, row, ptx);
        if (row->state == ROW_RUNS && test_word(test, "baseline"))
            judge_time(&t, row, ptx);
        box_result_free(&t.result);
        close_trial(&t);
    }
}

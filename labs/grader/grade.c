/*
 * All tests of a submission: first each source is compiled, then each test
 * runs as soon as what it needs is done. A process for each, so many at once
 * as there are jobs; what one of them does to itself hurts nobody else.
 */
#define _GNU_SOURCE
#include "grading.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- rows ------------------------------------------------------------------------- */

void row_fail(struct row *row, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char raw[sizeof row->sentence];
    vsnprintf(raw, sizeof raw, format, list);
    va_end(list);
    row_keep(row->sentence, sizeof row->sentence, raw, NULL);
    row->state = ROW_FAILED;
    row->points = 0;
}

/* The length of a place inside the box that begins a path here: /box/ of /box/steal.cu, not of /usr/box/steal.cu. */
static size_t place_inside(const char *begin, const char *at)
{
    static const char *const places_inside[] = { "/box/", "/data/", "/include/" };
    const bool goes_on = at > begin && (isalnum((unsigned char)at[-1]) || strchr("._-/", at[-1]));
    for (size_t i = 0; i < 3 && !goes_on; i++)
        if (strncmp(at, places_inside[i], strlen(places_inside[i])) == 0)
            return strlen(places_inside[i]);
    return 0;
}

/* Control characters (of both sets) and what is no UTF-8 become a question mark. Returns the bytes that were read. */
static size_t keep_character(char *to, size_t *count, const char *from)
{
    const int length = utf8_length(from);
    if (length == 0 || (utf8_control(from) && *from != '\n' && *from != '\t')) {
        to[(*count)++] = '?';
        return length ? (size_t)length : 1;
    }
    memcpy(to + *count, from, (size_t)length);
    *count += (size_t)length;
    return (size_t)length;
}

/* What a terminal or a reader should not get: control characters, and where on this machine we work. */
void row_keep(char *to, size_t size, const char *text, const char *scratch)
{
    const char *begin = text;
    const size_t length = scratch ? strlen(scratch) : 0;
    size_t count = 0;
    while (*text && count + 40 < size) {
        const size_t skipped = place_inside(begin, text);
        if (scratch && length && strncmp(text, scratch, length) == 0) {
            text += length;
            text += strspn(text, "/");
        } else if (skipped) {
            text += skipped;
        } else {
            text += keep_character(to, &count, text);
        }
    }
    to[count] = '\0';
    if (*text)
        snprintf(to + count, size - count, "\n... (more was left out)\n");
}

const struct test *row_test(const struct grading *g, int row)
{
    return row < g->lab->source_count ? NULL : &g->lab->tests[row - g->lab->source_count];
}

/* The row that compiles what the test runs; -1: it needs none. */
static int compiled_in(const struct grading *g, const struct test *test)
{
    if (test->kind == KIND_RUN || test->kind == KIND_PTX || test->kind == KIND_SOURCE)
        return lab_source(g->lab, test_word(test, "file"));
    return -1;
}

/* Is every source named by a test? Only those are compiled. */
static bool source_used(const struct grading *g, int source)
{
    for (int i = 0; i < g->lab->test_count; i++)
        if (compiled_in(g, &g->lab->tests[i]) == source)
            return true;
    return false;
}

/* ---- what may run ------------------------------------------------------------------- */

static bool is_done(const struct row *row) { return row->state != ROW_WAITS && row->state != ROW_RUNS; }

static int parent_row(const struct grading *g, const char *id, size_t length)
{
    for (int i = 0; i < g->lab->test_count; i++)
        if (strlen(g->lab->tests[i].id) == length && memcmp(g->lab->tests[i].id, id, length) == 0)
            return g->lab->source_count + i;
    return -1;
}

/* May it start? If something it needs failed, it is skipped here and now. */
static bool ready(struct grading *g, int index)
{
    const struct test *test = row_test(g, index);
    struct row *row = &g->rows[index];
    if (row->state != ROW_WAITS)
        return false;
    if (!test)
        return true;
    const int compiled = compiled_in(g, test);
    if (compiled >= 0 && !is_done(&g->rows[compiled]))
        return false;
    if (compiled >= 0 && g->rows[compiled].state != ROW_PASSED) {
        row_fail(row, "%s does not compile", g->lab->sources[compiled]);
        row->state = ROW_SKIPPED;
        return false;
    }
    for (const char *p = test->needs; *p;) {
        const size_t length = strcspn(p, ",");
        const int parent = parent_row(g, p, length);
        if (!is_done(&g->rows[parent]))
            return false;
        if (g->rows[parent].state != ROW_PASSED) {
            row_fail(row, "it needs '%.*s' first", (int)length, p);
            row->state = ROW_SKIPPED;
            return false;
        }
        p += length + (p[length] == ',');
    }
    return true;
}

/* ---- points given by a person -------------------------------------------------------- */

/* Lines of marks.tsv: student, lab, id, points. -1: none for this test. */
static int mark_of(const struct grading *g, const struct test *test)
{
    struct text text = { 0 };
    char why[WHY], *at;
    int mark = -1, number = 0;
    if (!places.hidden || !g->student || !file_get(places.hidden, "marks.tsv", 1 << 22, &text, why))
        return -1;
    at = text.at;
    for (char *line; (line = line_next(&at));) {
        char *field[4];
        long long points;
        number++;
        if (!*line || *line == '#' || number == 1)
            continue;
        if (fields_cut(line, '\t', field, 4) != 4 || !number_read(field[3], 0, 1000, &points))
            die(ENDS_USAGE, "%s/marks.tsv:%d: want student, lab, id, points, with tabs between them", places.hidden, number);
        if (strcmp(field[0], g->student) == 0 && strcmp(field[1], g->lab->name) == 0 && strcmp(field[2], test->id) == 0)
            mark = points > test->points ? test->points : (int)points;
    }
    text_free(&text);
    return mark;
}

static void judge_manual(const struct grading *g, const struct test *test, struct row *row)
{
    const int mark = mark_of(g, test);
    row->state = mark < 0 ? ROW_BY_HAND : mark == test->points ? ROW_PASSED : ROW_PART;
    row->points = mark < 0 ? 0 : mark;
}

/* ---- one row, in a process of its own ---------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void judge_test(const struct grading *g, const struct test *test, struct row *row)
{
    switch (test->kind) {
    case KIND_RUN: judge_run(g, test, row); break;
    case KIND_SOURCE:
    case KIND_PTX: judge_text(g, test, row); break;
    case KIND_TABLE: judge_table(g, test, row); break;
    case KIND_MANUAL: judge_manual(g, test, row); break;
    case KIND_COUNT: break;
    }
    if (row->state == ROW_RUNS) {
        row->state = ROW_PASSED;
        row->points = test->points;
    }
}

static void do_row(const struct grading *g, int index)
{
    struct row *row = &g->rows[index];
    const double began = now();
    const struct test *test = row_test(g, index);
    if (test)
        judge_test(g, test, row);
    else if (source_used(g, index))
        compile_source(g, index, row);
    else
        row->state = ROW_PASSED;
    row->seconds = now() - began;
}

static pid_t start_row(struct grading *g, int index, bool slow)
{
    g->rows[index].state = ROW_RUNS;
    g->rows[index].endless = slow;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        die(ENDS_MACHINE, "no process can be started: %s", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        do_row(g, index);
        fflush(NULL);
        _exit(0);
    }
    return pid;
}

/* The process ended; if it did not finish its row, that is no fault of the student's. */
static void end_row(struct grading *g, int index, int status)
{
    struct row *row = &g->rows[index];
    if (row->state != ROW_RUNS && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    row_fail(row, "the grader could not do this test (its sentence is on standard error)");
    row->code = WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : ENDS_BROKEN;
}

/* ---- all rows ------------------------------------------------------------------------------ */

struct crew { pid_t pid[64]; int row[64]; int count; bool slow; };

static void start_ready(struct grading *g, struct crew *crew)
{
    for (int i = 0; i < g->row_count && crew->count < g->jobs; i++)
        if (ready(g, i)) {
            crew->pid[crew->count] = start_row(g, i, crew->slow);
            crew->row[crew->count++] = i;
        }
}

static void wait_one(struct grading *g, struct crew *crew)
{
    int status;
    const pid_t pid = waitpid(-1, &status, 0);
    for (int i = 0; i < crew->count; i++) {
        if (crew->pid[i] != pid)
            continue;
        end_row(g, crew->row[i], status);
        crew->slow = crew->slow || (g->rows[crew->row[i]].endless && row_test(g, crew->row[i]));
        crew->count--;
        crew->pid[i] = crew->pid[crew->count];
        crew->row[i] = crew->row[crew->count];
        return;
    }
    if (pid < 0 && errno != EINTR)
        die(ENDS_BROKEN, "a process of the grader was lost");
}

static void add_up(struct grading *g)
{
    g->first_failure = -1;
    for (int i = 0; i < g->row_count; i++) {
        const struct row *row = &g->rows[i];
        const struct test *test = row_test(g, i);
        const bool open = test && row->state == ROW_BY_HAND;
        g->points += row->points;
        g->of += test && !open ? test->points : 0;
        g->open += open ? test->points : 0;
        if (g->first_failure < 0 && (row->state == ROW_FAILED || row->state == ROW_PART))
            g->first_failure = i;
        if (row->code > g->code)
            g->code = row->code;
    }
    if (g->code < ENDS_USAGE)
        g->code = g->first_failure < 0 ? ENDS_RIGHT : ENDS_WRONG;
}

void grade(struct grading *g, void (*show)(const struct grading *g, int row))
{
    struct crew crew = { .count = 0 };
    const double began = now();
    int shown = 0;
    g->row_count = g->lab->source_count + g->lab->test_count;
    const size_t size = (size_t)(g->row_count + 1) * sizeof *g->rows;
    g->rows = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (g->rows == MAP_FAILED)
        die(ENDS_MACHINE, "memory is out");
    if (g->jobs > 64)
        g->jobs = 64;
    while (shown < g->row_count) {
        start_ready(g, &crew);
        if (crew.count > 0)
            wait_one(g, &crew);
        for (; shown < g->row_count && is_done(&g->rows[shown]); shown++)
            if (show)
                show(g, shown);
    }
    g->seconds = now() - began;
    add_up(g);
}

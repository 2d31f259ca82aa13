/*
 * What a reader sees of a grade: a line a test, the first failure in full,
 * and the form that Gradescope reads (results.json, as its documentation for
 * autograders has it).
 */
#include "grading.h"

#include <string.h>

#include "json.h"

static const char *const words[] = { [ROW_WAITS] = "-", [ROW_RUNS] = "-", [ROW_PASSED] = "ok", [ROW_PART] = "part", [ROW_FAILED] = "FAIL",
                                     [ROW_SKIPPED] = "-", [ROW_BY_HAND] = "hand" };

/* "steal.cu compiles", or the test's own text. */
static void say_what(char *to, size_t size, const struct grading *g, int index)
{
    const struct test *test = row_test(g, index);
    if (test)
        snprintf(to, size, "%s", test->text);
    else
        snprintf(to, size, "%s compiles", g->lab->sources[index]);
}

void report_row(FILE *out, const struct grading *g, int index)
{
    const struct row *row = &g->rows[index];
    const struct test *test = row_test(g, index);
    char what[200], points[24];
    say_what(what, sizeof what, g, index);
    if (row->state == ROW_BY_HAND)
        snprintf(points, sizeof points, "?/%d", test->points);
    else
        snprintf(points, sizeof points, "%d/%d", row->points, test ? test->points : 0);
    fprintf(out, "  %-5s %-52s %7s", words[row->state], what, test ? points : "");
    if (row->state == ROW_SKIPPED)
        fprintf(out, "          %s\n", row->sentence);
    else if (row->state == ROW_BY_HAND)
        fprintf(out, "          by hand\n");
    else
        fprintf(out, "  %5.1f s%s\n", row->seconds, test && test->hidden ? "  (hidden)" : "");
    fflush(out);
}

static void indent(FILE *out, const char *lead, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", lead, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* Does the report begin with what the sentence says? */
static bool says_it(const char *report, const char *sentence)
{
    return strncmp(report, sentence, strlen(sentence)) == 0 && *sentence;
}

void report_failure(FILE *out, const struct grading *g)
{
    char what[200];
    if (g->first_failure < 0)
        return;
    const struct row *row = &g->rows[g->first_failure];
    say_what(what, sizeof what, g, g->first_failure);
    fprintf(out, "First failure: %s\n", what);
    if (!says_it(row->report, row->sentence))
        indent(out, "  ", row->sentence);
    indent(out, "  ", row->report);
    if (*row->printed) {
        fprintf(out, "  the kernel printed (which counts for nothing):\n");
        indent(out, "  | ", row->printed);
    }
}

void report_score(FILE *out, const struct grading *g)
{
    fprintf(out, "score %d of %d", g->points, g->of);
    if (g->open)
        fprintf(out, ", and %d points by hand", g->open);
    fprintf(out, "  (%.1f s)\n", g->seconds);
}

/* ---- results.json -------------------------------------------------------------------- */

static void add_test(struct text *out, const struct grading *g, int index)
{
    const struct row *row = &g->rows[index];
    const struct test *test = row_test(g, index);
    struct text output = { 0 };
    char what[200];
    say_what(what, sizeof what, g, index);
    text_add(&output, "%s", row->sentence);
    if (*row->report)
        text_add(&output, "%s%s", output.length ? "\n" : "", row->report);
    text_add(out, "    {\"name\": ");
    json_add(out, what);
    text_add(out, ", \"number\": ");
    json_add(out, test ? test->id : "compiles");
    if (row->state != ROW_BY_HAND)
        text_add(out, ", \"score\": %d, \"max_score\": %d, \"status\": \"%s\"", row->points, test ? test->points : 0,
                 row->state == ROW_PASSED ? "passed" : "failed");
    text_add(out, ", \"visibility\": \"%s\", \"output\": ", test && test->hidden ? "hidden" : "visible");
    json_add(out, row->state == ROW_BY_HAND ? "by hand" : text_of(&output));
    text_add(out, "}");
    text_free(&output);
}

void report_gradescope(struct text *out, const struct grading *g)
{
    text_add(out, "{\n  \"score\": %d,\n  \"execution_time\": %.1f,\n  \"visibility\": \"visible\",\n  \"output\": ", g->points, g->seconds);
    json_add(out, *box_missing() ? box_missing() : "");
    text_add(out, ",\n  \"tests\": [\n");
    for (int i = 0; i < g->row_count; i++) {
        add_test(out, g, i);
        text_add(out, i + 1 < g->row_count ? ",\n" : "\n");
    }
    text_add(out, "  ],\n  \"extra_data\": {\"lab\": ");
    json_add(out, g->lab->name);
    text_add(out, ", \"max_score\": %d, \"by_hand\": %d, \"seed\": \"%llu\"}\n}\n", g->of, g->open, (unsigned long long)g->seed);
}

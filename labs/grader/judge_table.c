/*
 * Tests of kind table: a CSV file of the student beside one of ours, row by
 * row. Points in proportion to the rows that are right.
 * Not modelled: quoted fields with commas or line ends in them.
 */
#define _GNU_SOURCE
#include "grading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_ROWS = 200, MOST_COLUMNS = 16, MOST_CSV = 1 << 16 };

struct csv {
    struct text text;
    char *cell[MOST_ROWS][MOST_COLUMNS];     /* row 0: the header */
    int rows, columns;
};

/* ---- reading ------------------------------------------------------------------------ */

static char *trim(char *s)
{
    s += strspn(s, " \t\"");
    size_t length = strlen(s);
    while (length > 0 && strchr(" \t\"", s[length - 1]))
        s[--length] = '\0';
    return s;
}

/* false: `why` says what is wrong with the line. */
static bool csv_split(struct csv *csv, char why[WHY])
{
    char *at = csv->text.at;
    int number = 0;
    for (char *line; (line = line_next(&at));) {
        number++;
        if (!*trim(line) || *line == '#')
            continue;
        if (csv->rows == MOST_ROWS) {
            snprintf(why, WHY, "has more than %d rows", MOST_ROWS);
            return false;
        }
        const int count = fields_cut(line, ',', csv->cell[csv->rows], MOST_COLUMNS);
        if (csv->rows > 0 && count != csv->columns) {
            snprintf(why, WHY, "has %d fields in line %d, and %d in its first line", count, number, csv->columns);
            return false;
        }
        for (int i = 0; i < count; i++)
            csv->cell[csv->rows][i] = trim(csv->cell[csv->rows][i]);
        csv->columns = count;
        csv->rows++;
    }
    snprintf(why, WHY, "is empty");
    return csv->rows > 0;
}

static bool csv_read(struct csv *csv, const char *folder, const char *name, char why[WHY])
{
    *csv = (struct csv){ 0 };
    if (!file_get(folder, name, MOST_CSV, &csv->text, why))
        return false;
    return csv_split(csv, why);
}

/* The column of that name (up to `length`); -1: none. */
static int csv_column(const struct csv *csv, const char *name, size_t length)
{
    for (int i = 0; i < csv->columns; i++)
        if (strlen(csv->cell[0][i]) == length && strncasecmp(csv->cell[0][i], name, length) == 0)
            return i;
    return -1;
}

static int csv_row(const struct csv *csv, int column, const char *value)
{
    for (int i = 1; i < csv->rows; i++)
        if (strcasecmp(csv->cell[i][column], value) == 0)
            return i;
    return -1;
}

/* ---- one field ------------------------------------------------------------------------- */

/* "2%" of the wanted number, or "3" either way. */
static bool near_enough(double got, double want, const char *tolerance)
{
    char *end;
    const double most = tolerance ? strtod(tolerance, &end) : 0;
    const double allowed = tolerance && *end == '%' ? fabs(want) * most / 100 : most;
    return fabs(got - want) <= allowed * (1 + 1e-9);
}

static bool one_alternative(const char *got, const char *want, const char *tolerance)
{
    double number, low, high;
    const char *dots = strstr(want, "..");
    char *least = form("%.*s", dots ? (int)(dots - want) : 0, want);
    const bool range = dots && real_read(least, &low) && real_read(dots + 2, &high);
    free(least);
    if (strcmp(want, "*") == 0)
        return true;
    if (range)
        return real_read(got, &number) && low <= number && number <= high;
    if (real_read(want, &low))
        return real_read(got, &number) && near_enough(number, low, tolerance);
    return strcasecmp(got, want) == 0;
}

static bool field_right(const char *got, const char *want, const char *tolerance)
{
    char *copy = form("%s", want), *field[16];
    const int count = fields_cut(copy, ';', field, 16);
    bool right = false;
    for (int i = 0; !right && i < count; i++)
        right = one_alternative(got, trim(field[i]), tolerance);
    free(copy);
    return right;
}

/* ---- all rows ----------------------------------------------------------------------------- */

struct tally { int rows, right, wrong, open; struct text which; };

enum answer { ANSWER_RIGHT, ANSWER_WRONG, ANSWER_OPEN };

static enum answer judge_row(const struct test *test, const struct csv *got, int row, const struct csv *want, int wanted)
{
    for (const char *p = test_word(test, "columns"); *p;) {
        const size_t length = strcspn(p, ",");
        const int theirs = csv_column(got, p, length), ours = csv_column(want, p, length);
        if (ours < 0)
            die(ENDS_USAGE, "%s: %s has no column %.*s", test->where, test_word(test, "want"), (int)length, p);
        if (theirs < 0 || row < 0 || !*got->cell[row][theirs])
            return ANSWER_OPEN;
        if (!field_right(got->cell[row][theirs], want->cell[wanted][ours], test_word(test, "tolerance")))
            return ANSWER_WRONG;
        p += length + (p[length] == ',');
    }
    return ANSWER_RIGHT;
}

static void judge_rows(const struct test *test, const struct csv *got, const struct csv *want, struct tally *tally)
{
    const char *key = test_word(test, "key");
    const int theirs = csv_column(got, key, strlen(key)), ours = csv_column(want, key, strlen(key));
    if (ours < 0)
        die(ENDS_USAGE, "%s: %s has no column %s", test->where, test_word(test, "want"), key);
    for (int i = 1; i < want->rows; i++) {
        const int row = theirs < 0 ? -1 : csv_row(got, theirs, want->cell[i][ours]);
        const enum answer answer = judge_row(test, got, row, want, i);
        tally->rows++;
        tally->right += answer == ANSWER_RIGHT;
        tally->wrong += answer == ANSWER_WRONG;
        tally->open += answer == ANSWER_OPEN;
        if (answer != ANSWER_RIGHT)
            text_add(&tally->which, "    %s %s\n", want->cell[i][ours], answer == ANSWER_OPEN ? "has no answer" : "is not right");
    }
}

static void give_points(const struct test *test, struct row *row, const struct tally *tally)
{
    const bool dear = test_number(test, "wrong", 0, -1, 0) == -1;
    const int counted = dear ? tally->right - tally->wrong : tally->right;
    if (tally->right == tally->rows)
        return;
    row_fail(row, "%s: %d of %d rows are right, %d wrong, %d without an answer%s", test_word(test, "file"), tally->right, tally->rows,
             tally->wrong, tally->open, dear && tally->wrong ? "; a wrong one takes a right one away" : "");
    if (counted > 0 && test->points > 0) {
        row->points = test->points * counted / tally->rows;
        row->state = ROW_PART;
    }
    if (!dear)                  /* where guessing costs, nobody is told which */
        snprintf(row->report, sizeof row->report, "%.*s", (int)sizeof row->report - 1, text_of(&tally->which));
}

/* The wanted table: a file of the instructor's, or what reference.c makes of the student's seed. */
enum wanted { WANTED, WANTED_SEED, WANTED_NOT_HERE };

static enum wanted read_wanted(const struct grading *g, const struct test *test, struct csv *want)
{
    const char *name = test_word(test, "want");
    char why[WHY], *folder = form("%s/table-%s", g->scratch, test->id), *own = lab_file(g->lab, name);
    enum wanted result = WANTED;
    folder_make(folder);
    if (!own && *g->seed_why)
        result = WANTED_SEED;
    else if (!own)
        inputs_make(g->lab, test, "test", g->student_seed, folder, NULL);
    char *made = form("%s/%s", folder, name);
    if (result == WANTED && !own && !file_there(made) && places_handout())
        result = WANTED_NOT_HERE;       /* the answers stayed with whoever teaches */
    else if (result == WANTED && !csv_read(want, own ? "." : folder, own ? own : name, why))
        die(ENDS_USAGE, "%s: want=%s %s", test->where, name, why);
    free(made);
    free(own);
    free(folder);
    return result;
}

void judge_table(const struct grading *g, const struct test *test, struct row *row)
{
    struct csv *got = room_for(1, sizeof *got), *want = room_for(1, sizeof *want);
    struct tally tally = { 0 };
    char why[WHY];
    const enum wanted wanted = read_wanted(g, test, want);
    if (wanted == WANTED_NOT_HERE) {
        row->state = ROW_BY_HAND;
    } else if (wanted == WANTED_SEED) {
        row_fail(row, "%s", g->seed_why);
    } else if (!csv_read(got, g->folder, test_word(test, "file"), why)) {
        row_fail(row, "%s/%s %s", g->folder, test_word(test, "file"), why);
    } else {
        judge_rows(test, got, want, &tally);
        give_points(test, row, &tally);
    }
    text_free(&got->text);
    text_free(&want->text);
    text_free(&tally.which);
    free(got);
    free(want);
}

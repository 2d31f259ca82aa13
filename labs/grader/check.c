/*
 * Is a lab sound? See check.h.
 */
#define _GNU_SOURCE
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "give.h"
#include "submission.h"

static int complain(const struct lab *lab, const char *sentence)
{
    printf("%s: %s\n", lab->name, sentence);
    return 1;
}

/* What can be seen without running anything. */
static int check_form(const struct lab *lab)
{
    int bad = 0;
    if (!file_there(lab->page))
        bad += complain(lab, "its page, README.md, is not there");
    if (lab->points != 0 && lab->points != 100) {
        char *sentence = form("its points add up to %d, not to 100", lab->points);
        bad += complain(lab, sentence);
        free(sentence);
    }
    for (int i = 1; i <= 3; i++)
        free(give_hint(lab, i));
    return bad;
}

/* Which rows are not full, for the one who reads it. */
static void print_grade(const struct grading *g, const char *what)
{
    printf("%s: the %s:\n", g->lab->name, what);
    for (int i = 0; i < g->row_count; i++)
        report_row(stdout, g, i);
    report_score(stdout, g);
    report_failure(stdout, g);
}

static bool compiles(const struct grading *g)
{
    bool all = true;
    for (int i = 0; i < g->lab->source_count; i++)
        all = all && g->rows[i].state == ROW_PASSED;
    return all;
}

static int check_part(const struct lab *lab, enum part part, int seed, int jobs)
{
    const char *what = part == PART_SOLUTION ? "solution" : "skeleton";
    char *folder = form("%s/%s-%d", tools.scratch, what, seed), *text = form("%d", seed);
    struct grading g;
    int kept;
    give_lab(lab, (uint64_t)seed, folder, &kept);
    if (part == PART_SOLUTION) {
        folder_drop(folder);
        folder_make(folder);
        char *path = form("%s/seed", folder), *line = form("%d\n", seed);
        file_put(path, line, strlen(line));
        give_files(lab, part, (uint64_t)seed, folder, &kept);
        free(path);
        free(line);
    }
    submission_grade(&g, lab, folder, NULL, text, jobs, true, NULL);
    const bool full = g.points == g.of && g.code == ENDS_RIGHT;
    const bool sound = part == PART_SOLUTION ? full : compiles(&g) && (!full || lab->points == 0);
    if (!sound)
        print_grade(&g, part == PART_SOLUTION ? "solution does not get every point"
                                              : "skeleton should compile and should not get every point");
    else
        printf("%s: seed %d, the %s gets %d of %d (%.1f s)\n", lab->name, seed, what, g.points, g.of, g.seconds);
    fflush(stdout);
    grading_close(&g);
    folder_drop(folder);
    free(folder);
    free(text);
    return sound ? 0 : 1;
}

int lab_check(const struct lab *lab, int jobs)
{
    int bad = check_form(lab);
    for (int seed = 1; seed <= 2; seed++) {
        bad += check_part(lab, PART_SKELETON, seed, jobs);
        bad += check_part(lab, PART_SOLUTION, seed, jobs);
    }
    return bad;
}

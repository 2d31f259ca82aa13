/*
 * The state of a student's labs: see progress.h.
 */
#define _GNU_SOURCE
#include "progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char header[] = "lab\tbest\tlast\tof\thints\tpassed\tsolution\n";

static char *state_path(void) { return form("%s/progress.tsv", places.work); }

/* ---- reading ----------------------------------------------------------------------- */

static bool read_line(struct progress *p, char *line)
{
    char *field[7];
    long long n[6];
    static const int least[] = { -1, -1, 0, 0, 0, 0 }, most[] = { 1000, 1000, 1000, 3, 1, 1 };
    if (fields_cut(line, '\t', field, 7) != 7 || *field[0] != 'L' || strlen(field[0]) >= sizeof p->lab)
        return false;
    for (int i = 0; i < 6; i++)
        if (!number_read(field[i + 1], least[i], most[i], &n[i]))
            return false;
    *p = (struct progress){ .best = (int)n[0], .last = (int)n[1], .of = (int)n[2], .hints = (int)n[3], .passed = n[4] == 1,
                            .solution = n[5] == 1 };
    strcpy(p->lab, field[0]);
    return true;
}

static void put_aside(const char *path, int number)
{
    char *aside = form("%s.damaged", path);
    if (rename(path, aside) != 0)
        die(ENDS_MACHINE, "%s:%d makes no sense, and cannot be put aside", path, number);
    fprintf(stderr, "%s:%d makes no sense; the file is now %s, and what it knew begins anew\n", path, number, aside);
    free(aside);
}

/* All lines; returns how many. */
static int read_all(struct progress *all, int most)
{
    struct text text = { 0 };
    char why[WHY], *path = state_path(), *at, *copy;
    int count = 0, number = 0;
    bool sound = true;
    if (!file_there(path)) {
        free(path);
        return 0;
    }
    if (!file_get(".", path, 1 << 16, &text, why))
        die(ENDS_MACHINE, "%s %s", path, why);
    sound = strncmp(text_of(&text), header, sizeof header - 1) == 0;
    at = copy = form("%s", text_of(&text));
    for (char *line; sound && (line = line_next(&at));)
        if (++number > 1 && *line)
            sound = count < most && read_line(&all[count], line) && ++count;
    if (!sound) {
        put_aside(path, number > 0 ? number : 1);
        count = 0;
    }
    free(copy);
    free(path);
    text_free(&text);
    return count;
}

struct progress progress_of(const struct lab *lab)
{
    struct progress all[MOST_LABS], none = { .best = -1, .last = -1, .of = lab->points };
    const int count = read_all(all, MOST_LABS);
    for (int i = 0; i < count; i++)
        if (strcmp(all[i].lab, lab->name) == 0)
            return all[i];
    snprintf(none.lab, sizeof none.lab, "%s", lab->name);
    return none;
}

/* ---- writing ------------------------------------------------------------------------- */

static void write_all(const struct progress *all, int count)
{
    struct text text = { 0 };
    char *path = state_path();
    text_add(&text, "%s", header);
    for (int i = 0; i < count; i++)
        text_add(&text, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", all[i].lab, all[i].best, all[i].last, all[i].of, all[i].hints, all[i].passed,
                 all[i].solution);
    file_put(path, text_of(&text), text.length);
    text_free(&text);
    free(path);
}

void progress_put(const struct progress *p)
{
    struct progress all[MOST_LABS + 1];
    folder_make(places.work);
    char *path = form("%s/.lock", places.work);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);     /* two grades at once */
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        die(ENDS_MACHINE, "%s cannot be locked", path);
    int count = read_all(all, MOST_LABS), i = 0;
    while (i < count && strcmp(all[i].lab, p->lab) != 0)
        i++;
    all[i] = *p;
    write_all(all, i == count ? count + 1 : count);
    close(lock);
    free(path);
}

/* ---- one line over all labs -------------------------------------------------------------- */

void progress_print(FILE *out)
{
    struct lab labs[MOST_LABS];
    const int count = labs_read(labs);
    fprintf(out, "Labs:");
    for (int i = 0; i < count; i++) {
        const struct progress p = progress_of(&labs[i]);
        if (p.best < 0)
            fprintf(out, "  L%d %s", labs[i].number, folder_there(labs[i].work) ? "begun" : "-");
        else if (p.of == 0)
            fprintf(out, "  L%d %s", labs[i].number, p.passed ? "done" : "begun");
        else
            fprintf(out, "  L%d %d/%d", labs[i].number, p.best, p.of);
    }
    fprintf(out, "   (%s/progress.tsv)\n", places.work);
}

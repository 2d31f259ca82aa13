/*
 * Handing out: see give.h.
 */
#define _GNU_SOURCE
#include "give.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grading.h"

enum { MOST_GIVEN = 1 << 22, HINTS = 3 };

struct given { const char *folder; int written, kept; };

static void put(struct given *given, const char *name, const struct text *text)
{
    char *path = form("%s/%s", given->folder, name);
    if (file_put_new(path, text_of(text), text->length))
        given->written++;
    else
        given->kept++;
    free(path);
}

/* ---- the lab's files ----------------------------------------------------------------- */

static void give_source(const struct lab *lab, const char *name, enum part part, struct given *given)
{
    struct text source = { 0 }, cut = { 0 };
    char why[WHY], *path = form("%s/%s", lab->instructor, name);
    if (!file_get(".", path, MOST_SOURCE_BYTES, &source, why))
        die(ENDS_USAGE, "%s %s", path, why);
    if (!regions_cut(path, text_of(&source), part, &cut, why))
        die(ENDS_USAGE, "%s", why);
    put(given, name, &cut);
    text_free(&source);
    text_free(&cut);
    free(path);
}

/* Every plain file of a folder, if there is one. */
static void give_folder(const char *folder, struct given *given)
{
    struct dirent **found;
    const int count = scandir(folder, &found, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct text text = { 0 };
        char why[WHY];
        if (*found[i]->d_name != '.' && file_get(folder, found[i]->d_name, MOST_GIVEN, &text, why))
            put(given, found[i]->d_name, &text);
        text_free(&text);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

/* Files that depend on the seed. */
static void give_made(const struct lab *lab, const char *mode, uint64_t seed, struct given *given)
{
    char *folder = form("%s/%s-%s", tools.scratch, mode, lab->name);
    folder_drop(folder);
    folder_make(folder);
    inputs_prepare(lab);
    inputs_make(lab, NULL, mode, seed, folder, NULL);
    char *settings = form("%s/settings", folder);
    unlink(settings);
    give_folder(folder, given);
    folder_drop(folder);
    free(settings);
    free(folder);
}

/* Its solution comes first where one is there: what is there already is kept. */
int give_files(const struct lab *lab, enum part part, uint64_t student_seed, const char *folder, int *kept)
{
    struct given given = { .folder = folder };
    char *give = form("%s/give", lab->instructor), *solution = form("%s/solution", lab->instructor);
    folder_make(folder);
    for (int i = 0; i < lab->source_count; i++)
        give_source(lab, lab->sources[i], part, &given);
    if (part == PART_SOLUTION) {
        give_folder(solution, &given);
        give_made(lab, "solve", student_seed, &given);
    }
    give_made(lab, "give", student_seed, &given);
    give_folder(give, &given);
    free(give);
    free(solution);
    *kept = given.kept;
    return given.written;
}

/* ---- page, Makefile, seed ------------------------------------------------------------- */

/* The page lies one folder deeper than where its links were written. */
static void give_page(const struct lab *lab, struct given *given)
{
    struct text page = { 0 }, out = { 0 };
    char why[WHY];
    if (!file_get(".", lab->page, MOST_GIVEN, &page, why))
        die(ENDS_USAGE, "%s %s", lab->page, why);
    for (const char *p = text_of(&page); *p;) {
        const char *link = strstr(p, "](../");
        const size_t length = link ? (size_t)(link - p) + 5 : strlen(p);
        text_bytes(&out, p, length);
        if (link)
            text_add(&out, "../");
        p += length;
    }
    put(given, "README.md", &out);
    text_free(&page);
    text_free(&out);
}

int give_lab(const struct lab *lab, uint64_t student_seed, const char *folder, int *kept)
{
    struct given given = { .folder = folder };
    struct text text = { 0 };
    int more = 0;
    folder_make(folder);
    give_page(lab, &given);
    text_add(&text, "# make: the grade so far; make hint, make solution. The same at the top: make grade N=%d\ninclude ../../lab.mk\n",
             lab->number);
    put(&given, "Makefile", &text);
    text_free(&text);
    if (inputs_seeded(lab)) {
        text_add(&text, "%" PRIu64 "\n", student_seed);
        put(&given, "seed", &text);
        text_free(&text);
        char why[WHY];                  /* the one that was there before, if it was */
        if (!give_seed(folder, &student_seed, why))
            die(ENDS_USAGE, "%s", why);
    }
    given.written += give_files(lab, PART_SKELETON, student_seed, folder, &more);
    *kept = given.kept + more;
    return given.written;
}

bool give_seed(const char *folder, uint64_t *seed, char why[WHY])
{
    struct text text = { 0 };
    char reason[WHY], *at;
    long long number = 0;
    bool got = file_get(folder, "seed", 100, &text, reason);
    if (!got) {
        snprintf(why, WHY, "%.200s/seed, which was handed out with the lab, %.100s", folder, reason);
    } else {
        at = text.at;
        char *line = line_next(&at);
        got = line && number_read(line, 0, INT64_MAX, &number);
        if (!got)
            snprintf(why, WHY, "%.200s/seed: '%.40s' is no number", folder, line ? line : "");
    }
    *seed = (uint64_t)number;
    text_free(&text);
    return got;
}

/* ---- hints --------------------------------------------------------------------------------- */

char *give_hint(const struct lab *lab, int number)
{
    struct text text = { 0 }, hint[HINTS + 1] = { 0 };
    char why[WHY], *path = form("%s/hints.txt", lab->instructor), *at;
    int count = 0;
    if (!file_get(".", path, 1 << 16, &text, why))
        die(ENDS_USAGE, "%s %s", path, why);
    at = text.at;
    for (char *line; (line = line_next(&at));) {
        if (strcmp(line, "---") == 0 && ++count >= HINTS)
            break;
        if (strcmp(line, "---") != 0 && (*line || hint[count].length))
            text_add(&hint[count], "%s\n", line);
    }
    if (count != HINTS - 1 || !hint[0].length || !hint[1].length || !hint[2].length)
        die(ENDS_USAGE, "%s: want three hints with a line --- between them", path);
    char *result = form("%s", text_of(&hint[number - 1]));
    for (int i = 0; i < HINTS; i++)
        text_free(&hint[i]);
    text_free(&text);
    free(path);
    return result;
}

/*
 * Grading one folder: see submission.h.
 */
#define _GNU_SOURCE
#include "submission.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "digest.h"
#include "give.h"

uint64_t seed_new(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
    return seed % 1000000;
}

/* The seed typed, and the secret of the hidden folder. */
static uint64_t mixed_seed(const char *seed)
{
    struct text secret = { 0 };
    char why[WHY];
    const bool hidden = places.hidden && file_get(places.hidden, "seed", 1 << 12, &secret, why);
    char *both = form("%s %s", seed, hidden ? text_of(&secret) : "");
    const uint64_t mixed = digest_number(both);
    free(both);
    text_free(&secret);
    return mixed;
}

/* seeds.tsv of the hidden folder: student, seed. false: no line for this one. */
static bool given_seed(const char *student, uint64_t *seed)
{
    struct text text = { 0 };
    char why[WHY], *at;
    bool found = false;
    int number = 0;
    if (!places.hidden || !student || !file_get(places.hidden, "seeds.tsv", 1 << 22, &text, why))
        return false;
    at = text.at;
    for (char *line; !found && (line = line_next(&at));) {
        char *field[2];
        long long n;
        number++;
        if (!*line || *line == '#' || number == 1)
            continue;
        if (fields_cut(line, '\t', field, 2) != 2 || !number_read(field[1], 0, INT64_MAX, &n))
            die(ENDS_USAGE, "%s/seeds.tsv:%d: want student and seed with a tab between them", places.hidden, number);
        found = strcmp(field[0], student) == 0;
        *seed = (uint64_t)n;
    }
    text_free(&text);
    return found;
}

bool submission_seed_given(const char *student)
{
    uint64_t seed;
    return given_seed(student, &seed);
}

void submission_grade(struct grading *g, const struct lab *lab, const char *folder, const char *student, const char *seed, int jobs,
                      bool tries, void (*show)(const struct grading *g, int row))
{
    *g = (struct grading){ .lab = lab, .folder = folder, .student = student, .seed = mixed_seed(seed), .tries = tries, .jobs = jobs };
    if (inputs_seeded(lab) && !given_seed(student, &g->student_seed))
        give_seed(folder, &g->student_seed, g->seed_why);
    if (lab->source_count && !tools.nvcc)
        die(ENDS_MACHINE, "there is %s, and a kernel must be compiled to be graded; make toolkit fetches a compiler",
            tools.why ? tools.why : "no nvcc");
    grading_open(g);
    grade(g, show);
}

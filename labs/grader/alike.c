/*
 * Which submissions of a class are alike: see alike.h.
 */
#include "alike.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "give.h"
#include "grading.h"
#include "regions.h"

enum { MOST_NAMES = 3 };

/* One thing of one submission. */
struct item {
    const struct lab *lab;
    const char *file;               /* a source of the lab, or "seed" */
    uint64_t print;
    size_t job;
};

struct items { struct item *at; size_t count, room; };

static uint64_t print_of(const char *source)
{
    struct text plain = { 0 };
    text_strip(source, &plain);
    const uint64_t print = digest_number(text_of(&plain));
    text_free(&plain);
    return print;
}

/* The fingerprint of what we hand out, or of our solution. */
static uint64_t print_of_ours(const struct lab *lab, const char *file, enum part part)
{
    struct text source = { 0 }, cut = { 0 };
    char why[WHY], *path = lab_file(lab, file);        /* of a private variant, if there is one */
    if (!path)
        die(ENDS_USAGE, "%s has no %s", lab->instructor, file);
    if (!file_get(".", path, MOST_SOURCE_BYTES, &source, why) || !regions_cut(path, text_of(&source), part, &cut, why))
        die(ENDS_USAGE, "%s", why);
    const uint64_t print = print_of(text_of(&cut));
    text_free(&source);
    text_free(&cut);
    free(path);
    return print;
}

static void add(struct items *items, struct item item)
{
    items->at = room_more(items->at, items->count, &items->room, sizeof *items->at);
    items->at[items->count++] = item;
}

/* ---- what there is ------------------------------------------------------------------ */

static void add_source(struct items *items, const struct alike_job *job, size_t number, const char *file, struct text *note)
{
    struct text source = { 0 };
    char why[WHY];
    if (file_get(job->folder, file, MOST_SOURCE_BYTES, &source, why)) {
        const uint64_t print = print_of(text_of(&source));
        if (print == print_of_ours(job->lab, file, PART_SOLUTION))
            text_add(note, "%s%s is our solution", note->length ? "; " : "", file);
        else if (print != print_of_ours(job->lab, file, PART_SKELETON))
            add(items, (struct item){ job->lab, file, print, number });
    }
    text_free(&source);
}

static void add_job(struct items *items, const struct alike_job *job, size_t number, struct text *note)
{
    uint64_t seed;
    char why[WHY];
    if (!job->folder)
        return;
    for (int i = 0; i < job->lab->source_count; i++)
        add_source(items, job, number, job->lab->sources[i], note);
    if (job->seeded && give_seed(job->folder, &seed, why))
        add(items, (struct item){ job->lab, "seed", seed, number });
}

/* ---- what is the same ------------------------------------------------------------------ */

static int compare(const void *one, const void *other)
{
    const struct item *a = one, *b = other;
    const int labs = a->lab->number - b->lab->number, files = strcmp(a->file, b->file);
    if (labs || files)
        return labs ? labs : files;
    if (a->print != b->print)
        return a->print < b->print ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

static bool same(const struct item *a, const struct item *b)
{
    return a->lab == b->lab && a->print == b->print && strcmp(a->file, b->file) == 0;
}

/* "phases.cu as ann, bob and 4 others" */
static void name_others(const struct alike_job *jobs, const struct item *group, size_t count, size_t self, struct text *note)
{
    size_t named = 0;
    text_add(note, "%s%s as ", note->length ? "; " : "", group[self].file);
    for (size_t i = 0; i < count && named < MOST_NAMES; i++)
        if (i != self)
            text_add(note, "%s%s", named++ ? ", " : "", jobs[group[i].job].student);
    if (count - 1 > named)
        text_add(note, " and %zu others", count - 1 - named);
}

char **alike_notes(const struct alike_job *jobs, size_t count)
{
    struct items items = { 0 };
    struct text *text = room_for(count, sizeof *text);
    char **notes = room_for(count, sizeof *notes);
    for (size_t i = 0; i < count; i++)
        add_job(&items, &jobs[i], i, &text[i]);
    if (items.count)
        qsort(items.at, items.count, sizeof *items.at, compare);
    for (size_t i = 0, end; i < items.count; i = end) {
        for (end = i + 1; end < items.count && same(&items.at[i], &items.at[end]); end++) {
        }
        for (size_t k = i; end - i > 1 && k < end; k++)
            name_others(jobs, items.at + i, end - i, k - i, &text[items.at[k].job]);
    }
    for (size_t i = 0; i < count; i++) {
        notes[i] = form("%s", text_of(&text[i]));
        text_free(&text[i]);
    }
    free(items.at);
    free(text);
    return notes;
}

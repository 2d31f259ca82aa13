/*
 * grade: hands out labs, grades them, gives hints. `make lab`, `make grade`
 * and their like call it at the top of the repository.
 *
 *   lab.c, regions.c   a lab's files      give.c    handing out
 *   grade.c            one submission     class.c   a whole class, alike.c
 *   box.c              limits             progress.c  how far the student is
 *
 * Ends with 0 all points, 1 not all, 2 usage, 3 the machine cannot, 4 outside
 * the emulator's coverage, 5 a fault of grader or emulator.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "class.h"
#include "give.h"
#include "progress.h"
#include "submission.h"

struct arguments {
    const char *what, *object;          /* "run", "3" */
    const char *more;                   /* a second one */
    const char *folder, *out, *student, *seed, *json;
    long long lab;
    int jobs;
    bool force, tries;
};

static const char usage[] =
    "usage: grade WHAT [OBJECT] [OPTION]...\n"
    "  lab N                  hands out lab N in labs/work/; keeps what is there\n"
    "  run N                  grades it, or --folder DIR\n"
    "  hint N                 the next of three hints\n"
    "  solution N             our solution, after a pass or with --force\n"
    "  progress               how far you are\n"
    "  all DIR                grades DIR/STUDENT/L3-steal/... into labs/work/grades/, or --out DIR\n"
    "  check [N]              for those who write a lab: is it sound?\n"
    "  inputs N ID --out DIR  the arrays of test ID in DIR; prints the settings of its launch file\n"
    "  cut FILE PART          FILE.cu without its regions: PART is skeleton, solution, or handout (regions kept, solutions empty)\n"
    "  --seed S               repeats fresh inputs; with lab: the student's seed\n"
    "  --folder DIR --student NAME --json FILE --tries      of run: another's files, results.json, reports with `try`\n"
    "  --lab N                of all: one lab only\n"
    "  --hidden DIR           an instructor's own tests and seeds\n"
    "  --labs DIR --work DIR  other places for labs and for the student's files\n"
    "  --jobs J               so many at once (default: as many as there are cores)\n"
    "Ends with 0 all points, 1 not all, 2 usage, 3 the machine cannot, 5 a fault of grader or emulator.\n";

/* ---- the command line ---------------------------------------------------------------- */

static const char *value_of(int argc, char **argv, int *at)
{
    if (*at + 1 >= argc)
        die(ENDS_USAGE, "%s needs a value; grade --help says more", argv[*at]);
    return argv[++*at];
}

static void read_option(struct arguments *a, int argc, char **argv, int *at)
{
    static const char *const names[] = { "--folder", "--out", "--student", "--seed", "--json", "--hidden", "--labs", "--work" };
    const char **places_of[] = { &a->folder, &a->out, &a->student, &a->seed, &a->json, &places.hidden, &places.labs, &places.work };
    const char *name = argv[*at];
    long long number;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *places_of[i] = value_of(argc, argv, at);
            return;
        }
    if (strcmp(name, "--force") == 0) {
        a->force = true;
    } else if (strcmp(name, "--tries") == 0) {
        a->tries = true;
    } else if (strcmp(name, "--jobs") == 0 || strcmp(name, "--lab") == 0) {
        const char *text = value_of(argc, argv, at);
        const bool jobs = name[2] == 'j';
        if (!number_read(text, jobs ? 1 : 0, jobs ? 64 : 99, &number))
            die(ENDS_USAGE, "%s %s: want a number%s", name, text, jobs ? " from 1 to 64" : "");
        a->jobs = jobs ? (int)number : a->jobs;
        a->lab = jobs ? a->lab : number;
    } else {
        die(ENDS_USAGE, "unknown option '%s'; grade --help lists them", name);
    }
}

static void read_arguments(struct arguments *a, int argc, char **argv)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *a = (struct arguments){ .lab = -1, .jobs = cores < 1 ? 1 : cores > 16 ? 16 : (int)cores };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(ENDS_RIGHT);
        }
        if (strncmp(argv[i], "--", 2) == 0)
            read_option(a, argc, argv, &i);
        else if (!a->what)
            a->what = argv[i];
        else if (!a->object)
            a->object = argv[i];
        else if ((strcmp(a->what, "cut") == 0 || strcmp(a->what, "inputs") == 0) && !a->more)
            a->more = argv[i];
        else
            die(ENDS_USAGE, "'%s' is a word too many; grade --help says more", argv[i]);
    }
    if (!a->what)
        die(ENDS_USAGE, "nothing asked for; grade --help says more");
    if (places.hidden && !*places.hidden)
        places.hidden = NULL;
    if (places.hidden && !folder_there(places.hidden))
        die(ENDS_USAGE, "HIDDEN=%s is no folder", places.hidden);
    if (a->seed && !*a->seed)
        a->seed = NULL;
    if (a->seed && (strlen(a->seed) > 18 || a->seed[strspn(a->seed, "0123456789")]))
        die(ENDS_USAGE, "SEED=%s: want a whole number", a->seed);
}

static void read_lab_named(struct lab *lab, const struct arguments *a)
{
    long long number;
    if (!a->object || !*a->object)
        die(ENDS_USAGE, "which lab? Say so with N=, as in make %s N=3", strcmp(a->what, "run") == 0 ? "grade" : a->what);
    if (!number_read(a->object, 0, 99, &number))
        die(ENDS_USAGE, "N=%s: want the number of a lab, such as 3", a->object);
    lab_read(lab, number);
}

/* ---- lab ----------------------------------------------------------------------------------- */

/* Is it a table that the student fills in? */
static bool is_table(const struct lab *lab, const char *name)
{
    bool table = false;
    for (int i = 0; i < lab->test_count && !table; i++)
        table = lab->tests[i].kind == KIND_TABLE && strcmp(test_word(&lab->tests[i], "file"), name) == 0;
    return table;
}

static int not_hidden(const struct dirent *entry) { return *entry->d_name != '.'; }

/* What lies there and is no source of the lab: tables to fill in, and what they are about. */
static void say_others(const struct lab *lab)
{
    struct dirent **found;
    char *given = form("%s/give", lab->instructor);
    int count = scandir(given, &found, not_hidden, alphasort);
    for (int i = 0; i < count; i++) {
        if (!is_table(lab, found[i]->d_name))
            printf("Read   %s/%s\n", lab->work, found[i]->d_name);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
    free(given);
    count = scandir(lab->work, &found, not_hidden, alphasort);
    for (int i = 0; i < count; i++) {
        if (is_table(lab, found[i]->d_name))
            printf("Edit   %s/%s\n", lab->work, found[i]->d_name);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

static int do_lab(const struct arguments *a)
{
    struct lab lab;
    int kept;
    read_lab_named(&lab, a);
    tools_find();
    const int written = give_lab(&lab, a->seed ? strtoull(a->seed, NULL, 10) : seed_new(), lab.work, &kept);
    printf("Lab %d: %s (%d minutes; chapter %s)\n", lab.number, lab.title, lab.minutes, lab.chapter);
    if (written == 0)
        printf("%s is complete already; nothing was changed\n", lab.work);
    else if (kept > 0)
        printf("%s had %d of its files; the %d that were missing are there again\n", lab.work, kept, written);
    printf("Read   %s/README.md\n", lab.work);
    say_others(&lab);
    for (int i = 0; i < lab.source_count; i++)
        printf("Edit   %s/%s\n", lab.work, lab.sources[i]);
    printf("Next: make grade N=%d\n", lab.number);
    return ENDS_RIGHT;
}

/* ---- run ------------------------------------------------------------------------------------ */

static bool source_missing(const struct grading *g)
{
    bool missing = false;
    for (int i = 0; i < g->lab->source_count && !missing; i++) {
        char *path = form("%s/%s", g->folder, g->lab->sources[i]);
        missing = !file_there(path);
        free(path);
    }
    return missing;
}

static void say_after_pass(int number)
{
    struct lab labs[MOST_LABS];
    const int count = labs_read(labs);
    const char *between = "Next: ";
    if (!places_handout()) {
        printf("Next: make solution N=%d shows ours", number);
        between = "; ";
    }
    for (int i = 0; i + 1 < count; i++)
        if (labs[i].number == number) {
            printf("%smake lab N=%d", between, labs[i + 1].number);
            between = "; ";
        }
    printf("%s\n", *between == 'N' ? "That was the last lab." : "");
}

static void say_next(const struct grading *g, const struct progress *p)
{
    const int number = g->lab->number;
    if (source_missing(g)) {
        printf("Next: make lab N=%d hands out again what is missing; make grade N=%d\n", number, number);
    } else if (g->code == ENDS_RIGHT) {
        say_after_pass(number);
    } else if (g->code == ENDS_WRONG && p->hints < 3) {
        printf("Next: make hint N=%d (%d of 3), or mend it, and then make grade N=%d\n", number, p->hints + 1, number);
    } else if (g->code == ENDS_WRONG) {
        printf("Next: mend it, and then make grade N=%d\n", number);
    } else {
        printf("Next: make grade N=%d again; this was not the kernel's doing\n", number);
    }
}

static void keep_progress(const struct grading *g)
{
    struct progress p = progress_of(g->lab);
    if (g->code <= ENDS_WRONG) {
        p.last = g->points;
        p.best = g->points > p.best ? g->points : p.best;
        p.of = g->of;
        p.passed = p.passed || g->code == ENDS_RIGHT;
        progress_put(&p);
    }
    say_next(g, &p);
    progress_print(stdout);
}

static void write_json(const char *path, const struct grading *g)
{
    struct text text = { 0 };
    report_gradescope(&text, g);
    file_put(path, text_of(&text), text.length);
    text_free(&text);
}

static void show_row(const struct grading *g, int row) { report_row(stdout, g, row); }

static int do_run(const struct arguments *a)
{
    struct lab lab;
    struct grading g;
    read_lab_named(&lab, a);
    const char *folder = a->folder ? a->folder : lab.work;
    if (!folder_there(folder))
        die(ENDS_USAGE, a->folder ? "%s is no folder" : "%s is not there; make lab N=%d hands it out", folder, lab.number);
    tools_find();
    char *seed = a->seed ? form("%s", a->seed) : form("%" PRIu64, seed_new());
    const bool tries = a->tries || (!a->folder && progress_of(&lab).hints > 0);
    printf("Lab %d: %s, SEED=%s\n", lab.number, lab.title, seed);
    submission_grade(&g, &lab, folder, a->student, seed, a->jobs, tries, show_row);
    report_score(stdout, &g);
    report_failure(stdout, &g);
    if (*box_missing())
        printf("note: %s\n", box_missing());
    if (a->json)
        write_json(a->json, &g);
    if (!a->folder)
        keep_progress(&g);
    grading_close(&g);
    free(seed);
    return g.code;
}

/* ---- hint, solution ---------------------------------------------------------------------------- */

static int do_hint(const struct arguments *a)
{
    struct lab lab;
    read_lab_named(&lab, a);
    struct progress p = progress_of(&lab);
    const int first = p.hints == 3 ? 1 : p.hints + 1, last = p.hints == 3 ? 3 : p.hints + 1;
    for (int i = first; i <= last; i++) {
        char *hint = give_hint(&lab, i);
        printf("Hint %d of 3 for lab %d\n%s", i, lab.number, hint);
        free(hint);
    }
    if (p.hints == 3)
        printf("That was all there is.\n");
    else if (p.hints == 0)
        printf("From now on reports say what to try.\n");
    p.hints = last;
    progress_put(&p);
    printf("Next: make %s N=%d\n", folder_there(lab.work) ? "grade" : "lab", lab.number);
    return ENDS_RIGHT;
}

static int do_solution(const struct arguments *a)
{
    struct lab lab;
    char why[WHY];
    uint64_t seed = 0;
    int kept;
    read_lab_named(&lab, a);
    struct progress p = progress_of(&lab);
    if (places_handout())
        die(ENDS_USAGE, "this copy was handed out without solutions; ask whoever teaches");
    if (!p.passed && !a->force)
        die(ENDS_USAGE, "lab %d is not passed yet; make solution N=%d FORCE=1 shows the solution all the same", lab.number, lab.number);
    if (inputs_seeded(&lab) && !give_seed(lab.work, &seed, why))
        die(ENDS_USAGE, "%s; make lab N=%d hands it out", why, lab.number);
    tools_find();
    char *folder = form("%s/solution", lab.work);
    folder_drop(folder);
    give_files(&lab, PART_SOLUTION, seed, folder, &kept);
    p.solution = true;
    progress_put(&p);
    printf("The solution of lab %d is in %s\n", lab.number, folder);
    for (int i = 0; i < lab.source_count; i++)
        printf("Next: diff %s/%s %s/%s\n", lab.work, lab.sources[i], folder, lab.sources[i]);
    free(folder);
    return ENDS_RIGHT;
}

/* ---- for instructors and authors ------------------------------------------------------------------ */

static int do_all(const struct arguments *a)
{
    if (!a->object || !*a->object)
        die(ENDS_USAGE, "which folder? Say so with DIR=, as in make grade-all DIR=submissions");
    char *path = form("%s", a->object);
    while (strlen(path) > 1 && path[strlen(path) - 1] == '/')
        path[strlen(path) - 1] = '\0';
    const char *slash = strrchr(path, '/');
    char *out = a->out && *a->out ? form("%s", a->out) : form("%s/grades/%s", places.work, slash ? slash + 1 : path);
    const struct class_options options = { .folder = path, .out = out, .lab = a->lab, .seed = a->seed, .jobs = a->jobs };
    tools_find();
    const int code = class_grade(&options);
    free(out);
    free(path);
    return code;
}

static int do_check(const struct arguments *a)
{
    struct lab *labs = room_for(MOST_LABS, sizeof *labs), lab;
    int count = 1, bad = 0;
    if (a->object)
        read_lab_named(&labs[0], a);
    else
        count = labs_read(labs);
    tools_find();
    for (int i = 0; i < count; i++) {
        lab_read(&lab, labs[i].number);
        bad += lab_check(&lab, a->jobs);
    }
    free(labs);
    printf(bad ? "%d findings\n" : "sound\n", bad);
    return bad ? ENDS_WRONG : ENDS_RIGHT;
}

static int do_cut(const struct arguments *a)
{
    struct text source = { 0 }, cut = { 0 };
    char why[WHY];
    static const char *const names[] = { [PART_SOLUTION] = "solution", [PART_SKELETON] = "skeleton", [PART_HANDOUT] = "handout" };
    int part = PART_SOLUTION;
    while (a->more && part <= PART_HANDOUT && strcmp(a->more, names[part]) != 0)
        part++;
    if (!a->object || !a->more || part > PART_HANDOUT)
        die(ENDS_USAGE, "want: grade cut FILE skeleton, or solution, or handout");
    if (!file_get(".", a->object, MOST_SOURCE_BYTES, &source, why))
        die(ENDS_USAGE, "%s %s", a->object, why);
    if (!regions_cut(a->object, text_of(&source), (enum part)part, &cut, why))
        die(ENDS_USAGE, "%s", why);
    fputs(text_of(&cut), stdout);
    text_free(&source);
    text_free(&cut);
    return ENDS_RIGHT;
}

static int do_inputs(const struct arguments *a)
{
    struct lab lab;
    struct text settings = { 0 };
    read_lab_named(&lab, a);
    tools_find();
    inputs_prepare(&lab);
    for (int i = 0; i < lab.test_count; i++)
        if (a->out && a->more && strcmp(lab.tests[i].id, a->more) == 0 && lab.tests[i].kind == KIND_RUN) {
            folder_make(a->out);
            inputs_make(&lab, &lab.tests[i], "test", a->seed ? strtoull(a->seed, NULL, 10) : seed_new(), a->out, &settings);
            for (int k = 0; k < lab.tests[i].word_count; k++)
                if (strncmp(lab.tests[i].words[k].key, "set.", 4) == 0)
                    text_add(&settings, "%s=%s\n", lab.tests[i].words[k].key + 4, lab.tests[i].words[k].value);
            fputs(text_of(&settings), stdout);
            text_free(&settings);
            return ENDS_RIGHT;
        }
    tools_end();
    die(ENDS_USAGE, "want: grade inputs N ID --out DIR, where ID is a test of kind run");
}

static int do_progress(const struct arguments *a)
{
    (void)a;
    progress_print(stdout);
    return ENDS_RIGHT;
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*act)(const struct arguments *a); } acts[] = {
        { "lab", do_lab }, { "run", do_run }, { "hint", do_hint }, { "solution", do_solution },
        { "all", do_all }, { "check", do_check }, { "cut", do_cut }, { "inputs", do_inputs }, { "progress", do_progress }
    };
    struct arguments a;
    read_arguments(&a, argc, argv);
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        if (strcmp(a.what, acts[i].name) != 0)
            continue;
        const int code = acts[i].act(&a);
        tools_end();
        if (fflush(stdout) != 0 || ferror(stdout))
            die(ENDS_MACHINE, "standard output cannot be written");
        return code;
    }
    die(ENDS_USAGE, "'%s' is nothing it does; grade --help says more", a.what);
}

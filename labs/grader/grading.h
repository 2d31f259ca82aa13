/*
 * One submission of one lab, while it is graded.
 *
 *   tools.c     what is here: nvcc, scratch folder     compile.c      a source to PTX, in a box
 *   inputs.c    reference.c's arrays and settings      judge_run.c    emu-run, in a box
 *   judge_did.c   what a kernel did, by its events     signature.c    what a kernel takes
 *   judge_text.c  sources, PTX                         judge_table.c  tables
 *   grade.c     all tests, in parallel, in order       report.c       what a reader sees
 */
#ifndef LABS_GRADING_H
#define LABS_GRADING_H

#include <stdint.h>

#include "box.h"
#include "lab.h"

enum row_state { ROW_WAITS, ROW_RUNS, ROW_PASSED, ROW_PART, ROW_FAILED, ROW_SKIPPED, ROW_BY_HAND };

/* The result of a test or a compilation. Lies in memory that processes share. */
struct row {
    enum row_state state;
    int points;
    int code;                   /* ENDS_MACHINE and above: not the student's doing */
    bool endless;               /* a limit on time stopped it */
    double seconds;
    char sentence[800];         /* what failed; "" if nothing did */
    char report[12000];         /* the checker's reports, the compiler's messages */
    char printed[1200];         /* the beginning of what the kernel printed */
};

struct source {
    bool there;
    char why[WHY];              /* why it is not */
    struct text text;
    char *ptx;                  /* where its PTX will be */
};

struct grading {
    const struct lab *lab;
    const char *folder;         /* of the submission */
    const char *student;        /* NULL: the one who types */
    uint64_t seed;              /* of fresh inputs */
    uint64_t student_seed;      /* of inputs that were handed out */
    char seed_why[WHY];         /* why there is no student_seed */
    bool tries;                 /* reports with their `try` line */
    int jobs;
    char *scratch;
    struct source sources[MOST_SOURCES];
    struct row *rows;           /* first one for each source, then one for each test */
    int row_count;
    /* Results. */
    int points, of;             /* without what is marked by hand and not marked yet */
    int open;                   /* points that a person still has to give */
    int first_failure;          /* row; -1: none */
    int code;
    double seconds;
};

/* Marks a row as failed, with a sentence. */
void row_fail(struct row *row, const char *format, ...) PRINTS(2, 3);
/* Text without the scratch folder's name, control characters and colours; fits or is cut with a line that says so. */
void row_keep(char *to, size_t size, const char *text, const char *scratch);

/* ---- tools.c: once a process ---- */
struct tools {
    char *nvcc, *version, *ccbin, *why;      /* nvcc NULL: none, `why` says so */
    char *headers;                           /* our own copy of common/ */
    char headers_digest[80];
    char *scratch;                           /* of this process */
};
extern struct tools tools;
void tools_find(void);                       /* what is here; makes the scratch folder */
void tools_end(void);
/* A program of ours, no student's text in it: its exit status, its standard error in *err. */
int tools_run(char *const argv[], struct text *err);

/* ---- parts of a grade ---- */
void grading_open(struct grading *g);        /* reads the submission; makes the rows */
void grading_close(struct grading *g);
void compile_source(const struct grading *g, int source, struct row *row);
/* An instructor's kernel, or `skeleton` or `solution` of the test's own file: the path of its PTX, malloc'ed; dies if it
 * does not compile. */
char *compile_own(const struct grading *g, const struct test *test, const char *name);
/* Builds reference.c if the lab has one; dies with the compiler's words. */
void inputs_prepare(const struct lab *lab);
/* Makes inputs in `folder`; adds --set options to `settings`, one a line. Dies if reference.c objects. */
void inputs_make(const struct lab *lab, const struct test *test, const char *mode, uint64_t seed, const char *folder,
                 struct text *settings);
bool inputs_seeded(const struct lab *lab);   /* has the lab files that depend on the student's seed? */
void judge_run(const struct grading *g, const struct test *test, struct row *row);
/* Judges did=, or alone=, by the trace `name` in `folder`. */
void judge_alone(const struct test *test, const char *folder, const char *name, struct row *row);
void judge_did(const struct test *test, const char *folder, const char *name, struct row *row);
void judge_text(const struct grading *g, const struct test *test, struct row *row);
void judge_table(const struct grading *g, const struct test *test, struct row *row);

/* A source without comments and strings; runs of blanks and line ends are one blank. */
void text_strip(const char *source, struct text *out);
/* "kernel_scale(float* data, int n)" of a source that defines that kernel; malloc'ed; NULL: it does not. */
char *signature_in(const char *source, const char *kernel);

/* ---- grade.c ---- */
/* `show` is called with each row as soon as all before it are done. */
void grade(struct grading *g, void (*show)(const struct grading *g, int row));
const struct test *row_test(const struct grading *g, int row);       /* NULL: a compilation */

/* ---- report.c ---- */
void report_row(FILE *out, const struct grading *g, int row);
void report_failure(FILE *out, const struct grading *g);
void report_score(FILE *out, const struct grading *g);
void report_gradescope(struct text *out, const struct grading *g);

#endif

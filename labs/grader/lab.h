/*
 * A lab as its folders describe it: labs.tsv, the page, and below
 * instructor/ the solutions with regions, tests.tsv, launches and hints.
 * An instructor's hidden folder adds rows to tests.tsv or replaces them, and a
 * file there is taken instead of the one of the same name here.
 */
#ifndef LABS_LAB_H
#define LABS_LAB_H

#include <stdint.h>

#include "text.h"

/* KIND(id, word, keys it takes) */
#define KINDS(KIND)                                                                                                    \
    KIND(RUN, "run",                                                                                                   \
         " file launch device inputs check schedules schedule refuse steals requests started did alone baseline"       \
         " baseline-launch factor limit steps in. set. ")                                                              \
    KIND(SOURCE, "source", " file require forbid ")                                                                    \
    KIND(PTX, "ptx", " file require forbid ")                                                                          \
    KIND(TABLE, "table", " file want key columns tolerance wrong in. ")                                                \
    KIND(MANUAL, "manual", " ")

enum kind {
#define KIND(id, word, keys) KIND_##id,
    KINDS(KIND)
#undef KIND
    KIND_COUNT
};

enum { MOST_WORDS = 32, MOST_TESTS = 100, MOST_LABS = 40, MOST_SOURCES = 16, MOST_SOURCE_BYTES = 256 * 1024 };

struct word { char *key, *value; };

struct test {
    char *id, *needs, *text;
    int points;
    enum kind kind;
    struct word words[MOST_WORDS];
    int word_count;
    bool hidden;                     /* from the hidden folder */
    char *where;                     /* "FILE:LINE" for messages */
};

struct lab {
    int number, minutes;
    char *slug, *title, *chapter;
    char *name;                      /* L3-steal */
    char *page, *instructor, *work;  /* README.md; folders */
    char *hidden;                    /* the lab's folder in the hidden one, or NULL */
    struct test *tests;              /* MOST_TESTS */
    int test_count;
    char *sources[MOST_SOURCES];     /* the student's .cu files, those with regions, in order */
    int source_count;
    int points;                      /* of all tests */
};

/* Where everything is; set once by main. */
struct places {
    const char *labs;                /* "labs" */
    const char *work;                /* "labs/work" */
    const char *hidden;              /* NULL: none */
};
extern struct places places;
bool places_handout(void);           /* is this a copy made by `make handout`, without solutions? */

/* All labs, in the order of labs.tsv; returns how many. `tests` are not read. */
int labs_read(struct lab *labs);
/* The lab of that number with its tests. Dies with a sentence if there is none or its files are wrong. */
void lab_read(struct lab *lab, long long number);
/* The same by name, L3-steal. false: no lab is called that. */
bool lab_find(struct lab *lab, const char *name);

/* The path of a file of the instructor's folder, hidden one first; malloc'ed; NULL: in neither. */
char *lab_file(const struct lab *lab, const char *name);
/* The value of a word; NULL: not given. */
const char *test_word(const struct test *test, const char *key);
long long test_number(const struct test *test, const char *key, long long otherwise, long long least, long long most);
/* Each dies if did= or alone= is not of the form that judge_did.c reads. */
void did_check(const struct test *test);
void alone_check(const struct test *test);
double test_real(const struct test *test, const char *key, double otherwise);
/* The file that holds a student's table or text, besides the sources. */
int lab_source(const struct lab *lab, const char *name);     /* -1: none of them */

#endif

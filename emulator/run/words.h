/*
 * Lines and words of a launch file, shared by launchfile.c (items) and value.c
 * (fields). A line is substituted, then cut into words; ';', '{' and '}' are
 * words of their own. Not for use outside these files.
 */
#ifndef EMU_RUN_WORDS_H
#define EMU_RUN_WORDS_H

#include "run/launchfile.h"

enum { MOST_WORDS = 4096 };

struct reader {
    struct launch_file *launch;
    const struct setting *settings;
    int setting_count;
    struct complaint *c;
    int line;
    char *text;              /* the line after substitution */
    char *words;             /* a copy, cut apart */
    char **word;             /* the words */
    size_t *start;           /* where each starts in `text` */
    int count, next;
};

/* "FILE:LINE: " and the sentence; false. */
#define wrong(...) (wrong_note(__VA_ARGS__), complained())
void wrong_note(struct reader *r, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;
#define out_of_memory(r) complain((r)->c, ENDS_MACHINE, "%s:%d: memory is out", (r)->launch->path, (r)->line)
char *copy_of(const char *text, size_t length);             /* malloc'ed; NULL when memory is out */
/* One more zeroed item at the end of a list; NULL when memory is out. `list` is the address of its pointer. */
void *one_more(void *list, int *count, size_t item);

/* Makes r->text and r->word of a line: cuts the comment off, replaces ${NAME}, cuts into words. */
bool words_of_line(struct reader *r, char *line);
void words_free(struct reader *r);                          /* after each line */
bool is_mark(char c);                                       /* ';', '{' or '}' */
const char *peek(const struct reader *r);                   /* the next word, NULL at the end of the line */
const char *want(struct reader *r, const char *what);       /* the next word, or a complaint and NULL */
bool want_end(struct reader *r);
bool want_number(struct reader *r, const char *what, uint64_t low, uint64_t high, uint64_t *number);
bool want_buffer(struct reader *r, int *index);
char *rest_of_line(struct reader *r);                       /* as it was written, malloc'ed */

/* value.c: FIELD up to the end of the line. */
bool read_value(struct reader *r, struct value *v);

#endif

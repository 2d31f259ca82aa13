/*
 * Text that grows, files as a whole, and the sentence with which the grader
 * gives up. Used by every part of the grader.
 */
#ifndef LABS_TEXT_H
#define LABS_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes of every program of this project. */
enum { ENDS_RIGHT, ENDS_WRONG, ENDS_USAGE, ENDS_MACHINE, ENDS_COVERAGE, ENDS_BROKEN };

#ifdef __GNUC__
#define PRINTS(at, first) __attribute__((format(printf, at, first)))
#else
#define PRINTS(at, first)
#endif

/* "grade: SENTENCE" on standard error, and the end with that code. */
_Noreturn void die(int code, const char *format, ...) PRINTS(2, 3);

struct text {
    char *at;           /* NUL after `length` bytes; NULL: empty */
    size_t length, room;
};

void text_bytes(struct text *t, const void *bytes, size_t count);
void text_add(struct text *t, const char *format, ...) PRINTS(2, 3);
void text_free(struct text *t);
const char *text_of(const struct text *t);           /* never NULL */

/* malloc'ed, never NULL. */
char *form(const char *format, ...) PRINTS(1, 2);
/* Bytes of the UTF-8 character that begins here; 0: none does. */
int utf8_length(const char *text);
bool utf8_control(const char *text);                 /* is it a control character, of the first or the second set? */
void *room_for(size_t count, size_t size);           /* zeroed */
/* `at`, with room for one more than `count`. */
void *room_more(void *at, size_t count, size_t *room, size_t size);

/* A plain file of at most `most` bytes below folder `in` (or "."), not through a symbolic link.
 * false: `why` holds a sentence (without the path). */
enum { WHY = 400 };
bool file_get(const char *in, const char *name, size_t most, struct text *t, char why[WHY]);
bool file_there(const char *path);
bool folder_there(const char *path);
/* Whole or not at all: PATH.part is renamed. Dies if it cannot. */
void file_put(const char *path, const void *bytes, size_t count);
/* Only if there is none. true: it was made. */
bool file_put_new(const char *path, const void *bytes, size_t count);
bool process_gone(const char *number);               /* false, too, if it is no number */
/* What processes that are no more left of file_put in a folder. */
void parts_drop(const char *folder);
void folder_make(const char *path);                  /* with those above it */
void folder_drop(const char *path);                  /* and all in it; follows no link */

/* The next line of *at without its end (LF or CR LF), which is cut off in place; NULL at the end. */
char *line_next(char **at);
/* Cuts at `separator`; returns the number of fields, at most `most`; the last holds the rest. */
int fields_cut(char *line, char separator, char **field, int most);
/* A whole decimal number between the two. */
bool number_read(const char *text, long long least, long long most, long long *number);
bool real_read(const char *text, double *number);    /* finite */

#endif

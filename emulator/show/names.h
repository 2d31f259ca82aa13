/*
 * The names of lines in a step: a comment `// flip: ...` names the one statement
 * below it (`make break` uses the same names).
 */
#ifndef EMU_SHOW_NAMES_H
#define EMU_SHOW_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { NAME_ROOM = 24 };
struct names {
    char file[128];              /* base name of the source */
    char (*of)[NAME_ROOM];       /* per line from 1; "": none */
    int count;
};

/* false: `why` holds a sentence. */
bool names_read(struct names *n, const char *path, char *why, size_t size);
void names_free(struct names *n);
/* "" for a line without a name or of another file. */
const char *name_of(const struct names *n, const char *file, int line);

#endif

/* See names.h. */
#include "show/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "// flip: text" gives flip; other lines "". Names are small letters and '-'. */
static void name_in(const char *comment, char name[NAME_ROOM])
{
    size_t length;
    name[0] = '\0';
    comment += strspn(comment, "/ ");
    length = strspn(comment, "abcdefghijklmnopqrstuvwxyz-");
    if (length > 0 && length < NAME_ROOM && comment[length] == ':' && comment[length + 1] == ' ')
        snprintf(name, NAME_ROOM, "%.*s", (int)length, comment);
}

static bool grow(struct names *n, int line)
{
    char (*more)[NAME_ROOM] = realloc(n->of, (size_t)(line + 1) * sizeof *more);
    if (more == NULL)
        return false;
    n->of = more;
    n->of[line][0] = '\0';
    n->count = line + 1;
    return true;
}

/* Follows the depth of brackets over a line of code; true: a statement ends with it. */
static bool ends_statement(const char *code, int *depth)
{
    size_t length = strcspn(code, "\n");
    const char *comment = strstr(code, "//");
    if (comment != NULL && (size_t)(comment - code) < length)
        length = (size_t)(comment - code);
    while (length > 0 && (code[length - 1] == ' ' || code[length - 1] == '\r'))
        length--;
    for (size_t k = 0; k < length; k++)
        *depth += strchr("({", code[k]) != NULL ? 1 : strchr(")}", code[k]) != NULL ? -1 : 0;
    return length > 0 && *depth <= 0 && (code[length - 1] == ';' || code[length - 1] == '}');
}

bool names_read(struct names *n, const char *path, char *why, size_t size)
{
    char text[512], now[NAME_ROOM] = "", found[NAME_ROOM];
    const char *slash = strrchr(path, '/');
    bool in_comment = false, done = true;
    int depth = 0;
    *n = (struct names){.count = 0};
    snprintf(n->file, sizeof n->file, "%s", slash != NULL ? slash + 1 : path);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        snprintf(why, size, "%.300s: %s", path, strerror(errno));
        return false;
    }
    for (int line = 1; done && fgets(text, sizeof text, f) != NULL; line++) {
        const char *p = text + strspn(text, " \t");
        done = (line > 1 || grow(n, 0)) && grow(n, line);
        if (strncmp(p, "//", 2) == 0) {
            name_in(p, found);
            if (found[0] != '\0' || !in_comment)
                memcpy(now, found, sizeof now);
            in_comment = true;
            depth = 0;
            continue;
        }
        in_comment = false;
        if (*p == '\n' || *p == '\0')
            now[0] = '\0';
        else if (done)
            memcpy(n->of[line], now, sizeof now);
        if (ends_statement(p, &depth))
            now[0] = '\0';
    }
    fclose(f);
    if (!done)
        snprintf(why, size, "memory is out");
    return done;
}

void names_free(struct names *n)
{
    free(n->of);
    *n = (struct names){.count = 0};
}

const char *name_of(const struct names *n, const char *file, int line)
{
    return line > 0 && line < n->count && strcmp(n->file, file) == 0 ? n->of[line] : "";
}

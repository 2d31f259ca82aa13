/*
 * Cutting skeletons from solutions: see regions.h.
 */
#include "regions.h"

#include <stdlib.h>
#include <string.h>

enum where { IN_BOTH, IN_SOLUTION, IN_SKELETON };

static const char *const markers[] = { [IN_BOTH] = "// [end]", [IN_SOLUTION] = "// [solution]", [IN_SKELETON] = "// [skeleton]" };
static const enum where allowed_after[] = { [IN_BOTH] = IN_SKELETON, [IN_SOLUTION] = IN_BOTH, [IN_SKELETON] = IN_SOLUTION };

/* Which marker is on this line; -1 none. */
static int marker_of(const char *line)
{
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t", line[length - 1]))
        length--;
    for (int i = 0; i < 3; i++)
        if (length == strlen(markers[i]) && memcmp(line, markers[i], length) == 0)
            return i;
    return -1;
}

/* "    //| x = 0;" gives "    x = 0;". false: it is no such line. */
static bool add_replacement(struct text *out, const char *line, bool wanted)
{
    const size_t blanks = strspn(line, " \t");
    const char *rest = line + blanks;
    if (strncmp(rest, "//|", 3) != 0)
        return false;
    rest += rest[3] == ' ' ? 4 : 3;
    if (wanted && *rest)
        text_bytes(out, line, blanks);
    if (wanted)
        text_add(out, "%s\n", rest);
    return true;
}

bool regions_there(const char *source)
{
    char *copy = form("%s", source), *at = copy;
    bool there = false;
    for (char *line; !there && (line = line_next(&at));)
        there = marker_of(line) >= 0;
    free(copy);
    return there;
}

/* One line; false: it does not belong where it is. */
static bool cut_line(const char *line, enum where *where, enum part part, struct text *out)
{
    const int marker = marker_of(line);
    if (marker >= 0) {
        const bool right = *where == allowed_after[marker];
        if (part == PART_HANDOUT)
            text_add(out, "%s\n", line);
        *where = (enum where)marker;
        return right;
    }
    if (*where == IN_SKELETON && part == PART_HANDOUT)
        text_add(out, "%s\n", line);
    if (*where == IN_SKELETON)
        return add_replacement(out, line, part == PART_SKELETON);
    if (*where == IN_BOTH || part == PART_SOLUTION)
        text_add(out, "%s\n", line);
    return true;
}

bool regions_cut(const char *path, const char *source, enum part part, struct text *out, char why[WHY])
{
    char *copy = form("%s", source), *at = copy, *line;
    enum where where = IN_BOTH;
    int number = 0;
    bool right = true;
    while (right && (line = line_next(&at))) {
        number++;
        right = cut_line(line, &where, part, out);
        if (!right)
            snprintf(why, WHY, "%.240s:%d: %.60s: want // [solution], // [skeleton] with lines of //|, // [end], in this order", path,
                     number, line + strspn(line, " \t"));
    }
    if (right && where != IN_BOTH) {
        right = false;
        snprintf(why, WHY, "%.240s:%d: the last region has no // [end]", path, number);
    }
    free(copy);
    return right;
}

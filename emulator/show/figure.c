/* What the pictures share; see figure.h. */
#include "show/figure.h"

#include <string.h>

const struct line *figure_next(const struct picture *p, size_t *at, int64_t block, enum what event, const char *name, const char *what)
{
    for (; *at < p->t->count; ++*at) {
        const struct line *l = &p->t->lines[*at];
        if (l->block != block || l->event != event || (what != NULL && strcmp(l->what, what) != 0))
            continue;
        if (name != NULL && strcmp(name_of(p->n, l->file, l->source), name) != 0)
            continue;
        ++*at;
        return l;
    }
    return NULL;
}

bool figure_lacks(struct picture *p, const char *what)
{
    snprintf(p->why, sizeof p->why, "the trace lacks %s", what);
    return false;
}

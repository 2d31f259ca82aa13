/* One request, an answer in every block of the cluster, each on its own barrier. Time runs downwards, a row an event. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/figure.h"
#include "show/svg.h"

enum { WIDTH = 560, TOP = 44, ROW = 42, MOST = 64, X_ENGINE = 118, BLOCKS = 8 };

struct rows { const struct line *line[MOST]; int count; const struct line *request; };

static double x_of(const struct picture *p, int64_t block)
{
    double step = (WIDTH - X_ENGINE - 28.0) / (double)p->t->cluster;
    return X_ENGINE + step * ((double)block + 0.5) + 24;
}

/* The first request and what follows from it, up to the pass of every block's wait; each once a block. */
static void collect(const struct picture *p, struct rows *r)
{
    bool expected[BLOCKS] = {false}, passed[BLOCKS] = {false}, landed[BLOCKS] = {false}, ended[BLOCKS] = {false};
    for (size_t k = 0; k < p->t->count && r->count < MOST; k++) {
        const struct line *l = &p->t->lines[k];
        const char *name = name_of(p->n, l->file, l->source);
        bool *seen = NULL;
        if (l->block < 0 || l->block >= p->t->cluster || l->block >= BLOCKS)
            continue;
        if (l->event == EV_REQUEST && r->request == NULL) {
            r->request = l;
            r->line[r->count++] = l;
        } else if (l->event == EV_MBARRIER && strcmp(name, "expect") == 0)
            seen = &expected[l->block];
        else if (l->event == EV_RESPONSE)
            seen = &landed[l->block];
        else if (l->event == EV_MBARRIER && strcmp(l->what, "async-complete-tx") == 0)
            seen = &ended[l->block];
        else if (l->event == EV_MBARRIER && strcmp(name, "wait") == 0 && strstr(l->details, "passed=0") == NULL)
            seen = &passed[l->block];
        if (seen != NULL && !*seen) {
            *seen = true;
            r->line[r->count++] = l;
        }
    }
}

/* What an mbarrier has left to wait for, in a small box on the block's line. */
static void state(struct svg *s, double x, double y, const struct line *l)
{
    bool ended = detail(l, "ended", 0) == 1;
    svg_box(s, x - 46, y - 12, 92, 24, ended ? INK_ENGINE : INK_OWN);
    if (ended)
        svg_label(s, x, y, 80, "phase ends");
    else
        svg_words(s, x, y + 4.5, "middle", WORDS_ON_BOX, "%" PRId64 " bytes due", detail(l, "tx", 0));
}

static void heads(struct svg *s, const struct picture *p, double bottom)
{
    svg_words(s, X_ENGINE, 18, "middle", WORDS_BOLD, "engine");
    svg_line(s, X_ENGINE, 26, X_ENGINE, bottom, 1, NULL);
    for (int64_t b = 0; b < p->t->cluster; b++) {
        svg_words(s, x_of(p, b), 18, "middle", WORDS_BOLD, "block %" PRId64, b);
        svg_line(s, x_of(p, b), 26, x_of(p, b), bottom, 1, NULL);
    }
}

/* Lines of the same kind stand in one row; the answers and what they do to the barriers when they land at one time. */
static bool same_row(const struct line *a, const struct line *b)
{
    bool lands = a->warp < 0;
    return a->event == b->event && strcmp(a->what, b->what) == 0 && a->source == b->source && (!lands || a->time == b->time);
}

static int by_row(const void *left, const void *right)
{
    const struct line *a = *(const struct line *const *)left, *b = *(const struct line *const *)right;
    int ranks[2];
    for (int k = 0; k < 2; k++) {
        const struct line *l = k == 0 ? a : b;
        ranks[k] = l->event == EV_RESPONSE ? 1 : l->event == EV_MBARRIER && l->warp < 0 ? 2 : l->event == EV_MBARRIER && detail(l, "parity", -1) >= 0 ? 3 : 0;
    }
    if (ranks[0] != ranks[1])
        return ranks[0] - ranks[1];
    if (ranks[0] > 0)
        return a->time != b->time ? (a->time < b->time ? -1 : 1) : (a->block > b->block) - (a->block < b->block);
    return a->when != b->when ? (a->when < b->when ? -1 : 1) : (a->serial > b->serial) - (a->serial < b->serial);
}

static void draw(struct svg *s, const struct picture *p, const struct rows *r, double y, const struct line *l)
{
    double x = x_of(p, l->block);
    if (l == r->request) {
        svg_arrow(s, x, y, X_ENGINE, y);
        svg_dot(s, x, y, 4);
    } else if (l->event == EV_RESPONSE) {
        svg_line(s, l->block == 0 ? X_ENGINE : x_of(p, l->block - 1), y - ROW / 2.0 - 1, x, y - ROW / 2.0 - 1, 1.3, NULL);
        svg_arrow(s, x, y - ROW / 2.0 - 1, x, y - 12);
        svg_box(s, x - 46, y - 12, 92, 24, INK_STOLEN);
        svg_label(s, x, y, 64, "block %" PRId64, detail(l, "first", -1));
    } else if (detail(l, "parity", -1) >= 0) {
        svg_dot(s, x, y, 4);
        svg_words(s, x + 8, y + 4, "start", WORDS_SMALL, "go on");
    } else {
        state(s, x, y, l);
    }
}

static void name_row(struct svg *s, const struct picture *p, const struct line *l, double y)
{
    const char *name = name_of(p->n, l->file, l->source);
    svg_words(s, 6, y + 4, "start", WORDS_CODE, "%s", l->warp < 0 ? l->object : name);
}

bool figure_multicast(struct picture *p)
{
    struct rows r = {.count = 0};
    struct svg s;
    int row = 0;
    collect(p, &r);
    if (r.request == NULL || p->t->cluster < 2 || r.count < 4 * p->t->cluster)
        return figure_lacks(p, "a multicast request with an answer in every block");
    qsort(r.line, (size_t)r.count, sizeof r.line[0], by_row);
    for (int k = 1; k < r.count; k++)
        row += !same_row(r.line[k - 1], r.line[k]);
    double bottom = TOP + (row + 1) * ROW;
    svg_begin(&s, p->out, "multicast", WIDTH, bottom + 10, "One request, an answer in every block",
              "Time runs downwards. One thread of the cluster asks the engine. In every block a thread arrives at the block's own barrier "
              "and announces sixteen bytes. The engine writes the same answer to the variable result of every block, each barrier counts "
              "its own sixteen bytes, its phase ends, and the threads of the block read.");
    heads(&s, p, bottom);
    row = 0;
    for (int k = 0; k < r.count; k++) {
        bool first = k == 0 || !same_row(r.line[k - 1], r.line[k]);
        row += k > 0 && first;
        if (first)
            name_row(&s, p, r.line[k], TOP + row * ROW + ROW / 2.0);
        draw(&s, p, &r, TOP + row * ROW + ROW / 2.0, r.line[k]);
    }
    svg_end(&s);
    return true;
}

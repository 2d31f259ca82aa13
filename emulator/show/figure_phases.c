/* An mbarrier as two counters, arrivals and bytes, over its phases. Block 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "show/figure.h"
#include "show/svg.h"

enum { WIDTH = 560, HEIGHT = 316, LEFT = 96, RIGHT = 12, MOST = 64, TOP = 30 };
enum { Y_ARRIVE = 76, Y_BYTES = 142, Y_WAIT = 188, Y_MARKS = 220, UNIT = 32 };

struct change { const struct line *line; int64_t phase; };
struct view { struct change change[MOST]; int count; uint64_t from, to; };

static double x_of(const struct view *v, uint64_t time)
{
    return LEFT + (double)(time - v->from) * (WIDTH - LEFT - RIGHT) / (double)(v->to - v->from);
}

static void collect(const struct picture *p, struct view *v, uint64_t *last)
{
    int64_t phase = 0;
    for (size_t k = 0; k < p->t->count; k++) {
        const struct line *l = &p->t->lines[k];
        if (l->block == 0)
            *last = l->when;
        if (l->event != EV_MBARRIER || l->owner != 0 || detail(l, "parity", -1) >= 0 || v->count == MOST)
            continue;
        phase += detail(l, "ended", 0);
        v->change[v->count++] = (struct change){l, phase};
    }
}

/* One counter as a line of steps; `unit` its largest value. */
static void counter(struct svg *s, const struct view *v, double y, const char *key, int64_t unit)
{
    int64_t value = detail(v->change[0].line, key, 0), next;
    double x = x_of(v, v->change[0].line->when), level = y - (double)value * UNIT / (double)unit;
    svg_line(s, LEFT, y, WIDTH - RIGHT, y, 0.6, "2 3");
    svg_words(s, LEFT - 4, y + 4, "end", WORDS_SMALL, "0");
    svg_words(s, LEFT - 4, y - UNIT + 4, "end", WORDS_SMALL, "%" PRId64, unit);
    for (int k = 1; k <= v->count; k++) {
        double to = k < v->count ? x_of(v, v->change[k].line->when) : WIDTH - RIGHT;
        svg_line(s, x, level, to, level, 2.4, NULL);
        if (k == v->count)
            break;
        next = detail(v->change[k].line, key, 0);
        double other = y - (double)next * UNIT / (double)unit;
        svg_line(s, to, level, to, other, 2.4, NULL);
        x = to;
        level = other;
    }
}

/* Faint bands for odd phases, and each phase's name. */
static void phases(struct svg *s, const struct view *v)
{
    int from = 0;
    for (int k = 1; k <= v->count; k++) {
        if (k < v->count && v->change[k].phase == v->change[from].phase)
            continue;
        double x = x_of(v, v->change[from].line->when), to = k < v->count ? x_of(v, v->change[k].line->when) : WIDTH - RIGHT;
        int64_t phase = v->change[from].phase;
        if (phase % 2 == 1)
            svg_box(s, x, TOP - 18, to - x, Y_WAIT + 22 - TOP, INK_BAND);
        if (to - x > 90)
            svg_words(s, (x + to) / 2, TOP - 4, "middle", WORDS_BOLD, "phase %" PRId64 ", parity %" PRId64, phase, phase % 2);
        else if (to - x > 50)
            svg_words(s, (x + to) / 2, TOP - 4, "middle", WORDS_BOLD, "phase %" PRId64, phase);
        from = k;
    }
}

/* Threads that wait: from the first "not yet" to the pass. */
static void waits(struct svg *s, const struct picture *p, const struct view *v)
{
    uint64_t since = 0;
    for (size_t k = 0; k < p->t->count; k++) {
        const struct line *l = &p->t->lines[k];
        char passed[16] = "0";
        if (l->event != EV_MBARRIER || l->block != 0 || l->warp != 0 || !detail_text(l, "passed", passed, sizeof passed))
            continue;
        if (strcmp(passed, "0") == 0) {
            since = since != 0 ? since : l->when;
            continue;
        }
        double to = x_of(v, l->when), x = since != 0 ? x_of(v, since) : to - 2;
        svg_box(s, x, Y_WAIT - 16, to - x > 2 ? to - x : 2, 16, INK_WAIT);
        svg_words(s, x - 5, Y_WAIT - 3, "end", WORDS_SMALL, "parity %" PRId64 "?", detail(l, "parity", 0));
        since = 0;
    }
}

/* Numbered marks below, and what they are. */
static void marks(struct svg *s, const struct view *v)
{
    for (int k = 0; k < v->count; k++) {
        const struct line *l = v->change[k].line;
        char sign = strcmp(l->what, "init") == 0 ? 'a' : strcmp(l->what, "async-complete-tx") == 0 ? 'c' : 'b';
        double x = x_of(v, l->when);
        svg_line(s, x, TOP, x, Y_MARKS - 14, 0.6, "1 3");
        svg_words(s, x, Y_MARKS, "middle", WORDS_BOLD, "%c", sign);
    }
    static const char *const texts[] = {
        "init: a phase needs 1 arrival", "expect: the arrival comes, and 16 bytes are announced",
        "the answer comes, 16 bytes: nothing is missing, the phase ends"
    };
    for (int k = 0; k < 3; k++) {
        svg_words(s, 14, Y_MARKS + 28 + 20 * k, "start", WORDS_BOLD, "%c", 'a' + k);
        svg_words(s, 32, Y_MARKS + 28 + 20 * k, "start", WORDS_PLAIN, "%s", texts[k]);
    }
    svg_words(s, WIDTH - RIGHT, Y_MARKS + 28 + 20 * 3, "end", WORDS_SMALL, "time runs to the right, %" PRIu64 " model cycles", v->to - v->from);
}

bool figure_phases(struct picture *p)
{
    struct view v = {.count = 0};
    struct svg s;
    collect(p, &v, &v.to);
    if (v.count < 3)
        return figure_lacks(p, "an mbarrier with phases");
    v.from = v.change[0].line->when - 60;
    v.to += 40;
    svg_begin(&s, p->out, "mbarrier-phases", WIDTH, HEIGHT, "An mbarrier over its phases",
              "Two counters over time: the arrivals pending go from one to zero when a thread arrives; the bytes missing go from zero "
              "to sixteen at the same moment, and back to zero when the answer comes. Then the phase ends, the next one begins, and "
              "threads that wait for its parity go on.");
    phases(&s, &v);
    svg_words(&s, LEFT - 24, Y_ARRIVE - 20, "end", WORDS_PLAIN, "arrivals");
    svg_words(&s, LEFT - 24, Y_ARRIVE - 5, "end", WORDS_PLAIN, "pending");
    svg_words(&s, LEFT - 24, Y_BYTES - 20, "end", WORDS_PLAIN, "bytes");
    svg_words(&s, LEFT - 24, Y_BYTES - 5, "end", WORDS_PLAIN, "missing");
    svg_words(&s, LEFT - 24, Y_WAIT - 3, "end", WORDS_PLAIN, "waits");
    marks(&s, &v);
    counter(&s, &v, Y_ARRIVE, "pending", 1);
    counter(&s, &v, Y_BYTES, "tx", 16);
    waits(&s, p, &v);
    svg_end(&s);
    return true;
}

/* Request k+1 in flight behind tile k: block 0, one lane for its tiles, one for its requests. */
#include <inttypes.h>
#include <string.h>

#include "show/figure.h"
#include "show/svg.h"

enum { WIDTH = 560, HEIGHT = 206, LEFT = 76, RIGHT = 12, Y_TILES = 34, Y_REQUESTS = 108, LANE = 40, MOST = 32 };

struct stretch { uint64_t from, to; int64_t tile; int request; };
struct lanes { struct stretch tile[MOST], request[MOST], wait[MOST]; int tiles, requests, waits; uint64_t from, to; };

static void put(struct stretch *list, int *count, struct stretch s)
{
    if (*count < MOST)
        list[(*count)++] = s;
}

/* A tile lasts from the end of its request to its last write. */
static void collect(const struct picture *p, struct lanes *v)
{
    uint64_t begun = 0, since = 0;
    for (size_t k = 0; k < p->t->count; k++) {
        const struct line *l = &p->t->lines[k];
        const char *name = name_of(p->n, l->file, l->source);
        if (l->block != 0)
            continue;
        if (v->from == 0 && l->event == EV_BAR_PASS)
            v->from = l->when;
        v->to = l->when;
        if (l->event == EV_REQUEST)
            put(v->request, &v->requests, (struct stretch){l->when, l->when, -1, v->requests + 1});
        if (l->event == EV_MBARRIER && strcmp(name, "expect") == 0)
            begun = l->when;
        if (l->event == EV_RESPONSE && v->requests > 0) {
            v->request[v->requests - 1].to = l->when;
            v->request[v->requests - 1].tile = detail(l, "first", -1);
        }
        if (l->event == EV_WRITE && strcmp(l->object, "data") == 0) {
            int64_t tile = (int64_t)(l->offset / 4) / p->t->threads;
            if (v->tiles == 0 || v->tile[v->tiles - 1].tile != tile)
                put(v->tile, &v->tiles, (struct stretch){begun, l->when, tile, 0});
            v->tile[v->tiles - 1].to = l->when;
        }
        if (l->event == EV_MBARRIER && strcmp(name, "wait") == 0 && strstr(l->details, "passed=0") != NULL)
            since = since != 0 ? since : l->when;
        else if (l->event == EV_MBARRIER && strcmp(name, "wait") == 0) {
            if (since != 0)
                put(v->wait, &v->waits, (struct stretch){since, l->when, -1, 0});
            since = 0;
        }
    }
}

static double x_of(const struct lanes *v, uint64_t time)
{
    return LEFT + (double)(time - v->from) * (WIDTH - LEFT - RIGHT) / (double)(v->to - v->from);
}

static void box(struct svg *s, const struct lanes *v, const struct stretch *t, double y, enum ink ink)
{
    svg_box(s, x_of(v, t->from), y, x_of(v, t->to) - x_of(v, t->from), LANE, ink);
}

static void words(struct svg *s, const struct lanes *v, const struct stretch *t, double y, const char *text)
{
    double x = (x_of(v, t->from) + x_of(v, t->to)) / 2;
    if (x_of(v, t->to) - x_of(v, t->from) > 40)
        svg_label(s, x, y, 10 + 7.2 * (double)strlen(text), "%s", text);
}

static void draw_requests(struct svg *s, const struct lanes *v)
{
    char text[64];
    for (int k = 0; k < v->requests; k++) {
        const struct stretch *r = &v->request[k];
        box(s, v, r, Y_REQUESTS, INK_ENGINE);
        snprintf(text, sizeof text, "no. %d", r->request);
        words(s, v, r, Y_REQUESTS + 20, text);
        svg_line(s, x_of(v, r->from), Y_TILES - 4, x_of(v, r->from), Y_REQUESTS + LANE, 1, "2 3");
        if (r->tile >= 0)
            svg_words(s, x_of(v, r->to), Y_REQUESTS + LANE + 16, "middle", WORDS_SMALL, "gets tile %" PRId64, r->tile);
        else
            svg_words(s, x_of(v, r->to), Y_REQUESTS + LANE + 16, "middle", WORDS_SMALL, "refused");
    }
}

bool figure_overlap(struct picture *p)
{
    struct lanes v = {.tiles = 0};
    struct svg s;
    char text[64];
    collect(p, &v);
    if (v.tiles < 2 || v.requests < 2)
        return figure_lacks(p, "two tiles and two requests in block 0");
    svg_begin(&s, p->out, "request-overlap", WIDTH, HEIGHT, "The next request travels while a tile is computed",
              "Two lanes over time, for one block. Above, its tiles, one after the other. Below, its requests: each is made just before "
              "a tile begins and is answered while the tile is computed, so that the next tile begins without a wait.");
    svg_words(&s, LEFT - 8, Y_TILES + 18, "end", WORDS_PLAIN, "tiles of");
    svg_words(&s, LEFT - 8, Y_TILES + 34, "end", WORDS_PLAIN, "block 0");
    svg_words(&s, LEFT - 8, Y_REQUESTS + 18, "end", WORDS_PLAIN, "requests");
    svg_words(&s, LEFT - 8, Y_REQUESTS + 34, "end", WORDS_PLAIN, "in flight");
    draw_requests(&s, &v);
    for (int k = 0; k < v.tiles; k++) {
        box(&s, &v, &v.tile[k], Y_TILES, v.tile[k].tile < 1 ? INK_OWN : INK_STOLEN);
        snprintf(text, sizeof text, "tile %" PRId64, v.tile[k].tile);
        words(&s, &v, &v.tile[k], Y_TILES + 20, text);
    }
    for (int k = 0; k < v.waits; k++)
        box(&s, &v, &v.wait[k], Y_TILES, INK_WAIT);
    svg_line(&s, LEFT, HEIGHT - 26, WIDTH - RIGHT, HEIGHT - 26, 1, NULL);
    svg_arrow(&s, WIDTH - RIGHT - 10, HEIGHT - 26, WIDTH - RIGHT, HEIGHT - 26);
    svg_words(&s, LEFT, HEIGHT - 9, "start", WORDS_SMALL, "%" PRIu64, v.from);
    svg_words(&s, WIDTH - RIGHT, HEIGHT - 9, "end", WORDS_SMALL, "%" PRIu64 " model cycles", v.to);
    svg_end(&s);
    return true;
}

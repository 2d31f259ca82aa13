/*
 * `result` handed between threads and engine, the two halves of the proxy fence as its gates. Block 0, from the
 * moment its first answer may be read to the moment its second one may. Time runs downwards, a row an event.
 */
#include <inttypes.h>
#include <string.h>

#include "show/figure.h"
#include "show/svg.h"

enum { WIDTH = 560, ROW = 27, TOP = 52, X_TIME = 40, X_NAME = 52, X_THREADS = 186, X_RESULT = 288, X_ENGINE = 390, X_TEXT = 402, BAND = 74, MOST = 16 };

enum kind { READS, GATE_CLOSES, MEET, GATE_OPENS, ASKS, ARRIVES, WRITES, WAITS };
struct row { enum kind kind; const struct line *line; };

static void add(struct row *rows, int *count, enum kind kind, const struct line *line)
{
    if (line != NULL && *count < MOST)
        rows[(*count)++] = (struct row){kind, line};
}

/* The rows in the order of the trace; the last warp counts where all have to come. */
static int collect(const struct picture *p, struct row rows[MOST])
{
    int count = 0;
    size_t at = 0;
    const struct line *pass = NULL, *l;
    while (pass == NULL && (l = figure_next(p, &at, 0, EV_MBARRIER, "wait", NULL)) != NULL)
        pass = strstr(l->details, "passed=0") == NULL ? l : NULL;
    add(rows, &count, WAITS, pass);
    while (pass != NULL && (l = figure_next(p, &at, 0, EV_READ, NULL, NULL)) != NULL && strcmp(l->object, "result") != 0)
        ;
    add(rows, &count, READS, pass != NULL ? l : NULL);
    add(rows, &count, GATE_CLOSES, figure_next(p, &at, 0, EV_FENCE, "release-half", NULL));
    add(rows, &count, MEET, figure_next(p, &at, 0, EV_BAR_PASS, "top-barrier", NULL));
    add(rows, &count, GATE_OPENS, figure_next(p, &at, 0, EV_FENCE, "acquire-half", NULL));
    add(rows, &count, ASKS, figure_next(p, &at, 0, EV_REQUEST, "request", NULL));
    add(rows, &count, ARRIVES, figure_next(p, &at, 0, EV_MBARRIER, "expect", NULL));
    add(rows, &count, WRITES, figure_next(p, &at, 0, EV_RESPONSE, NULL, NULL));
    for (pass = NULL; pass == NULL && (l = figure_next(p, &at, 0, EV_MBARRIER, "wait", NULL)) != NULL;)
        pass = strstr(l->details, "passed=0") == NULL ? l : NULL;
    add(rows, &count, WAITS, pass);
    while (pass != NULL && (l = figure_next(p, &at, 0, EV_READ, NULL, NULL)) != NULL && strcmp(l->object, "result") != 0)
        ;
    add(rows, &count, READS, pass != NULL ? l : NULL);
    return count;
}

static double y_of(int row) { return TOP + row * ROW + ROW / 2.0; }

static int row_of(const struct row *rows, int count, enum kind kind, int from)
{
    int k = from;
    while (k < count && rows[k].kind != kind)
        k++;
    return k;
}

/* Whose `result` is between two rows. */
static void hold(struct svg *s, double from, double to, enum ink ink, const char *words)
{
    svg_box(s, X_RESULT - BAND / 2.0, from, BAND, to - from, ink);
    if (words[0] != '\0')
        svg_label(s, X_RESULT, (from + to) / 2, BAND - 8, "%s", words);
}

static void gate(struct svg *s, double y)
{
    svg_line(s, X_RESULT - BAND / 2.0 - 12, y - 2.5, X_RESULT + BAND / 2.0 + 12, y - 2.5, 2, NULL);
    svg_line(s, X_RESULT - BAND / 2.0 - 12, y + 2.5, X_RESULT + BAND / 2.0 + 12, y + 2.5, 2, NULL);
}

static void say(struct svg *s, const struct picture *p, const struct row *r, int k)
{
    static const char *const texts[] = {
        [READS] = "all threads read", [GATE_CLOSES] = "closes their reads", [MEET] = "all have closed theirs", [GATE_OPENS] = "opens it for the engine",
        [ASKS] = "one thread asks", [ARRIVES] = "it announces 16 bytes", [WRITES] = "the answer lands", [WAITS] = "all may read"
    };
    const char *name = name_of(p->n, r->line->file, r->line->source);
    double y = y_of(k);
    svg_words(s, X_TIME, y + 4, "end", WORDS_SMALL, "%" PRIu64, r->line->when);
    svg_words(s, X_NAME, y + 4, "start", WORDS_CODE, "%s", r->kind == READS ? "" : r->kind == WRITES ? "" : name);
    svg_words(s, X_TEXT, y + 4, "start", WORDS_SMALL, "%s", texts[r->kind]);
}

static void draw_row(struct svg *s, const struct row *r, int k)
{
    double y = y_of(k), left = X_RESULT - BAND / 2.0, right = X_RESULT + BAND / 2.0;
    switch (r->kind) {
    case READS: svg_arrow(s, left, y, X_THREADS, y); break;
    case GATE_CLOSES: case GATE_OPENS: gate(s, y); break;
    case MEET: case ARRIVES: svg_dot(s, X_THREADS, y, 4); break;
    case ASKS: svg_arrow(s, X_THREADS, y, X_ENGINE, y); break;
    case WRITES: svg_arrow(s, X_ENGINE, y, right, y); break;
    case WAITS: svg_dot(s, X_THREADS, y, 4); break;
    }
}

bool figure_gates(struct picture *p)
{
    struct row rows[MOST];
    struct svg s;
    int count = collect(p, rows), closes = row_of(rows, count, GATE_CLOSES, 0), opens = row_of(rows, count, GATE_OPENS, 0);
    int writes = row_of(rows, count, WRITES, 0), again = row_of(rows, count, WAITS, 1);
    double bottom = TOP + count * ROW;
    if (again == count)
        return figure_lacks(p, "two answers in block 0");
    svg_begin(&s, p->out, "result-gates", WIDTH, bottom + 12, "Who holds result",
              "Time runs downwards. The threads of a block hold the variable result while they read it. The release half of the proxy "
              "fence is the gate that closes their reads, the block barrier says that all have closed, the acquire half is the gate "
              "that opens result for the engine. A thread asks, the engine writes the answer, and after the wait the threads hold "
              "result again.");
    svg_words(&s, X_TIME, 20, "end", WORDS_SMALL, "time");
    svg_words(&s, X_NAME, 20, "start", WORDS_SMALL, "line");
    svg_words(&s, X_THREADS, 20, "middle", WORDS_BOLD, "threads");
    svg_words(&s, X_RESULT, 20, "middle", WORDS_CODE, "result");
    svg_words(&s, X_ENGINE, 20, "middle", WORDS_BOLD, "engine");
    svg_line(&s, X_THREADS, 28, X_THREADS, bottom + 4, 1, NULL);
    svg_line(&s, X_ENGINE, 28, X_ENGINE, bottom + 4, 1, NULL);
    hold(&s, 32, y_of(closes), INK_OWN, "threads'");
    hold(&s, y_of(closes), y_of(opens), INK_NONE, "");
    hold(&s, y_of(opens), y_of(writes), INK_ENGINE, "engine's");
    hold(&s, y_of(writes), y_of(again), INK_NONE, "");
    hold(&s, y_of(again), bottom + 4, INK_OWN, "threads'");
    for (int k = 0; k < count; k++) {
        draw_row(&s, &rows[k], k);
        say(&s, p, &rows[k], k);
    }
    svg_end(&s);
    return true;
}

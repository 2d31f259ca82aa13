/*
 * SVG, as little of it as the pictures need. Lines and words take the colour
 * of the text around the picture (currentColor), so that a dark page is served
 * too; filled shapes have a colour of Okabe and Ito's palette and a pattern, so
 * that neither print nor the eye needs colour.
 */
#ifndef EMU_SHOW_SVG_H
#define EMU_SHOW_SVG_H

#include <stdio.h>

/* Of a filled shape. */
enum ink {
    INK_NONE,
    INK_OWN,          /* blue, plain: own tiles, what threads hold */
    INK_STOLEN,       /* orange, stripes: stolen tiles */
    INK_ENGINE,       /* green, dots: what the engine holds */
    INK_WAIT,         /* grey, thin stripes the other way */
    INK_BAND,         /* a faint background */
    INK_PLATE         /* white, under words on a pattern */
};

struct svg { FILE *out; const char *name; };

/* `name` makes ids unique on a page. */
void svg_begin(struct svg *s, FILE *out, const char *name, double width, double height, const char *title, const char *description);
void svg_end(struct svg *s);
void svg_box(struct svg *s, double x, double y, double w, double h, enum ink ink);
void svg_line(struct svg *s, double x1, double y1, double x2, double y2, double width, const char *dashes);
void svg_arrow(struct svg *s, double x1, double y1, double x2, double y2);
void svg_dot(struct svg *s, double x, double y, double r);

/* anchor: start, middle, end. On filled boxes words are black. */
enum words { WORDS_PLAIN, WORDS_BOLD, WORDS_CODE, WORDS_SMALL, WORDS_ON_BOX };
/* Words in the middle of a box, on a white plate. */
void svg_label(struct svg *s, double x, double y, double width, const char *format, ...);
void svg_words(struct svg *s, double x, double y, const char *anchor, enum words kind, const char *format, ...);

#endif

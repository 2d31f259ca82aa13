/* See svg.h. */
#include "show/svg.h"

#include <math.h>
#include <stdarg.h>

static const struct { const char *fill, *mark; } inks[] = {
    [INK_NONE] = {"none", NULL},
    [INK_OWN] = {"#56B4E9", NULL},
    [INK_STOLEN] = {"#F5B93B", "<path d='M-1 7 L7 -1 M-1 15 L15 -1' stroke='#7a4d00' stroke-width='1.4'/>"},
    [INK_ENGINE] = {"#5FC9A8", "<circle cx='2' cy='2' r='1.1' fill='#00523b'/><circle cx='5.5' cy='5.5' r='1.1' fill='#00523b'/>"},
    [INK_WAIT] = {"#e6e6e6", "<path d='M0 0 L7 7' stroke='#555' stroke-width='1'/>"},
    [INK_BAND] = {"#888888", NULL},
    [INK_PLATE] = {"#ffffff", NULL},
};

static void escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

void svg_begin(struct svg *s, FILE *out, const char *name, double width, double height, const char *title, const char *description)
{
    *s = (struct svg){out, name};
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\" "
            "aria-labelledby=\"%s-title %s-desc\" color=\"black\" font-family=\"sans-serif\" font-size=\"13\">\n<title id=\"%s-title\">",
            width, height, width, height, name, name, name);
    escaped(out, title);
    fprintf(out, "</title>\n<desc id=\"%s-desc\">", name);
    escaped(out, description);
    fputs("</desc>\n<defs>", out);
    for (int k = 0; k < (int)(sizeof inks / sizeof inks[0]); k++)
        if (inks[k].mark != NULL)
            fprintf(out, "<pattern id=\"%s-ink%d\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\">"
                    "<rect width=\"7\" height=\"7\" fill=\"%s\"/>%s</pattern>", name, k, inks[k].fill, inks[k].mark);
    fputs("</defs>\n", out);
}

void svg_end(struct svg *s) { fputs("</svg>\n", s->out); }

void svg_box(struct svg *s, double x, double y, double w, double h, enum ink ink)
{
    fprintf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" ", x, y, w, h);
    if (ink == INK_BAND)
        fprintf(s->out, "fill=\"%s\" fill-opacity=\"0.13\"/>\n", inks[ink].fill);
    else if (ink == INK_PLATE)
        fprintf(s->out, "rx=\"3\" fill=\"%s\" fill-opacity=\"0.9\"/>\n", inks[ink].fill);
    else if (inks[ink].mark != NULL)
        fprintf(s->out, "fill=\"url(#%s-ink%d)\" stroke=\"currentColor\"/>\n", s->name, ink);
    else
        fprintf(s->out, "fill=\"%s\" stroke=\"currentColor\"/>\n", inks[ink].fill);
}

void svg_line(struct svg *s, double x1, double y1, double x2, double y2, double width, const char *dashes)
{
    fprintf(s->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\" stroke-width=\"%g\"", x1, y1, x2, y2, width);
    if (dashes != NULL)
        fprintf(s->out, " stroke-dasharray=\"%s\"", dashes);
    fputs("/>\n", s->out);
}

/* With a head of its own: not every reader of SVG draws markers. */
void svg_arrow(struct svg *s, double x1, double y1, double x2, double y2)
{
    const double length = hypot(x2 - x1, y2 - y1), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    const double x = x2 - 8 * dx, y = y2 - 8 * dy;
    svg_line(s, x1, y1, x, y, 1.3, NULL);
    fprintf(s->out, "<path d=\"M%.1f %.1f L%.1f %.1f L%.1f %.1f z\" fill=\"currentColor\"/>\n", x2, y2, x - 4 * dy, y + 4 * dx, x + 4 * dy, y - 4 * dx);
}

void svg_dot(struct svg *s, double x, double y, double r)
{
    fprintf(s->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"currentColor\"/>\n", x, y, r);
}

void svg_words(struct svg *s, double x, double y, const char *anchor, enum words kind, const char *format, ...)
{
    static const char *const style[] = {
        [WORDS_PLAIN] = "fill=\"currentColor\"", [WORDS_BOLD] = "fill=\"currentColor\" font-weight=\"bold\"",
        [WORDS_CODE] = "fill=\"currentColor\" font-family=\"monospace\"", [WORDS_SMALL] = "fill=\"currentColor\" font-size=\"11.5\"",
        [WORDS_ON_BOX] = "fill=\"#000\""
    };
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(s->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, style[kind]);
    escaped(s->out, text);
    fputs("</text>\n", s->out);
}

void svg_label(struct svg *s, double x, double y, double width, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    svg_box(s, x - width / 2, y - 8, width, 16, INK_PLATE);
    svg_words(s, x, y + 4.5, "middle", WORDS_ON_BOX, "%s", text);
}

/*
 * Lines and words of a launch file: see words.h.
 */
#include "run/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wrong_note(struct reader *r, const char *format, ...)
{
    char sentence[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    complaint_note(r->c, ENDS_USAGE, "%s:%d: %s", r->launch->path, r->line, sentence);
}

char *copy_of(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* One more zeroed item at the end of a list; NULL when memory is out. */
void *one_more(void *list, int *count, size_t item)
{
    void **pointer = list;
    char *more = realloc(*pointer, ((size_t)*count + 1) * item);
    if (!more)
        return NULL;
    *pointer = more;
    return memset(more + (size_t)(*count)++ * item, 0, item);
}

/* ---- ${NAME} ------------------------------------------------------------ */

static const struct setting *find_setting(const struct reader *r, const char *name, size_t length)
{
    for (int i = r->setting_count - 1; i >= 0; i--)         /* the last --set wins */
        if (r->settings[i].name_length == length && memcmp(r->settings[i].name, name, length) == 0)
            return &r->settings[i];
    return NULL;
}

/* Copies the line with each ${NAME} replaced; `out` NULL only measures. */
static bool substitute(struct reader *r, const char *line, char *out, size_t *length)
{
    size_t at = 0;
    while (*line) {
        const char *piece = line, *close;
        size_t bytes = 1;
        if (line[0] == '$' && line[1] == '{') {
            char name[80];
            close = strchr(line, '}');
            if (!close)
                return wrong(r, "'%.60s' has no closing brace", line);
            snprintf(name, sizeof name, "%.*s", (int)(close - line - 2 < 70 ? close - line - 2 : 70), line + 2);
            const struct setting *s = find_setting(r, line + 2, (size_t)(close - line) - 2);
            if (!s)
                return wrong(r, "${%s} has no value; give one with --set NAME=VALUE", name);
            piece = s->value;
            bytes = strlen(s->value);
            line = close;
        }
        if (out)
            memcpy(out + at, piece, bytes);
        at += bytes;
        line++;
    }
    if (out)
        out[at] = '\0';
    *length = at;
    return true;
}

/* ---- words -------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* ';', '{' and '}' are words of their own. */
bool is_mark(char c)
{
    return c == ';' || c == '{' || c == '}';
}

static bool cut_words(struct reader *r)
{
    const char *text = r->text;
    char *out = r->words;
    r->count = r->next = 0;
    for (size_t i = 0; text[i];) {
        if (is_blank(text[i])) {
            i++;
            continue;
        }
        if (r->count == MOST_WORDS)
            return wrong(r, "the line has too many words, the last is '%.40s'", text + i);
        r->start[r->count] = i;
        r->word[r->count++] = out;
        if (is_mark(text[i]))
            *out++ = text[i++];
        else
            while (text[i] && !is_blank(text[i]) && !is_mark(text[i]))
                *out++ = text[i++];
        *out++ = '\0';
    }
    return true;
}

/* The next word, NULL at the end of the line. */
const char *peek(const struct reader *r)
{
    return r->next < r->count ? r->word[r->next] : NULL;
}

const char *want(struct reader *r, const char *what)
{
    if (r->next < r->count)
        return r->word[r->next++];
    wrong(r, "%s is missing at the end of the line", what);
    return NULL;
}

bool want_end(struct reader *r)
{
    return r->next >= r->count || wrong(r, "'%.60s' is one word too many", r->word[r->next]);
}

bool want_number(struct reader *r, const char *what, uint64_t low, uint64_t high, uint64_t *number)
{
    uint8_t bytes[8];
    const char *text = want(r, what);
    if (!text)
        return false;
    *number = 0;
    const bool read = element_parse(ELEMENT_U64, text, bytes);
    for (int i = 0; read && i < 8; i++)
        *number |= (uint64_t)bytes[i] << (8 * i);
    if (read && *number >= low && *number <= high)
        return true;
    return wrong(r, "%s '%.60s' is no whole number from %llu to %llu", what, text, (unsigned long long)low,
                 (unsigned long long)high);
}

/* The rest of the line as it was written, blanks within kept. */
char *rest_of_line(struct reader *r)
{
    const char *first = r->text + r->start[r->next];
    size_t length = strlen(first);
    while (length && is_blank(first[length - 1]))
        length--;
    r->next = r->count;
    char *copy = copy_of(first, length);
    if (!copy)
        out_of_memory(r);
    return copy;
}

bool want_buffer(struct reader *r, int *index)
{
    const char *name = want(r, "the name of a buffer");
    if (!name)
        return false;
    *index = launch_buffer(r->launch, name);
    return *index >= 0 || wrong(r, "there is no buffer '%.60s' above this line", name);
}

/* ---- a line --------------------------------------------------------------- */

/* Cuts the comment off: '#' at the start or after a blank. */
static void cut_comment(char *line)
{
    for (char *p = line; *p; p++)
        if (*p == '#' && (p == line || is_blank(p[-1]))) {
            *p = '\0';
            return;
        }
}

bool words_of_line(struct reader *r, char *line)
{
    size_t length = 0;
    cut_comment(line);
    if (!substitute(r, line, NULL, &length))
        return false;
    r->text = malloc(length + 1);
    r->words = malloc(length * 2 + 1);
    return ((r->text && r->words) || out_of_memory(r)) && substitute(r, line, r->text, &length) && cut_words(r);
}

void words_free(struct reader *r)
{
    free(r->text);
    free(r->words);
    r->text = r->words = NULL;
}

/*
 * A little JSON: see json.h.
 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------- */

static const char *skip_blanks(const char *p) { return p + strspn(p, " \t\r\n"); }

/* Behind the string that begins at p; NULL: it has no end. */
static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : NULL;
}

/* Behind any value. */
static const char *skip_value(const char *p)
{
    int depth = 0;
    do {
        p = skip_blanks(p);
        if (*p == '"') {
            p = skip_string(p);
            if (!p)
                return NULL;
        } else if (*p == '{' || *p == '[') {
            depth++, p++;
        } else if (*p == '}' || *p == ']') {
            depth--, p++;
        } else if (*p == ',' || *p == ':') {
            if (depth == 0)
                return NULL;
            p++;
        } else {
            const size_t length = strcspn(p, " \t\r\n,:{}[]\"");
            if (length == 0)
                return NULL;
            p += length;
        }
    } while (depth > 0);
    return p;
}

/* The value of `key` in the object at p; NULL: none. */
static const char *member(const char *p, const char *key, size_t length)
{
    p = skip_blanks(p);
    if (*p++ != '{')
        return NULL;
    while (*(p = skip_blanks(p)) == '"') {
        const char *name = p + 1;
        p = skip_string(p);
        if (!p)
            return NULL;
        const bool same = (size_t)(p - 1 - name) == length && memcmp(name, key, length) == 0;
        p = skip_blanks(p);
        if (*p++ != ':')
            return NULL;
        p = skip_blanks(p);
        if (same)
            return p;
        p = skip_value(p);
        if (!p)
            return NULL;
        p = skip_blanks(p);
        p += *p == ',';
    }
    return NULL;
}

static const char *find(const char *json, const char *path)
{
    while (json && *path) {
        const size_t length = strcspn(path, ".");
        json = member(json, path, length);
        path += length + (path[length] == '.');
    }
    return json;
}

bool json_number(const char *json, const char *path, double *number)
{
    const char *p = find(json, path);
    char *end;
    if (!p)
        return false;
    *number = strtod(p, &end);
    return end != p;
}

bool json_text(const char *json, const char *path, struct text *out)
{
    const char *p = find(json, path);
    if (!p || *p != '"')
        return false;
    for (p++; *p && *p != '"'; p++) {
        char c = *p;
        if (c == '\\' && p[1] == 'u' && strlen(p) > 5) {
            const char digits[] = { p[4], p[5], '\0' };
            c = (char)strtol(digits, NULL, 16);
            p += 5;
        } else if (c == '\\' && p[1]) {
            c = *++p;
        }
        text_bytes(out, &c, 1);
    }
    return true;
}

/* ---- writing ----------------------------------------------------------------------- */

void json_add(struct text *out, const char *text)
{
    text_add(out, "\"");
    for (const char *p = text; *p;) {
        const int count = utf8_length(p);
        if (*p == '"' || *p == '\\')
            text_add(out, "\\%c", *p);
        else if (count == 1 && (*p < ' ' || *p == 0x7f))
            text_add(out, "\\u%04x", *p);
        else if (count == 0)
            text_add(out, "?");
        else
            text_bytes(out, p, (size_t)count);
        p += count ? count : 1;
    }
    text_add(out, "\"");
}

/*
 * Tests of kind source and ptx: what must stand in a text, and what must not.
 */
#include "grading.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text that is looked at --------------------------------------------------- */

/* Behind a comment, string or character that begins at p; p itself: none does. */
static const char *skip_unseen(const char *p)
{
    if (p[0] == '/' && p[1] == '/') {
        while (*p && *p != '\n')
            p += p[0] == '\\' && p[1] ? 2 : 1;
    } else if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        p = end ? end + 2 : p + strlen(p);
    } else if (*p == '"' || *p == '\'') {
        const char quote = *p++;
        while (*p && *p != quote && *p != '\n')
            p += p[0] == '\\' && p[1] ? 2 : 1;
        p += *p == quote;
    }
    return p;
}

void text_strip(const char *source, struct text *out)
{
    for (const char *p = source; *p;) {
        const char *end = skip_unseen(p);
        const bool blank = end != p || strchr(" \t\r\n\v\f", *p);
        if (!blank)
            text_bytes(out, p, 1);
        else if (out->length && out->at[out->length - 1] != ' ')
            text_add(out, " ");
        p = end != p ? end : p + 1;
    }
}

/* PTX up to its debug sections, without the lines that only tell where something came from. */
static void strip_ptx(char *ptx, struct text *out)
{
    for (char *line; (line = line_next(&ptx));) {
        const char *word = line + strspn(line, " \t");
        if (strncmp(word, ".section", 8) == 0 && strstr(word, ".debug"))
            return;
        if (strncmp(word, ".loc", 4) != 0 && strncmp(word, ".file", 5) != 0 && strncmp(word, "//", 2) != 0)
            text_add(out, "%s\n", line);
    }
}

/* ---- judging ------------------------------------------------------------------------- */

static bool found(const struct test *test, const char *key, const char *text)
{
    regex_t expression;
    const int error = regcomp(&expression, test_word(test, key), REG_EXTENDED | REG_NOSUB);
    if (error) {
        char why[WHY];
        regerror(error, &expression, why, sizeof why);
        die(ENDS_USAGE, "%s: %s=%s: %s", test->where, key, test_word(test, key), why);
    }
    const bool matches = regexec(&expression, text, 0, NULL, 0) == 0;
    regfree(&expression);
    return matches;
}

void judge_text(const struct grading *g, const struct test *test, struct row *row)
{
    const struct source *source = &g->sources[lab_source(g->lab, test_word(test, "file"))];
    const char *what = test->kind == KIND_PTX ? "compiled kernel" : "source";
    struct text seen = { 0 }, ptx = { 0 };
    char why[WHY];
    if (test->kind == KIND_SOURCE)
        text_strip(text_of(&source->text), &seen);
    else if (file_get(".", source->ptx, (size_t)1 << 24, &ptx, why))
        strip_ptx(ptx.at, &seen);
    else
        die(ENDS_BROKEN, "%s %s", source->ptx, why);
    if (test_word(test, "require") && !found(test, "require", text_of(&seen)))
        row_fail(row, "the %s of %s has nothing that matches %s", what, test_word(test, "file"), test_word(test, "require"));
    else if (test_word(test, "forbid") && found(test, "forbid", text_of(&seen)))
        row_fail(row, "the %s of %s has something that matches %s", what, test_word(test, "file"), test_word(test, "forbid"));
    text_free(&seen);
    text_free(&ptx);
}

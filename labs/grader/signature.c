/*
 * What a kernel takes, as its source says it: for messages, which otherwise had only the name that the compiler made of it.
 * Not modelled: a declaration that macros put together.
 */
#include "grading.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Behind the bracket that closes the one at p; NULL: none does. */
static const char *behind_brackets(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0)
            return p + 1;
    }
    return NULL;
}

char *signature_in(const char *source, const char *kernel)
{
    struct text plain = { 0 };
    char *signature = NULL;
    text_strip(source, &plain);
    const char *begin = text_of(&plain);
    for (const char *p = begin; !signature && *kernel && (p = strstr(p, kernel)); p += strlen(kernel)) {
        const char *open = p + strlen(kernel);
        open += *open == ' ';
        const char *end = *open == '(' && (p == begin || !is_name(p[-1])) ? behind_brackets(open) : NULL;
        if (end && (end[*end == ' '] == '{' || end[*end == ' '] == ';'))
            signature = form("%s%.*s", kernel, (int)(end - open), open);
    }
    text_free(&plain);
    return signature;
}

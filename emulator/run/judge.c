/*
 * Is the result right? See judge.h.
 */
#include "run/judge.h"

#include <string.h>

/* Values that print alike are told apart by their bits. */
static void describe(char *line, size_t size, const char *name, size_t index, enum element e, const uint8_t *got,
                     const uint8_t *want)
{
    char is[ELEMENT_TEXT], should[ELEMENT_TEXT], bits[2][20];
    const size_t bytes = element_bytes(e);
    element_text(e, got, is);
    element_text(e, want, should);
    for (size_t i = 0; i < bytes; i++) {
        snprintf(bits[0] + 2 * i, 3, "%02x", got[bytes - 1 - i]);
        snprintf(bits[1] + 2 * i, 3, "%02x", want[bytes - 1 - i]);
    }
    if (strcmp(is, should) == 0)
        snprintf(line, size, "%.60s[%zu] is %s (0x%s), want %s (0x%s)", name, index, is, bits[0], should, bits[1]);
    else
        snprintf(line, size, "%.60s[%zu] is %s, want %s", name, index, is, should);
}

void judge(struct judgement *j, const char *name, enum element e, size_t count, const uint8_t *got, const uint8_t *want)
{
    const size_t bytes = element_bytes(e);
    j->compared += count;
    if (count == 0 || memcmp(got, want, count * bytes) == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *a = got + i * bytes, *b = want + i * bytes;
        if (element_same(e, a, b))
            continue;
        j->wrong++;
        if (j->shown < SHOWN_ELEMENTS)
            describe(j->line[j->shown++], sizeof j->line[0], name, i, e, a, b);
    }
}

void judge_print(const struct judgement *j, const char *kernel, FILE *out)
{
    if (j->wrong == 0 && j->compared == 0)
        fprintf(out, "PASS %s: ran to its end, nothing to compare\n", kernel);
    else if (j->wrong == 0)
        fprintf(out, "PASS %s: %zu element%s\n", kernel, j->compared, j->compared == 1 ? "" : "s");
    else
        fprintf(out, "FAIL %s: %s\n", kernel, j->line[0]);
    for (int i = 1; i < j->shown; i++)
        fprintf(out, "     %s\n", j->line[i]);
    if (j->wrong > 1)
        fprintf(out, "     %zu of %zu elements are wrong\n", j->wrong, j->compared);
}

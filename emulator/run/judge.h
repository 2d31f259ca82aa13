/*
 * Is the result right? Element by element: equal bits, or both NaN.
 */
#ifndef EMU_RUN_JUDGE_H
#define EMU_RUN_JUDGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "run/element.h"

enum { SHOWN_ELEMENTS = 8 };

struct judgement {
    size_t compared, wrong;                 /* elements, of all buffers */
    int shown;
    char line[SHOWN_ELEMENTS][280];         /* "[17] is nan, want 51" */
};

/* Compares `count` elements; `name` stands before the index unless it is "". */
void judge(struct judgement *j, const char *name, enum element e, size_t count, const uint8_t *got, const uint8_t *want);
/* "PASS kernel: 1000 elements", or "FAIL kernel: [17] is nan, want 51" and the
 * next wrong ones below it. */
void judge_print(const struct judgement *j, const char *kernel, FILE *out);

#endif

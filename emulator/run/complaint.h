/*
 * What went wrong and how emu-run ends because of it: one sentence that names
 * file, line and value, and an exit code. The first complaint is kept.
 */
#ifndef EMU_RUN_COMPLAINT_H
#define EMU_RUN_COMPLAINT_H

#include <stdbool.h>

/* Exit codes of every program of this project. */
enum {
    ENDS_RIGHT,        /* the result is right */
    ENDS_WRONG,        /* a wrong result, or a rule was broken */
    ENDS_USAGE,        /* the request makes no sense */
    ENDS_MACHINE,      /* the chosen device cannot do it */
    ENDS_COVERAGE,     /* outside the emulator's coverage */
    ENDS_BROKEN        /* the emulator itself is at fault */
};

struct complaint {
    int code;          /* ENDS_RIGHT: none yet */
    char text[1024];
};

/* Notes the sentence; false, so that `return complain(...)` reads well. */
#define complain(...) (complaint_note(__VA_ARGS__), complained())
static inline bool complained(void) { return false; }
void complaint_note(struct complaint *c, int code, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif

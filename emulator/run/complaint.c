/*
 * What went wrong and how emu-run ends because of it: see complaint.h.
 */
#include "run/complaint.h"

#include <stdarg.h>
#include <stdio.h>

void complaint_note(struct complaint *c, int code, const char *format, ...)
{
    va_list arguments;
    if (c->code != ENDS_RIGHT)
        return;
    c->code = code;
    va_start(arguments, format);
    vsnprintf(c->text, sizeof c->text, format, arguments);
    va_end(arguments);
}

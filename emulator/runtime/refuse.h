/*
 * The end for what the emulator does not have: says so on stderr, exit 4.
 */
#ifndef EMU_RUNTIME_REFUSE_H
#define EMU_RUNTIME_REFUSE_H

#include <stddef.h>

_Noreturn void runtime_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with the user's line in front, as callsite_describe found it. */
_Noreturn void runtime_refuse_at(const char *site, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* callsite.c: FILE:LINE of the host code that `address`, a return address, lies in; the program's name when it cannot be
 * told. */
void callsite_describe(const void *address, char *text, size_t size);

#endif

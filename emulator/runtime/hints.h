/*
 * Hints about managed memory, in the words of memory.c.
 */
#ifndef EMU_RUNTIME_HINTS_H
#define EMU_RUNTIME_HINTS_H

#include <stddef.h>

int memory_hint(const void *pointer, size_t bytes);   /* a cudaError_t: is this managed memory? */

#endif

/*
 * Whole files in, whole files out.
 * Writing goes to PATH.part and is renamed at the end, so that a failure
 * leaves no partial file. What exists and is no plain file (a pipe,
 * /dev/stdout) is written directly.
 */
#ifndef EMU_RUN_FILE_H
#define EMU_RUN_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "run/complaint.h"

/* The whole file in malloc'ed memory with a NUL behind it; more than `most`
 * bytes, a directory or an unreadable file is a complaint. */
bool file_read(const char *path, size_t most, char **bytes, size_t *count, struct complaint *c);

/* Two pieces, one after the other, as the whole file. */
bool file_write(const char *path, const void *head, size_t head_bytes, const void *body, size_t body_bytes,
                struct complaint *c);

#endif

/*
 * zstd frames, decoded by the system's libzstd.so.1, which is looked for when
 * a program needs it: nvcc 13 packs PTX this way unless told --no-compress.
 */
#ifndef EMU_RUNTIME_ZSTD_H
#define EMU_RUNTIME_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

bool zstd_available(void);     /* false: the library is not installed */
/* Decodes `packed` bytes into exactly `plain` bytes. false: damaged. Only when available. */
bool zstd_decode(const void *from, size_t packed, void *to, size_t plain);

#endif

/*
 * Fat binaries: what nvcc puts into a program, and which part of it to run.
 *
 * The host code registers a wrapper. Version 1 leads to one fat binary,
 * version 2 (separable compilation) to one per source file. A fat binary is a
 * header and entries; an entry is PTX or machine code for one target, packed
 * or plain. The emulator runs PTX: fatbin_choose picks by target and flags,
 * never by order, because `-arch=sm_100a` writes PTX for plain compute_100
 * first, which lacks what the 100a entry has.
 *
 * The layout is not documented by NVIDIA; it was read off nvcc 13.0 output.
 * Not modelled: running machine code (ELF), LTO intermediate code.
 */
#ifndef EMU_RUNTIME_FATBIN_H
#define EMU_RUNTIME_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2, FATBIN_LTO = 8 };
enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };

struct fatbin_entry {
    enum fatbin_kind kind;
    enum fatbin_packing packing;
    int cc;                   /* 100 */
    char target_kind;         /* 0 plain, 'a' architecture specific, 'f' family */
    const uint8_t *payload;
    size_t packed;            /* bytes at payload */
    size_t plain;             /* bytes when unpacked */
};

/* The fat binaries behind a wrapper: at most max are written to images, in link order.
 * Returns how many there are; -1 when this is no wrapper that nvcc makes. */
int fatbin_images(const void *wrapper, const void **images, int max);

/* Walks the entries of one fat binary. `at` starts as 0. false: no more, or *damaged is set. */
bool fatbin_next(const void *image, size_t *at, struct fatbin_entry *entry, bool *damaged);

enum fatbin_choice {
    FATBIN_FOUND,
    FATBIN_EMPTY,             /* no entries at all: a source file without device code */
    FATBIN_WRONG_TARGET,      /* nothing in it runs on this device */
    FATBIN_ONLY_ELF,          /* machine code for this device, but no PTX */
    FATBIN_DAMAGED
};
/* The PTX entry that a device of capability `cc` runs: the newest target, and of equal ones the most specific. */
enum fatbin_choice fatbin_choose(const void *image, int cc, struct fatbin_entry *entry);

/* The text of a PTX entry, in memory of its own (free it); NULL and a sentence in `why` otherwise. */
char *fatbin_text(const struct fatbin_entry *entry, size_t *length, char *why, size_t why_size);

#endif

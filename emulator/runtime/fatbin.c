/* Fat binaries: see fatbin.h. Every read is bounded by the size in the header. */
#include "runtime/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "runtime/lz4.h"
#include "runtime/zstd.h"

enum {
    WRAPPER_MAGIC = 0x466243B1,
    FATBIN_HEADER = 16,
    ENTRY_HEADER = 64,
    MOST_PTX = 1 << 30 /* bytes; no compiler comes near, so more is damage */
};
#define FATBIN_MAGIC 0xBA55ED50u

/* In section .nvFatBinSegment. */
struct wrapper {
    int32_t magic, version;
    const void *data;          /* version 1: the fat binary; 2: linked machine code */
    const void *const *parts;  /* version 2: the fat binaries, NULL at the end */
};

struct header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;            /* of all entries */
};

struct entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t payload_bytes;    /* padded */
    uint32_t packed_bytes, options_offset;
    uint16_t minor, major;
    uint32_t arch, name_offset, name_length;
    uint64_t flags, zero, plain_bytes;
};
_Static_assert(sizeof(struct entry) == ENTRY_HEADER, "entry header as nvcc writes it");

enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_ARCHITECTURE = 0x100000, FLAG_FAMILY = 0x200000 };

int fatbin_images(const void *wrapper, const void **images, int max)
{
    const struct wrapper *w = wrapper;
    if (!w || w->magic != WRAPPER_MAGIC || (w->version != 1 && w->version != 2))
        return -1;
    if (w->version == 1) {
        if (max > 0)
            images[0] = w->data;
        return 1;
    }
    int count = 0;
    for (; w->parts && w->parts[count]; count++)
        if (count < max)
            images[count] = w->parts[count];
    return count;
}

/* Sizes in the flags and lengths of an entry become what the caller wants to know. */
static void describe(const struct entry *e, const uint8_t *start, struct fatbin_entry *out)
{
    *out = (struct fatbin_entry){ .kind = e->kind, .cc = (int)e->arch };
    out->target_kind = e->flags & FLAG_ARCHITECTURE ? 'a' : e->flags & FLAG_FAMILY ? 'f' : 0;
    out->payload = start + e->header_bytes;
    out->packing = e->flags & FLAG_LZ4 ? FATBIN_LZ4 : e->flags & FLAG_ZSTD ? FATBIN_ZSTD : FATBIN_PLAIN;
    if (out->packing == FATBIN_PLAIN) {
        out->packed = out->plain = e->payload_bytes;
    } else {
        out->packed = e->packed_bytes;
        out->plain = e->plain_bytes;
    }
}

bool fatbin_next(const void *image, size_t *at, struct fatbin_entry *entry, bool *damaged)
{
    struct header h;
    *damaged = true;
    if (!image)
        return false;
    memcpy(&h, image, sizeof h);
    if (h.magic != FATBIN_MAGIC || h.header_bytes < FATBIN_HEADER)
        return false;
    *damaged = *at > h.bytes || h.bytes > UINTPTR_MAX - (uintptr_t)image - h.header_bytes;
    size_t left = h.bytes - *at;
    if (*damaged || left == 0)
        return false;
    const uint8_t *start = (const uint8_t *)image + h.header_bytes + *at;
    struct entry e;
    *damaged = true;
    if (left < sizeof e)
        return false;
    memcpy(&e, start, sizeof e);
    if (e.header_bytes < sizeof e || e.header_bytes > left || e.payload_bytes > left - e.header_bytes ||
        e.packed_bytes > e.payload_bytes)
        return false;
    *damaged = false;
    describe(&e, start, entry);
    *at += e.header_bytes + e.payload_bytes;
    return true;
}

/* Larger is better: the newest target, then `a` before `f` before plain. */
static int preference(const struct fatbin_entry *e)
{
    return e->cc * 4 + (e->target_kind == 'a' ? 2 : e->target_kind == 'f' ? 1 : 0);
}

enum fatbin_choice fatbin_choose(const void *image, int cc, struct fatbin_entry *entry)
{
    bool damaged, any = false, found = false, elf = false;
    struct fatbin_entry e;
    for (size_t at = 0; fatbin_next(image, &at, &e, &damaged); any = true) {
        if (e.kind == FATBIN_ELF) {
            /* Machine code runs on its own major version only, from its own minor upwards. */
            elf = elf || (e.cc / 10 == cc / 10 && e.cc <= cc && (e.target_kind != 'a' || e.cc == cc));
        } else if (e.kind == FATBIN_PTX && target_runs_on(e.cc, e.target_kind, cc)) {
            if (!found || preference(&e) > preference(entry))
                *entry = e;
            found = true;
        }
    }
    if (damaged)
        return FATBIN_DAMAGED;
    if (found)
        return FATBIN_FOUND;
    return !any ? FATBIN_EMPTY : elf ? FATBIN_ONLY_ELF : FATBIN_WRONG_TARGET;
}

static bool unpack(const struct fatbin_entry *e, char *to, char *why, size_t why_size)
{
    bool fine = true;
    switch (e->packing) {
    case FATBIN_PLAIN:
        memcpy(to, e->payload, e->plain);
        return true;
    case FATBIN_LZ4:
        fine = lz4_decode(e->payload, e->packed, (uint8_t *)to, e->plain);
        break;
    case FATBIN_ZSTD:
        if (!zstd_available()) {
            snprintf(why, why_size, "its PTX is packed with zstd and libzstd.so.1 is not installed: install the "
                     "package libzstd1, or build the program with nvcc --no-compress (nvcc-emu does)");
            return false;
        }
        fine = zstd_decode(e->payload, e->packed, to, e->plain);
        break;
    }
    if (!fine)
        snprintf(why, why_size, "its packed PTX is damaged");
    return fine;
}

char *fatbin_text(const struct fatbin_entry *entry, size_t *length, char *why, size_t why_size)
{
    if (entry->plain > MOST_PTX) {
        snprintf(why, why_size, "its PTX is damaged: %zu bytes", entry->plain);
        return NULL;
    }
    char *text = malloc(entry->plain + 1);
    if (!text) {
        snprintf(why, why_size, "there is no memory for %zu bytes of PTX", entry->plain);
        return NULL;
    }
    if (!unpack(entry, text, why, why_size)) {
        free(text);
        return NULL;
    }
    text[entry->plain] = 0;
    *length = strlen(text);   /* nvcc pads with NUL */
    return text;
}

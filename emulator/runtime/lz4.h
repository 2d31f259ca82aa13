/*
 * LZ4 blocks, decoded.
 *
 * `nvcc --compress-mode=speed` packs PTX this way: a bare block, no frame, no
 * checksum. The format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
 * Not modelled: frames, dictionaries, compression.
 */
#ifndef EMU_RUNTIME_LZ4_H
#define EMU_RUNTIME_LZ4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes `packed` bytes into exactly `plain` bytes. false: the block is damaged. */
bool lz4_decode(const uint8_t *from, size_t packed, uint8_t *to, size_t plain);

#endif

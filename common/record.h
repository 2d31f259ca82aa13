/*
 * The record of a tile, 16 bytes that a bulk copy can carry: before the next bx comes from a request, it comes from
 * such a record (tutorial/rungs). Words: x the tile, or the first tile of a cluster; y, z 0; w 1, or 0 in the last
 * record, which says that there is no more. A request's answer has 16 bytes too, but its layout is the hardware's.
 */
#ifndef COMMON_RECORD_H
#define COMMON_RECORD_H

#include <stdint.h>

enum { RECORD_WORDS = 4 };

/* Record k of tiles / cluster + 1. */
static inline void tile_record_at(int tiles, int cluster, int k, uint32_t record[RECORD_WORDS])
{
    const int there = k < tiles / cluster;
    record[0] = there ? (uint32_t)k * (uint32_t)cluster : 0;
    record[1] = record[2] = 0;
    record[3] = (uint32_t)there;
}

#endif

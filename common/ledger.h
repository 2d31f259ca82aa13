/*
 * The ledger of a recorded run: who did which tile, and when.
 *  - spend() and compute_scalar() (job.cuh) fill one tile_record a tile and one block_record a block.
 *  - ledger_check() holds every tile against the promise of the tutorial: done once, by one block,
 *    with all of its warps. Values alone cannot show this.
 *  - ledger_timeline() draws it: a row per SM slot, `p` prologue, `#` own tile, `+` stolen, `.` idle.
 * The records are sums that warps add to, because a sum needs no order and no lock.
 * Not modelled: a block that moves to another SM in mid-run; lanes (a warp's lane 0 signs for it).
 */
#ifndef COMMON_LEDGER_H
#define COMMON_LEDGER_H

#include <stdint.h>
#include <stdio.h>

#include "sentence.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Times are readings of %globaltimer. Zero until somebody signs. */
struct tile_record {
    uint64_t signed_by; /* sum of tile_signature() over the warps that did it */
    uint32_t block;     /* the block whose thread 0 signed last */
    uint32_t unused;
    uint64_t start; /* of that thread's arithmetic */
    uint64_t end;
};

/*
 * Low half: 1 << warp; w different powers of two add up to w ones. High half: block + 1; w equal numbers
 * add up to w times the one that `block` tells.
 */
#define tile_signature(block, warp) ((uint64_t)((block) + 1u) << 32 | (uint64_t)1 << (warp))

struct block_record {
    uint32_t prologues; /* executions of compute_scalar() by thread 0 */
    uint32_t sm;
    uint64_t start; /* of the last prologue */
    uint64_t end;
};

struct ledger {
    struct tile_record *tiles; /* tile_count + 1: the last one takes signatures for tiles that do not exist */
    struct block_record *blocks;
    int64_t tile_count;
    int64_t block_count;
    int block_threads;
    bool steals; /* tile k belongs to block k until somebody steals it */
};

/* Every tile once, by one block, by all warps. False: `why` names the first tile that was not. */
bool ledger_check(const struct ledger *ledger, struct sentence *why);

int64_t ledger_prologues(const struct ledger *ledger); /* executions in all */
int64_t ledger_stolen(const struct ledger *ledger);    /* tiles done by another block than their own */

enum { TIMELINE_TILES = 64 };

/* Draws at most TIMELINE_TILES tiles. */
void ledger_timeline(const struct ledger *ledger, FILE *out);

/* CSV, a line per tile: tile,block,sm,slot,start,end,kind; then one per prologue, with `-` for the tile. Times count from
 * the first start. */
bool ledger_csv(const struct ledger *ledger, const char *path, struct sentence *why);

#ifdef __cplusplus
}
#endif

#endif

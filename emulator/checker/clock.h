/*
 * Clocks: what is known to have happened before.
 *
 * A thread numbers its releasing operations; an access carries the number that
 * was current, its epoch. A clock says, per block, up to which epoch all its
 * threads are known ("past"), for some lanes of one warp more than that
 * ("some"), and how many phases of an mbarrier are known to be complete
 * ("seen"; the lane of everything that completes on it). A block is named by
 * the serial number of its start. `self` is an epoch of whichever thread holds
 * the clock; it lets lanes share one, and becomes a "some" when it is sent.
 *
 * Clocks never change once made and are counted; NULL is the empty clock.
 * Functions that return a clock return a new reference. What a clock knows of
 * blocks is bounded: the oldest entries beyond MOST_PASTS are forgotten, and
 * everything up to `forgotten` then counts as known: a race may be missed
 * there, none is invented. So it is with phases of mbarriers, by `missed`.
 */
#ifndef EMU_CHECKER_CLOCK_H
#define EMU_CHECKER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/heap.h"

struct past { uint32_t block, epoch; };
struct some { uint32_t block, epoch, mask, warp; };
struct seen { uint32_t lane, count; };

struct clock {
    uint32_t references;
    uint32_t self;                   /* 0: none */
    uint32_t forgotten;              /* blocks up to this one count as known; 0 none */
    uint32_t missed;                 /* lanes of mbarriers below this one count as complete */
    uint16_t pasts, somes, seens;
    uint32_t data[];                 /* pasts by block, somes by block and warp, seens by lane */
};

struct clock *clock_keep(struct clock *c);               /* one more reference */
void clock_drop(struct heap *h, struct clock *c);

struct clock *clock_join(struct heap *h, struct clock *a, struct clock *b);
struct clock *clock_with_past(struct heap *h, struct clock *c, uint32_t block, uint32_t epoch);
struct clock *clock_with_some(struct heap *h, struct clock *c, struct some s);
struct clock *clock_with_seen(struct heap *h, struct clock *c, uint32_t lane, uint32_t count);
struct clock *clock_with_self(struct heap *h, struct clock *c, uint32_t epoch);
struct clock *clock_without_seens(struct heap *h, struct clock *c);
/* self becomes the epoch of these lanes of a warp. */
struct clock *clock_sent(struct heap *h, struct clock *c, uint32_t block, uint32_t warp, uint32_t mask);
/* self becomes the epoch of all threads of the block. */
struct clock *clock_of_block(struct heap *h, struct clock *c, uint32_t block);

uint32_t clock_past(const struct clock *c, uint32_t block);   /* epoch up to which all of it is known */
/* The lanes of `mask` of which everything up to `epoch` is known. */
uint32_t clock_lanes(const struct clock *c, uint32_t block, uint32_t warp, uint32_t mask, uint32_t epoch);
/* The highest epoch found up to which all lanes of `mask` are known, 0: none. */
uint32_t clock_all_lanes(const struct clock *c, uint32_t block, uint32_t warp, uint32_t mask);
uint32_t clock_seen(const struct clock *c, uint32_t lane);    /* UINT32_MAX: missed */
bool clock_covers(const struct clock *a, const struct clock *b);   /* everything in b is in a */
bool clock_has_block(const struct clock *c, uint32_t block);  /* anything of it */
bool clock_equal(const struct clock *a, const struct clock *b);
bool clock_empty(const struct clock *c);

#endif

/*
 * What a thread knows, and what it sends: the symbols G, S, R, A, H, P, Q of
 * the algorithm in one object that many lanes share.
 *
 *   before      G  what happened before, for every memory
 *   SHARED      S  more of it, for the shared memory of one block only (fences with sync_restrict)
 *   RELEASED    R  accesses to that memory that a release half of the proxy fence covered
 *   ASYNC       A  accesses to that memory that come before async operations issued from here
 *   FENCED      H  accesses followed by any fence of the reader's side
 *   INIT           initialisations of mbarriers that fence.mbarrier_init covered
 *   RAN            blocks that have started, and accesses to peers, ordered by execution alone: relaxed barriers count
 *   SC             accesses that some fence.sc of gpu scope followed, and that fence came before this point
 *   SC_HEARD       what was SC for the writer of a value that was read, by then or before this point: a fence.sc from
 *                  here on cannot come before that other one, for the read would have come before the write
 *   pending     P  captured by release fences, per scope: what relaxed arrives and stores send
 *   stash       Q  received by relaxed waits and loads, not yet acquired, per scope that an acquire needs to reach the
 *                  senders; what came by waits once more, for a barrier acquires that, and no load
 * For better words in reports only:
 *   DROPPED        sent, but with a scope too narrow to be received
 *   UNCARRIED      what the issuer of an async operation had done, which its completion does not carry
 *   TRIED          what an acquire half here would have ordered, had it been released
 *   NARROW         what a fence of the proxy covered, but for another space
 *
 * Objects never change once made and are counted; NULL knows nothing. A
 * function returns a new reference and takes none over.
 */
#ifndef EMU_CHECKER_KNOW_H
#define EMU_CHECKER_KNOW_H

#include "checker/clock.h"

enum part { PART_SHARED, PART_RELEASED, PART_ASYNC, PART_FENCED, PART_INIT, PART_RAN, PART_DROPPED, PART_UNCARRIED, PART_TRIED,
            PART_NARROW, PART_SC, PART_SC_HEARD };
enum { WHERE_ALL = 0, WHERE_GLOBAL = UINT32_MAX };      /* instead of a block's serial number */
enum level { LEVEL_BLOCK, LEVEL_CLUSTER, LEVEL_DEVICE, LEVELS };
enum { STASH_WAITED = LEVELS, STASHES };                /* which stash: a level, or what came by waits */

struct item { uint32_t part, where; struct clock *clock; };

struct know {
    uint32_t references;
    uint32_t items;
    struct clock *before;
    struct know *pending[LEVELS];
    struct know *stash[STASHES];
    struct item item[];
};

struct know *know_keep(struct know *k);
void know_drop(struct heap *h, struct know *k);
struct clock *know_part(const struct know *k, enum part part, uint32_t where);   /* borrowed; NULL: nothing */

/* Copies with one thing changed. `clock`, `pending` and `stash` are borrowed. */
struct know *know_with_before(struct heap *h, const struct know *k, struct clock *clock);
struct know *know_with(struct heap *h, const struct know *k, enum part part, uint32_t where, struct clock *clock);   /* joins */
struct know *know_with_pending(struct heap *h, const struct know *k, enum level level, struct know *message);   /* joins */
struct know *know_with_stash(struct heap *h, const struct know *k, int which, struct know *stash);   /* replaces */
struct know *know_stashed(struct heap *h, const struct know *k, int which, struct know *message, bool own);   /* joins */

/* a and what b says (before and parts). Parts ASYNC of b only when `own`: its fences stood in the same block. */
struct know *know_join(struct heap *h, const struct know *a, const struct know *b, bool own);
/* All that a thread with this knowledge can send at epoch n: self still to be resolved. */
struct know *know_message(struct heap *h, const struct know *k, uint32_t n);
/* Only what relaxed operations send: pending up to any level >= `level`, FENCED, RAN, and SC to be heard. NULL: nothing. */
struct know *know_relaxed(struct heap *h, const struct know *k, enum level level);
struct know *know_sent(struct heap *h, const struct know *k, uint32_t block, uint32_t warp, uint32_t mask);
struct know *know_of_block(struct heap *h, const struct know *k, uint32_t block);
struct know *know_only(struct heap *h, const struct know *k, enum part part);   /* nothing but these items; never NULL */
/* Without what concerns the shared memory of single blocks, and what completed in it. */
struct know *know_of_all(struct heap *h, const struct know *k);
/* `k` with the pending messages of `from`, and what its stash has beyond k; a barrier took what came by waits. */
struct know *know_with_pending_of(struct heap *h, const struct know *k, const struct know *from);
bool know_same_pending(const struct know *a, const struct know *b);
bool know_equal(const struct know *a, const struct know *b);

/* K(t, c): before, and what holds for the shared memory of one block. New reference. */
struct clock *know_for(struct heap *h, const struct know *k, uint32_t where);

#endif

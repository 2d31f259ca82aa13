/*
 * The mbarrier room (PTX ISA 9.7.13.15).
 *
 * A phase ends when no arrival is missing (pending == 0) and no byte is in
 * flight (tx == 0); ending it starts the next one with pending = expected.
 * The whole state is the 64-bit word that lies in shared memory, so saving
 * shared memory saves it. The word's layout is ours: opaque to programs.
 *  - every operation says whether it ended the phase; the caller wakes waiters;
 *  - an operation outside the ranges of the ISA changes nothing and says why.
 * This room knows no thread, no scope and no proxy. Whether a word holds an
 * mbarrier at all, and who observed which phase, is for its callers.
 */
#ifndef EMU_SYNC_MBARRIER_H
#define EMU_SYNC_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

enum { MBARRIER_MAX = (1 << 20) - 1 };   /* largest count and, with either sign, tx (PTX ISA 9.7.13.15.2) */

struct mbarrier {
    /* Set by init, lowered by drop. */
    uint32_t expected;   /* arrivals a phase needs, 0 .. MBARRIER_MAX (0: all dropped) */
    /* The current phase. */
    uint32_t pending;    /* arrivals still missing */
    int32_t tx;          /* bytes still in flight; negative: delivered before they were expected */
    uint32_t phase;      /* completed phases, modulo 8 */
};

enum mbarrier_result {
    MBAR_OPEN,           /* done; the phase goes on */
    MBAR_COMPLETED,      /* done; this operation ended the phase */
    /* Nothing was changed: */
    MBAR_BAD_COUNT,      /* a count outside 1 .. MBARRIER_MAX */
    MBAR_TOO_MANY,       /* more arrivals than the phase still expects */
    MBAR_TX_RANGE,       /* tx would leave -MBARRIER_MAX .. MBARRIER_MAX */
    MBAR_WOULD_COMPLETE, /* a noComplete arrive that would end the phase */
    MBAR_OVERFLOW        /* pending would exceed MBARRIER_MAX */
};

struct mbarrier mbarrier_decode(uint64_t word);
uint64_t mbarrier_encode(struct mbarrier b);

enum mbarrier_result mbarrier_init(uint64_t *word, uint32_t count);
enum mbarrier_result mbarrier_arrive(uint64_t *word, uint32_t count);
enum mbarrier_result mbarrier_arrive_no_complete(uint64_t *word, uint32_t count);
enum mbarrier_result mbarrier_drop(uint64_t *word, uint32_t count);           /* arrive_drop: later phases expect less */
enum mbarrier_result mbarrier_drop_no_complete(uint64_t *word, uint32_t count);
enum mbarrier_result mbarrier_expect_tx(uint64_t *word, uint32_t bytes);
enum mbarrier_result mbarrier_complete_tx(uint64_t *word, uint32_t bytes);
enum mbarrier_result mbarrier_arrive_expect_tx(uint64_t *word, uint32_t bytes);   /* expects, then arrives once */
enum mbarrier_result mbarrier_drop_expect_tx(uint64_t *word, uint32_t bytes);
enum mbarrier_result mbarrier_add_pending(uint64_t *word);                     /* cp.async.mbarrier.arrive without .noinc */

/* A token is the word before the arrive that returned it. True: the token's phase is complete. Defined for the
 * current phase and the one before (MB5); a token 8 phases old looks current. */
bool mbarrier_test(uint64_t word, uint64_t token);
/* True: the phase of this parity is complete, that is, the current one has the other parity. */
bool mbarrier_test_parity(uint64_t word, uint32_t parity);
/* Arrivals that were pending before the arrive that returned the token. */
uint32_t mbarrier_pending_count(uint64_t token);

#endif

/* The mbarrier room; see mbarrier.h. */
#include "sync/mbarrier.h"

/* The word, from bit 0: tx 21, expected 20, pending 20, phase 3. */
enum { TX_BITS = 21, COUNT_BITS = 20, EXPECTED_AT = TX_BITS, PENDING_AT = EXPECTED_AT + COUNT_BITS,
       PHASE_AT = PENDING_AT + COUNT_BITS };

struct mbarrier mbarrier_decode(uint64_t word)
{
    uint32_t tx = (uint32_t)word & ((1u << TX_BITS) - 1);
    struct mbarrier b = {
        .expected = (uint32_t)(word >> EXPECTED_AT) & MBARRIER_MAX,
        .pending = (uint32_t)(word >> PENDING_AT) & MBARRIER_MAX,
        .tx = tx >> (TX_BITS - 1) ? (int32_t)tx - (1 << TX_BITS) : (int32_t)tx,
        .phase = (uint32_t)(word >> PHASE_AT)
    };
    return b;
}

uint64_t mbarrier_encode(struct mbarrier b)
{
    uint64_t word = b.phase & 7;
    word = word << COUNT_BITS | b.pending;
    word = word << COUNT_BITS | b.expected;
    return word << TX_BITS | ((uint32_t)b.tx & ((1u << TX_BITS) - 1));
}

static bool count_ok(uint32_t count) { return count >= 1 && count <= MBARRIER_MAX; }

/* Ends the phase if nothing is missing, and stores. */
static enum mbarrier_result settle(uint64_t *word, struct mbarrier b)
{
    bool complete = b.pending == 0 && b.tx == 0;
    if (complete) {
        b.phase++;
        b.pending = b.expected;
    }
    *word = mbarrier_encode(b);
    return complete ? MBAR_COMPLETED : MBAR_OPEN;
}

enum mbarrier_result mbarrier_init(uint64_t *word, uint32_t count)
{
    if (!count_ok(count))
        return MBAR_BAD_COUNT;
    *word = mbarrier_encode((struct mbarrier){.expected = count, .pending = count});
    return MBAR_OPEN;
}

/* All arrives: expect `bytes` first, then take `count` from pending, and from expected when dropping. */
static enum mbarrier_result arrive(uint64_t *word, uint32_t count, uint32_t bytes, bool drop, bool no_complete)
{
    struct mbarrier b = mbarrier_decode(*word);
    if (!count_ok(count))
        return MBAR_BAD_COUNT;
    if (bytes > MBARRIER_MAX || b.tx + (int32_t)bytes > MBARRIER_MAX)
        return MBAR_TX_RANGE;
    if (count > b.pending || (drop && count > b.expected))
        return MBAR_TOO_MANY;
    b.tx += (int32_t)bytes;
    b.pending -= count;
    b.expected -= drop ? count : 0;
    if (no_complete && b.pending == 0 && b.tx == 0)
        return MBAR_WOULD_COMPLETE;
    return settle(word, b);
}

enum mbarrier_result mbarrier_arrive(uint64_t *word, uint32_t count)
{
    return arrive(word, count, 0, false, false);
}

enum mbarrier_result mbarrier_arrive_no_complete(uint64_t *word, uint32_t count)
{
    return arrive(word, count, 0, false, true);
}

enum mbarrier_result mbarrier_drop(uint64_t *word, uint32_t count)
{
    return arrive(word, count, 0, true, false);
}

enum mbarrier_result mbarrier_drop_no_complete(uint64_t *word, uint32_t count)
{
    return arrive(word, count, 0, true, true);
}

enum mbarrier_result mbarrier_arrive_expect_tx(uint64_t *word, uint32_t bytes)
{
    return arrive(word, 1, bytes, false, false);
}

enum mbarrier_result mbarrier_drop_expect_tx(uint64_t *word, uint32_t bytes)
{
    return arrive(word, 1, bytes, true, false);
}

/* Both rules of completion hold for expect-tx too: it may bring a negative tx back to 0 (MB2). */
enum mbarrier_result mbarrier_expect_tx(uint64_t *word, uint32_t bytes)
{
    struct mbarrier b = mbarrier_decode(*word);
    if (bytes > MBARRIER_MAX || b.tx + (int32_t)bytes > MBARRIER_MAX)
        return MBAR_TX_RANGE;
    b.tx += (int32_t)bytes;
    return settle(word, b);
}

enum mbarrier_result mbarrier_complete_tx(uint64_t *word, uint32_t bytes)
{
    struct mbarrier b = mbarrier_decode(*word);
    if (bytes > MBARRIER_MAX || b.tx - (int32_t)bytes < -MBARRIER_MAX)
        return MBAR_TX_RANGE;
    b.tx -= (int32_t)bytes;
    return settle(word, b);
}

enum mbarrier_result mbarrier_add_pending(uint64_t *word)
{
    struct mbarrier b = mbarrier_decode(*word);
    if (b.pending == MBARRIER_MAX)
        return MBAR_OVERFLOW;
    b.pending++;
    *word = mbarrier_encode(b);
    return MBAR_OPEN;
}

bool mbarrier_test(uint64_t word, uint64_t token) { return word >> PHASE_AT != token >> PHASE_AT; }

bool mbarrier_test_parity(uint64_t word, uint32_t parity) { return (word >> PHASE_AT & 1) != (parity & 1); }

uint32_t mbarrier_pending_count(uint64_t token) { return mbarrier_decode(token).pending; }

/*
 * LZ4 blocks, decoded: see lz4.h.
 *
 * A block is a row of sequences: a token (literal count, match length), the
 * literals, a distance back into what was written, of which the match is a
 * copy. A count of 15 goes on in further bytes until one is not 255. The last
 * sequence has literals only.
 */
#include "runtime/lz4.h"

struct block {
    const uint8_t *from, *from_end;
    uint8_t *to, *start, *to_end;
};

static bool read_count(struct block *b, size_t *count)
{
    if (*count != 15)
        return true;
    for (uint8_t more = 255; more == 255;) {
        if (b->from == b->from_end)
            return false;
        more = *b->from++;
        *count += more;
    }
    return true;
}

static bool copy_literals(struct block *b, size_t count)
{
    if (count > (size_t)(b->from_end - b->from) || count > (size_t)(b->to_end - b->to))
        return false;
    while (count-- > 0)
        *b->to++ = *b->from++;
    return true;
}

/* The match may reach into itself: byte by byte, it then repeats. */
static bool copy_match(struct block *b, size_t distance, size_t count)
{
    if (distance == 0 || distance > (size_t)(b->to - b->start) || count > (size_t)(b->to_end - b->to))
        return false;
    for (; count > 0; count--, b->to++)
        *b->to = *(b->to - distance);
    return true;
}

bool lz4_decode(const uint8_t *from, size_t packed, uint8_t *to, size_t plain)
{
    struct block b = { from, from + packed, to, to, to + plain };
    while (b.from < b.from_end) {
        size_t literals = *b.from >> 4, match = *b.from & 15;
        b.from++;
        if (!read_count(&b, &literals) || !copy_literals(&b, literals))
            return false;
        if (b.from == b.from_end)
            break;
        if (b.from_end - b.from < 2)
            return false;
        size_t distance = b.from[0] | (size_t)b.from[1] << 8;
        b.from += 2;
        if (!read_count(&b, &match) || !copy_match(&b, distance, match + 4))
            return false;
    }
    return b.to == b.to_end;
}

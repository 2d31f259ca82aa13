/* Launch control; see launch_control.h. */
#include "sync/launch_control.h"

#include "machine/grid.h"

enum { WINDOW = 64 };            /* a request may get any of so many pending clusters */

static uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Words 0 and 1 carry what was granted, 2 the request's number, 3 checks the others. */
static uint32_t check(uint32_t a, uint32_t b, uint32_t request)
{
    return mix(a ^ mix(b ^ mix(request ^ 0xc1c00001u)));
}

void clc_encode(const struct clc_response *r, uint32_t words[4])
{
    uint32_t a = r->granted ? r->ctaid[0] | 0x80000000u : 0;
    uint32_t b = r->granted ? r->ctaid[1] | r->ctaid[2] << 16 : 0;
    words[0] = a ^ mix(r->request ^ 0xa5a5a5a5u);
    words[1] = b ^ mix(r->request ^ 0x5a5a5a5au);
    words[2] = mix(r->request);
    words[3] = check(a, b, r->request);
}

static uint32_t unmix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x43021123u;            /* inverse of 0x846ca68b modulo 2^32 */
    x ^= x >> 15 ^ x >> 30;
    x *= 0x1d69e2a5u;            /* inverse of 0x7feb352d */
    return x ^ x >> 16;
}

bool clc_decode(const uint32_t words[4], struct clc_response *r)
{
    uint32_t request = unmix(words[2]);
    uint32_t a = words[0] ^ mix(request ^ 0xa5a5a5a5u), b = words[1] ^ mix(request ^ 0x5a5a5a5au);
    bool granted = a >> 31;
    *r = (struct clc_response){.granted = granted, .request = request};
    r->ctaid[0] = granted ? a & 0x7fffffffu : CLC_POISON;
    r->ctaid[1] = granted ? b & 0xffffu : CLC_POISON;
    r->ctaid[2] = granted ? b >> 16 : CLC_POISON;
    return words[3] == check(a, b, request);
}

static bool higher_priority_waits(const struct machine *m, const struct grid *g)
{
    for (const struct grid *h = m->active; h != NULL; h = h->next_active)
        if (h != g && h->priority < g->priority && h->pending != 0 && h->ready_at <= m->now)
            return true;
    return false;
}

enum clc_verdict launch_control_request(struct machine *m, struct grid *g, uint64_t *cluster)
{
    bool refuse = choice_refuse(&m->choice);
    if (g->pending == 0)
        return CLC_NONE_PENDING;
    if (higher_priority_waits(m, g))
        return CLC_PRIORITY;
    if (refuse)
        return CLC_REFUSED;
    uint32_t skip = choose(&m->choice, CHOICE_GRANT, g->pending < WINDOW ? (uint32_t)g->pending : WINDOW);
    *cluster = g->next;
    for (;;) {
        while (!grid_is_pending(g, *cluster))
            ++*cluster;
        if (skip-- == 0)
            break;
        ++*cluster;
    }
    return grid_take(m, g, *cluster) ? CLC_GRANTED : CLC_NONE_PENDING;
}

/* The cluster barrier; see cluster_barrier.h. */
#include "sync/cluster_barrier.h"

static bool settle(struct cluster_barrier *b, uint32_t live)
{
    if (b->arrived == 0 || b->arrived < live)
        return false;
    b->arrived = 0;
    b->phase++;
    return true;
}

bool cluster_barrier_arrive(struct cluster_barrier *b, uint32_t threads, uint32_t live)
{
    b->arrived += threads;
    return settle(b, live);
}

bool cluster_barrier_exit(struct cluster_barrier *b, uint32_t had_arrived, uint32_t live)
{
    b->arrived -= had_arrived;
    return settle(b, live);
}

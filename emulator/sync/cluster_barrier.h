/*
 * The cluster barrier (PTX ISA 9.7.13.6): barrier.cluster.arrive and .wait.
 *
 * It opens when every thread of the cluster that has not exited has arrived;
 * then the next phase begins. The barrier only counts: which threads arrived
 * in which phase, and who waits, is kept by its caller. Release, acquire and
 * relaxed arrives are told apart by events, not here.
 */
#ifndef EMU_SYNC_CLUSTER_BARRIER_H
#define EMU_SYNC_CLUSTER_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

struct cluster_barrier {
    uint32_t arrived;    /* threads, this phase; exited ones not among them */
    uint32_t phase;      /* times it opened */
};

/* `threads` arrive, of `live` that have not exited. True: the barrier opened. */
bool cluster_barrier_arrive(struct cluster_barrier *b, uint32_t threads, uint32_t live);
/* Threads exited, `had_arrived` of them after arriving in this phase; `live` remain. True: the barrier opened. */
bool cluster_barrier_exit(struct cluster_barrier *b, uint32_t had_arrived, uint32_t live);

#endif

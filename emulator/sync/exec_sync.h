/*
 * The synchronising instructions, as the engine sees them.
 *
 * One door for fences, mbarriers, cluster barriers, mapa, asynchronous copies
 * and launch control. The engine has already set the lane's program counters
 * past the instruction; w->pc still names it, for messages and events.
 *  - DONE   the lanes go on;
 *  - YIELD  a wait answered false; the lanes go on after the others had a turn;
 *  - BLOCK  the lanes that must wait are in w->blocked; they are woken later;
 *  - FAULT  fault_at has been called.
 */
#ifndef EMU_SYNC_EXEC_SYNC_H
#define EMU_SYNC_EXEC_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct warp;
struct block;
struct instr;

struct sync_time {
    uint64_t now;        /* cycle of this instruction */
    uint64_t extra;      /* out: cycles it took beyond its cost class */
};
enum sync_result { SYNC_DONE, SYNC_YIELD, SYNC_BLOCK, SYNC_FAULT };

enum sync_result exec_sync(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t);

/* A block has been placed. */
void sync_block_start(struct machine *m, struct block *b);
/* Lanes of mask have exited (live counts are already lowered): the cluster barrier may open. */
void sync_lanes_exit(struct machine *m, struct warp *w, uint32_t mask);
/* The last thread of b has exited; call before its memory goes. Raises a fault and returns false when something
 * is still on its way into the block's shared memory (TC13, CL1). */
bool sync_block_exit(struct machine *m, struct block *b);
/* Frees what the block's rooms hold, without looking: for blocks that never end, after a fault. */
void sync_block_forget(struct machine *m, struct block *b);

/* A lane that polls an mbarrier in vain is woken less and less often and at last left alone, so that a deadlock shows as
 * nothing left to do. True: something has happened since, and those lanes were woken for another look. */
bool sync_nudge(struct machine *m);
/* Appends one line per wait: who waits on which barrier, its phase, missing arrivals and bytes. True: some wait for a
 * phase of an mbarrier that is still open. */
bool sync_describe_waits(struct machine *m, char *text, size_t size);
/* Forgets operations in flight and waiting lanes, after a fault dropped all work. */
void sync_drop(struct machine *m);

#endif

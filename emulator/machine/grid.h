/*
 * Doors between the rooms of the machine: grids, blocks, warps, streams.
 * Grouped by the file that owns them, in reading order.
 */
#ifndef EMU_MACHINE_GRID_H
#define EMU_MACHINE_GRID_H

#include "machine/state.h"

/* fault.c */
const char *plain_name(const char *mangled, char *buffer, size_t size);
const char *last_name(const char *mangled, char *out, size_t size);
void describe_place(struct machine *m, const struct warp *w, char *text, size_t size);   /* appends FILE:LINE */
void describe_thread(const struct warp *w, uint32_t lane, char *text, size_t size);      /* appends */

/* grid.c: launches, and the pool of clusters that have not started */
struct grid *grid_new(struct machine *m, const struct launch *launch, int stream, enum launch_error *error);
void grid_delete(struct machine *m, struct grid *g);
void grid_abandon(struct machine *m, struct grid *g);    /* after a fault */
bool grid_take_next(struct grid *g, uint64_t *cluster);   /* next pending cluster in order; false: none */
bool grid_take(struct machine *m, struct grid *g, uint64_t cluster);  /* this one; false: no longer pending */
bool grid_is_pending(const struct grid *g, uint64_t cluster);
void cluster_first_ctaid(const struct grid *g, uint64_t cluster, uint32_t id[3]);
void grid_cancelled(struct machine *m, struct grid *g, uint64_t time);   /* after a grid_take by launch control */
bool grid_finished(const struct grid *g);

/* block.c: a block's life */
void block_place(struct machine *m, struct grid *g, uint64_t linear, uint32_t sm, uint64_t time);   /* begins when it first runs */
struct block *block_place_in_cluster(struct machine *m, struct grid *g, uint64_t linear, uint32_t sm, uint64_t time,
                                     struct cluster *c, uint32_t rank);   /* begins at once; NULL after a fault */
bool block_begin(struct machine *m, uint32_t sm, uint32_t warp_slot);     /* the placed block of this slot; false after a fault */
void sm_reset(struct machine *m, uint32_t sm);            /* after a fault: empties it; its blocks stay with their grids */
void lanes_exit(struct machine *m, struct warp *w, uint32_t mask);    /* may end the warp and the block */
void block_delete(struct machine *m, struct block *b);                /* memory only */
void block_recycle(struct grid *g, struct block *b);                  /* into the grid's pool */

/* place.c: which SM gets what */
void place_all(struct machine *m, uint64_t time);
void cluster_block_ended(struct machine *m, struct block *b);   /* recycles it, or its whole cluster */
void place_on(struct machine *m, uint32_t sm, uint64_t time);
uint32_t sm_capacity(const struct device *d, uint32_t threads, uint32_t shared_bytes, int registers);
uint32_t device_cluster_capacity(const struct device *d, uint32_t cluster, uint32_t threads, uint32_t shared, int registers);

/* machine.c */
bool machine_move(struct machine *m, uint64_t dst, uint64_t src, size_t count);   /* device to device */

/* stream.c */
bool streams_look(struct machine *m);                     /* starts and finishes what can be; false: nothing could */
void stream_grid_done(struct machine *m, struct grid *g, uint64_t time);
void streams_drop(struct machine *m);                     /* after a fault */

/* schedule.c */
bool machine_advance(struct machine *m);                  /* false: nothing can move */
void report_deadlock(struct machine *m);

/* frame.c: calls and returns */
bool frame_call(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);
void frame_return(struct machine *m, struct warp *w, uint32_t mask);
void frames_leave(struct machine *m, struct warp *w, uint32_t lane);   /* a lane exits inside functions */
bool local_reserve(struct machine *m, struct warp *w, uint32_t bytes);   /* per lane */

/* print.c: vprintf, __assertfail, malloc, free */
bool call_builtin(struct machine *m, struct warp *w, const struct code_call *call, uint32_t mask);

/* exec_mem.c: general memory accesses, lane by lane; false after a fault */
bool exec_ld(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);
bool exec_st(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);
bool exec_atom(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);   /* atom and red */
/* What memory holds after an atomic operation on a cell in global or shared memory: a before, b and c the operands. */
uint64_t atom_combine(enum atom_op op, enum ptx_type type, bool global, uint64_t a, uint64_t b, uint64_t c);
struct block *cluster_owner(struct block *self, uint32_t address, uint32_t *offset);
uint64_t lane_address(const struct warp *w, const struct instr *i, opref base, uint32_t lane);
void fault_access(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size, enum access access);
void fault_uninitialised(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size);

/* exec_warp.c: operations that join the lanes of a warp. false: the lanes wait */
enum exec_result { EXEC_NEXT, EXEC_BLOCKED, EXEC_FAULT };
enum exec_result exec_warp_op(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);
void warp_sync_recheck(struct machine *m, struct warp *w);  /* after lanes exited */

/* exec_misc.c */
void exec_mov_sreg(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, uint64_t time);
void exec_cvta(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);
void exec_isspacep(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);
void exec_mov_frame(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);

/* sync/block_barrier.c */
enum exec_result exec_bar(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask);
void block_barrier_recheck(struct machine *m, struct block *b, uint64_t time);   /* after threads exited */

/* warp_run.c, compiled for each processor and with and without events */
void run_warp_plain_base(struct machine *m, struct warp *w, uint32_t burst);
void run_warp_observed_base(struct machine *m, struct warp *w, uint32_t burst);
#if defined(__x86_64__)
void run_warp_plain_avx2(struct machine *m, struct warp *w, uint32_t burst);
void run_warp_observed_avx2(struct machine *m, struct warp *w, uint32_t burst);
#endif

/* Lanes of a mask. */
static inline uint32_t lanes_count(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

static inline void warp_banks(struct warp *w)
{
    w->bank[BANK_REG] = w->frame->regs;
    w->bank[BANK_CONST] = w->frame->function->consts;
}

#endif

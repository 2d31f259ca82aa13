/*
 * State of the synchronising rooms inside the machine, and the doors between
 * them. All of it is plain data in the machine's heap.
 *
 *   exec_sync.c     one door for the engine; fences
 *   exec_mbarrier.c mbarrier instructions, and arrivals that come from elsewhere
 *   exec_cluster.c  cluster barrier, mapa, getctarank
 *   park.c          lanes that wait for an mbarrier
 *   async.c         operations in flight, groups of copies
 *   exec_copy.c     cp.async, cp.async.bulk, st.async, red.async
 *   exec_clc.c      clusterlaunchcontrol
 */
#ifndef EMU_SYNC_SYNC_STATE_H
#define EMU_SYNC_SYNC_STATE_H

#include "machine/event.h"
#include "machine/grid.h"
#include "machine/sync_ops.h"
#include "sync/exec_sync.h"

/* Of the machine; made on first use. */
enum { PARK_HINTS = 18 };

struct sync_state {
    struct async_op *first, *last;   /* in flight, in order of issue */
    uint64_t tickets;                /* operations issued so far */
    uint32_t requests;               /* launch control requests so far */
    /* Lanes that wait for an mbarrier, by deadline. */
    struct parked *parked, *parked_last;
    struct parked *parked_hint[PARK_HINTS];  /* where the last wait of each length was linked, or one beside it */
    uint64_t timer;                  /* cycle of the next look at the deadlines, NEVER: none */
    uint64_t dormant_epoch;          /* epoch when lanes were last left without a deadline */
    bool dormant;                    /* there are such lanes */
};

/* Of a block; made on first use. */
struct async_state {
    uint8_t *live;                   /* one bit per 8 bytes of shared memory: an mbarrier lives here */
    size_t live_bytes;
    uint32_t inflight;               /* transfers that write this block's shared memory or still read it */
    struct parked *parked;           /* lanes that wait for an mbarrier of this block */
};

/* Of a warp; made on first use. Two kinds of groups: cp.async and bulk. */
enum group_kind { GROUP_CP, GROUP_BULK, GROUP_KINDS };
struct async_warp {
    uint32_t committed[GROUP_KINDS][LANES];   /* groups closed so far */
    struct async_op *ops;            /* in flight, that a group or cp.async.mbarrier.arrive waits for */
    uint32_t waiting;                /* lanes in a wait_group */
    uint8_t kind[LANES];             /* enum group_kind it waits for */
    bool read[LANES];                /* .read: only until the sources were read */
    uint32_t below[LANES];           /* groups with a lower number must be done */
    uint64_t park_epoch;             /* machine epoch when its lanes last failed a wait */
    uint32_t park_rounds;            /* failed waits since that epoch */
};

struct sync_state *sync_state(struct machine *m);
struct async_state *async_state(struct machine *m, struct block *b);
struct async_warp *async_warp(struct machine *m, struct warp *w);

/* Generic address of a byte of b's shared memory, as `self` sees it. */
uint64_t shared_address(const struct block *self, const struct block *b, uint32_t offset);
static inline uint32_t place_offset(const struct place *p) { return (uint32_t)(p->bytes - p->block->shared); }
/* Address of the k-th address operand r of an instruction with several. */
uint64_t sync_address(const struct warp *w, const struct instr *i, opref r, int k, uint32_t lane);
uint32_t sync_u32(const struct warp *w, opref r, uint32_t lane);
uint64_t sync_u64(const struct warp *w, opref r, uint32_t lane);
void sync_put_u32(const struct warp *w, opref r, uint32_t lane, uint32_t value);
void sync_put_u64(const struct warp *w, opref r, uint32_t lane, uint64_t value);
void sync_put_pred(const struct warp *w, opref r, uint32_t mask, uint32_t value);

/* Events. The second form fills what an instruction knows. */
void sync_tell(struct machine *m, struct event *e);
struct event sync_event(const struct warp *w, const struct instr *i, enum event_kind kind, uint32_t mask, uint64_t time);

/* exec_mbarrier.c */
bool mbarrier_is_live(const struct block *b, uint32_t offset);
/* complete-tx by an asynchronous operation, and the arrive of cp.async.mbarrier.arrive: operations without a
 * running thread. false: a fault was raised; `what` names the operation in it. */
bool mbarrier_async_complete(struct machine *m, struct block *b, uint32_t offset, uint32_t bytes, uint64_t ticket,
                             uint64_t time, const char *what);
bool mbarrier_async_arrive(struct machine *m, struct block *b, uint32_t offset, uint64_t time);
bool mbarrier_async_add(struct machine *m, struct block *b, uint32_t offset, uint64_t time);   /* one more is pending */
enum sync_result exec_mbarrier(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t);

/* exec_cluster.c */
struct cluster_barrier *cluster_barrier_of(struct block *b);
enum sync_result exec_cluster_bar(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t);
void exec_mapa(struct warp *w, const struct instr *i, uint32_t mask);
void exec_getctarank(struct warp *w, const struct instr *i, uint32_t mask);
void cluster_lanes_exit(struct machine *m, struct warp *w, uint32_t mask);
void cluster_describe_waits(struct machine *m, char *text, size_t size);

/* park.c */
struct park_wait { uint32_t offset; uint32_t parity; uint32_t limit_ns; bool poll; };   /* limit 0: the machine's own */
void park(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct park_wait wait, uint64_t now);
void unpark(struct machine *m, struct block *b, uint32_t offset, uint64_t now);   /* the phase there ended */
void park_drop(struct machine *m);
bool park_describe(struct machine *m, char *text, size_t size);
void describe_mbarrier(const struct block *b, uint32_t offset, char *text, size_t size);   /* appends */
void sync_where(const struct code *code, const struct code_function *function, uint32_t pc, char *text, size_t size);  /* appends FILE:LINE */
void sync_append(char *text, size_t size, const char *format, ...);

/* exec_copy.c, exec_clc.c */
/* Lanes whose groups below these numbers are done (or, with `read`, have been read) go on. */
void tell_groups(struct machine *m, struct warp *w, enum group_kind kind, uint32_t mask, const uint32_t *below, bool read);
enum sync_result exec_cp_async(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t);
enum sync_result exec_cp_bulk(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t);
enum sync_result exec_st_async(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t);
enum sync_result exec_clc(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct sync_time *t);

#endif

/*
 * Operations in flight: copies, remote stores and responses that land later.
 *
 * An operation is one or more transfers issued by one instruction. It reads its
 * sources and writes its destinations at a time that the choice source picks,
 * then completes: bytes on the mbarrier beside each destination, or one
 * operation less in a group of its thread.
 *  - `read` and `land` are two moments for bulk copies out of shared memory, one
 *    moment for everything else: the source is read as late as possible.
 *  - a copy carries "never written" along with the bytes.
 * Not modelled: a bulk copy that lands in pieces; caches and their hints.
 */
#ifndef EMU_SYNC_ASYNC_H
#define EMU_SYNC_ASYNC_H

#include "sync/sync_state.h"

#define NO_MBARRIER UINT32_MAX

/* A stretch of memory with its "was written" bits. */
struct span {
    uint8_t *bytes, *init;           /* init NULL: not tracked */
    size_t init_bit;
    struct block *block;             /* owner of shared memory, else NULL */
    uint64_t address;                /* generic, as the issuing block sees it */
};

struct transfer {
    struct span to, from;
    uint32_t bytes, zeros;           /* so many are copied, then so many zeroed */
    uint32_t mbarrier;               /* offset in to.block's shared memory, or NO_MBARRIER */
    uint32_t lane, group;            /* issuer; group number when the operation belongs to one */
    uint32_t byte_mask;              /* bulk copy: bit k for byte k of each 16; 0xffff elsewhere */
};

enum async_kind {
    ASYNC_RESPONSE,                  /* of launch control */
    ASYNC_STORE,                     /* st.async, red.async */
    ASYNC_BULK_IN,                   /* cp.async.bulk into shared memory */
    ASYNC_BULK_OUT,                  /* out of shared memory into global: groups */
    ASYNC_CP,                        /* cp.async of a warp: groups */
    ASYNC_ARRIVE,                    /* cp.async.mbarrier.arrive */
    ASYNC_CANCELLED                  /* its block has exited and nobody waits for it */
};

struct async_op {
    struct async_op *next, *previous;   /* of the machine, in order of issue */
    struct async_op *warp_next;         /* of the issuing warp, newest first; groups and arrives only */
    enum async_kind kind;
    uint64_t ticket;
    struct block *issuer;               /* NULL once it has exited */
    struct warp *warp;                  /* likewise */
    int8_t atom;                        /* enum atom_op of a reduction, or -1 */
    uint8_t type;                       /* enum ptx_type of its elements */
    bool was_read;                      /* bulk out: sources were read */
    bool due;                           /* arrive: its own delay has passed */
    bool granted; uint32_t request;     /* response */
    const struct code_function *function; uint32_t pc;   /* the instruction */
    struct grid *grid;
    uint32_t latency;                   /* bulk out: cycles from read to landing */
    uint8_t *data; size_t data_bytes;   /* captured sources */
    uint32_t mask;                      /* lanes with a transfer in it */
    uint32_t count;
    struct transfer transfer[];
};

/* A new operation with room for `count` transfers and `data_bytes` of captured sources, in the machine's list. */
struct async_op *async_new(struct machine *m, enum async_kind kind, struct warp *w, uint32_t count, size_t data_bytes);
/* Counts the transfers of a filled operation and lets it land about `cycles` after `now`. */
void async_go(struct machine *m, struct async_op *op, uint64_t now, uint64_t cycles);
/* `cycles` stretched or cut by the choice source. */
uint64_t async_delay(struct machine *m, uint64_t cycles);

/* Cycles the issuing warp may rest, so that the operation can also land before the next instruction. */
uint64_t async_pause(struct machine *m);

/* Groups (PTX ISA 9.7.9.25.3.2, .4.6): the lane waits while groups below this number are in flight. */
bool async_group_busy(const struct async_warp *a, enum group_kind kind, uint32_t lane, uint32_t below, bool read);
/* cp.async operations of the lane in flight, issued before `ticket`. */
bool async_cp_busy(const struct async_warp *a, uint32_t lane, uint64_t ticket);

bool async_block_exit(struct machine *m, struct block *b);   /* false: a fault was raised */
void async_drop(struct machine *m);

/* A stretch of `bytes` bytes at an address of one lane; checks the whole range. false: a fault was raised. */
bool async_span(struct machine *m, struct warp *w, uint32_t lane, enum mem_space space, uint64_t address, uint32_t bytes,
                uint32_t align, enum access access, struct span *span);

#endif

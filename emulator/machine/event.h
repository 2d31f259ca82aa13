/*
 * What the machine tells its listeners (checker, trace).
 *
 * Events are warp-wide: a mask of lanes and, for accesses, an address per
 * lane. They are emitted only by the observed build of the interpreter, after
 * the thing happened, in the order it happened. A listener reads; it changes
 * nothing.
 */
#ifndef EMU_MACHINE_EVENT_H
#define EMU_MACHINE_EVENT_H

#include "machine/state.h"

enum event_kind {
    EVENT_GRID_START, EVENT_GRID_END,
    EVENT_BLOCK_START, EVENT_BLOCK_END,
    EVENT_EXIT,               /* lanes of mask have exited */
    EVENT_ACCESS,             /* ld, st, atom, red: space, sem, scope, bytes, addr, flags */
    EVENT_FENCE,              /* sem, scope; sub for proxy fences (sync_ops.h) */
    EVENT_BAR_ARRIVE,         /* block barrier: number in a, expected threads in b */
    EVENT_BAR_COMPLETE,       /* all lanes of the block that waited go on: number in a */
    EVENT_BAR_WAIT,           /* lanes of mask left the barrier: number in a */
    EVENT_WARP_SYNC,          /* a .sync operation joined the lanes of mask */
    /* mbarrier, clusters, asynchronous operations, launch control */
    EVENT_CLUSTER_ARRIVE, EVENT_CLUSTER_WAIT,
    EVENT_MBARRIER,           /* sub = enum mbarrier_op; addr; a = count or bytes; b = result */
    EVENT_ASYNC_ISSUE,        /* bulk copy, st.async, cp.async: addr = destination, a = bytes, b = ticket */
    EVENT_ASYNC_DELIVER,      /* addr = destination, block = destination's block, b = ticket */
    EVENT_REQUEST,            /* try_cancel: addr = result, b = ticket; address2 = mbarrier */
    EVENT_RESPONSE,           /* b = ticket, a = 1 granted */
    EVENT_QUERY,              /* is_canceled (a = 1 yes), get_first_ctaid (sub); b = request, 0: no response */
    EVENT_GROUP_WAIT,         /* lanes left a wait for groups: sub = enum group_kind, flags 1: .read only; addr: groups below */
    EVENT_HOST                /* the host synchronised */
};

enum { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_ATOMIC = 4, ACCESS_ASYNC = 8 };

struct event {
    enum event_kind kind;
    uint64_t time;                        /* cycles */
    struct grid *grid;
    struct block *block;                  /* may be NULL */
    struct warp *warp;                    /* may be NULL */
    const struct code_function *function; /* may be NULL */
    uint32_t pc;                          /* statement in function */
    uint32_t mask;
    uint8_t space, sem, scope, sub, flags;
    uint32_t bytes;                       /* per lane */
    const uint64_t *addr;                 /* per lane: generic addresses (shared ones through the window) */
    uint64_t address2;                    /* EVENT_REQUEST alone */
    uint64_t a, b;
    /* EVENT_ASYNC_ISSUE, per lane: offset of the mbarrier in the destination's block, UINT32_MAX none; source, and bytes of it that are read. */
    const uint32_t *mbarriers;
    const uint64_t *from;
    const uint32_t *from_bytes;
};

struct observer {
    void (*event)(struct observer *self, const struct event *e);
    struct observer *next;
};

#endif

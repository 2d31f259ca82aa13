/*
 * The state of the machine, grouped by who may touch what.
 *
 * Everything here is plain data inside the machine's heap (memory/heap.h), so
 * that a snapshot is a copy and comparing is comparing bytes. A warp runs
 * lanes of one program counter and one frame at a time ("the group"); lanes
 * outside the group keep their own program counter and frame.
 */
#ifndef EMU_MACHINE_STATE_H
#define EMU_MACHINE_STATE_H

#include "machine/choice.h"
#include "machine/code.h"
#include "machine/device.h"
#include "machine/machine.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "sync/cluster_barrier.h"

#define NEVER UINT64_MAX
#define NO_SM UINT32_MAX

/* Generic addresses: windows of the spaces that are not global. Device memory
 * starts far above, host pointers lie elsewhere. A shared address of the own
 * block is an offset; block r of the cluster is seen at (r + 1) << 24. */
#define WINDOW_SHARED UINT64_C(0x100000000)
#define WINDOW_LOCAL  UINT64_C(0x200000000)
#define WINDOW_PARAM  UINT64_C(0x300000000)
#define WINDOW_BYTES  UINT64_C(0x100000000)
#define CLUSTER_SHIFT 24

/* One activation of a function by the lanes that called it together. */
struct frame {
    const struct code_function *function;
    struct frame *parent;            /* NULL: the kernel itself */
    const struct code_call *call;    /* site in the parent */
    uint32_t return_pc;              /* in the parent */
    uint32_t lanes;                  /* still inside */
    uint32_t depth;                  /* 0: the kernel */
    uint32_t serial;                 /* order of creation in the warp */
    uint32_t base;                   /* local address of the frame's memory, per lane */
    uint8_t *regs;                   /* function->reg_bytes */
    struct frame *next_free;
};

/* Why lanes do not run. */
enum wait_kind { WAIT_NONE, WAIT_BAR, WAIT_WARP, WAIT_CLUSTER, WAIT_ASYNC };

/* A lane that waits in a .sync operation, with what it brought. */
struct lane_wait {
    const struct instr *instr;
    uint32_t mask;                   /* lanes it waits for */
    uint32_t b, c;
    uint64_t a;
};

struct warp {
    /* The running group. */
    uint8_t *bank[4];
    uint32_t pc, stop_pc;            /* stop_pc: where another group of this frame waits */
    bool whole;                      /* the group is all live lanes, none blocked: lane_pc is stale, pc holds */
    uint32_t active;
    struct frame *frame;
    /* Lanes. */
    uint32_t live;                   /* not exited */
    uint32_t blocked;                /* wait_kind != WAIT_NONE */
    uint32_t yielded;                /* handed over, until all others have */
    uint32_t lane_pc[LANES];
    struct frame *lane_frame[LANES];
    uint8_t wait[LANES];             /* enum wait_kind */
    uint8_t bar[LANES];              /* WAIT_BAR: barrier number */
    uint8_t bar_whole;               /* all live lanes came to this barrier at once: its number + 1; else 0 */
    struct lane_wait *sync;          /* WAIT_WARP: per lane; allocated on first use */
    /* Progress. */
    uint64_t time;                   /* cycle at which it can go on */
    uint32_t spins;                  /* backward branches since the last store */
    uint32_t index;                  /* in its block */
    uint32_t lanes_exist;            /* threads of the block that fall into this warp */
    uint32_t slot;                   /* in its SM */
    /* Memory. */
    uint8_t *local;                  /* lane l: local + l * local_stride */
    uint32_t local_stride, local_top;
    struct frame *free_frames;
    uint32_t frame_serial;
    struct frame *entry_frame;
    struct block *block;
    uint32_t cluster_arrived, cluster_parity;  /* lanes that arrived at the cluster barrier; in which phase; sync/ */
    struct async_warp *async;        /* groups of asynchronous copies of its lanes; sync/ */
};

struct named_barrier {               /* PTX ISA 9.7.13.1: 16 per block */
    uint32_t expected;               /* threads; 0: nobody is here */
    uint32_t arrived;
    uint32_t popc, all, any;         /* of bar.red */
    uint64_t time;                   /* latest arrival */
};

struct block {
    struct grid *grid;
    uint32_t id[3];                  /* ctaid */
    uint64_t linear;                 /* ctaid as one number */
    uint32_t cluster_rank;
    struct cluster *cluster;         /* NULL: none given */
    uint8_t *shared;                 /* shared_bytes of the launch */
    uint8_t *shared_init;            /* one bit per byte */
    struct warp **warps; uint32_t warp_count;
    uint32_t live_threads;
    struct named_barrier bar[16];
    uint32_t sm, slot;
    uint64_t started;
    uint8_t *rows;                   /* BANK_BLOCK */
    struct block *next;              /* pool or cluster list */
    struct async_state *async;       /* pending operations that belong to this block; sync/ */
    struct cluster_barrier solo;     /* the cluster barrier of a block without a cluster */
    void *checked;                   /* the checker's view of it; checker/ */
};

/* Blocks of one cluster: placed together, end together for the scheduler. */
struct cluster {
    struct grid *grid;
    uint32_t first[3];               /* ctaid of its first block */
    uint64_t linear;
    struct block **blocks; uint32_t block_count;
    uint32_t live_blocks;
    uint32_t arrived[2], waiting;    /* threads; the cluster barrier, sync/ */
    uint32_t phase;
    struct cluster *next;
    struct cluster_barrier barrier;
};

/* A launch: shape, code, and what is still to start. */
struct grid {
    struct code *code;
    int entry_index;                 /* of the kernel in the module's functions */
    int module;
    uint32_t dim[3], block_dim[3], cluster_dim[3];
    bool has_cluster;
    uint64_t blocks, clusters;
    uint32_t threads, warps_per_block;
    uint32_t shared_bytes, dynamic_shared;
    uint8_t *params; uint32_t param_bytes;
    uint8_t **warp_rows;             /* BANK_WARP per warp of a block */
    uint32_t id;
    int priority, stream;
    bool cooperative;
    bool visible;                    /* see struct loaded */
    /* The pool: clusters (single blocks without clusters) not yet started. */
    uint64_t next;                   /* all below are started or cancelled */
    uint64_t pending;
    uint32_t *taken;                 /* one bit per cluster, only once something was taken out of order; else NULL */
    uint64_t running, done, cancelled;   /* clusters */
    uint64_t ready_at;
    uint64_t const_base, const_bytes;   /* the module's .const bank, in device memory */
    uint32_t reserved_bytes;         /* of shared_bytes: kept for cooperative groups, at the end */
    uint64_t grid_sync;              /* device address of the workspace of a cooperative launch, 0 none */
    int blocks_per_sm;
    struct grid *next_active;
    struct block *block_pool;        /* ended blocks, for reuse */
};

/* A block that has its place on an SM. It gets memory when its first warp runs, so that blocks that come and go
 * quickly share a few hot ones. */
struct placed {
    struct grid *grid;               /* NULL: the slot is free */
    uint64_t linear, time;
    bool started;
};

struct sm {
    struct warp **warps;             /* slots; NULL: empty, or its block has not started */
    struct placed placed[32];        /* per block slot */
    uint64_t used;                   /* bit per warp slot taken */
    uint8_t owner[64];               /* block slot of a warp slot */
    uint64_t *ready;                 /* per slot: warp's time, NEVER when it cannot run */
    uint32_t slots;                  /* capacity */
    uint32_t high;                   /* slots in use lie below */
    uint64_t busy[4];                /* the four warp schedulers: busy until */
    uint64_t memory_busy;            /* share of device bandwidth: busy until */
    uint64_t next;                   /* earliest ready time */
    uint32_t blocks, threads, warps_used;
    uint32_t shared_used;
    uint32_t block_slots;            /* bit per block slot in use */
};

/* Something that will happen at a time: deliveries, ends of copies. */
struct timed {
    uint64_t time, serial;
    void (*happen)(struct machine *m, void *what);
    void *what;
};

enum op_kind { OP_GRID, OP_COPY, OP_FILL, OP_HOST, OP_RECORD, OP_WAIT_EVENT };
struct op {
    enum op_kind kind;
    uint64_t serial;
    bool started;
    uint64_t enqueued;               /* device time when it was queued */
    struct grid *grid;
    struct copy copy;
    uint8_t fill;
    void (*call)(void *); void *argument;
    int event; uint64_t generation;
    struct op *next;
};
struct stream {
    bool used, deleted;
    enum stream_kind kind;
    int priority;
    struct op *first, *last;
    uint64_t last_done;              /* time the last finished op ended */
};
struct gpu_event { bool used; uint64_t recorded, completed; uint64_t time; };

struct loaded {
    const struct ptx_module *module;
    uint64_t *var_address;
    struct code **codes;             /* per function, made at the first launch; outside the heap */
    bool *visible;                   /* per function: its code does what other blocks can see in order of time */
    uint64_t const_base, const_bytes;        /* .const bank of the module */
};

struct machine {
    struct heap *heap;
    const struct device *device;
    struct choice choice;
    uint64_t step_budget;
    bool observe;
    void (*output)(void *self, const char *text, size_t length);
    void *output_self;
    void *(*host_memory)(void *self, size_t bytes, const char *label);
    void *host_memory_self;
    struct observer *observers;
    /* The interpreter chosen for this processor and for observe. */
    void (*run_warp)(struct machine *m, struct warp *w, uint32_t burst);
    alu_function *const *alu;
    /* Memory and modules. */
    struct memory *memory;
    struct loaded *loaded; int loaded_count, loaded_capacity;
    /* Queues. */
    struct stream *streams; int stream_count, stream_capacity;
    struct gpu_event *events; int event_count, event_capacity;
    uint64_t op_serial;
    struct grid *active;             /* started, not ended; by priority, then age */
    uint32_t grid_serial;
    struct timed *timed; uint32_t timed_count, timed_capacity; uint64_t timed_serial;
    bool dirty;                      /* something may start: look at the queues */
    /* SMs. */
    struct sm *sms;
    uint32_t place_next;             /* round robin of placement */
    uint32_t running;                /* the SM that runs, or NO_SM */
    uint64_t run_until, ahead;       /* until when; how far it may be beyond one that gets something to do */
    uint64_t now;
    uint64_t steps_since_progress;   /* warp instructions since a block began or ended, a barrier opened, ... */
    uint64_t steps_since_block;      /* the same, barriers not counted: since a block began, ended or was cancelled */
    uint64_t epoch;                  /* grows whenever something happened that a waiter may wait for */
    struct fault fault;
    struct fault later;              /* observed runs: raised at the end of the grid; see fault_later */
    char launch_message[512];
    struct machine_counts counts;
    bool clock_read;                 /* a lane read a clock since sync/ last looked */
    struct sync_state *sync;         /* operations in flight and parked lanes; sync/ */
};

/* machine/fault.c: stops the run; the first fault stays. Where: warp, its pc and the first lane of mask. */
void fault_at(struct machine *m, struct warp *w, uint32_t mask, enum fault_kind kind, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
void fault_plain(struct machine *m, enum fault_kind kind, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* The rule that the fault raised last stands for; no effect without a fault. */
void fault_rule(struct machine *m, const char *rule);

/* In an observed run the fault just raised, an uninitialised read, waits for the end of the grid, so that listeners see
 * what comes: a write that was to come first, as a rule. false: it stands. */
bool fault_later(struct machine *m);

/* machine/timed.c: calls happen(m, what) when virtual time reaches `time`. */
void machine_at(struct machine *m, uint64_t time, void (*happen)(struct machine *, void *), void *what);

/* machine/schedule.c */
void warp_wake(struct machine *m, struct warp *w, uint64_t time);  /* it has a lane that can run */
void sm_wake(struct machine *m, uint32_t number, uint64_t time);   /* it has a slot that can run from `time` on */

/* machine/exec_mem.c: an address of one lane becomes host bytes. */
struct place {
    uint8_t *bytes;          /* NULL: the access faults (already reported) */
    uint8_t *init;           /* "was written" bits, NULL: not tracked */
    size_t init_bit;         /* bit of the first byte */
    struct block *block;     /* owner of shared memory, else NULL */
    enum mem_space space;    /* as resolved: never MEM_GENERIC */
};
enum access { FOR_READ = 1, FOR_WRITE = 2, FOR_BOTH = 3 };
/* Resolves `size` bytes (1 .. 128, alignment min(size, 16)) at `address` in `space` for one lane.
 * Checks bounds, alignment, life and, for reads, that something was written there; faults otherwise. */
struct place resolve(struct machine *m, struct warp *w, uint32_t lane, enum mem_space space, uint64_t address,
                     uint32_t size, enum access access);

#endif

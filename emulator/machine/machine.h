/*
 * The machine: one emulated GPU, as its users (emu-run, the CUDA runtime,
 * tests) see it.
 *
 * Work is queued per stream and nothing moves until somebody waits: then
 * virtual time advances, blocks are placed, warps run. One host thread.
 * Addresses are device addresses (never host pointers), except for memory
 * mapped with machine_map_host, whose address is the host pointer itself.
 *
 * A kernel that breaks the rules ends the run with a fault: the machine keeps
 * the first one (machine_fault), drops all queued work, and refuses more until
 * machine_reset_fault (the runtime maps it to CUDA's sticky errors).
 */
#ifndef EMU_MACHINE_MACHINE_H
#define EMU_MACHINE_MACHINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/choice.h"
#include "machine/device.h"
#include "ptx/module.h"

struct machine;
struct observer;

struct machine_options {
    const struct device *device;
    struct choice_options choice;
    uint64_t step_budget;      /* instructions a resident warp may take while no block begins or ends and no barrier opens; 0: the default */
    bool observe;              /* use the interpreter that emits events */
    void (*output)(void *self, const char *text, size_t length);  /* printf of kernels; NULL: stdout */
    void *output_self;
    /* Host memory of a managed variable, at the address programs will see. NULL: modules with managed variables do not load. */
    void *(*host_memory)(void *self, size_t bytes, const char *label);
    void *host_memory_self;
};

struct machine *machine_new(const struct machine_options *options);   /* NULL: out of memory */
void machine_delete(struct machine *m);
const struct device *machine_device(const struct machine *m);
uint64_t machine_now(const struct machine *m);    /* virtual time in cycles of the device's clock */

/* ---- faults ------------------------------------------------------------ */
enum fault_kind {
    FAULT_NONE,
    FAULT_ADDRESS,        /* out of bounds, use after free, uninitialised, host memory: cudaErrorIllegalAddress 700 */
    FAULT_MISALIGNED,     /* cudaErrorMisalignedAddress 716 */
    FAULT_ASSERT,         /* 710 */
    FAULT_TRAP,           /* cudaErrorLaunchFailure 719 */
    FAULT_ILLEGAL,        /* cudaErrorIllegalInstruction 715 */
    FAULT_DEADLOCK,       /* nothing can move any more */
    FAULT_BUDGET,         /* no progress within the step budget */
    FAULT_RULE,           /* a rule of PTX was broken in a way that has no defined continuation: 719 */
    FAULT_UNSUPPORTED,    /* outside the coverage page: exit 4 */
    FAULT_INTERNAL        /* the emulator is wrong: exit 5 */
};
struct fault {
    enum fault_kind kind;
    const char *rule;     /* id of the rule that was broken (checker/rules.def), NULL: none of them */
    char text[4096];      /* the whole message, several lines, ready to print */
};
const struct fault *machine_fault(const struct machine *m);   /* kind FAULT_NONE when there is none */
void machine_reset_fault(struct machine *m);
/* Set by a handler of signals: whatever runs ends with a fault that says where it was (FAULT_BUDGET). */
extern volatile sig_atomic_t machine_time_is_up;
int fault_exit_code(enum fault_kind kind);                     /* exit codes of the design */

/* ---- memory ------------------------------------------------------------ */
enum memory_kind { MEMORY_DEVICE, MEMORY_VARIABLE, MEMORY_PINNED, MEMORY_MANAGED };
/* `label` names the allocation in messages ("cudaMalloc", a variable's name); copied. 0 when out of memory or size 0. */
uint64_t machine_alloc(struct machine *m, size_t bytes, enum memory_kind kind, const char *label);
bool machine_free(struct machine *m, uint64_t address);        /* false: not the start of a live allocation */
bool machine_map_host(struct machine *m, void *host, size_t bytes, enum memory_kind kind, const char *label);
bool machine_unmap_host(struct machine *m, void *host);
/* The allocation an address lies in; false when there is none. Any pointer may be NULL. */
bool machine_find(const struct machine *m, uint64_t address, uint64_t *start, size_t *size, enum memory_kind *kind, bool *freed);
size_t machine_memory_free(const struct machine *m);
/* Host access to device memory, at once, outside any queue. false: range not inside one live allocation. */
bool machine_write(struct machine *m, uint64_t address, const void *bytes, size_t count);
bool machine_read(struct machine *m, uint64_t address, void *bytes, size_t count);
bool machine_fill(struct machine *m, uint64_t address, uint8_t value, size_t count);

/* ---- modules ----------------------------------------------------------- */
enum load_result { LOAD_OK, LOAD_WRONG_TARGET, LOAD_ERROR };
/* True when PTX of this target runs on a device of this capability: plain targets on their own and
 * later ones, `a` targets only on exactly theirs, `f` on the same major and a minor not below. */
bool target_runs_on(int target_cc, char target_kind, int device_cc);
/* Places the module's variables. The module must outlive the machine. *id is for the calls below. */
enum load_result machine_load(struct machine *m, const struct ptx_module *module, int *id, struct ptx_error *error);
uint64_t machine_variable(struct machine *m, int id, const char *name, size_t *size);   /* .global or .const; 0: no such */
struct kernel_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, required_cluster[3];
    int param_count; size_t param_bytes;
};
bool machine_kernel_attributes(struct machine *m, int id, const char *entry, struct kernel_attributes *out, struct ptx_error *error);

/* ---- streams, events, launches ----------------------------------------- */
enum stream_kind { STREAM_LEGACY /* id 0, made with the machine */, STREAM_BLOCKING, STREAM_NONBLOCKING };
int machine_stream_new(struct machine *m, enum stream_kind kind, int priority /* lower number = higher priority */);
void machine_stream_delete(struct machine *m, int stream);     /* its queued work still runs */

enum launch_error {
    LAUNCH_OK, LAUNCH_NO_FUNCTION, LAUNCH_BAD_SHAPE /* zero or too large grid or block */,
    LAUNCH_TOO_MANY_THREADS, LAUNCH_TOO_MUCH_SHARED, LAUNCH_BAD_CLUSTER, LAUNCH_NO_ROOM /* cooperative grid too large */,
    LAUNCH_PTX_ERROR /* the kernel does not lower; see machine_launch_message */, LAUNCH_UNSUPPORTED /* outside the coverage page */, LAUNCH_AFTER_FAULT
};
struct launch {
    int module;                 /* id */
    const char *entry;          /* exact name */
    uint32_t grid[3], block[3], cluster[3];   /* cluster 0,0,0: none given (the entry's own applies) */
    size_t dynamic_shared;      /* bytes */
    size_t max_dynamic_shared;  /* as raised by cudaFuncSetAttribute; 0: the default 48 KiB rule */
    bool cooperative;
    int priority;               /* of the launch, else the stream's */
    bool has_priority;
    const void *params;         /* param_bytes bytes laid out as the PTX .param list */
    size_t param_bytes;
};
enum launch_error machine_launch(struct machine *m, int stream, const struct launch *launch);
const char *machine_launch_message(const struct machine *m);   /* one sentence about the last launch error */
/* Occupancy: resident blocks per SM for this shape; 0 when it can never run. */
int machine_occupancy(struct machine *m, int module, const char *entry, int block_threads, size_t dynamic_shared);
/* Clusters of this launch that can be resident on the device at once. */
int machine_cluster_occupancy(struct machine *m, const struct launch *launch);

/* Copies in stream order. Host memory is read when the copy's turn comes. */
struct copy { uint64_t dst, src; void *host_dst; const void *host_src; size_t bytes; };
void machine_enqueue_copy(struct machine *m, int stream, const struct copy *copy);   /* exactly one of dst/host_dst, src/host_src */
void machine_enqueue_fill(struct machine *m, int stream, uint64_t dst, uint8_t value, size_t bytes);
void machine_enqueue_host(struct machine *m, int stream, void (*call)(void *), void *argument);
int machine_event_new(struct machine *m);
void machine_event_delete(struct machine *m, int event);
void machine_event_record(struct machine *m, int event, int stream);
void machine_stream_wait_event(struct machine *m, int stream, int event);
bool machine_event_recorded(const struct machine *m, int event);   /* record was ever called */
bool machine_event_done(const struct machine *m, int event);
uint64_t machine_event_time(const struct machine *m, int event);   /* cycles; valid when done */

/* Waiting advances virtual time. They return false when a fault ended the run. */
bool machine_wait_stream(struct machine *m, int stream);
bool machine_wait_event(struct machine *m, int event);
bool machine_wait_all(struct machine *m);
bool machine_poll(struct machine *m);               /* one quantum of virtual time */
bool machine_stream_idle(const struct machine *m, int stream);
bool machine_work_left(const struct machine *m);            /* kernels, copies or host functions wait in a queue */

/* ---- counts, for reports ----------------------------------------------- */
struct machine_counts {
    uint64_t blocks_started, blocks_finished, threads_finished, warp_instructions, launches;
    uint64_t requests, granted, refused;      /* launch control */
};
const struct machine_counts *machine_counts(const struct machine *m);

/* ---- observers ---------------------------------------------------------- */
void machine_observe(struct machine *m, struct observer *observer);   /* event.h; only with options.observe */

/* What printf of kernels goes to from here on; NULL: stdout. */
void machine_output(struct machine *m, void (*output)(void *self, const char *text, size_t length), void *self);

/* ---- choices ------------------------------------------------------------ */
void machine_choose(struct machine *m, const struct choice_options *options);   /* from here on, as if from the start */

/* ---- saved state -------------------------------------------------------- */
/* All of the machine's state but host-mapped memory: queues, blocks, warps, device memory, choices. */
struct snapshot *machine_save(struct machine *m);                     /* NULL: out of memory */
void machine_restore(struct machine *m, const struct snapshot *s);
bool machine_equals(const struct machine *m, const struct snapshot *s);
void snapshot_delete(struct machine *m, struct snapshot *s);

#endif

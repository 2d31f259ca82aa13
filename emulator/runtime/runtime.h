/*
 * The CUDA runtime on top of the machine: what its rooms share.
 *
 *   settings.c    the environment
 *   runtime.c     start, the frame around every call, sticky errors, exit codes
 *   error.c       errors.def: names and texts
 *   fatbin.c lz4.c zstd.c   what nvcc puts into a program
 *   link.c        modules of separate compilation become one
 *   binary.c      registration of kernels and variables, loading
 *   explore.c     a launch under other schedules
 *   launch.c      <<<>>>, cudaLaunchKernel, cudaLaunchKernelExC
 *   function.c    attributes of kernels, occupancy
 *   memory.c pool.c hints.c  allocations;  copy.c  copies, fills, symbols
 *   host.c        host memory at fixed addresses; device memory the host must not touch
 *   stream.c event.c        queues
 *   device.c      device properties and attributes
 *   twins.c       the _ptsz and _ptds forms (--default-stream per-thread)
 *   refused.c     every other symbol of libcudart: says its name, exit 4
 *
 * One device, number 0. Calls are serialised by one lock. Kernels run while
 * the host waits in a call, so host code that only reads mapped memory until a
 * kernel changes it waits for ever. Not modelled: graphs, arrays and textures,
 * peers, graphics, IPC, the driver API.
 */
#ifndef EMU_RUNTIME_RUNTIME_H
#define EMU_RUNTIME_RUNTIME_H

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include "checker/checker.h"
#include "machine/machine.h"
#include "runtime/refuse.h"
#include "runtime/settings.h"
#include "runtime/table.h"
#include "trace/trace.h"

struct runtime {
    struct settings settings;
    struct checker *checker;   /* of the machine; NULL: EMU_CHECK is not 1 */
    struct trace *trace;       /* open from the first machine to the end; NULL: EMU_TRACE names no file */
    struct machine *machine;   /* NULL until the first call that needs it, and after cudaDeviceReset */
    unsigned generation;       /* counts machines: handles and loaded modules belong to one */
    cudaError_t sticky;        /* after a kernel's fault: what every call returns */
    bool mapped;               /* kernels may write host memory, which no snapshot holds */
    const void *unasked;       /* site of a <<<>>> launch that failed, as long as nobody asked for the error */
    char unasked_why[200];
    int exit_code;             /* of the program, should it end with 0; see runtime.c */
    struct table streams, events;   /* live handles */
    size_t stack_limit, printf_limit, heap_limit;   /* cudaDeviceSetLimit */
};
extern struct runtime rt;

struct call_shape { dim3 grid, block; size_t shared; cudaStream_t stream; const void *site; };

/* What belongs to one host thread. */
struct thread {
    cudaError_t last;          /* cudaGetLastError */
    bool in_callback;          /* CUDA may not be called from host functions in a stream */
    bool per_thread_default;   /* inside a _ptsz or _ptds twin: stream 0 is the thread's own */
    int own_stream; unsigned own_generation;
    struct call_shape *shapes; int shape_count, shape_capacity;   /* <<<>>> pushed, not yet popped */
    const void *launch_site;   /* where the launch in progress was written; NULL unknown */
    bool launch_returns;       /* its error is returned to the program's own code */
};
extern _Thread_local struct thread thread;

/*
 * Every API function is one line: return API(work(arguments));
 * api_enter takes the lock and says which error stands in the way, if any;
 * api_leave reports a fault of the machine, keeps the last error, gives the lock back.
 * API_QUIET is for calls that work after a fault and need no device.
 */
cudaError_t api_enter(void);
cudaError_t api_enter_quiet(void);
cudaError_t api_leave(cudaError_t result);
cudaError_t api_standing(void);
#define API(work) api_leave(api_enter() == cudaSuccess ? (work) : api_standing())
#define API_QUIET(work) api_leave(api_enter_quiet() == cudaSuccess ? (work) : api_standing())

void runtime_start(void);      /* settings, handlers; once. Ends the program with 2 for nonsense in a variable */
/* What the program did wrong, on stderr, with the program's name before it. */
void runtime_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void runtime_exit(int code);
bool runtime_report_fault(void);   /* prints the machine's fault and makes it sticky, once; true when it is new */
/* The command that runs this program again; `also`, "EMU_SEED=pct4" or "", replaces what the environment says. */
const char *runtime_again(const char *also);
void runtime_report_findings(void);   /* what the checker found since; broken rules make exit code 1 */
/* The error that a false answer of a machine_wait function or machine_poll stands for. */
cudaError_t runtime_waited(bool fine);

/* ---- host.c -------------------------------------------------------------- */
void host_protect_device(void);        /* reserves device addresses, names who touches them */
void *host_take(size_t bytes);         /* zeroed pages at the next fixed address; NULL: none left */
void host_give(void *start, size_t bytes);

/* ---- binary.c ------------------------------------------------------------ */
struct binary;
struct kernel {
    struct binary *binary;
    const char *name;          /* of the .entry */
    const void *host;          /* the host function that stands for it */
    const struct ptx_function *function;   /* after kernel_load */
    int module;                            /* likewise */
    int max_dynamic_shared;    /* cudaFuncSetAttribute; 0: not raised */
    int carveout;
    bool explored;             /* other schedules were tried (EMU_SCHEDULES) */
    int cluster[3];            /* required by cudaFuncSetAttribute; 0: none */
    bool any_cluster_size;     /* more than 8 blocks allowed */
};
/* By host function or by cudaKernel_t. NULL: neither. */
struct kernel *kernel_find(const void *function);
/* Loads the kernel's module if need be. */
cudaError_t kernel_load(struct kernel *k);
/* The variable behind a host shadow: its device address and size. */
cudaError_t symbol_find(const void *symbol, uint64_t *address, size_t *size);

/* ---- launch.c ------------------------------------------------------------ */
/* What cudaLaunchKernelExC was told, as the machine wants it. params stay empty. */
void explore_launch(struct kernel *k);   /* explore.c: what was just queued, under other schedules; leaves all as it was, or at what told */
void launch_nobody_asked(void);    /* at the end: a failed launch that nobody asked about */
cudaError_t launch_from_config(struct kernel *k, const cudaLaunchConfig_t *config, struct launch *launch);
/* Eight blocks are what every device with clusters can do; more is asked for by an attribute of the kernel. */
bool cluster_is_allowed(const struct kernel *k, const struct launch *l);

/* ---- memory.c ------------------------------------------------------------ */
/* How a pointer can be reached. */
enum reach { REACH_HOST, REACH_PINNED, REACH_DEVICE, REACH_MANAGED };
enum reach memory_reach(const void *pointer);
/* True when [pointer, pointer + bytes) lies inside one live allocation; false with a note that names `call`. */
bool memory_holds(const char *call, const void *pointer, size_t bytes);

/* ---- stream.c, event.c ---------------------------------------------------- */
cudaError_t stream_id(cudaStream_t stream, int *id);
cudaError_t event_id(cudaEvent_t event, int *id);
int stream_priority(int wanted);   /* clamped to what the device has */

#endif

/*
 * One kernel on the machine, as a launch file asks.
 */
#ifndef EMU_RUN_RUN_H
#define EMU_RUN_RUN_H

#include "checker/checker.h"
#include "machine/machine.h"
#include "run/complaint.h"
#include "run/launchfile.h"
#include "run/options.h"
#include "trace/trace.h"

struct run {
    const struct options *options;
    const struct launch_file *file;
    const struct ptx_module *module;
    const struct ptx_function *entry;
    struct machine *machine;
    struct checker *checker;         /* NULL: not asked for */
    struct trace *trace;             /* NULL: not asked for */
    int id;                          /* of the module on the machine */
    uint64_t *address;               /* of each buffer; 0 for an empty one */
    /* Results. */
    uint32_t grid[3];                /* as launched */
    uint64_t resident;               /* blocks of this shape that the device holds at once */
    unsigned tried;                  /* schedules besides the one asked for */
    char told[64];                   /* options that repeat the first that told; "": none did */
    uint64_t cycles;                 /* median of the launches, model cycles */
};

/* Loads the module, places buffers and variables, launches, waits. false: *c
 * says why; a fault of the kernel has its own text in machine_fault. */
bool run_kernel(struct run *run, struct complaint *c);
/* The bytes of a buffer at the end, malloc'ed; NULL and *c when memory is out. */
uint8_t *run_result(const struct run *run, int buffer, struct complaint *c);
/* After the run, whatever became of it. false: the trace could not be written. */
bool run_close_trace(struct run *run, struct complaint *c);
void run_end(struct run *run);

#endif

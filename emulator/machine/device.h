/*
 * Devices the emulator can be: one table, devices.def.
 *
 * A device is limits (for occupancy), a capability with the PTX target it
 * runs, and a cost model in cycles. The costs are constants of a model, never
 * a statement about real hardware; where they were held against an H200,
 * experiments/ says so.
 */
#ifndef EMU_MACHINE_DEVICE_H
#define EMU_MACHINE_DEVICE_H

#include <stdint.h>

/* Classes of instruction cost; a row of the opcode table names one. */
enum cost_class {
    COST_ALU, COST_MUL64, COST_FP64, COST_SPECIAL /* div, sqrt, ex2 */, COST_CONTROL,
    COST_SHARED, COST_GLOBAL, COST_LOCAL, COST_CONST, COST_ATOMIC, COST_BARRIER, COST_FENCE,
    COST_CLUSTER, COST_ASYNC, COST_FREE, COST_CLASS_COUNT
};

struct device {
    const char *name;              /* "b200" */
    int sms;
    int blocks_per_sm, threads_per_sm, threads_per_block;
    int shared_per_sm, shared_per_block, shared_reserved;   /* bytes; reserved: per block, by the system */
    int registers_per_sm;
    int cluster_max;               /* blocks; 0: no clusters */
    int sms_per_cluster_room;      /* a cluster's blocks must fit into this many neighbouring SMs */
    int cc;                        /* 100 */
    const char *target;            /* "100a": compute_100a is what nvcc-emu asks for */
    int clock_khz;                 /* nominal clock: turns cycles into the ms of cudaEventElapsedTime */
    int64_t memory_bytes;
    int block_start, block_end, launch;     /* cycles */
    int clc_latency;               /* cycles from request to response */
    int bytes_per_cycle;           /* device memory bandwidth of the whole device */
    int latency[COST_CLASS_COUNT]; /* cycles until the next instruction of the warp */
    int issue[COST_CLASS_COUNT];   /* cycles the warp's scheduler is busy */
};

const struct device *device_find(const char *name);   /* NULL when unknown */
const struct device *device_at(int index);             /* NULL past the last */

#endif

/* Devices; the table is devices.def. */
#include "machine/device.h"

#include <stddef.h>
#include <string.h>

/* Costs by class: the four that differ between rows, and those that all share. */
#define COSTS(alu, branch, memory, atomic)                                     \
    .latency = {[COST_ALU] = (alu), [COST_MUL64] = 8, [COST_FP64] = 8,         \
                [COST_SPECIAL] = 24, [COST_CONTROL] = (branch),                \
                [COST_SHARED] = 24, [COST_GLOBAL] = (memory),                  \
                [COST_LOCAL] = 30, [COST_CONST] = 8,                           \
                [COST_ATOMIC] = (atomic), [COST_BARRIER] = 12,                 \
                [COST_FENCE] = 16,                                             \
                [COST_CLUSTER] = 180, [COST_ASYNC] = 24, [COST_FREE] = 0},     \
    .issue = {[COST_ALU] = 1, [COST_MUL64] = 2, [COST_FP64] = 2,               \
              [COST_SPECIAL] = 8, [COST_CONTROL] = 1, [COST_SHARED] = 2,       \
              [COST_GLOBAL] = 2, [COST_LOCAL] = 2, [COST_CONST] = 1,           \
              [COST_ATOMIC] = 4, [COST_BARRIER] = 2, [COST_FENCE] = 2,         \
              [COST_CLUSTER] = 4, [COST_ASYNC] = 2, [COST_FREE] = 0}

static const struct device devices[] = {
#define DEVICE(name_, sms_, bpsm, tpsm, tpb, sps, spb, sres, regs, cmax, croom, cc_, target_, khz, mem, start, end, launch_, clc, bpc, alu, \
               branch, memory, atomic)                                                                                  \
    {.name = name_, .sms = sms_, .blocks_per_sm = bpsm, .threads_per_sm = tpsm, .threads_per_block = tpb,          \
     .shared_per_sm = sps, .shared_per_block = spb, .shared_reserved = sres, .registers_per_sm = regs,              \
     .cluster_max = cmax, .sms_per_cluster_room = croom, .cc = cc_, .target = target_, .clock_khz = khz,            \
     .memory_bytes = mem, .block_start = start, .block_end = end, .launch = launch_, .clc_latency = clc,            \
     .bytes_per_cycle = bpc, COSTS(alu, branch, memory, atomic)},
#include "machine/devices.def"
#undef DEVICE
};

const struct device *device_at(int index)
{
    return index >= 0 && (size_t)index < sizeof devices / sizeof devices[0] ? &devices[index] : NULL;
}

const struct device *device_find(const char *name)
{
    for (int i = 0; device_at(i) != NULL; i++)
        if (strcmp(device_at(i)->name, name) == 0)
            return device_at(i);
    return NULL;
}

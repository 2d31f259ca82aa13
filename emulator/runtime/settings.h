/*
 * What the environment asks for: EMU_DEVICE, EMU_SEED, EMU_CHECK, EMU_REFUSE,
 * EMU_V, EMU_STRICT, EMU_SCHEDULES, EMU_STEPS, EMU_TRACE. An unset or empty variable is its default; nonsense in
 * one is a sentence that names it.
 */
#ifndef EMU_RUNTIME_SETTINGS_H
#define EMU_RUNTIME_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/choice.h"
#include "machine/device.h"

struct settings {
    const struct device *device;     /* EMU_DEVICE, default b200 */
    struct choice_options choice;    /* EMU_SEED, EMU_REFUSE */
    uint64_t step_budget;            /* EMU_STEPS; 0: the machine's default */
    bool check;                      /* EMU_CHECK, default 0 */
    uint64_t schedules;              /* EMU_SCHEDULES: other orders of events to try at the first launch of a kernel */
    bool verbose;                    /* EMU_V=1: all that a report knows */
    const char *trace;               /* EMU_TRACE: file for every event; NULL: none */
    bool strict_hw;                  /* EMU_STRICT=hw, default spec */
};

/* `read` is getenv, or a stand-in in tests. false: `why` holds one sentence for the user. */
bool settings_read(struct settings *s, char *(*read)(const char *name), char *why, size_t why_size);

#endif

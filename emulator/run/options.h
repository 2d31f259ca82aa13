/*
 * The command line of emu-run; the table is options.def.
 * An option that is not given takes its value from its variable
 * (EMU_DEVICE, ...), an empty or unset variable is the default.
 */
#ifndef EMU_RUN_OPTIONS_H
#define EMU_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "machine/choice.h"
#include "machine/device.h"
#include "run/complaint.h"
#include "run/launchfile.h"

enum run_mode { MODE_RUN, MODE_OPCODES, MODE_COVERAGE, MODE_DEVICES, MODE_RULES, MODE_EXPLAIN, MODE_HELP };

struct save { const char *buffer, *path; size_t buffer_length; };

struct options {
    enum run_mode mode;
    const char *module, *launch;             /* paths; launch NULL: not given */
    const struct device *device;
    struct choice_options choice;
    uint64_t steps;                          /* 0: the machine's default */
    bool json;
    bool check, strict_hw, verbose, lab;     /* lab: reports without the `try` line */
    const char *reports;                     /* file for reports and complaints; NULL: standard error */
    uint64_t schedules;                      /* besides the one that is asked for */
    const char *trace;                       /* path, NULL: no trace */
    const char *rule;                        /* of MODE_EXPLAIN */
    char *again;                             /* the command line, for reports */
    struct setting *settings; int setting_count;
    struct save *saves; int save_count;
};

/* `variable` is getenv, or a stand-in in tests. */
bool options_read(int argc, const char *const *argv, char *(*variable)(const char *name), struct options *out,
                  struct complaint *c);
void options_free(struct options *o);
void options_help(FILE *out);

#endif

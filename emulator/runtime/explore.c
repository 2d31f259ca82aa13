/*
 * A launch under other schedules, in one process (EMU_SCHEDULES=N).
 *
 * The first launch of each kernel is run again and again from the saved state
 * of machine and checker, each time with other choices (checker/explore.h). The
 * first schedule that breaks a rule or ends in a fault is kept: its report
 * follows. Otherwise all is as it was, and the launch runs as asked for.
 * Values are the program's to judge, so a wrong result alone tells nothing
 * here. Programs with memory that kernels share with the host are left alone:
 * no snapshot holds it.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checker/explore.h"
#include "machine/grid.h"

static void no_output(void *self, const char *text, size_t length)
{
    (void)self, (void)text, (void)length;
}

static bool tells(const struct choice_options *choice)
{
    machine_choose(rt.machine, choice);
    machine_output(rt.machine, no_output, NULL);
    return !machine_wait_all(rt.machine) || (rt.checker && checker_broken(rt.checker));
}

/* "--schedules 0 --seed pct4" for emu-run is EMU_SEED=pct4 here. */
static void say_told(const struct kernel *k, unsigned number, const char *words)
{
    char name[256];
    const char *seed = strstr(words, "--seed "), *refuse = strstr(words, "--refuse ");
    char variable[SCHEDULE_WORDS] = "";
    if (seed)
        snprintf(variable, sizeof variable, "EMU_SEED=%s", seed + strlen("--seed "));
    else if (refuse)
        snprintf(variable, sizeof variable, "EMU_REFUSE=%s", refuse + strlen("--refuse "));
    runtime_note("kernel %s: schedule %u of %" PRIu64 " is the first that tells%s%s", plain_name(k->name, name, sizeof name), number, rt.settings.schedules,
                 variable[0] ? "; again with " : "", variable);
    if (rt.checker)
        checker_again(rt.checker, runtime_again(variable));
}

void explore_launch(struct kernel *k)
{
    char name[256];
    k->explored = true;
    if (rt.mapped) {
        runtime_note("kernel %s: other schedules are not tried, because the program shares memory with the host",
                     plain_name(k->name, name, sizeof name));
        return;
    }
    struct snapshot *start = machine_save(rt.machine);
    struct checker_snapshot *listening = rt.checker ? checker_save(rt.checker) : NULL;
    const uint64_t before = machine_counts(rt.machine)->requests;
    uint64_t requests = 0;
    bool told = false;
    for (unsigned n = 0; start && !told && n <= rt.settings.schedules; n++) {
        char words[SCHEDULE_WORDS];
        const struct choice_options choice = explore_schedule(&rt.settings.choice, n, requests, words);
        told = tells(&choice);
        requests = n == 0 ? machine_counts(rt.machine)->requests - before : requests;
        if (told)
            say_told(k, n, words);
        else
            machine_restore(rt.machine, start);
        if (!told && rt.checker)
            checker_restore(rt.checker, listening);
    }
    if (start && !told && rt.settings.verbose)
        runtime_note("kernel %s: %" PRIu64 " schedules besides this one, none told",
                     plain_name(k->name, name, sizeof name), rt.settings.schedules);
    if (rt.checker)
        checker_snapshot_delete(rt.checker, listening);
    snapshot_delete(rt.machine, start);
}

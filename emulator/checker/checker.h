/*
 * The checker: listens to the machine's events and judges the protocol by the
 * letter of the PTX memory model and the rules of Cluster Launch Control.
 *
 *   rule.c      the table of rules            clock.c, know.c  what is known to have happened before
 *   shadow.c    last accesses per word        observe.c        events: blocks, barriers, fences
 *   access.c    accesses: races               mbarrier.c       mbarriers and their phases
 *   async.c     requests, copies, responses   report.c         findings and their texts
 *
 * Its state lies in a heap of its own, so it is saved and restored beside the
 * machine's. It changes nothing in the machine.
 * Not modelled: the order of two fence.sc of which no value that was read
 * says which came first; of gpu scope that order is. Races between host
 * copies and kernels; grids of independent streams count as ordered when one
 * ended before the other began. Writes to the source of a bulk copy from
 * global memory once it has landed, by threads that have not seen it complete;
 * a thread's own write to the source of its cp.async before it waits.
 */
#ifndef EMU_CHECKER_CHECKER_H
#define EMU_CHECKER_CHECKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "checker/rule.h"

struct machine;
struct fault;
struct checker;
struct checker_snapshot;

enum strictness { STRICT_SPEC, STRICT_HW };    /* by the letter; or as today's assembler behaves: some errors are notes */

struct checker_options {
    enum strictness level;
    bool verbose;                /* V=1: the rest of each report */
    bool colour;
    bool lab;                    /* no `try` lines */
    bool host_launches;          /* the host judges launches itself (LN1), where it knows their line */
    const char *again;           /* the command that repeats the run; copied; NULL: none */
};

/* Attaches to a machine made with options.observe. NULL: out of memory. */
struct checker *checker_new(struct machine *m, const struct checker_options *options);
void checker_delete(struct checker *c);
/* Something the machine does not tell: a launch that failed, an error nobody asked for. `where` and `detail` may be NULL. */
void checker_tell(struct checker *c, enum rule_id rule, const char *where, const char *detail);
/* <<<1024, (n + 1023) / 1024>>>: grid and block look swapped. */
bool checker_looks_swapped(const uint32_t grid[3], const uint32_t block[3]);
/* A run that ended with a fault: a finding with the machine's words, when a rule fits. false: none does. */
bool checker_fault(struct checker *c, const struct fault *fault);
/* Prints what was found since the last call; returns how many findings that were. */
unsigned checker_report(struct checker *c, FILE *out);
unsigned checker_unreported(const struct checker *c);
/* Findings of this severity so far, reported or not; each cause counts once. */
unsigned checker_count(const struct checker *c, enum severity severity);
bool checker_broken(const struct checker *c);             /* an ERROR or HANG rule was broken: exit 1 */
void checker_json(const struct checker *c, FILE *out);    /* all findings so far, one JSON array */
void checker_again(struct checker *c, const char *again); /* replaces the command that repeats the run */

struct checker_snapshot *checker_save(struct checker *c);
void checker_restore(struct checker *c, const struct checker_snapshot *s);
void checker_snapshot_delete(struct checker *c, struct checker_snapshot *s);

#endif

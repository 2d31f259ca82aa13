/*
 * The choice source: whenever an order is free, the machine asks here.
 *
 * Same choices, same run. `lowest` always answers 0, `seeded` draws from a
 * generator, `replay` answers from a recorded list and then 0. A choice of one
 * is never asked, so recordings stay short.
 */
#ifndef EMU_MACHINE_CHOICE_H
#define EMU_MACHINE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is being chosen: sources may treat kinds differently. */
enum choice_kind {
    CHOICE_WARP,        /* which of the warps that may run next */
    CHOICE_SM,          /* which SM advances next */
    CHOICE_BURST,       /* how many instructions until the next warp may be chosen */
    CHOICE_PLACE,       /* which SM gets a block */
    CHOICE_DELAY,       /* how long an asynchronous operation takes */
    CHOICE_GRANT,       /* which pending cluster a request cancels */
    CHOICE_REFUSE,      /* 1: refuse this request although work is pending */
    CHOICE_SPURIOUS,    /* 1: try_wait answers false although the phase is complete */
    CHOICE_KINDS
};

enum choice_mode { CHOOSE_LOWEST, CHOOSE_SEEDED, CHOOSE_REPLAY };

/* What a seeded source leans to. PCT: of those that may go, always the one of highest random priority goes, and at
 * CHANGES random moments the one that is going falls below all others; it finds a bug that needs d orderings with
 * probability at least 1 / (n k^(d-1)), n warps and k choices (Burckhardt et al., ASPLOS 2010). */
enum choice_lean { LEAN_NONE, LEAN_PCT, LEAN_EARLY /* deliveries at once */, LEAN_LATE, LEAN_FALSE /* waits answer false first */ };
enum { CHANGES = 2 };

struct choice_options {
    enum choice_mode mode;
    enum choice_lean lean;
    uint64_t seed;
    const uint32_t *replay; size_t replay_count;
    bool record;
    /* REFUSE: requests for new work that are refused although work is pending. */
    enum { REFUSE_NONE, REFUSE_ALL, REFUSE_KTH, REFUSE_PROBABILITY } refuse;
    uint64_t refuse_k;          /* the k-th request, from 1 */
    double refuse_p;
};

struct choice {
    struct choice_options options;
    uint64_t state;             /* generator */
    size_t next;                /* replay position */
    uint32_t *recorded; size_t recorded_count, recorded_capacity;
    uint64_t requests;          /* seen by choice_refuse */
    uint64_t turns;             /* seen by choose_among */
    uint64_t change[CHANGES];   /* turns at which whoever goes falls behind */
    uint32_t fallen[CHANGES], fallen_count;
};

void choice_init(struct choice *c, const struct choice_options *options);
void choice_free(struct choice *c);
/* A number below n (n >= 1). */
uint32_t choose(struct choice *c, enum choice_kind kind, uint32_t n);
/* The index of one of n ids, which name the same things from choice to choice. */
uint32_t choose_among(struct choice *c, enum choice_kind kind, const uint32_t *ids, uint32_t n);
bool choice_refuse(struct choice *c);      /* asked once per request */

/* "SEED" text: empty = lowest first; a number = seeded; pct7, early7, late7, false7: with that lean. "REFUSE" text: "all", "k" (a number), "p0.25".
 * false: not of that form; *options unchanged. */
bool choice_parse_seed(const char *text, struct choice_options *options);
bool choice_parse_refuse(const char *text, struct choice_options *options);

#endif

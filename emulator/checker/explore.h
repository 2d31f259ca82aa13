/*
 * Which schedules to look at: one after the other, from the plain one to ever
 * more unlikely ones.
 *
 * The list goes round six kinds: random orders, random priorities (PCT),
 * a refusal at the k-th request, responses at once, responses as late as can
 * be, waits that answer false without reason. The run as it is asked for is
 * number 0. Any of them can be repeated alone by the words that name it.
 */
#ifndef EMU_CHECKER_EXPLORE_H
#define EMU_CHECKER_EXPLORE_H

#include <stddef.h>
#include <stdint.h>

#include "machine/choice.h"

enum { SCHEDULE_WORDS = 64 };
/* Schedule `number` of a run that was asked for with `base` and makes `requests` requests for work. `words`: the options of
 * emu-run that stand for it, "--seed pct4". */
struct choice_options explore_schedule(const struct choice_options *base, unsigned number, uint64_t requests,
                                       char words[SCHEDULE_WORDS]);

#endif

/* Which schedules to look at; see explore.h. */
#include "checker/explore.h"

#include <inttypes.h>
#include <stdio.h>

static const struct { enum choice_lean lean; const char *name; } kinds[] = {
    {LEAN_NONE, ""}, {LEAN_PCT, "pct"}, {LEAN_NONE, NULL /* a refusal */}, {LEAN_EARLY, "early"}, {LEAN_LATE, "late"}, {LEAN_FALSE, "false"}
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct choice_options explore_schedule(const struct choice_options *base, unsigned number, uint64_t requests,
                                       char words[SCHEDULE_WORDS])
{
    struct choice_options o = *base;
    unsigned kind = (number - 1) % KINDS, turn = (number - 1) / KINDS + 1;
    words[0] = '\0';
    if (number == 0)
        return o;
    if (kinds[kind].name == NULL && turn <= requests) {
        o.refuse = REFUSE_KTH;
        o.refuse_k = turn;
        snprintf(words, SCHEDULE_WORDS, "--schedules 0 --refuse %u", turn);
        return o;
    }
    if (kinds[kind].name == NULL)
        kind = 0, turn += 1000000;           /* no request is left to refuse: one more random order */
    o.mode = CHOOSE_SEEDED;
    o.lean = kinds[kind].lean;
    o.seed = turn;
    snprintf(words, SCHEDULE_WORDS, "--schedules 0 --seed %s%u", kinds[kind].name, turn);
    return o;
}

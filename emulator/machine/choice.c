/* The choice source; see choice.h. */
#include "machine/choice.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64: small, and good enough to pick schedules. */
static uint64_t draw(struct choice *c)
{
    uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void choice_init(struct choice *c, const struct choice_options *options)
{
    memset(c, 0, sizeof *c);
    c->options = *options;
    c->state = options->seed;
    for (int k = 0; k < CHANGES && options->lean == LEAN_PCT; k++)
        c->change[k] = 1 + draw(c) % (UINT64_C(64) << draw(c) % 8);      /* early ones as likely as late ones */
}

void choice_free(struct choice *c)
{
    free(c->recorded);
    c->recorded = NULL;
}

static void record(struct choice *c, uint32_t answer)
{
    if (c->recorded_count == c->recorded_capacity) {
        size_t capacity = c->recorded_capacity ? 2 * c->recorded_capacity : 256;
        uint32_t *grown = realloc(c->recorded, capacity * sizeof *grown);
        if (grown == NULL)
            return;
        c->recorded = grown;
        c->recorded_capacity = capacity;
    }
    c->recorded[c->recorded_count++] = answer;
}

/* The answers of delays are: plain, at once, ..., longest (sync/async.c); of two ways to pause: no, yes, no, no. */
static bool leaning(struct choice *c, enum choice_kind kind, uint32_t n, uint32_t *answer)
{
    enum choice_lean lean = c->options.lean;
    if (kind == CHOICE_DELAY && (lean == LEAN_EARLY || lean == LEAN_LATE)) {
        *answer = n < 8 ? lean == LEAN_LATE : lean == LEAN_EARLY ? 1 : n - 1;
        return true;
    }
    if (kind == CHOICE_SPURIOUS && lean == LEAN_FALSE) {
        *answer = draw(c) & 1;
        return true;
    }
    return false;
}

static uint64_t priority(const struct choice *c, uint32_t id)
{
    uint64_t z = (c->options.seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ id * UINT64_C(0xbf58476d1ce4e5b9);
    for (uint32_t k = 0; k < c->fallen_count; k++)
        if (c->fallen[k] == id)
            return c->fallen_count - k;      /* below all others, the last lowest */
    z = (z ^ z >> 30) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) | UINT64_C(1) << 32;
}

uint32_t choose_among(struct choice *c, enum choice_kind kind, const uint32_t *ids, uint32_t n)
{
    uint32_t best = 0;
    if (c->options.mode != CHOOSE_SEEDED || c->options.lean != LEAN_PCT)
        return choose(c, kind, n);
    for (uint32_t k = 1; k < n; k++)
        if (priority(c, ids[k]) > priority(c, ids[best]))
            best = k;
    c->turns++;
    for (int k = 0; k < CHANGES; k++)
        if (c->turns == c->change[k] && c->fallen_count < CHANGES)
            c->fallen[c->fallen_count++] = ids[best];
    return best;
}

uint32_t choose(struct choice *c, enum choice_kind kind, uint32_t n)
{
    uint32_t answer = 0;
    if (n <= 1)
        return 0;
    if (c->options.mode == CHOOSE_SEEDED && leaning(c, kind, n, &answer))
        ;
    else if (c->options.mode == CHOOSE_SEEDED)
        answer = (uint32_t)(draw(c) % n);
    else if (c->options.mode == CHOOSE_REPLAY && c->next < c->options.replay_count)
        answer = c->options.replay[c->next++] % n;
    if (c->options.record)
        record(c, answer);
    return answer;
}

bool choice_refuse(struct choice *c)
{
    c->requests++;
    switch (c->options.refuse) {
    case REFUSE_ALL: return true;
    case REFUSE_KTH: return c->requests == c->options.refuse_k;
    case REFUSE_PROBABILITY: return (double)(draw(c) >> 11) / 9007199254740992.0 < c->options.refuse_p;
    case REFUSE_NONE: break;
    }
    return false;
}

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *end == '\0' && errno == 0;
}

bool choice_parse_seed(const char *text, struct choice_options *options)
{
    static const struct { const char *name; enum choice_lean lean; } leans[] = {
        {"pct", LEAN_PCT}, {"early", LEAN_EARLY}, {"late", LEAN_LATE}, {"false", LEAN_FALSE}};
    enum choice_lean lean = LEAN_NONE;
    uint64_t seed;
    if (text[0] == '\0') {
        options->mode = CHOOSE_LOWEST;
        options->lean = LEAN_NONE;
        return true;
    }
    for (size_t k = 0; k < sizeof leans / sizeof leans[0]; k++)
        if (strncmp(text, leans[k].name, strlen(leans[k].name)) == 0) {
            lean = leans[k].lean;
            text += strlen(leans[k].name);
            break;
        }
    if (!parse_number(text, &seed))
        return false;
    options->mode = CHOOSE_SEEDED;
    options->lean = lean;
    options->seed = seed;
    return true;
}

bool choice_parse_refuse(const char *text, struct choice_options *options)
{
    if (text[0] == '\0') {
        options->refuse = REFUSE_NONE;
        return true;
    }
    if (strcmp(text, "all") == 0) {
        options->refuse = REFUSE_ALL;
        return true;
    }
    if (text[0] == 'p') {
        char *end;
        double p = strtod(text + 1, &end);
        if (end == text + 1 || *end != '\0' || !(p >= 0 && p <= 1))
            return false;
        options->refuse = REFUSE_PROBABILITY;
        options->refuse_p = p;
        return true;
    }
    uint64_t k;
    if (!parse_number(text, &k) || k == 0)
        return false;
    options->refuse = REFUSE_KTH;
    options->refuse_k = k;
    return true;
}

/* What the environment asks for: see settings.h. */
#include "runtime/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct settings *s;
    char *why;
    size_t why_size;
};

static bool wrong(struct reader *r, const char *name, const char *value, const char *instead)
{
    snprintf(r->why, r->why_size, "%s=%s: %s", name, value, instead);
    return false;
}

static bool read_device(struct reader *r, const char *name, const char *value)
{
    if ((r->s->device = device_find(value)))
        return true;
    char text[256] = "there is no such device; use";
    const struct device *d;
    for (int i = 0; (d = device_at(i)); i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? " " : device_at(i + 1) ? ", " : " or ", d->name);
    }
    return wrong(r, name, value, text);
}

static bool read_seed(struct reader *r, const char *name, const char *value)
{
    return choice_parse_seed(value, &r->s->choice) || wrong(r, name, value, "use a whole number such as 7, alone or after pct, early, late or false");
}

static bool read_refuse(struct reader *r, const char *name, const char *value)
{
    return choice_parse_refuse(value, &r->s->choice) ||
           wrong(r, name, value, "use all, the number of a request such as 3, or a probability such as p0.25");
}

static bool read_check(struct reader *r, const char *name, const char *value)
{
    r->s->check = strcmp(value, "1") == 0;
    return r->s->check || strcmp(value, "0") == 0 || wrong(r, name, value, "use 0 or 1");
}

static bool read_verbose(struct reader *r, const char *name, const char *value)
{
    r->s->verbose = strcmp(value, "1") == 0;
    return r->s->verbose || strcmp(value, "0") == 0 || wrong(r, name, value, "use 0 or 1");
}

static bool read_strict(struct reader *r, const char *name, const char *value)
{
    r->s->strict_hw = strcmp(value, "hw") == 0;
    return r->s->strict_hw || strcmp(value, "spec") == 0 || wrong(r, name, value, "use spec or hw");
}

static bool read_schedules(struct reader *r, const char *name, const char *value)
{
    char *end;
    errno = 0;
    r->s->schedules = strtoull(value, &end, 10);
    return (value[0] >= '0' && value[0] <= '9' && *end == 0 && errno == 0) || wrong(r, name, value, "use a number of schedules such as 100");
}

static bool read_trace(struct reader *r, const char *name, const char *value)
{
    (void)name;
    r->s->trace = value;
    return true;
}

static bool read_steps(struct reader *r, const char *name, const char *value)
{
    char *end;
    errno = 0;
    r->s->step_budget = strtoull(value, &end, 10);
    bool fine = value[0] >= '0' && value[0] <= '9' && *end == 0 && errno == 0 && r->s->step_budget > 0;
    return fine || wrong(r, name, value, "use a number of warp instructions such as 1000000");
}

static const struct {
    const char *name;
    bool (*read)(struct reader *, const char *name, const char *value);
} variables[] = {
    { "EMU_DEVICE", read_device },
    { "EMU_SEED",   read_seed },
    { "EMU_REFUSE", read_refuse },
    { "EMU_CHECK",  read_check },
    { "EMU_V",      read_verbose },
    { "EMU_SCHEDULES", read_schedules },
    { "EMU_STRICT", read_strict },
    { "EMU_STEPS",  read_steps },
    { "EMU_TRACE",  read_trace },
};

bool settings_read(struct settings *s, char *(*read)(const char *name), char *why, size_t why_size)
{
    *s = (struct settings){ .device = device_find("b200") };
    struct reader r = { s, why, why_size };
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = read(variables[i].name);
        if (value && *value && !variables[i].read(&r, variables[i].name, value))
            return false;
    }
    if (s->trace && s->schedules > 0)
        return wrong(&r, "EMU_TRACE", s->trace, "a trace records one order of events, and EMU_SCHEDULES asks for several");
    return true;
}

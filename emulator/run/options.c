/*
 * The command line of emu-run: see options.h.
 */
#include "run/options.h"

#include <stdlib.h>
#include <string.h>

enum option {
#define OPTION(id, spelling, follows, variable, help) OPTION_##id,
#include "run/options.def"
#undef OPTION
    OPTION_COUNT
};

static const struct { const char *spelling, *follows, *variable, *help; } table[] = {
#define OPTION(id, spelling, follows, variable, help) { spelling, follows, variable, help },
#include "run/options.def"
#undef OPTION
};

/* ---- one value ----------------------------------------------------------- */

/* `name` is the option, or the variable the value came from. */
static bool set_device(struct options *o, const char *name, const char *value, struct complaint *c)
{
    char known[200] = "";
    o->device = device_find(value);
    if (o->device)
        return true;
    for (int i = 0; device_at(i); i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), " %s", device_at(i)->name);
    return complain(c, ENDS_USAGE, "%s: '%.60s' is no device; there are:%s", name, value, known);
}

static uint64_t read_number(const char *value)      /* 0: it is none */
{
    uint8_t bytes[8];
    uint64_t number = 0;
    const bool read = element_parse(ELEMENT_U64, value, bytes);
    for (int i = 0; read && i < 8; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static bool set_steps(struct options *o, const char *name, const char *value, struct complaint *c)
{
    o->steps = read_number(value);
    return o->steps > 0 || complain(c, ENDS_USAGE, "%s: '%.60s' is no number of instructions", name, value);
}

static bool set_schedules(struct options *o, const char *name, const char *value, struct complaint *c)
{
    o->schedules = read_number(value);
    return o->schedules > 0 || strcmp(value, "0") == 0
        || complain(c, ENDS_USAGE, "%s: '%.60s' is no number of schedules", name, value);
}

/* An option without a value, or a variable that is 0 or 1. */
static bool set_flag(bool *flag, const char *name, const char *value, struct complaint *c)
{
    *flag = value == NULL || strcmp(value, "1") == 0;
    return *flag || strcmp(value, "0") == 0 || complain(c, ENDS_USAGE, "%s=%.60s: use 0 or 1", name, value);
}

/* "NAME=VALUE": where '=' is. */
static const char *split(const char *name, const char *value, struct complaint *c)
{
    const char *equals = strchr(value, '=');
    if (!equals || equals == value)
        complain(c, ENDS_USAGE, "%s: '%.100s' is not of the form NAME=VALUE", name, value);
    else if (strchr(value, '\n'))
        complain(c, ENDS_USAGE, "%s: the value of '%.*s' holds the end of a line", name,
                 equals - value > 60 ? 60 : (int)(equals - value), value);
    else
        return equals;
    return NULL;
}

static bool add_setting(struct options *o, const char *name, const char *value, struct complaint *c)
{
    const char *equals = split(name, value, c);
    if (!equals)
        return false;
    o->settings[o->setting_count++] = (struct setting){ value, equals + 1, (size_t)(equals - value) };
    return true;
}

static bool add_save(struct options *o, const char *name, const char *value, struct complaint *c)
{
    const char *equals = split(name, value, c);
    if (!equals)
        return false;
    if (!equals[1])
        return complain(c, ENDS_USAGE, "%s: '%.100s' names no file", name, value);
    o->saves[o->save_count++] = (struct save){ value, equals + 1, (size_t)(equals - value) };
    return true;
}

static bool set_option(struct options *o, enum option option, const char *name, const char *value, struct complaint *c)
{
    switch (option) {
    case OPTION_LAUNCH: o->launch = value; return true;
    case OPTION_SET: return add_setting(o, name, value, c);
    case OPTION_SAVE: return add_save(o, name, value, c);
    case OPTION_DEVICE: return set_device(o, name, value, c);
    case OPTION_SEED:
        return choice_parse_seed(value, &o->choice)
            || complain(c, ENDS_USAGE, "%s: '%.60s' is no whole number such as 7, alone or after pct, early, late or false", name, value);
    case OPTION_REFUSE:
        return choice_parse_refuse(value, &o->choice)
            || complain(c, ENDS_USAGE, "%s: '%.60s' is not all, a number such as 3, or pP such as p0.25", name, value);
    case OPTION_STEPS: return set_steps(o, name, value, c);
    case OPTION_CHECK: return set_flag(&o->check, name, value, c);
    case OPTION_SCHEDULES: return set_schedules(o, name, value, c);
    case OPTION_VERBOSE: return set_flag(&o->verbose, name, value, c);
    case OPTION_NO_TRY: o->lab = true; return true;
    case OPTION_REPORTS: o->reports = value; return true;
    case OPTION_STRICT:
        o->strict_hw = strcmp(value, "hw") == 0;
        return o->strict_hw || strcmp(value, "spec") == 0 || complain(c, ENDS_USAGE, "%s: '%.60s' is neither spec nor hw", name, value);
    case OPTION_RULES: o->mode = MODE_RULES; return true;
    case OPTION_EXPLAIN: o->mode = MODE_EXPLAIN; o->rule = value; return true;
    case OPTION_TRACE: o->trace = value; return *value != 0 || complain(c, ENDS_USAGE, "%s: the file has no name", name);
    case OPTION_JSON: o->json = true; return true;
    case OPTION_OPCODES: o->mode = MODE_OPCODES; return true;
    case OPTION_COVERAGE: o->mode = MODE_COVERAGE; return true;
    case OPTION_DEVICES: o->mode = MODE_DEVICES; return true;
    case OPTION_HELP: o->mode = MODE_HELP; return true;
    case OPTION_COUNT: break;
    }
    return false;
}

/* ---- the command line ------------------------------------------------------ */

static bool read_variables(struct options *o, char *(*variable)(const char *name), struct complaint *c)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *value = *table[i].variable ? variable(table[i].variable) : NULL;
        if (value && *value && !set_option(o, (enum option)i, table[i].variable, value, c))
            return false;
    }
    return true;
}

/* "--seed 7" or "--seed=7": the row, OPTION_COUNT none; *value NULL: in the next word. */
static enum option find_option(const char *word, const char **value)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const size_t length = strlen(table[i].spelling);
        if (strncmp(word, table[i].spelling, length) != 0 || (word[length] && word[length] != '='))
            continue;
        *value = word[length] ? word + length + 1 : NULL;
        return (enum option)i;
    }
    return OPTION_COUNT;
}

static bool read_option(struct options *o, int argc, const char *const *argv, int *at, struct complaint *c)
{
    const char *value;
    const enum option option = find_option(argv[*at], &value);
    if (option == OPTION_COUNT)
        return complain(c, ENDS_USAGE, "unknown option '%.60s'; emu-run --help lists them", argv[*at]);
    if (!*table[option].follows && value)
        return complain(c, ENDS_USAGE, "%s takes no value, not '%.60s'", table[option].spelling, value);
    if (*table[option].follows && !value) {
        if (*at + 1 >= argc)
            return complain(c, ENDS_USAGE, "%s needs a value: %s", table[option].spelling, table[option].follows);
        value = argv[++*at];
    }
    return set_option(o, option, table[option].spelling, value, c);
}

static bool read_words(struct options *o, int argc, const char *const *argv, struct complaint *c)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(o, argc, argv, &i, c))
                return false;
        } else if (o->module) {
            return complain(c, ENDS_USAGE, "'%.200s' is a second module; emu-run runs one", argv[i]);
        } else {
            o->module = argv[i];
        }
    }
    if (o->mode == MODE_RUN && !o->module)
        return complain(c, ENDS_USAGE, "no module given: emu-run MODULE.ptx --launch FILE; --help says more");
    return true;
}

/* The words of the command line, quoted where a shell needs it, with the variables that stand for options. */
static void append_word(char **at, const char *word)
{
    const bool plain = *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@")];
    if (!plain)
        *(*at)++ = '\'';
    for (const char *p = word; *p; p++) {
        if (*p == '\'')
            for (const char *q = "'\\'"; *q; q++)
                *(*at)++ = *q;
        *(*at)++ = *p;
    }
    if (!plain)
        *(*at)++ = '\'';
    *(*at)++ = ' ';
}

static char *command_line(int argc, const char *const *argv, char *(*variable)(const char *name))
{
    size_t size = 16;
    for (int i = 0; i < argc; i++)
        size += 4 * strlen(argv[i]) + 4;
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *value = *table[i].variable ? variable(table[i].variable) : NULL;
        size += value ? strlen(table[i].variable) + 4 * strlen(value) + 8 : 0;
    }
    char *text = malloc(size), *at = text;
    for (int i = 0; text && i < OPTION_COUNT; i++) {
        const char *value = *table[i].variable ? variable(table[i].variable) : NULL;
        if (!value || !*value || strcmp(table[i].variable, "EMU_V") == 0)
            continue;
        at += sprintf(at, "%s=", table[i].variable);
        append_word(&at, value);
    }
    for (int i = 0; text && i < argc; i++)
        append_word(&at, argv[i]);
    if (text)
        at[-1] = '\0';
    return text;
}

bool options_read(int argc, const char *const *argv, char *(*variable)(const char *name), struct options *o,
                  struct complaint *c)
{
    *o = (struct options){ .device = device_find("b200") };
    o->settings = calloc((size_t)argc, sizeof *o->settings);
    o->saves = calloc((size_t)argc, sizeof *o->saves);
    o->again = command_line(argc, argv, variable);
    if (!o->settings || !o->saves || !o->again)
        complain(c, ENDS_MACHINE, "memory is out");
    else if (read_variables(o, variable, c) && read_words(o, argc, argv, c))
        return true;
    options_free(o);
    return false;
}

void options_free(struct options *o)
{
    free(o->settings);
    free(o->saves);
    free(o->again);
    o->again = NULL;
    o->settings = NULL;
    o->saves = NULL;
}

/* ---- --help ---------------------------------------------------------------- */

static const char launch_help[] =
    "\nThe launch file, one item a line ('#' begins a comment):\n"
    "  kernel   NAME                     exact entry, or the plain C++ name\n"
    "  grid     X [Y [Z]]                or: resident, resident*K, resident<=N\n"
    "  block    X [Y [Z]]\n"
    "  cluster  X [Y [Z]]\n"
    "  shared   BYTES                    dynamic shared memory\n"
    "  priority N                        lower is more urgent\n"
    "  repeat   N                        launches, one after the other\n"
    "  buffer   NAME TYPE COUNT zero     or: fill VALUE\n"
    "  buffer   NAME FILE.npy\n"
    "  arg      FIELD                    the parameters of the kernel, in order\n"
    "  symbol   NAME FIELD               initial value of a device variable\n"
    "  expect   NAME FILE.npy            what the buffer must hold at the end, bit for bit\n"
    "  FIELD    buffer NAME | sizeof NAME | TYPE VALUE | bytes HEX... | struct { FIELD; ... }\n"
    "  TYPE     u8 s8 u16 s16 u32 s32 u64 s64 f16 (its bits) f32 f64\n"
    "\nWithout --launch the kernels of the module are listed.\n"
    "Ends with 0 right, 1 wrong result or a rule broken, 2 usage, 3 the device cannot do it,\n"
    "4 outside the emulator's coverage, 5 a fault of the emulator.\n";

void options_help(FILE *out)
{
    fputs("usage: emu-run MODULE.ptx --launch FILE [OPTION]...\n"
          "Runs one kernel of a PTX module on an emulated GPU and judges what it computed.\n\n", out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        char left[40];
        snprintf(left, sizeof left, "%s %s", table[i].spelling, table[i].follows);
        fprintf(out, "  %-20s %s%s%s%s\n", left, table[i].help, *table[i].variable ? " [" : "", table[i].variable,
                *table[i].variable ? "]" : "");
    }
    fputs(launch_help, out);
}

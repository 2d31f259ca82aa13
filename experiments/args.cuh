/*
 * Options of an experiment's program: a table in the program, from which --help is made.
 *   read_args("compare", {{"--repeat", "N", "timed launches", &repeat, 1, 1000}, {"--json", "FILE", "...", &path}},
 *             argc, argv);
 * An option with a value takes the next word: a whole number within its limits, or any text. One without is a bool.
 * Nonsense: one sentence, exit 2. Not modelled: --name=value.
 */
#pragma once

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

struct arg {
    const char *name, *value, *help;
    int64_t *number;
    int64_t least, most;
    const char **text;
    bool *flag;

    arg(const char *name, const char *value, const char *help, int64_t *number, int64_t least, int64_t most)
        : name(name), value(value), help(help), number(number), least(least), most(most), text(nullptr), flag(nullptr) {}
    arg(const char *name, const char *value, const char *help, const char **text)
        : name(name), value(value), help(help), number(nullptr), least(0), most(0), text(text), flag(nullptr) {}
    arg(const char *name, const char *help, bool *flag)
        : name(name), value(""), help(help), number(nullptr), least(0), most(0), text(nullptr), flag(flag) {}
};

enum { ARGS_NONSENSE = 2 };

inline void args_help(const char *program, std::initializer_list<arg> args)
{
    printf("usage: %s [OPTION]...\n\n", program);
    for (const arg &a : args)
        printf("  %-10s %-8s %s\n", a.name, a.value, a.help);
    printf("  %-10s %-8s %s\n", "--help", "", "this text");
}

/* Fills what `a` points to from the word after it; ends the program if that is nonsense. */
inline void take_arg(const char *program, const arg &a, const char *word)
{
    if (!word) {
        fprintf(stderr, "%s: %s: %s is missing after it\n", program, a.name, a.value);
        exit(ARGS_NONSENSE);
    }
    if (a.text) {
        *a.text = word;
        return;
    }
    char *end = nullptr;
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    if (!isdigit((unsigned char)*word) || *end || errno || value < a.least || value > a.most) {
        fprintf(stderr, "%s: %s %s: not a whole number from %lld to %lld\n", program, a.name, word, (long long)a.least,
                (long long)a.most);
        exit(ARGS_NONSENSE);
    }
    *a.number = value;
}

inline void read_args(const char *program, std::initializer_list<arg> args, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        const arg *found = nullptr;
        for (const arg &a : args)
            if (!strcmp(a.name, argv[k]))
                found = &a;
        if (!strcmp(argv[k], "--help")) {
            args_help(program, args);
            exit(0);
        }
        if (!found) {
            fprintf(stderr, "%s: %s: no such option here; --help lists them\n", program, argv[k]);
            exit(ARGS_NONSENSE);
        }
        if (found->flag)
            *found->flag = true;
        else
            take_arg(program, *found, ++k < argc ? argv[k] : nullptr);
    }
}

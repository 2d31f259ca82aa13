/*
 * One sentence for a person: how every part of common/ says what is wrong.
 *  - A function that can fail takes a `struct sentence *`, fills it by say() and returns false.
 *  - The sentence names the file, line or option and the value; nothing is printed here.
 *  - The program prints it on stderr and leaves with one of the exit codes below.
 * Not modelled: more than one error at a time; the first one wins.
 */
#ifndef COMMON_SENTENCE_H
#define COMMON_SENTENCE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum exit_code {
    EXIT_RIGHT = 0,
    EXIT_WRONG = 1,   /* a wrong result, or a rule broken */
    EXIT_USAGE = 2,   /* the request makes no sense */
    EXIT_MACHINE = 3, /* this machine cannot do it */
};

struct sentence {
    char text[512];
};

/* Formats the sentence and returns false, so that a caller can `return say(why, ...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool say(struct sentence *why, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif

/*
 * What a test puts in and what should come out: reference.c, built once and
 * run with a seed. See grading.h and reference.h.
 */
#define _GNU_SOURCE
#include "grading.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"

/* The program of a lab's reference.c; NULL: it has none. */
static char *program_of(const struct lab *lab, char **source)
{
    struct digest d;
    struct text text = { 0 };
    char hex[DIGEST_TEXT], why[WHY];
    *source = lab_file(lab, "reference.c");
    if (!*source)
        return NULL;
    if (!file_get(".", *source, 1 << 20, &text, why))
        die(ENDS_USAGE, "%s %s", *source, why);
    digest_begin(&d);
    digest_add(&d, text_of(&text), text.length);
    text_free(&text);
    for (const char *const *part = (const char *const[]){ "build/lib/libreference.a", "labs/grader/reference.h", NULL }; *part; part++) {
        if (!file_get(".", *part, 1 << 24, &text, why))
            die(ENDS_MACHINE, "%s %s; make build/bin/grade builds it", *part, why);
        digest_add(&d, text_of(&text), text.length);
        text_free(&text);
    }
    digest_end(&d, hex);
    return form("build/labs/reference/%s-%.24s", lab->name, hex);
}

void inputs_prepare(const struct lab *lab)
{
    struct text err = { 0 };
    char *source, *program = program_of(lab, &source);
    if (program && !file_there(program)) {
        const char *compiler = getenv("CC");
        char *part = form("%s.%ld.part", program, (long)getpid());
        char *argv[] = { form("%s", compiler && *compiler ? compiler : "cc"), (char[]){ "-std=c17" }, (char[]){ "-O2" },
                         (char[]){ "-Wall" }, (char[]){ "-Wextra" }, (char[]){ "-Werror" }, (char[]){ "-ffp-contract=off" },
                         (char[]){ "-I." }, (char[]){ "-Iemulator" }, source, (char[]){ "build/lib/libreference.a" },
                         (char[]){ "-lm" }, (char[]){ "-o" }, part, NULL };
        folder_make("build/labs/reference");
        if (tools_run(argv, &err) != 0)
            die(ENDS_USAGE, "%s does not compile:\n%s", source, text_of(&err));
        if (rename(part, program) != 0)
            die(ENDS_MACHINE, "%s cannot be written", program);
        free(argv[0]);
        free(part);
    }
    text_free(&err);
    free(program);
    free(source);
}

bool inputs_seeded(const struct lab *lab)
{
    char *path = lab_file(lab, "reference.c");
    const bool has = path != NULL;
    free(path);
    for (int i = 0; has && i < lab->test_count; i++)
        if (lab->tests[i].kind == KIND_TABLE)
            return true;
    return false;
}

/* The settings that reference.c wrote, and the path of each array. */
static void read_settings(const char *folder, struct text *settings)
{
    struct text text = { 0 };
    char why[WHY];
    if (!file_get(folder, "settings", 1 << 16, &text, why))
        die(ENDS_BROKEN, "%s/settings %s", folder, why);
    text_add(settings, "%s", text_of(&text));
    text_free(&text);
}

void inputs_make(const struct lab *lab, const struct test *test, const char *mode, uint64_t seed, const char *folder,
                 struct text *settings)
{
    struct text err = { 0 };
    char *source, *program = program_of(lab, &source), *argv[MOST_WORDS + 8];
    char *number = form("%" PRIu64, seed);
    int count = 0, first;
    if (!program) {
        free(number);
        return;
    }
    argv[count++] = program;
    argv[count++] = (char *)(uintptr_t)folder;
    argv[count++] = number;
    argv[count++] = (char *)(uintptr_t)mode;
    first = count;
    for (int i = 0; test && i < test->word_count; i++)
        if (strncmp(test->words[i].key, "in.", 3) == 0)
            argv[count++] = form("%s=%s", test->words[i].key + 3, test->words[i].value);
    argv[count] = NULL;
    if (tools_run(argv, &err) != 0)
        die(ENDS_USAGE, "%s: %s: %s", test ? test->where : lab->name, source, text_of(&err));
    if (settings)
        read_settings(folder, settings);
    while (count > first)
        free(argv[--count]);
    text_free(&err);
    free(number);
    free(program);
    free(source);
}

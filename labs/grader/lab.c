/*
 * Reading a lab's folders: see lab.h.
 */
#define _GNU_SOURCE
#include "lab.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "regions.h"

struct places places = { .labs = "labs", .work = "labs/work" };

bool places_handout(void)
{
    char *mark = form("%s/HANDOUT", places.labs);
    const bool there = file_there(mark);
    free(mark);
    return there;
}

static const struct { const char *word, *keys; } kinds[] = {
#define KIND(id, word, keys) { word, keys },
    KINDS(KIND)
#undef KIND
};

/* ---- labs.tsv --------------------------------------------------------------- */

static char *must_read(const char *path, size_t most)
{
    struct text t = { 0 };
    char why[WHY];
    if (!file_get(".", path, most, &t, why))
        die(ENDS_USAGE, "%s %s", path, why);
    if (strlen(text_of(&t)) != t.length)
        die(ENDS_USAGE, "%s holds a NUL byte", path);
    return t.at;
}

static bool is_slug(const char *s)
{
    return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static void read_lab_line(struct lab *lab, char *line, const char *path, int number)
{
    char *field[5];
    long long n, minutes;
    if (fields_cut(line, '\t', field, 5) != 5 || !number_read(field[0], 0, 99, &n) || !is_slug(field[1])
        || !number_read(field[3], 1, 6000, &minutes))
        die(ENDS_USAGE, "%s:%d: want number, slug, title, minutes, chapter, with tabs between them", path, number);
    *lab = (struct lab){ .number = (int)n, .minutes = (int)minutes };
    lab->slug = form("%s", field[1]);
    lab->title = form("%s", field[2]);
    lab->chapter = form("%s", field[4]);
    lab->name = form("L%lld-%s", n, field[1]);
    lab->page = form("%s/%s/README.md", places.labs, lab->name);
    lab->instructor = form("%s/instructor/%s", places.labs, lab->name);
    lab->work = form("%s/%s", places.work, lab->name);
    char *hidden = places.hidden ? form("%s/%s", places.hidden, lab->name) : NULL;
    lab->hidden = hidden && folder_there(hidden) ? hidden : NULL;
    if (!lab->hidden)
        free(hidden);
}

int labs_read(struct lab *labs)
{
    char *path = form("%s/labs.tsv", places.labs);
    char *text = must_read(path, 1 << 16), *at = text, *line;
    int count = 0;
    for (int number = 1; (line = line_next(&at)); number++) {
        if (number == 1 || !*line || *line == '#')
            continue;
        if (count == MOST_LABS)
            die(ENDS_USAGE, "%s:%d: more than %d labs", path, number, MOST_LABS);
        read_lab_line(&labs[count++], line, path, number);
    }
    free(text);
    free(path);
    return count;
}

/* ---- tests.tsv ---------------------------------------------------------------- */

/* The next word of `*at`: key=value or key="value with blanks". false: it is neither. */
static bool next_word(char **at, struct word *word)
{
    char *p = *at + strspn(*at, " ");
    const size_t key = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    if (!key || p[key] != '=')
        return false;
    const bool quoted = p[key + 1] == '"';
    char *value = p + key + 1 + quoted;
    const size_t length = strcspn(value, quoted ? "\"" : " ");
    if (quoted && value[length] != '"')
        return false;
    word->key = form("%.*s", (int)key, p);
    word->value = form("%.*s", (int)length, value);
    *at = value + length + quoted;
    return **at == ' ' || !**at;
}

static bool key_known(enum kind kind, const char *key)
{
    char *padded = form(" %s ", key);
    bool known = strstr(kinds[kind].keys, padded) != NULL;
    free(padded);
    return known || (strncmp(key, "in.", 3) == 0 && strstr(kinds[kind].keys, " in. "))
        || (strncmp(key, "set.", 4) == 0 && strstr(kinds[kind].keys, " set. "));
}

static void read_words(struct test *test, char *text)
{
    char *at = text;
    while (at[strspn(at, " ")] && strcmp(text, "-") != 0) {
        struct word *word = &test->words[test->word_count];
        if (test->word_count == MOST_WORDS)
            die(ENDS_USAGE, "%s: more than %d arguments", test->where, MOST_WORDS);
        char *here = at + strspn(at, " ");
        if (!next_word(&at, word))
            die(ENDS_USAGE, "%s: '%.40s' is not of the form key=value", test->where, here);
        if (!key_known(test->kind, word->key))
            die(ENDS_USAGE, "%s: a test of kind %s knows no '%s'; it takes%s", test->where, kinds[test->kind].word, word->key,
                kinds[test->kind].keys);
        if (test_word(test, word->key))
            die(ENDS_USAGE, "%s: '%s' is given twice", test->where, word->key);
        test->word_count++;
    }
}

static enum kind kind_of(const char *word, const char *where)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(word, kinds[i].word) == 0)
            return (enum kind)i;
    die(ENDS_USAGE, "%s: there is no kind of test called '%.40s'", where, word);
}

static void read_test_line(struct test *test, char *line, const char *path, int number)
{
    char *field[6];
    long long points;
    test->where = form("%s:%d", path, number);
    if (fields_cut(line, '\t', field, 6) != 6)
        die(ENDS_USAGE, "%s: want id, points, needs, kind, arguments, text, with tabs between them", test->where);
    if (!is_slug(field[0]) || strcmp(field[0], "compiles") == 0)
        die(ENDS_USAGE, "%s: '%.40s' is no id such as right-sums", test->where, field[0]);
    if (!number_read(field[1], 0, 1000, &points))
        die(ENDS_USAGE, "%s: '%.40s' is no number of points", test->where, field[1]);
    test->id = form("%s", field[0]);
    test->points = (int)points;
    test->needs = form("%s", strcmp(field[2], "-") == 0 ? "" : field[2]);
    test->kind = kind_of(field[3], test->where);
    test->text = form("%s", field[5]);
    read_words(test, field[4]);
}

static int find_test(const struct lab *lab, const char *id, size_t length)
{
    for (int i = 0; i < lab->test_count; i++)
        if (strlen(lab->tests[i].id) == length && memcmp(lab->tests[i].id, id, length) == 0)
            return i;
    return -1;
}

static void read_tests(struct lab *lab, const char *folder, bool hidden)
{
    char *path = form("%s/tests.tsv", folder);
    if (hidden && !file_there(path)) {
        free(path);
        return;
    }
    char *text = must_read(path, 1 << 18), *at = text, *line;
    for (int number = 1; (line = line_next(&at)); number++) {
        struct test test = { .hidden = hidden };
        if (number == 1 || !*line || *line == '#')
            continue;
        read_test_line(&test, line, path, number);
        int place = find_test(lab, test.id, strlen(test.id));
        if (place >= 0 && !hidden)
            die(ENDS_USAGE, "%s: there is a test called '%s' already", test.where, test.id);
        if (place < 0 && (place = lab->test_count++) == MOST_TESTS)
            die(ENDS_USAGE, "%s: more than %d tests", test.where, MOST_TESTS);
        lab->tests[place] = test;
    }
    free(text);
    free(path);
}

/* Every parent stands above; so nobody waits for himself. */
static void check_needs(const struct lab *lab, int index)
{
    const struct test *test = &lab->tests[index];
    for (const char *p = test->needs; *p;) {
        const size_t length = strcspn(p, ",");
        const int parent = find_test(lab, p, length);
        if (parent < 0 || parent >= index)
            die(ENDS_USAGE, "%s: needs '%.*s', which is no test above it", test->where, (int)length, p);
        p += length + (p[length] == ',');
    }
}

static void check_words(const struct lab *lab, const struct test *test)
{
    static const char *const wanted[KIND_COUNT][4] = {
        [KIND_RUN] = { "file", "launch" }, [KIND_SOURCE] = { "file" }, [KIND_PTX] = { "file" },
        [KIND_TABLE] = { "file", "want", "key", "columns" }
    };
    for (int i = 0; i < 4 && wanted[test->kind][i]; i++)
        if (!test_word(test, wanted[test->kind][i]))
            die(ENDS_USAGE, "%s: a test of kind %s needs %s=", test->where, kinds[test->kind].word, wanted[test->kind][i]);
    if (test_word(test, "did"))
        did_check(test);
    if (test_word(test, "alone"))
        alone_check(test);
    const char *file = test_word(test, "file");
    if (file && (strchr(file, '/') || *file == '.'))
        die(ENDS_USAGE, "%s: file=%s: want the plain name of a file", test->where, file);
    if (file && test->kind != KIND_TABLE && lab_source(lab, file) < 0)
        die(ENDS_USAGE, "%s: file=%s: %s has no such source with regions", test->where, file, lab->instructor);
    if ((test->kind == KIND_SOURCE || test->kind == KIND_PTX) && !test_word(test, "require") && !test_word(test, "forbid"))
        die(ENDS_USAGE, "%s: want require= or forbid=", test->where);
}

/* ---- the student's sources ------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_sources(struct lab *lab)
{
    DIR *folder = opendir(lab->instructor);
    if (!folder)
        die(ENDS_USAGE, "%s is not there", lab->instructor);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const size_t length = strlen(entry->d_name);
        struct text source = { 0 };
        char why[WHY];
        if (length < 4 || strcmp(entry->d_name + length - 3, ".cu") != 0
            || !file_get(lab->instructor, entry->d_name, MOST_SOURCE_BYTES, &source, why))
            continue;
        if (regions_there(text_of(&source))) {
            if (lab->source_count == MOST_SOURCES)
                die(ENDS_USAGE, "%s: more than %d sources", lab->instructor, MOST_SOURCES);
            lab->sources[lab->source_count++] = form("%s", entry->d_name);
        }
        text_free(&source);
    }
    closedir(folder);
    qsort(lab->sources, (size_t)lab->source_count, sizeof *lab->sources, compare_names);
}

/* ---- one lab ---------------------------------------------------------------------- */

static void read_all(struct lab *lab)
{
    lab->tests = room_for(MOST_TESTS, sizeof *lab->tests);
    find_sources(lab);
    read_tests(lab, lab->instructor, false);
    if (lab->hidden)
        read_tests(lab, lab->hidden, true);
    for (int i = 0; i < lab->test_count; i++) {
        check_needs(lab, i);
        check_words(lab, &lab->tests[i]);
        lab->points += lab->tests[i].points;
    }
}

void lab_read(struct lab *lab, long long number)
{
    struct lab labs[MOST_LABS];
    const int count = labs_read(labs);
    struct text known = { 0 };
    for (int i = 0; i < count; i++) {
        text_add(&known, " %d", labs[i].number);
        if (labs[i].number == number) {
            text_free(&known);
            *lab = labs[i];
            read_all(lab);
            return;
        }
    }
    die(ENDS_USAGE, "there is no lab %lld; there are%s", number, text_of(&known));
}

bool lab_find(struct lab *lab, const char *name)
{
    struct lab labs[MOST_LABS];
    const int count = labs_read(labs);
    for (int i = 0; i < count; i++)
        if (strcmp(labs[i].name, name) == 0) {
            *lab = labs[i];
            read_all(lab);
            return true;
        }
    return false;
}

char *lab_file(const struct lab *lab, const char *name)
{
    char *path = lab->hidden ? form("%s/%s", lab->hidden, name) : NULL;
    if (path && file_there(path))
        return path;
    free(path);
    path = form("%s/%s", lab->instructor, name);
    if (file_there(path))
        return path;
    free(path);
    return NULL;
}

int lab_source(const struct lab *lab, const char *name)
{
    for (int i = 0; i < lab->source_count; i++)
        if (strcmp(lab->sources[i], name) == 0)
            return i;
    return -1;
}

/* ---- words of a test ---------------------------------------------------------------- */

const char *test_word(const struct test *test, const char *key)
{
    for (int i = 0; i < test->word_count; i++)
        if (strcmp(test->words[i].key, key) == 0)
            return test->words[i].value;
    return NULL;
}

long long test_number(const struct test *test, const char *key, long long otherwise, long long least, long long most)
{
    const char *word = test_word(test, key);
    long long number = otherwise;
    if (word && !number_read(word, least, most, &number))
        die(ENDS_USAGE, "%s: %s=%s: want a whole number from %lld to %lld", test->where, key, word, least, most);
    return number;
}

double test_real(const struct test *test, const char *key, double otherwise)
{
    const char *word = test_word(test, key);
    double number = otherwise;
    if (word && !real_read(word, &number))
        die(ENDS_USAGE, "%s: %s=%s: want a number", test->where, key, word);
    return number;
}

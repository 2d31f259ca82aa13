/*
 * A launch file: see launchfile.h. A line becomes words (words.c) and goes to
 * the row of the table `items` that its first word names; fields are value.c's.
 */
#include "run/launchfile.h"

#include <stdlib.h>
#include <string.h>

#include "run/file.h"
#include "run/words.h"

enum { MOST_TEXT = 1 << 24 };
static const uint64_t most_elements = (uint64_t)1 << 40;

/* ---- items --------------------------------------------------------------- */

static bool read_extent(struct reader *r, uint32_t extent[3], int *line)
{
    uint64_t n = 1;
    if (*line)
        return wrong(r, "'%.60s' is given twice", r->word[0]);
    *line = r->line;
    for (int i = 0; i < 3; i++) {
        if ((i == 0 || peek(r)) && !want_number(r, "a size", 1, INT32_MAX, &n))
            return false;
        extent[i] = i == 0 || r->next > i + 1 ? (uint32_t)n : 1;
    }
    return want_end(r);
}

static bool read_kernel(struct reader *r)
{
    const char *name = want(r, "the name of the kernel");
    if (!name)
        return false;
    if (r->launch->kernel)
        return wrong(r, "a second kernel '%.60s': a launch file starts one", name);
    r->launch->kernel_line = r->line;
    r->launch->kernel = copy_of(name, strlen(name));
    return (r->launch->kernel || out_of_memory(r)) && want_end(r);
}

/* "resident", "resident*K", "resident<=N". */
static bool read_resident(struct reader *r, const char *word)
{
    struct launch_file *l = r->launch;
    const char *rest = word + strlen("resident");
    uint8_t bytes[4];
    const size_t mark = *rest == '*' ? 1 : strncmp(rest, "<=", 2) == 0 ? 2 : 0;
    if (l->grid_line)
        return wrong(r, "'grid' is given twice");
    l->grid_line = r->line;
    l->grid_kind = GRID_RESIDENT;
    l->grid_factor = 1;
    r->next++;
    if (!*rest)
        return want_end(r);
    if (!mark || !element_parse(ELEMENT_U32, rest + mark, bytes))
        return wrong(r, "'%.60s' is not resident, resident*K or resident<=N", word);
    const uint32_t n = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    if (n == 0)
        return wrong(r, "'%.60s' asks for no block at all", word);
    if (mark == 1)
        l->grid_factor = n;
    else
        l->grid_most = n;
    return want_end(r);
}

static bool read_grid(struct reader *r)
{
    const char *first = peek(r);
    if (first && strncmp(first, "resident", 8) == 0)
        return read_resident(r, first);
    return read_extent(r, r->launch->grid, &r->launch->grid_line);
}

static bool read_block(struct reader *r)
{
    return read_extent(r, r->launch->block, &r->launch->block_line);
}

static bool read_cluster(struct reader *r)
{
    return read_extent(r, r->launch->cluster, &r->launch->cluster_line);
}

static bool read_shared(struct reader *r)
{
    uint64_t n = 0;
    const bool read = want_number(r, "the number of bytes", 0, INT32_MAX, &n) && want_end(r);
    r->launch->shared = (size_t)n;
    return read;
}

static bool read_priority(struct reader *r)
{
    uint8_t b[4];
    const char *text = want(r, "the priority");
    if (!text)
        return false;
    if (!element_parse(ELEMENT_S32, text, b))
        return wrong(r, "priority '%.60s' is no whole number", text);
    r->launch->priority = (int)(int32_t)(b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
    r->launch->has_priority = true;
    return want_end(r);
}

static bool read_repeat(struct reader *r)
{
    uint64_t n = 1;
    const bool read = want_number(r, "the number of launches", 1, 1000000, &n) && want_end(r);
    r->launch->repeat = (int)n;
    return read;
}

/* After "buffer NAME TYPE": "COUNT zero" or "COUNT fill VALUE". */
static bool read_sized_buffer(struct reader *r, struct buffer *b)
{
    uint64_t count;
    const char *how, *value;
    if (!want_number(r, "the number of elements", 0, most_elements, &count) || !(how = want(r, "'zero' or 'fill VALUE'")))
        return false;
    b->count = (size_t)count;
    b->fill = FILL_ZERO;
    if (strcmp(how, "zero") == 0)
        return want_end(r);
    b->fill = FILL_VALUE;
    if (strcmp(how, "fill") != 0)
        return wrong(r, "expected 'zero' or 'fill VALUE', found '%.60s'", how);
    if (!(value = want(r, "the value to fill with")))
        return false;
    if (!element_parse(b->element, value, b->fill_value))
        return wrong(r, "'%.60s' is not a value of type %s", value, element_name(b->element));
    return want_end(r);
}

/* Reads an .npy file; the complaint gets this line in front. */
static bool load(struct reader *r, const char *path, struct array *array)
{
    struct complaint inner = { 0 };
    if (npy_load(path, array, &inner))
        return true;
    return complain(r->c, inner.code, "%s:%d: %s", r->launch->path, r->line, inner.text);
}

static bool read_file_buffer(struct reader *r, struct buffer *b)
{
    char *path = rest_of_line(r);
    const bool loaded = path && load(r, path, &b->array);
    free(path);
    b->fill = FILL_FILE;
    b->element = b->array.element;
    b->count = b->array.count;
    return loaded;
}

static bool read_buffer(struct reader *r)
{
    const char *name = want(r, "the name of the buffer");
    if (!name)
        return false;
    if (launch_buffer(r->launch, name) >= 0)
        return wrong(r, "there are two buffers '%.60s'", name);
    if (!peek(r))
        return wrong(r, "buffer '%.60s' has neither type and size nor a file", name);
    struct buffer *b = one_more(&r->launch->buffers, &r->launch->buffer_count, sizeof *b);
    if (!b || !(b->name = copy_of(name, strlen(name))))
        return out_of_memory(r);
    b->line = r->line;
    if (element_find(peek(r), &b->element)) {
        r->next++;
        return read_sized_buffer(r, b);
    }
    return read_file_buffer(r, b);
}

static bool read_arg(struct reader *r)
{
    struct value *v = one_more(&r->launch->args, &r->launch->arg_count, sizeof *v);
    return v ? read_value(r, v) : out_of_memory(r);
}

static bool read_symbol(struct reader *r)
{
    const char *name = want(r, "the name of a variable");
    struct symbol *s = name ? one_more(&r->launch->symbols, &r->launch->symbol_count, sizeof *s) : NULL;
    if (!name)
        return false;
    if (!s || !(s->name = copy_of(name, strlen(name))))
        return out_of_memory(r);
    return read_value(r, &s->value);
}

static bool read_expect(struct reader *r)
{
    int index;
    if (!want_buffer(r, &index))
        return false;
    if (!peek(r))
        return wrong(r, "expect '%.60s' names no file", r->launch->buffers[index].name);
    struct expect *e = one_more(&r->launch->expects, &r->launch->expect_count, sizeof *e);
    if (!e)
        return out_of_memory(r);
    const struct buffer *b = &r->launch->buffers[index];
    e->buffer = index;
    e->line = r->line;
    e->path = rest_of_line(r);
    if (!e->path || !load(r, e->path, &e->array))
        return false;
    return (e->array.count == b->count && e->array.element == b->element)
        || wrong(r, "%.300s holds %zu elements of type %s, buffer '%.40s' %zu of type %s", e->path, e->array.count,
                 element_name(e->array.element), b->name, b->count, element_name(b->element));
}

static const struct { const char *name; bool (*read)(struct reader *r); } items[] = {
    { "kernel", read_kernel }, { "grid", read_grid }, { "block", read_block }, { "cluster", read_cluster },
    { "shared", read_shared }, { "priority", read_priority }, { "repeat", read_repeat }, { "buffer", read_buffer },
    { "arg", read_arg }, { "symbol", read_symbol }, { "expect", read_expect }
};

/* ---- the file ------------------------------------------------------------ */

static bool read_item(struct reader *r)
{
    if (r->count == 0)
        return true;
    r->next = 1;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        if (strcmp(r->word[0], items[i].name) == 0)
            return items[i].read(r);
    return wrong(r, "'%.60s' is no item of a launch file; emu-run --help lists them", r->word[0]);
}

static bool read_line(struct reader *r, char *line)
{
    const bool done = words_of_line(r, line) && read_item(r);
    words_free(r);
    return done;
}

static bool read_lines(struct reader *r, char *text)
{
    for (char *line = text; line; r->line++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (!read_line(r, line))
            return false;
        line = end ? end + 1 : NULL;
    }
    r->line = 0;
    if (!r->launch->block_line || !r->launch->grid_line)
        return complain(r->c, ENDS_USAGE, "%s: the line `%s` is missing", r->launch->path,
                        r->launch->grid_line ? "block X" : "grid X");
    return true;
}

bool launch_parse(const char *path, const char *text, const struct setting *settings, int setting_count,
                  struct launch_file *out, struct complaint *c)
{
    *out = (struct launch_file){ .path = path, .repeat = 1 };
    struct reader r = { .launch = out, .settings = settings, .setting_count = setting_count, .c = c, .line = 1 };
    char *copy = copy_of(text, strlen(text));
    r.word = malloc(MOST_WORDS * sizeof *r.word);
    r.start = malloc(MOST_WORDS * sizeof *r.start);
    const bool done = (copy && r.word && r.start) ? read_lines(&r, copy) : out_of_memory(&r);
    free(copy);
    free(r.word);
    free(r.start);
    if (!done)
        launch_free(out);
    return done;
}

bool launch_read(const char *path, const struct setting *settings, int setting_count, struct launch_file *out,
                 struct complaint *c)
{
    char *text;
    size_t length;
    *out = (struct launch_file){ 0 };
    if (!file_read(path, MOST_TEXT, &text, &length, c))
        return false;
    const bool whole = strlen(text) == length
                    || complain(c, ENDS_USAGE, "%s: not a launch file: it holds a byte of value 0", path);
    const bool done = whole && launch_parse(path, text, settings, setting_count, out, c);
    free(text);
    return done;
}

static void value_free(struct value *v)
{
    free(v->bytes);
    free(v->patches);
}

void launch_free(struct launch_file *l)
{
    for (int i = 0; i < l->buffer_count; i++) {
        free(l->buffers[i].name);
        array_free(&l->buffers[i].array);
    }
    for (int i = 0; i < l->arg_count; i++)
        value_free(&l->args[i]);
    for (int i = 0; i < l->symbol_count; i++) {
        free(l->symbols[i].name);
        value_free(&l->symbols[i].value);
    }
    for (int i = 0; i < l->expect_count; i++) {
        free(l->expects[i].path);
        array_free(&l->expects[i].array);
    }
    free(l->buffers);
    free(l->args);
    free(l->symbols);
    free(l->expects);
    free(l->kernel);
    *l = (struct launch_file){ 0 };
}

int launch_buffer(const struct launch_file *launch, const char *name)
{
    for (int i = 0; i < launch->buffer_count; i++)
        if (launch->buffers[i].name && strcmp(launch->buffers[i].name, name) == 0)
            return i;
    return -1;
}

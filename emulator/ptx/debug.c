/*
 * Where instructions come from: .file, .loc and .debug_str (PTX ISA 11.5).
 *
 * Each .loc becomes a place. One that was inlined names the line and column
 * of its call site; the place of that call site is the last one of this
 * function with the same file, line and column, so chains follow from the
 * order of the text. Functions' names come last, in .debug_str.
 * Not modelled: other debug sections, is_stmt, prologue_end.
 */
#include "ptx/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1 << 20 };

/* After ".file": number "path" [ "," time "," size ]. */
void parse_file(struct parser *p)
{
    size_t length;
    const size_t number = (size_t)want_int(p, 0, MAX_FILES, "the number of a file");
    if (p->lex.token.kind != TOKEN_STRING)
        fail_here(p, "the path of a file in quotes");
    const char *path = lex_string(&p->lex, &length);
    lex_next(&p->lex);
    while (take_mark(p, ','))
        want_int(p, 0, INT64_MAX, "time or size of a file");
    while (p->files.count <= number)
        pile_push(p, &p->files);
    ((const char **)p->files.data)[number] = path;
}

/* ---- the last place with a file, line and column ----------------------- */

static size_t key_hash(int file, int line, int column)
{
    uint64_t h = (uint64_t)(unsigned)file * 0x9e3779b97f4a7c15u + (unsigned)line;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u + (unsigned)column;
    return (size_t)(h ^ h >> 32);
}

static struct place_key *key_slot(const struct parser *p, const struct ptx_place *at)
{
    size_t i = key_hash(at->file, at->line, at->column) & (p->place_room - 1);
    for (struct place_key *k; (k = &p->place_keys[i])->function; i = (i + 1) & (p->place_room - 1))
        if (k->file == at->file && k->line == at->line && k->column == at->column)
            return k;
    return &p->place_keys[i];
}

static void grow_keys(struct parser *p)
{
    struct place_key *old = p->place_keys;
    const size_t room = p->place_room;
    if (p->place_used * 2 < room)
        return;
    p->place_keys = calloc(room ? room * 2 : 1024, sizeof *old);
    if (!p->place_keys) {
        p->place_keys = old;
        ptx_out_of_memory(&p->lex);
    }
    p->place_room = room ? room * 2 : 1024;
    for (size_t i = 0; i < room; i++)
        if (old[i].function) {
            const struct ptx_place at = { .file = old[i].file, .line = old[i].line, .column = old[i].column };
            *key_slot(p, &at) = old[i];
        }
    free(old);
}

/* The place last seen in this function with these numbers, -1 none. */
static int last_place(const struct parser *p, const struct ptx_place *at)
{
    const struct place_key *k = p->place_room ? key_slot(p, at) : NULL;
    return k && k->function == p->function_number ? k->place : -1;
}

static int new_place(struct parser *p, const struct ptx_place *at)
{
    const int index = (int)p->places.count;
    *(struct ptx_place *)pile_push(p, &p->places) = *at;
    pile_push(p, &p->place_names);
    grow_keys(p);
    struct place_key *k = key_slot(p, at);
    p->place_used += k->function == 0;
    *k = (struct place_key){ at->file, at->line, at->column, index, p->function_number };
    return index;
}

/* ---- .loc --------------------------------------------------------------- */

static struct ptx_place parse_triple(struct parser *p)
{
    struct ptx_place place = { .inlined_at = -1 };
    place.file = (int)want_int(p, 0, MAX_FILES, "the file of a line");
    place.line = (int)want_int(p, 0, INT_MAX, "the number of a line");
    place.column = (int)want_int(p, 0, INT_MAX, "the column of a line");
    return place;
}

/* After ".loc": file line column [ ", function_name" label [ "+" n ] ", inlined_at" file line column ]. */
void parse_loc(struct parser *p)
{
    struct place_name function = { 0 };
    struct ptx_place place = parse_triple(p);
    while (take_mark(p, ',')) {
        if (take_key(p, KEY_FUNCTION_NAME)) {
            function.label = want_word(p, "the label of a function's name");
            function.plus = parse_offsets(p);
        } else if (take_key(p, KEY_INLINED_AT)) {
            const struct ptx_place site = parse_triple(p);
            place.inlined_at = last_place(p, &site);
            if (place.inlined_at < 0)
                place.inlined_at = new_place(p, &site);
        } else {
            fail_here(p, "function_name or inlined_at");
        }
    }
    p->place = new_place(p, &place);
    ((struct place_name *)p->place_names.data)[p->place] = function;
}

/* ---- sections ----------------------------------------------------------- */

/* After ".section .debug_str {". */
static void parse_debug_str(struct parser *p)
{
    while (!take_mark(p, '}')) {
        if (p->lex.token.kind == TOKEN_WORD) {
            struct ptx_name *label = want_word(p, "a label");
            want_mark(p, ':', "after a label of .debug_str");
            label->debug_string = p->debug_bytes.count + 1;
            continue;
        }
        if (!take_key(p, KEY_B8_DATA))
            fail_here(p, "'.b8', a label or '}' in .debug_str");
        do
            *(char *)pile_push(p, &p->debug_bytes) = (char)(unsigned char)want_int(p, -128, 255, "a byte");
        while (take_mark(p, ','));
    }
}

/* After ".section". */
void parse_section(struct parser *p)
{
    const int line = p->lex.token.line;
    const bool is_debug_str = at_key(p, KEY_DEBUG_STR);
    if (p->lex.token.kind != TOKEN_DIRECTIVE && p->lex.token.kind != TOKEN_WORD)
        fail_here(p, "the name of a section");
    lex_next(&p->lex);
    want_mark(p, '{', "after the name of a section");
    if (is_debug_str) {
        parse_debug_str(p);
        return;
    }
    for (int open = 1; open > 0; lex_next(&p->lex)) {
        if (p->lex.token.kind == TOKEN_END)
            ptx_fail(&p->lex, line, "this section has no closing brace");
        open += at_mark(p, '{') ? 1 : at_mark(p, '}') ? -1 : 0;
    }
}

/* Gives the places their functions' names, now that .debug_str was read. */
void finish_places(struct parser *p)
{
    struct ptx_place *place = p->places.data;
    const struct place_name *name = p->place_names.data;
    const size_t bytes = p->debug_bytes.count;
    *(char *)pile_push(p, &p->debug_bytes) = '\0';
    const char *text = pile_keep(p, &p->debug_bytes, 0);
    for (size_t i = 0; i < p->places.count; i++) {
        if (!name[i].label || !name[i].label->debug_string)
            continue;
        const uint64_t at = (uint64_t)name[i].label->debug_string - 1 + (uint64_t)name[i].plus;
        if (at < bytes)
            place[i].function = text + at;
    }
}

/*
 * The text of a module as a row of tokens.
 *
 * A word takes its suffixes along ("ld.param.u64", "%tid.x",
 * "shared::cta.b64"); a word that starts with a dot is a directive and ends
 * before the next dot, because ".reg.b32" is two of them. Comments, blanks
 * and line ends only separate.
 *
 * Trouble anywhere in the parser ends in ptx_fail: it writes one sentence and
 * jumps out of ptx_parse.
 * Not modelled: preprocessor lines, 32-bit addresses.
 */
#ifndef EMU_PTX_LEX_H
#define EMU_PTX_LEX_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/module.h"
#include "ptx/names.h"

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,         /* name */
    TOKEN_DIRECTIVE,    /* ".reg": name, with the dot */
    TOKEN_INT,          /* bits, is_unsigned */
    TOKEN_FLOAT,        /* bits, float_bytes 4 or 8 */
    TOKEN_STRING,       /* text between the quotes, escapes still in it */
    TOKEN_MARK          /* mark: one of the characters below, or two of them */
};

/* Marks of two characters; the others are their own character. */
enum { MARK_SHL = 256, MARK_SHR, MARK_LE, MARK_GE, MARK_EQ, MARK_NE, MARK_AND, MARK_OR };

struct token {
    enum token_kind kind;
    int line;
    const char *text;           /* first byte in the module's text */
    size_t length;              /* bytes */
    struct ptx_name *name;
    int mark;
    uint64_t bits;
    bool is_unsigned;
    int float_bytes;
};

struct lexer {
    const char *next, *end;
    int line;
    struct token token;         /* the current token */

    const char *module_name;
    struct ptx_names *names;
    struct ptx_error *error;
    jmp_buf escape;
};

/* Moves to the next token. */
void lex_next(struct lexer *lexer);
/* The text of the current string token with its escapes (\" \\ \n \t, octal
 * and hexadecimal) replaced, in the names' arena; *length without the NUL. */
const char *lex_string(struct lexer *lexer, size_t *length);

/* One sentence, prefixed with "NAME:LINE: ". Does not return. */
_Noreturn void ptx_fail(struct lexer *lexer, int line, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* The same for what is right but not covered (exit 4). */
_Noreturn void ptx_refuse(struct lexer *lexer, int line, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
_Noreturn void ptx_out_of_memory(struct lexer *lexer);
/* "'foo'" or "the end of the text": the current token for a message, shortened
 * and with unprintable bytes as \xNN. Valid until the next call. */
enum { QUOTE_BYTES = 80 };
const char *lex_quote(const struct lexer *lexer, char buffer[QUOTE_BYTES]);
/* The same for any text. */
const char *lex_quote_text(const char *text, size_t length, char buffer[QUOTE_BYTES]);

#endif

/*
 * The text of a module as a row of tokens (PTX ISA chapter 4).
 * One pass, no copy: a token points into the text; only names are stored.
 * Not modelled: preprocessor lines, 32-bit addresses.
 */
#include "ptx/lex.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages --------------------------------------------------------- */

static void write_error(struct lexer *lexer, int line, const char *format, va_list arguments)
{
    struct ptx_error *error = lexer->error;
    int at = line > 0
        ? snprintf(error->text, sizeof error->text, "%.200s:%d: ", lexer->module_name, line)
        : snprintf(error->text, sizeof error->text, "%.200s: ", lexer->module_name);
    if (at < 0 || (size_t)at >= sizeof error->text)
        at = 0;
    vsnprintf(error->text + at, sizeof error->text - (size_t)at, format, arguments);
    error->line = line;
}

_Noreturn void ptx_fail(struct lexer *lexer, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_error(lexer, line, format, arguments);
    va_end(arguments);
    longjmp(lexer->escape, 1);
}

_Noreturn void ptx_refuse(struct lexer *lexer, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_error(lexer, line, format, arguments);
    va_end(arguments);
    lexer->error->unsupported = true;
    longjmp(lexer->escape, 1);
}

_Noreturn void ptx_out_of_memory(struct lexer *lexer)
{
    ptx_fail(lexer, lexer->line, "memory is out");
}

const char *lex_quote_text(const char *text, size_t length, char buffer[QUOTE_BYTES])
{
    size_t at = 0;
    buffer[at++] = '\'';
    for (size_t i = 0; i < length; i++) {
        if (at > QUOTE_BYTES - 10) {
            memcpy(buffer + at, "...", 3);
            at += 3;
            break;
        }
        const unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c < 127)
            buffer[at++] = (char)c;
        else
            at += (size_t)snprintf(buffer + at, 5, "\\x%02x", c);
    }
    buffer[at++] = '\'';
    buffer[at] = '\0';
    return buffer;
}

const char *lex_quote(const struct lexer *lexer, char buffer[QUOTE_BYTES])
{
    if (lexer->token.kind == TOKEN_END)
        return "the end of the text";
    return lex_quote_text(lexer->token.text, lexer->token.length, buffer);
}

/* ---- characters ------------------------------------------------------- */

enum { LETTER = 1, DIGIT = 2, HEX = 4, BLANK = 8 };

static const unsigned char class_of[256] = {
    [' '] = BLANK, ['\t'] = BLANK, ['\r'] = BLANK, ['\n'] = BLANK, ['\f'] = BLANK, ['\v'] = BLANK,
    ['0'] = DIGIT | HEX, ['1'] = DIGIT | HEX, ['2'] = DIGIT | HEX, ['3'] = DIGIT | HEX, ['4'] = DIGIT | HEX,
    ['5'] = DIGIT | HEX, ['6'] = DIGIT | HEX, ['7'] = DIGIT | HEX, ['8'] = DIGIT | HEX, ['9'] = DIGIT | HEX,
    ['a'] = LETTER | HEX, ['b'] = LETTER | HEX, ['c'] = LETTER | HEX, ['d'] = LETTER | HEX, ['e'] = LETTER | HEX,
    ['f'] = LETTER | HEX, ['g'] = LETTER, ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER, ['k'] = LETTER,
    ['l'] = LETTER, ['m'] = LETTER, ['n'] = LETTER, ['o'] = LETTER, ['p'] = LETTER, ['q'] = LETTER,
    ['r'] = LETTER, ['s'] = LETTER, ['t'] = LETTER, ['u'] = LETTER, ['v'] = LETTER, ['w'] = LETTER,
    ['x'] = LETTER, ['y'] = LETTER, ['z'] = LETTER,
    ['A'] = LETTER | HEX, ['B'] = LETTER | HEX, ['C'] = LETTER | HEX, ['D'] = LETTER | HEX, ['E'] = LETTER | HEX,
    ['F'] = LETTER | HEX, ['G'] = LETTER, ['H'] = LETTER, ['I'] = LETTER, ['J'] = LETTER, ['K'] = LETTER,
    ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER, ['O'] = LETTER, ['P'] = LETTER, ['Q'] = LETTER,
    ['R'] = LETTER, ['S'] = LETTER, ['T'] = LETTER, ['U'] = LETTER, ['V'] = LETTER, ['W'] = LETTER,
    ['X'] = LETTER, ['Y'] = LETTER, ['Z'] = LETTER, ['_'] = LETTER, ['$'] = LETTER, ['%'] = LETTER
};

static bool is(char c, int classes)
{
    return (class_of[(unsigned char)c] & classes) != 0;
}

/* The character `ahead` places on, NUL past the end. */
static char peek(const struct lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->next) > ahead ? lexer->next[ahead] : '\0';
}

static int digit_value(char c)
{
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

/* ---- blanks and comments ---------------------------------------------- */

static void skip_comment(struct lexer *lexer)
{
    const int line = lexer->line;
    if (lexer->next[1] == '/') {
        while (lexer->next < lexer->end && *lexer->next != '\n')
            lexer->next++;
        return;
    }
    for (lexer->next += 2; lexer->next < lexer->end; lexer->next++) {
        if (*lexer->next == '\n')
            lexer->line++;
        if (*lexer->next == '*' && peek(lexer, 1) == '/') {
            lexer->next += 2;
            return;
        }
    }
    ptx_fail(lexer, line, "this comment has no end");
}

static void skip_blanks(struct lexer *lexer)
{
    for (; lexer->next < lexer->end; lexer->next++) {
        if (*lexer->next == '\n')
            lexer->line++;
        else if (!is(*lexer->next, BLANK))
            break;
    }
}

static void skip_to_token(struct lexer *lexer)
{
    for (;;) {
        skip_blanks(lexer);
        if (peek(lexer, 0) != '/' || (peek(lexer, 1) != '/' && peek(lexer, 1) != '*'))
            return;
        skip_comment(lexer);
    }
}

/* ---- words ------------------------------------------------------------ */

static void skip_name(struct lexer *lexer)
{
    while (lexer->next < lexer->end && is(*lexer->next, LETTER | DIGIT))
        lexer->next++;
}

static void finish_word(struct lexer *lexer, enum token_kind kind)
{
    struct token *t = &lexer->token;
    t->kind = kind;
    t->length = (size_t)(lexer->next - t->text);
    t->name = ptx_name_of(lexer->names, t->text, t->length);
    if (!t->name)
        ptx_out_of_memory(lexer);
}

/* word: name { ("." | "::") name } */
static void lex_word(struct lexer *lexer)
{
    skip_name(lexer);
    for (;;) {
        if (peek(lexer, 0) == '.' && is(peek(lexer, 1), LETTER | DIGIT))
            lexer->next++;
        else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is(peek(lexer, 2), LETTER | DIGIT))
            lexer->next += 2;
        else
            break;
        skip_name(lexer);
    }
    finish_word(lexer, TOKEN_WORD);
}

/* directive: "." name { "::" name } */
static void lex_directive(struct lexer *lexer)
{
    lexer->next++;
    skip_name(lexer);
    while (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is(peek(lexer, 2), LETTER | DIGIT)) {
        lexer->next += 2;
        skip_name(lexer);
    }
    finish_word(lexer, TOKEN_DIRECTIVE);
}

/* ---- numbers ---------------------------------------------------------- */

static _Noreturn void bad_number(struct lexer *lexer, const char *why)
{
    char quoted[QUOTE_BYTES];
    skip_name(lexer);
    ptx_fail(lexer, lexer->line, "the number %s %s",
             lex_quote_text(lexer->token.text, (size_t)(lexer->next - lexer->token.text), quoted), why);
}

static void lex_digits(struct lexer *lexer, unsigned base)
{
    const char *const first = lexer->next;
    uint64_t value = 0;
    for (; lexer->next < lexer->end && is(*lexer->next, HEX); lexer->next++) {
        const unsigned digit = (unsigned)digit_value(*lexer->next);
        if (digit >= base)
            break;
        if (value > (UINT64_MAX - digit) / base)
            bad_number(lexer, "does not fit in 64 bits");
        value = value * base + digit;
    }
    if (lexer->next == first)
        bad_number(lexer, "has no digits");
    lexer->token.kind = TOKEN_INT;
    lexer->token.bits = value;
    lexer->token.is_unsigned = value > INT64_MAX;
    if (peek(lexer, 0) == 'U' || peek(lexer, 0) == 'u') {
        lexer->token.is_unsigned = true;
        lexer->next++;
    }
}

/* 0f and 8, or 0d and 16 hexadecimal digits: the bits of the value. */
static void lex_float_bits(struct lexer *lexer, int bytes)
{
    uint64_t bits = 0;
    lexer->next += 2;
    for (int i = 0; i < bytes * 2; i++, lexer->next++) {
        if (!is(peek(lexer, 0), HEX))
            bad_number(lexer, bytes == 4 ? "needs 8 hexadecimal digits" : "needs 16 hexadecimal digits");
        bits = bits << 4 | (unsigned)digit_value(*lexer->next);
    }
    lexer->token.kind = TOKEN_FLOAT;
    lexer->token.bits = bits;
    lexer->token.float_bytes = bytes;
}

/* Length of a decimal floating literal at `next`, 0 when it is an integer. */
static size_t decimal_float_length(const struct lexer *lexer)
{
    size_t i = 0;
    bool is_float = false;
    while (is(peek(lexer, i), DIGIT))
        i++;
    if (peek(lexer, i) == '.') {
        is_float = true;
        for (i++; is(peek(lexer, i), DIGIT);)
            i++;
    }
    if (peek(lexer, i) == 'e' || peek(lexer, i) == 'E') {
        size_t j = i + 1;
        if (peek(lexer, j) == '+' || peek(lexer, j) == '-')
            j++;
        if (is(peek(lexer, j), DIGIT)) {
            is_float = true;
            for (i = j; is(peek(lexer, i), DIGIT);)
                i++;
        }
    }
    return is_float ? i : 0;
}

/* strtod reads the decimal point of the program's locale, so it gets that. */
static void lex_decimal_float(struct lexer *lexer, size_t length)
{
    char digits[128], *out = digits;
    const char *const point = localeconv()->decimal_point;
    if (length > sizeof digits / 2 || strlen(point) > 8)
        bad_number(lexer, "has too many digits");
    for (size_t i = 0; i < length; i++) {
        if (lexer->next[i] != '.') {
            *out++ = lexer->next[i];
            continue;
        }
        for (const char *p = point; *p; p++)
            *out++ = *p;
    }
    *out = '\0';
    const double value = strtod(digits, NULL);
    memcpy(&lexer->token.bits, &value, sizeof value);
    lexer->token.kind = TOKEN_FLOAT;
    lexer->token.float_bytes = 8;
    lexer->next += length;
}

static void lex_number(struct lexer *lexer)
{
    const char second = (char)(peek(lexer, 1) | 32);
    const bool zero = peek(lexer, 0) == '0';
    size_t length;
    if (zero && second == 'f')
        lex_float_bits(lexer, 4);
    else if (zero && second == 'd')
        lex_float_bits(lexer, 8);
    else if (zero && (second == 'x' || second == 'b')) {
        lexer->next += 2;
        lex_digits(lexer, second == 'x' ? 16 : 2);
    } else if ((length = decimal_float_length(lexer)) > 0)
        lex_decimal_float(lexer, length);
    else
        lex_digits(lexer, zero && is(peek(lexer, 1), DIGIT) ? 8 : 10);
    if (is(peek(lexer, 0), LETTER | DIGIT))
        bad_number(lexer, "is not a number of PTX");
    lexer->token.length = (size_t)(lexer->next - lexer->token.text);
}

/* ---- strings and marks ------------------------------------------------ */

static void lex_quoted(struct lexer *lexer)
{
    const char *p = lexer->next + 1;
    for (; p < lexer->end && *p != '"' && *p != '\n'; p++)
        if (*p == '\\' && lexer->end - p > 1 && p[1] != '\n')
            p++;
    if (p >= lexer->end || *p != '"')
        ptx_fail(lexer, lexer->line, "this string has no closing quote");
    lexer->token.kind = TOKEN_STRING;
    lexer->token.text = lexer->next + 1;
    lexer->token.length = (size_t)(p - lexer->token.text);
    lexer->next = p + 1;
}

/* Value of the escape after a backslash at *p, which moves past it. */
static char escaped(const char **p, const char *end)
{
    const char c = *(*p)++;
    unsigned value = 0;
    if (c >= '0' && c <= '7') {
        value = (unsigned)(c - '0');
        for (int i = 0; i < 2 && *p < end && **p >= '0' && **p <= '7'; i++)
            value = value * 8 + (unsigned)(*(*p)++ - '0');
        return (char)(unsigned char)value;
    }
    if (c == 'x') {
        while (*p < end && is(**p, HEX))
            value = (value * 16 + (unsigned)digit_value(*(*p)++)) & 0xff;
        return (char)(unsigned char)value;
    }
    if (c == 'n')
        return '\n';
    if (c == 't')
        return '\t';
    return c;
}

const char *lex_string(struct lexer *lexer, size_t *length)
{
    const char *p = lexer->token.text, *const end = p + lexer->token.length;
    char *const copy = ptx_arena_alloc(lexer->names->arena, lexer->token.length + 1);
    if (!copy)
        ptx_out_of_memory(lexer);
    char *out = copy;
    while (p < end) {
        const char c = *p++;
        *out++ = c == '\\' && p < end ? escaped(&p, end) : c;
    }
    *out = '\0';
    *length = (size_t)(out - copy);
    return copy;
}

static int mark_pair(char first, char second)
{
    static const struct { char pair[2]; int mark; } pairs[] = {
        { "<<", MARK_SHL }, { ">>", MARK_SHR }, { "<=", MARK_LE }, { ">=", MARK_GE },
        { "==", MARK_EQ }, { "!=", MARK_NE }, { "&&", MARK_AND }, { "||", MARK_OR }
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i].pair[0] == first && pairs[i].pair[1] == second)
            return pairs[i].mark;
    return 0;
}

static void lex_mark(struct lexer *lexer)
{
    struct token *t = &lexer->token;
    char quoted[QUOTE_BYTES];
    t->length = 1;
    if (!strchr(",;:()[]{}<>=+-*/|&^!~@?", *lexer->next))
        ptx_fail(lexer, lexer->line, "%s does not belong in PTX", lex_quote_text(lexer->next, 1, quoted));
    t->kind = TOKEN_MARK;
    t->mark = mark_pair(peek(lexer, 0), peek(lexer, 1));
    if (t->mark)
        t->length = 2;
    else
        t->mark = (unsigned char)*lexer->next;
    lexer->next += t->length;
}

/* NUL bytes are allowed at the end only: the text of a fat binary has them. */
static void lex_nul(struct lexer *lexer)
{
    for (const char *p = lexer->next; p < lexer->end; p++)
        if (*p)
            ptx_fail(lexer, lexer->line, "a byte of value 0 does not belong in PTX");
    lexer->next = lexer->end;
}

void lex_next(struct lexer *lexer)
{
    struct token *t = &lexer->token;
    skip_to_token(lexer);
    if (lexer->next < lexer->end && !*lexer->next)
        lex_nul(lexer);
    *t = (struct token){ .kind = TOKEN_END, .line = lexer->line, .text = lexer->next };
    if (lexer->next >= lexer->end)
        return;
    const char c = *lexer->next;
    if (is(c, LETTER))
        lex_word(lexer);
    else if (c == '.' && is(peek(lexer, 1), LETTER | DIGIT))
        lex_directive(lexer);
    else if (is(c, DIGIT))
        lex_number(lexer);
    else if (c == '"')
        lex_quoted(lexer);
    else
        lex_mark(lexer);
}

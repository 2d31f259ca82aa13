/*
 * What the files of the parser share.
 *
 *   lex.c       text to tokens
 *   scope.c     what a name means here: registers, variables, labels
 *   operand.c   operands and constant expressions
 *   declare.c   registers, variables, parameters, initial values
 *   debug.c     .file, .loc, .debug_str
 *   parse.c     the module, functions, statements
 *
 * The parser reads the text once, front to back, one token ahead. Every error
 * leaves through ptx_fail. Not for use outside emulator/ptx.
 */
#ifndef EMU_PTX_PARSE_H
#define EMU_PTX_PARSE_H

#include "ptx/lex.h"
#include "ptx/module.h"

/* Directives, and the few words with a meaning of their own. */
#define KEYWORDS(WORD)                                                         \
    WORD(VERSION, ".version") WORD(TARGET, ".target")                          \
    WORD(ADDRESS_SIZE, ".address_size") WORD(VISIBLE, ".visible")              \
    WORD(WEAK, ".weak") WORD(EXTERN, ".extern") WORD(COMMON, ".common")        \
    WORD(FUNC, ".func") WORD(ENTRY, ".entry") WORD(ALIAS, ".alias")            \
    WORD(REG, ".reg") WORD(SREG, ".sreg") WORD(PARAM, ".param")                \
    WORD(GLOBAL, ".global") WORD(CONST, ".const") WORD(SHARED, ".shared")      \
    WORD(LOCAL, ".local") WORD(ALIGN, ".align") WORD(PTR, ".ptr")              \
    WORD(ATTRIBUTE, ".attribute") WORD(MANAGED, ".managed")                    \
    WORD(V2, ".v2") WORD(V4, ".v4") WORD(V8, ".v8")                            \
    WORD(MAXNTID, ".maxntid") WORD(REQNTID, ".reqntid")                        \
    WORD(MINNCTAPERSM, ".minnctapersm") WORD(MAXNCTAPERSM, ".maxnctapersm")    \
    WORD(MAXNREG, ".maxnreg") WORD(PRAGMA, ".pragma")                          \
    WORD(NORETURN, ".noreturn") WORD(EXPLICITCLUSTER, ".explicitcluster")      \
    WORD(REQNCTAPERCLUSTER, ".reqnctapercluster")                              \
    WORD(MAXCLUSTERRANK, ".maxclusterrank")                                    \
    WORD(BLOCKSARECLUSTERS, ".blocksareclusters")                              \
    WORD(ABI_PRESERVE, ".abi_preserve")                                        \
    WORD(ABI_PRESERVE_CONTROL, ".abi_preserve_control")                        \
    WORD(CALLPROTOTYPE, ".callprototype") WORD(CALLTARGETS, ".calltargets")    \
    WORD(BRANCHTARGETS, ".branchtargets")                                      \
    WORD(FILE, ".file") WORD(LOC, ".loc") WORD(SECTION, ".section")            \
    WORD(DEBUG_STR, ".debug_str") WORD(B8_DATA, ".b8")                         \
    WORD(TEXREF, ".texref") WORD(SAMPLERREF, ".samplerref")                    \
    WORD(SURFREF, ".surfref")                                                  \
    WORD(FUNCTION_NAME, "function_name") WORD(INLINED_AT, "inlined_at")        \
    WORD(GENERIC, "generic") WORD(WARP_SZ, "WARP_SZ") WORD(SINK, "_")          \
    WORD(CALL, "call") WORD(CALL_UNI, "call.uni") WORD(DEBUG, "debug")

enum keyword {
    KEY_NONE,
#define WORD(id, spelling) KEY_##id,
    KEYWORDS(WORD)
#undef WORD
    KEY_COUNT
};

/* ---- growing arrays --------------------------------------------------- */

struct pile {
    void *data;
    size_t count, room;      /* in items */
    size_t item;             /* bytes of one */
};

/* ---- what a name means ------------------------------------------------ */

enum meaning_kind { MEANS_REG, MEANS_REGS, MEANS_VAR, MEANS_SREG, MEANS_SREGS, MEANS_PROTO };

struct meaning {
    enum meaning_kind kind;
    int index;                   /* register, special register or prototype; the first of several */
    int count;                   /* of several: a vector register */
    struct declared *declared;   /* variable */
    struct ptx_name *name;
    struct meaning *hidden;      /* what the name meant outside this scope */
    struct meaning *next;        /* declared before it in the same scope */
    int depth;                   /* of that scope */
};

/* A variable while its list still grows; `at` is its place in the finished list. */
struct declared {
    struct ptx_var var;
    const struct ptx_var *at;
    bool has_value;
};

struct label {
    int target;
    int depth;
    struct ptx_name *name;
    struct label *hidden, *next;
};

/* An operand whose name may be a label of this or an outer scope. */
struct pending {
    struct ptx_operand *operand;
    struct ptx_name *name;
    int line;
    bool must_be_label;
    struct pending *next;
};

struct scope {
    struct meaning *meanings;
    struct label *labels;
    struct pending *pending;
};

enum { MAX_SCOPES = 256, MAX_NESTING = 64, MAX_ALIGN = 65536, MAX_REGS = 4000000 };

/* ---- the parser ------------------------------------------------------- */

struct place_key { int file, line, column, place, function; };
struct place_name { struct ptx_name *label; int64_t plus; };

struct parser {
    struct lexer lex;
    struct ptx_arena *arena;
    struct ptx_module *module;

    /* The whole module. */
    struct pile functions;        /* struct ptx_function */
    struct pile vars;             /* struct declared * */
    struct pile var_operands;     /* struct ptx_operand *: var is a struct declared until the end */
    struct pile files;            /* const char * */
    struct pile places;           /* struct ptx_place */
    struct pile place_names;      /* struct place_name, one for each place */
    struct pile debug_bytes;      /* contents of .debug_str */
    struct place_key *place_keys; /* hash table: the last place with a file, line, column */
    size_t place_room, place_used;

    /* The function being read. */
    struct pile regs;             /* struct ptx_reg */
    struct pile locals;           /* struct declared * */
    struct pile statements;       /* struct ptx_statement */
    struct pile protos;           /* struct ptx_proto */
    struct pile operands;         /* struct ptx_operand: a stack */
    struct pile params;           /* struct declared *: a parameter list */
    struct pile bytes;            /* an initial value */
    struct scope scopes[MAX_SCOPES];
    int depth;                    /* innermost scope; 0 is the module */
    int place;                    /* of the last .loc, -1 none */
    int function_number;          /* functions with a body so far */
    int nesting;                  /* operands and expressions within each other */
    bool in_call;
};

/* parse.c: tokens and memory */
void *parse_alloc(struct parser *p, size_t bytes);
void *pile_push(struct parser *p, struct pile *pile);               /* a zeroed item */
const void *pile_keep(struct parser *p, const struct pile *pile, size_t first);
bool at_mark(const struct parser *p, int mark);
bool at_key(const struct parser *p, enum keyword key);
bool take_mark(struct parser *p, int mark);
bool take_key(struct parser *p, enum keyword key);
void want_mark(struct parser *p, int mark, const char *where);
struct ptx_name *want_word(struct parser *p, const char *what);
_Noreturn void fail_here(struct parser *p, const char *expected);
int64_t want_int(struct parser *p, int64_t low, int64_t high, const char *what);
void nest(struct parser *p);                                         /* and p->nesting-- after it */

/* scope.c */
void scope_open(struct parser *p);
void scope_close(struct parser *p);
struct meaning *declare(struct parser *p, struct ptx_name *name, enum meaning_kind kind, int index);
void declare_sregs(struct parser *p);
void declare_label(struct parser *p, struct ptx_name *name, int line);
void expect_name(struct parser *p, struct ptx_operand *operand, struct ptx_name *name, bool must_be_label);
const struct meaning *component_of(struct parser *p, const struct ptx_name *name, int *index);

/* operand.c */
struct constant { bool is_float, is_unsigned; int float_bytes; uint64_t bits; };
struct constant parse_constant(struct parser *p);
int64_t parse_int_constant(struct parser *p);
int64_t parse_offsets(struct parser *p);                             /* { ("+" | "-") constant } */
struct ptx_operand *parse_operands(struct parser *p, bool is_branch, int *count);
int parse_register(struct parser *p, const char *what);

/* declare.c */
void parse_reg(struct parser *p);
void parse_variables(struct parser *p, enum ptx_space space, struct ptx_var linkage);
const struct ptx_var *parse_params(struct parser *p, int *count, size_t *bytes, bool bind);

/* debug.c */
void parse_file(struct parser *p);
void parse_loc(struct parser *p);
void parse_section(struct parser *p);
void finish_places(struct parser *p);

#endif

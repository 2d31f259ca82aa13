/*
 * A PTX module as text becomes data: variables, functions, statements.
 *
 * The parser knows the grammar of PTX and nothing of what an opcode does: a
 * statement keeps its full spelling ("ld.param.u64") and its operands as they
 * were written, with every name resolved. ptx/lower.c turns statements into
 * the executable form of machine/code.h.
 *
 * Everything a module points at lives in the module's own arena and is freed
 * by module_free. A module is never changed after it was parsed.
 *
 * Not modelled: .branchtargets and brx.idx, .alias, textures and surfaces,
 * debug sections other than .debug_str. Each is refused by name.
 */
#ifndef EMU_PTX_MODULE_H
#define EMU_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TYPE(id, spelling, bytes, registers are this wide) */
#define PTX_TYPES(TYPE)                                                        \
    TYPE(B8, "b8", 1) TYPE(B16, "b16", 2) TYPE(B32, "b32", 4)                  \
    TYPE(B64, "b64", 8) TYPE(B128, "b128", 16)                                 \
    TYPE(U8, "u8", 1) TYPE(U16, "u16", 2) TYPE(U32, "u32", 4)                  \
    TYPE(U64, "u64", 8)                                                        \
    TYPE(S8, "s8", 1) TYPE(S16, "s16", 2) TYPE(S32, "s32", 4)                  \
    TYPE(S64, "s64", 8)                                                        \
    TYPE(F16, "f16", 2) TYPE(BF16, "bf16", 2) TYPE(F16X2, "f16x2", 4)          \
    TYPE(BF16X2, "bf16x2", 4) TYPE(F32, "f32", 4) TYPE(F64, "f64", 8)          \
    TYPE(PRED, "pred", 4)

enum ptx_type {
    PTX_NOTYPE,
#define TYPE(id, spelling, bytes) PTX_##id,
    PTX_TYPES(TYPE)
#undef TYPE
    PTX_TYPE_COUNT
};

int ptx_type_bytes(enum ptx_type type);           /* 0 for PTX_NOTYPE; .pred is 4 (one mask) */
const char *ptx_type_name(enum ptx_type type);    /* "u32" */
enum ptx_type ptx_type_find(const char *name, size_t length); /* without the dot; PTX_NOTYPE when unknown */

enum ptx_space { PTX_REG, PTX_PARAM, PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL, PTX_NOSPACE };

/* SREG(id, spelling): special registers, PTX ISA chapter 10. */
#define PTX_SREGS(SREG)                                                        \
    SREG(TID_X, "%tid.x") SREG(TID_Y, "%tid.y") SREG(TID_Z, "%tid.z")          \
    SREG(NTID_X, "%ntid.x") SREG(NTID_Y, "%ntid.y") SREG(NTID_Z, "%ntid.z")    \
    SREG(CTAID_X, "%ctaid.x") SREG(CTAID_Y, "%ctaid.y")                        \
    SREG(CTAID_Z, "%ctaid.z")                                                  \
    SREG(NCTAID_X, "%nctaid.x") SREG(NCTAID_Y, "%nctaid.y")                    \
    SREG(NCTAID_Z, "%nctaid.z")                                                \
    SREG(LANEID, "%laneid") SREG(WARPID, "%warpid") SREG(NWARPID, "%nwarpid")  \
    SREG(SMID, "%smid") SREG(NSMID, "%nsmid") SREG(GRIDID, "%gridid")          \
    SREG(LANEMASK_EQ, "%lanemask_eq") SREG(LANEMASK_LE, "%lanemask_le")        \
    SREG(LANEMASK_LT, "%lanemask_lt") SREG(LANEMASK_GE, "%lanemask_ge")        \
    SREG(LANEMASK_GT, "%lanemask_gt")                                          \
    SREG(CLUSTERID_X, "%clusterid.x") SREG(CLUSTERID_Y, "%clusterid.y")        \
    SREG(CLUSTERID_Z, "%clusterid.z")                                          \
    SREG(NCLUSTERID_X, "%nclusterid.x") SREG(NCLUSTERID_Y, "%nclusterid.y")    \
    SREG(NCLUSTERID_Z, "%nclusterid.z")                                        \
    SREG(CLUSTER_CTAID_X, "%cluster_ctaid.x")                                  \
    SREG(CLUSTER_CTAID_Y, "%cluster_ctaid.y")                                  \
    SREG(CLUSTER_CTAID_Z, "%cluster_ctaid.z")                                  \
    SREG(CLUSTER_NCTAID_X, "%cluster_nctaid.x")                                \
    SREG(CLUSTER_NCTAID_Y, "%cluster_nctaid.y")                                \
    SREG(CLUSTER_NCTAID_Z, "%cluster_nctaid.z")                                \
    SREG(CLUSTER_CTARANK, "%cluster_ctarank")                                  \
    SREG(CLUSTER_NCTARANK, "%cluster_nctarank")                                \
    SREG(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster")                          \
    SREG(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size")                              \
    SREG(TOTAL_SMEM_SIZE, "%total_smem_size")                                  \
    SREG(ENVREG1, "%envreg1") SREG(ENVREG2, "%envreg2")                        \
    SREG(RESERVED_SMEM_BEGIN, "%reserved_smem_offset_begin")                   \
    SREG(RESERVED_SMEM_END, "%reserved_smem_offset_end")                       \
    SREG(RESERVED_SMEM_CAP, "%reserved_smem_offset_cap")                       \
    SREG(RESERVED_SMEM_0, "%reserved_smem_offset_0")                           \
    SREG(RESERVED_SMEM_1, "%reserved_smem_offset_1")                           \
    SREG(CLOCK, "%clock") SREG(CLOCK_HI, "%clock_hi")                          \
    SREG(CLOCK64, "%clock64")                                                  \
    SREG(GLOBALTIMER, "%globaltimer") SREG(GLOBALTIMER_LO, "%globaltimer_lo")  \
    SREG(GLOBALTIMER_HI, "%globaltimer_hi")

enum ptx_sreg {
#define SREG(id, spelling) PTX_SREG_##id,
    PTX_SREGS(SREG)
#undef SREG
    PTX_SREG_COUNT
};

/* A place in the user's sources. frames[0] is where the instruction itself was
 * written, each next frame the call site it was inlined at (PTX ISA 11.5.3). */
struct ptx_place {
    int file;               /* index into module.files, -1 unknown */
    int line, column;       /* line 0: the compiler gave none */
    int inlined_at;         /* index into module.places, -1 none */
    const char *function;   /* mangled name of the inlined function, or NULL */
};

/* A name whose address must be stored in initialised memory. */
struct ptx_reloc {
    size_t offset;          /* bytes from the start of the variable */
    const char *symbol;     /* variable or function */
    int64_t addend;         /* bytes */
    int bytes;              /* how many low bytes of the address are stored, 8 as a rule */
    bool generic;           /* generic(symbol), else the address in the symbol's own space */
    struct ptx_reloc *next;
};

/* A variable of any space but .reg; also a parameter of a function. */
struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;     /* of one element; vector types multiply count */
    int align;              /* bytes, a power of two */
    size_t size;            /* bytes; 0 for an array of unknown size (extern .shared) */
    bool is_extern, is_visible, is_weak, is_managed;
    const uint8_t *init;    /* size bytes, or NULL: zero */
    struct ptx_reloc *relocs;
    int index;              /* position in its list */
    size_t offset;          /* parameters: bytes from the start of the parameter block */
};

enum ptx_operand_kind {
    PTX_OPR_REG,      /* a register of this function: reg */
    PTX_OPR_SREG,     /* a special register: sreg */
    PTX_OPR_INT,      /* integer literal: bits (two's complement, 64 bits) */
    PTX_OPR_FLOAT,    /* 0f........ (float_bytes 4, bits) or 0d................ (8) or decimal (8) */
    PTX_OPR_VAR,      /* address of a variable, plus offset: var, offset */
    PTX_OPR_FUNC,     /* a function name: name (resolved by lower: it may be extern) */
    PTX_OPR_LABEL,    /* label: target = index of the statement it stands before */
    PTX_OPR_ADDR,     /* [base + offset]: elem[0] is REG, VAR or INT; offset; further operands
                         inside the brackets (tensor coordinates) are elem[1..count-1] */
    PTX_OPR_VEC,      /* {a,b,...}: elem, count */
    PTX_OPR_LIST,     /* (a,b,...): elem, count (call) */
    PTX_OPR_PAIR,     /* r|p : elem[0], elem[1] */
    PTX_OPR_SINK,     /* _ */
    PTX_OPR_PROTO     /* a .callprototype: name; target = index into function.protos */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;             /* !p */
    int reg;                  /* index into function.regs */
    enum ptx_sreg sreg;
    uint64_t bits;
    int float_bytes;
    const struct ptx_var *var;
    int64_t offset;
    const char *name;
    int target;
    int count;
    struct ptx_operand *elem;
};

struct ptx_reg {
    const char *name;         /* "%r7" */
    enum ptx_type type;
};

struct ptx_statement {
    const char *name;         /* full spelling without guard: "setp.lt.s32" (interned) */
    int guard;                /* register index of the guard predicate, -1 none */
    bool guard_negated;
    struct ptx_operand *opr;
    int oprs;
    int line;                 /* line of the PTX text, from 1 */
    int place;                /* index into module.places, -1 none */
};

struct ptx_proto {            /* .callprototype */
    const char *name;
    const struct ptx_var *params; int param_count;
    const struct ptx_var *rets; int ret_count;
};

struct ptx_function {
    const char *name;
    bool is_entry, is_extern, is_weak, is_visible, is_noreturn;
    bool has_body;                                  /* false: only declared */
    const struct ptx_var *params; int param_count;  /* offsets filled in */
    size_t param_bytes;
    const struct ptx_var *rets; int ret_count;
    const struct ptx_reg *regs; int reg_count;      /* every scope, flattened */
    const struct ptx_var *vars; int var_count;      /* .local, .shared, .param declared inside */
    const struct ptx_statement *statements; int statement_count;
    const struct ptx_proto *protos; int proto_count;
    int reqntid[3], maxntid[3], minnctapersm, maxnreg;   /* 0: not given */
    int reqnctapercluster[3];                            /* 0: not given */
    bool explicitcluster, blocksareclusters; int maxclusterrank;
    int line;
};

struct ptx_module {
    const char *name;             /* for messages: file name or "fat binary of PROGRAM" */
    int version_major, version_minor;
    const char *target;           /* "sm_100a" */
    int target_cc;                /* 100 */
    char target_kind;             /* 0 plain, 'a' architecture specific, 'f' family */
    bool debug;
    const struct ptx_var *vars; int var_count;           /* module scope, in order */
    const struct ptx_function *functions; int function_count;
    const char *const *files; int file_count;            /* index = .file number; NULL where none */
    const struct ptx_place *places; int place_count;
    struct ptx_module **parts; int part_count;    /* of a linked module: freed with it */
    struct ptx_arena *arena;
    struct ptx_names *names;
};

/* What went wrong, for a person: file, line, value. */
struct ptx_error {
    int line;                     /* of the PTX text, 0 none */
    bool unsupported;             /* well-formed, but outside the emulator's coverage (exit 4) */
    char text[512];               /* "NAME:LINE: one sentence", no newline */
};

/* Parses `length` bytes of PTX (need not end in NUL). NULL and *error on
 * failure. Linear in the length of the text. `name` is copied. */
struct ptx_module *ptx_parse(const char *text, size_t length, const char *name, struct ptx_error *error);
void ptx_module_free(struct ptx_module *module);

const struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name);
const struct ptx_var *ptx_var_find(const struct ptx_module *module, const char *name); /* module scope */

/* The user's source line of statement `index`: outermost frame whose file is
 * not a toolkit header; a load left at line 0 takes the line of the first use
 * of what it loaded, anything else at line 0 the previous statement's. */
struct ptx_line { const char *file; int line; };      /* file NULL: unknown */
struct ptx_line ptx_user_line(const struct ptx_module *module, const struct ptx_function *function, int index);
/* All frames, innermost first; returns how many (at most max). */
int ptx_frames(const struct ptx_module *module, const struct ptx_function *function, int index,
               struct ptx_line *frames, int max);

#endif

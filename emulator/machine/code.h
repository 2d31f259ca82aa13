/*
 * The executable form of one kernel: what lower.c makes and warp.c runs.
 *
 * One instruction per PTX statement, at the same index, so a program counter
 * is a statement index and leads straight to a source line. A register is an
 * array of 32 lanes (a predicate: one 32-bit mask). An operand is a bank and a
 * byte offset into it; immediates and addresses of variables are constants
 * broadcast to 32 lanes in the constant bank, special registers that do not
 * change while a block lives are arrays in two further banks. So most handlers
 * never ask what kind of operand they have.
 */
#ifndef EMU_MACHINE_CODE_H
#define EMU_MACHINE_CODE_H

#include "ptx/module.h"

enum { LANES = 32 };

/* Operand: bank in the two top bits, byte offset below. */
typedef uint32_t opref;
enum bank {
    BANK_REG,      /* registers of the current frame */
    BANK_CONST,    /* immediates of the function */
    BANK_WARP,     /* tid, laneid, ... and launch constants; row = ptx_sreg * 128 bytes */
    BANK_BLOCK     /* ctaid, smid, ...; row = block_row(sreg) * 128 bytes */
};
#define OPREF(bank, offset) ((opref)(bank) << 30 | (opref)(offset))
#define OPREF_NONE 0xffffffffu
enum { SREG_ROW = LANES * 4 };

/* What the engine does with an instruction. ALU: calls its lane function and
 * goes on; every other class has code of its own in the engine. */
enum op_class {
    CLASS_ALU,
    CLASS_NOP,        /* pragma, prefetch, discard, setmaxnreg: no effect on values */
    CLASS_MOV_SREG,   /* dynamic special register: imm = ptx_sreg */
    CLASS_MOV_FRAME,  /* address of a .local or .param variable: imm = offset in the frame */
    CLASS_CVTA,       /* cvta, cvta.to: sub = to, space */
    CLASS_ISSPACEP,
    CLASS_LD, CLASS_ST, CLASS_ATOM, CLASS_RED,
    CLASS_BRA, CLASS_CALL, CLASS_RET, CLASS_EXIT, CLASS_TRAP, CLASS_BRKPT,
    CLASS_BAR,        /* bar, barrier (block-wide) */
    CLASS_FENCE,      /* fence, membar */
    CLASS_WARP,       /* shfl vote match redux activemask bar.warp.sync elect */
    CLASS_NANOSLEEP,
    CLASS_GRIDDEP,
    CLASS_MBARRIER, CLASS_CLUSTER_BAR, CLASS_MAPA, CLASS_GETCTARANK,
    CLASS_CP_ASYNC, CLASS_CP_BULK, CLASS_ST_ASYNC, CLASS_CLC,
    CLASS_REFUSED     /* known to the parser, outside coverage: stops with its name, exit 4 */
};

enum mem_space {
    MEM_GENERIC, MEM_GLOBAL, MEM_SHARED /* of the own block */, MEM_CLUSTER /* shared::cluster */,
    MEM_LOCAL, MEM_CONST,
    MEM_KPARAM,   /* parameters of the kernel: uniform, read only */
    MEM_FRAME     /* parameters and results of functions, in the caller's or callee's frame */
};
enum mem_sem { SEM_WEAK, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC, SEM_VOLATILE, SEM_MMIO };
enum mem_scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

/* Operations of atom and red (PTX ISA 9.7.13.5, 9.7.13.6). */
enum atom_op { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS, ATOM_INC, ATOM_DEC };

/* Operations of CLASS_WARP. */
enum warp_op {
    WARP_ACTIVEMASK, WARP_SYNC, WARP_ELECT,
    WARP_SHFL_UP, WARP_SHFL_DOWN, WARP_SHFL_BFLY, WARP_SHFL_IDX,
    WARP_VOTE_ALL, WARP_VOTE_ANY, WARP_VOTE_UNI, WARP_VOTE_BALLOT,
    WARP_MATCH_ANY, WARP_MATCH_ALL,
    WARP_REDUX_ADD, WARP_REDUX_MIN, WARP_REDUX_MAX, WARP_REDUX_AND, WARP_REDUX_OR, WARP_REDUX_XOR
};

/* Operations of CLASS_BAR. */
enum bar_op { BAR_SYNC, BAR_ARRIVE, BAR_RED_POPC, BAR_RED_AND, BAR_RED_OR };

/* Operations of CLASS_GRIDDEP. */
enum griddep_op { GRIDDEP_LAUNCH, GRIDDEP_WAIT };

/* Comparisons and boolean operators of setp and set (PTX ISA 9.7.6): setp keeps bool_op in
 * sub; set keeps the comparison in sub and bool_op << 1 | ftz in flags. Rounding: sub of cvt. */
enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN };
enum bool_op { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };
enum rounding { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };
/* flags of the general cvt: modifiers, and the widths of the registers as powers of two. */
enum {
    CVT_FTZ = 1, CVT_SAT = 2, CVT_RELU = 4, CVT_TO_INTEGRAL = 8,   /* rni, rzi, ... */
    CVT_DST_SHIFT = 4, CVT_SRC_SHIFT = 6                           /* 1: 16 bits, 2: 32, 3: 64 */
};

struct instr {
    uint16_t op;          /* row of the opcode table */
    uint8_t klass;        /* enum op_class */
    uint8_t cost;         /* enum cost_class (device.h) */
    opref guard;          /* predicate, OPREF_NONE when unguarded */
    uint8_t guard_not;    /* 1: @!p */
    uint8_t type;         /* enum ptx_type of the operation (last type of the spelling) */
    uint8_t type2;        /* second type where there are two (cvt source, ...) */
    uint8_t space;        /* enum mem_space */
    uint8_t sem, scope;   /* enum mem_sem, mem_scope */
    uint8_t sub;          /* operation within the class: atom_op, warp_op, bar_op, ... */
    uint8_t count;        /* elements of a vector access, 1, 2, 4, 8; args of a call */
    uint8_t addr32;       /* 1: the address register is 32 bits wide */
    uint8_t flags;        /* per class, see below */
    uint8_t aligned;      /* .aligned (or bar.sync): the whole warp must be here together */
    /* Operands. Arithmetic: r[0] destination, r[1..] sources, in PTX order; a
     * second destination (p|q) is r[5]. LD: r[0] value, r[1] address base.
     * ST: r[0] address base, r[1] value. ATOM: r[0] result (or NONE), r[1]
     * address base, r[2] b, r[3] c. RED: r[0] address base, r[1] b.
     * BRA: none; target in imm. MOV_*, CVTA: r[0], r[1].
     * WARP: r[0] d, r[5] p, sources r[1].. in PTX order, membermask last of them.
     * Sources of a negated predicate (!p) are marked in `negate`, bit k for r[k]. */
    opref r[6];
    uint8_t negate;
    uint32_t list;        /* vectors and calls: start in code_function.list */
    int64_t imm;          /* address offset, branch target, sreg, frame offset, ... */
};
/* flags of CLASS_BRA: */
enum { BRA_UNIFORM = 1 };
/* flags of CLASS_LD and CLASS_ST: the value is sign extended to the register (ld.s8 into a 32-bit register) */
enum { LD_SIGNED = 1, LD_WIDE_REG32 = 2, LD_WIDE_REG64 = 4, LD_NC = 8 };
/* The register of a ld/st value may be wider than the type (PTX ISA 9.7.9.8, 9.7.9.11):
 * LD_WIDE_REG32 / REG64 give the width of the register when it is not the type's own (a 16-bit
 * register for 8-bit types is the default width; 8-bit types always live in 16-bit registers or wider). */

/* One argument of a call: from/to frame offsets, copied per lane. */
struct code_arg { uint32_t caller_offset, callee_offset, bytes; };

struct code_function {
    const struct ptx_function *source;
    struct instr *code;          /* source->statement_count + 1 rows; the last is an implicit ret */
    int count;
    uint32_t reg_bytes;          /* size of a register frame */
    uint8_t *consts;             /* the constant bank */
    uint32_t const_bytes;
    opref *list;                 /* element operands of vectors */
    uint32_t list_count;
    uint32_t frame_bytes;        /* .local and .param memory of a call, per lane */
    uint32_t *param_offset;      /* in the frame, per parameter of a .func */
    uint32_t *ret_offset;        /* in the frame, per result of a .func */
    struct code_call *calls; int call_count;
};

/* A call site: instr.imm is its index. */
enum call_kind { CALL_FUNCTION, CALL_INDIRECT, CALL_VPRINTF, CALL_ASSERTFAIL, CALL_MALLOC, CALL_FREE };
struct code_call {
    enum call_kind kind;
    int function;                /* index of the callee in the module; -1 indirect */
    opref target;                /* indirect: 64-bit register with the function's address */
    uint32_t *arg_offset; int arg_count;   /* in the caller's frame */
    uint32_t *arg_bytes;
    uint32_t *ret_offset; int ret_count;
    uint32_t *ret_bytes;
};

/* Address of function i of a module, as programs see it. */
#define FUNCTION_ADDRESS(i) (UINT64_C(0x1000) + (uint64_t)(i) * 16)

/* Where module variables were placed; made by the loader of the machine. */
struct code_env {
    const uint64_t *var_address;   /* per module variable: device address of .global, offset of .const */
    int cc;                        /* capability of the device, 100 */
};

/* Where a shared variable lies: for messages. */
struct code_shared { const struct ptx_var *var; uint32_t offset; };

struct code {
    const struct ptx_module *module;
    const struct ptx_function *entry;
    struct code_function *functions;   /* per function of the module; .code NULL when not reachable */
    uint32_t shared_bytes;             /* static shared memory of the kernel and all it calls */
    uint32_t dynamic_shared_offset;    /* where extern .shared begins, aligned */
    struct code_shared *shared_vars; int shared_var_count, shared_var_room;
    struct ptx_arena *arena;
};

/* Lowers the entry and everything it can call. NULL and *error on failure
 * (error->line is the PTX line). An opcode outside the coverage is no failure
 * here: it becomes CLASS_REFUSED and stops when it is reached. */
struct code *code_build(const struct ptx_module *module, const struct ptx_function *entry,
                        const struct code_env *env, struct ptx_error *error);
void code_free(struct code *code);

/* Lane functions of CLASS_ALU, one per row of the opcode table, compiled twice:
 * for the portable baseline and for AVX2. */
typedef void alu_function(uint8_t *const bank[4], const struct instr *i, uint32_t mask);
extern alu_function *const alu_table_base[];
#if defined(__x86_64__)
extern alu_function *const alu_table_avx2[];
#endif

/* machine/rows.c: where a special register lives. */
int block_row(enum ptx_sreg sreg);              /* row in BANK_BLOCK, -1: not there */
bool sreg_is_dynamic(enum ptx_sreg sreg);       /* changes while a block lives: CLASS_MOV_SREG; else BANK_WARP, row = sreg */

static inline void *operand_at(uint8_t *const bank[4], opref r)
{
    return bank[r >> 30] + (r & 0x3fffffffu);
}

#endif

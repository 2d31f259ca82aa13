/*
 * The families of the opcode table: which combinations of modifiers exist,
 * and what they mean for the instruction. One function per family, named
 * finish_ID, in the order of opcodes.def; rules are those of the PTX ISA 9.0
 * section of the instruction (BASE rows of the table).
 * Not modelled: on which targets a combination exists.
 */
#include "ptx/opcode.h"

#include <string.h>

#include "machine/sync_ops.h"

#define HAS(group) (m->value[MOD_##group] >= 0)
#define GET(group) (m->value[MOD_##group])
#define GET_OR(group, fallback) (HAS(group) ? GET(group) : (int)(fallback))

static bool type_in(int type, const char *names)
{
    const char *name = ptx_type_name((enum ptx_type)type);
    size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}
static bool is_float(int type) { return type_in(type, "f16 bf16 f32 f64"); }
static bool is_int(int type) { return type_in(type, "u8 u16 u32 u64 s8 s16 s32 s64"); }
static int bytes_of(int type) { return ptx_type_bytes((enum ptx_type)type); }

static void set_types(const struct mods *m, struct opcode *o)
{
    if (HAS(type)) o->instr.type = (uint8_t)GET(type);
    if (HAS(type2)) o->instr.type2 = (uint8_t)GET(type2);
}
static int space_of(const struct mods *m)
{
    int space = GET_OR(space, MEM_GENERIC);
    return space == PARAM_ENTRY ? (int)MEM_KPARAM : space == PLAIN_SHARED ? (int)MEM_SHARED : space;
}
static void set_space(const struct mods *m, struct opcode *o) { o->instr.space = (uint8_t)space_of(m); }
static void set_order(const struct mods *m, struct opcode *o, enum mem_sem sem, enum mem_scope scope)
{
    o->instr.sem = (uint8_t)GET_OR(sem, sem);
    o->instr.scope = (uint8_t)GET_OR(scope, scope);
}
static bool sub(struct opcode *o, int operation)
{
    o->instr.sub = (uint8_t)operation;
    return true;
}

/* ---- Arithmetic ----------------------------------------------------------------- */

static bool finish_mov_pack(const struct mods *m, struct opcode *o) { (void)m; (void)o; return false; }
static bool finish_mov_unpack(const struct mods *m, struct opcode *o) { (void)m; (void)o; return false; }

/* Whether an integer of the one type may lie outside the other's range. */
static bool may_saturate(int dst, int src)
{
    bool from_signed = ptx_type_name((enum ptx_type)src)[0] == 's', to_signed = ptx_type_name((enum ptx_type)dst)[0] == 's';
    if (from_signed == to_signed) return bytes_of(dst) < bytes_of(src);
    return from_signed || bytes_of(dst) <= bytes_of(src);
}

static int log2_of(int bytes) { return bytes <= 2 ? 1 : bytes == 4 ? 2 : 3; }

/* cvt{.irnd | .frnd}{.ftz}{.sat}{.relu}.dst.src */
static bool finish_cvt_any(const struct mods *m, struct opcode *o)
{
    int dst = GET(type), src = GET(type2);
    if (!(is_float(dst) || is_int(dst)) || !(is_float(src) || is_int(src))) return false;
    bool narrows = is_float(dst) && is_float(src) && bytes_of(dst) < bytes_of(src);
    bool same = dst == src, halves = is_float(dst) && is_float(src) && bytes_of(dst) == 2 && bytes_of(src) == 2 && !same;
    bool wants_rnd = narrows || halves || (is_float(dst) && is_int(src));
    bool wants_irnd = is_int(dst) && is_float(src);
    if (wants_rnd != HAS(rnd)) return false;
    if (wants_irnd ? !HAS(irnd) : HAS(irnd) && !(same && is_float(dst))) return false;
    if (GET_OR(rnd, ROUND_RN) == ROUND_RNA || GET_OR(sat, 1) == 2) return false;
    if (HAS(ftz) && dst != PTX_F32 && src != PTX_F32) return false;
    if (HAS(relu) && !(bytes_of(dst) == 2 && src == PTX_F32 && is_float(dst) && GET(rnd) <= ROUND_RZ)) return false;
    if (HAS(relu) && (HAS(sat) || HAS(ftz))) return false;
    if (HAS(sat) && (dst == PTX_BF16 || src == PTX_BF16)) return false;
    if (HAS(sat) && is_int(dst) && is_int(src) && !may_saturate(dst, src)) return false;
    if ((dst == PTX_BF16 && bytes_of(src) == 1) || (src == PTX_BF16 && bytes_of(dst) == 1)) return false;
    set_types(m, o);
    o->instr.flags = (uint8_t)((HAS(ftz) ? CVT_FTZ : 0) | (HAS(sat) ? CVT_SAT : 0) | (HAS(relu) ? CVT_RELU : 0) |
                               (HAS(irnd) ? CVT_TO_INTEGRAL : 0) |
                               log2_of(bytes_of(dst)) << CVT_DST_SHIFT | log2_of(bytes_of(src)) << CVT_SRC_SHIFT);
    return sub(o, HAS(rnd) ? GET(rnd) : GET_OR(irnd, ROUND_RN));
}

static const char *const compare_names[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

/* lo, ls, hi, hs are for unsigned types; b types know eq and ne; the unordered ones are for floats. */
static bool comparison(const struct mods *m, int type, enum compare *cmp)
{
    bool floats = is_float(type) || type_in(type, "f16x2 bf16x2");
    *cmp = (enum compare)(GET(cmp) & ~UNSIGNED_ONLY);
    if ((int)*cmp != GET(cmp) && !type_in(type, "u16 u32 u64")) return false;
    if (!floats && *cmp > CMP_GE) return false;
    return floats || is_int(type) || *cmp <= CMP_NE;
}

/* setp.CMP{.BOOL}{.ftz}.type: the row without the boolean operator. */
static bool finish_setp(const struct mods *m, struct opcode *o)
{
    char text[40];
    enum compare cmp;
    int type = GET(type);
    if (!comparison(m, type, &cmp)) return false;
    set_types(m, o);
    if (type == PTX_F16X2 || type == PTX_BF16X2) {          /* p for the low half, q for the high one */
        o->instr.op = OP_setp_x2;
        o->instr.type2 = o->instr.type;
        o->instr.flags = (uint8_t)(GET_OR(boolop, BOOL_NONE) << 1 | (HAS(ftz) ? 1 : 0));
        return !(HAS(ftz) && type == PTX_BF16X2) && sub(o, (int)cmp);
    }
    snprintf(text, sizeof text, "setp.%s%s.%s", compare_names[cmp], HAS(ftz) ? ".ftz" : "", ptx_type_name((enum ptx_type)type));
    enum op_id row = opcode_row(text);
    if (row == OP_COUNT) return false;
    opcode_take_row(row, o);
    return sub(o, GET_OR(boolop, BOOL_NONE));
}
static bool finish_setp_x2(const struct mods *m, struct opcode *o) { (void)m; (void)o; return false; }

static bool finish_set_any(const struct mods *m, struct opcode *o)
{
    int dst = GET(type), src = GET(type2);
    enum compare cmp;
    const char *results = type_in(src, "f16") ? "f16 u16 s16 u32 s32" : type_in(src, "bf16") ? "bf16 u16 s16 u32 s32"
                        : type_in(src, "f16x2") ? "f16x2 u32 s32" : type_in(src, "bf16x2") ? "bf16x2 u32 s32" : "u32 s32 f32";
    if (!type_in(src, "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 bf16 f16x2 bf16x2 f32 f64") || !type_in(dst, results)) return false;
    if (!comparison(m, src, &cmp)) return false;
    if (HAS(ftz) && !type_in(src, "f32 f16 f16x2")) return false;
    set_types(m, o);
    o->instr.flags = (uint8_t)(GET_OR(boolop, BOOL_NONE) << 1 | (HAS(ftz) ? 1 : 0));
    return sub(o, (int)cmp);
}

static bool finish_createpolicy(const struct mods *m, struct opcode *o)
{
    if (GET(type) != PTX_B64) return false;
    opcode_take_row(OP_mov_b64, o);
    set_types(m, o);
    return true;
}

/* ---- Addresses and memory ----------------------------------------------------------- */

static bool finish_cvta(const struct mods *m, struct opcode *o)
{
    if (GET(type) != PTX_U64) return false;
    set_types(m, o);
    set_space(m, o);
    if (o->instr.space == MEM_FRAME) return false;
    return sub(o, HAS(to));
}

static bool finish_isspacep(const struct mods *m, struct opcode *o)
{
    set_space(m, o);
    return o->instr.space != MEM_FRAME;
}

static void set_memory_cost(struct opcode *o)
{
    static const uint8_t costs[] = {
        [MEM_GENERIC] = COST_GLOBAL, [MEM_GLOBAL] = COST_GLOBAL, [MEM_SHARED] = COST_SHARED, [MEM_CLUSTER] = COST_CLUSTER,
        [MEM_LOCAL] = COST_LOCAL, [MEM_CONST] = COST_CONST, [MEM_KPARAM] = COST_CONST, [MEM_FRAME] = COST_LOCAL};
    o->instr.cost = costs[o->instr.space];
}

/* .weak .volatile .relaxed.scope .acquire.scope (ld) .release.scope (st) .mmio.relaxed.sys */
static bool order_of_access(const struct mods *m, struct opcode *o, enum mem_sem strong)
{
    bool ordered = GET_OR(sem, SEM_WEAK) == SEM_RELAXED || GET_OR(sem, SEM_WEAK) == (int)strong;
    set_order(m, o, SEM_WEAK, SCOPE_NONE);
    if (HAS(mmio)) {
        o->instr.sem = SEM_MMIO;
        return !HAS(vec) && GET_OR(sem, SEM_WEAK) == SEM_RELAXED && GET_OR(scope, SCOPE_NONE) == SCOPE_SYS &&
               (o->instr.space == MEM_GENERIC || o->instr.space == MEM_GLOBAL);
    }
    if (ordered != HAS(scope)) return false;
    if (!ordered && HAS(sem) && o->instr.sem != SEM_WEAK && o->instr.sem != SEM_VOLATILE) return false;
    return true;
}

static bool plain_element(int type)
{
    return type_in(type, "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64");
}

/* At most 16 bytes; 32 for .global with 32- and 64-bit elements. */
static bool vector_fits(const struct mods *m, const struct opcode *o)
{
    int bytes = bytes_of(o->instr.type), count = GET_OR(vec, 1);
    if (count == 1) return true;
    if (bytes * count <= 16) return count < 8;
    return bytes * count == 32 && (bytes == 4 || bytes == 8) && o->instr.space == MEM_GLOBAL && o->instr.sem != SEM_VOLATILE;
}

static bool finish_access(const struct mods *m, struct opcode *o, enum mem_sem strong)
{
    set_types(m, o);
    set_space(m, o);
    bool private = o->instr.space == MEM_CONST || o->instr.space == MEM_KPARAM || o->instr.space == MEM_FRAME;
    if (!plain_element(o->instr.type) || !order_of_access(m, o, strong) || !vector_fits(m, o)) return false;
    if (private && HAS(sem)) return false;
    if (o->instr.space == MEM_LOCAL && HAS(sem) && o->instr.sem != SEM_WEAK) return false;
    if (type_in(o->instr.type, "s8 s16 s32 s64")) o->instr.flags |= LD_SIGNED;
    o->instr.count = (uint8_t)GET_OR(vec, 1);
    set_memory_cost(o);
    return true;
}

static bool finish_ld(const struct mods *m, struct opcode *o)
{
    if (HAS(nc)) {
        if (GET_OR(space, MEM_GENERIC) != MEM_GLOBAL || HAS(sem)) return false;
        o->instr.flags |= LD_NC;
    }
    return finish_access(m, o, SEM_ACQUIRE);
}
static bool finish_ldu(const struct mods *m, struct opcode *o)
{
    return (!HAS(space) || GET(space) == MEM_GLOBAL) && finish_access(m, o, SEM_ACQUIRE) && bytes_of(GET(type)) * GET_OR(vec, 1) <= 16;
}
static bool finish_st(const struct mods *m, struct opcode *o)
{
    return GET_OR(space, MEM_GENERIC) != MEM_CONST && GET_OR(space, MEM_GENERIC) != PARAM_ENTRY && finish_access(m, o, SEM_RELEASE);
}

static bool atom_takes(enum atom_op op, int type)
{
    switch (op) {
    case ATOM_ADD: return type_in(type, "u32 s32 u64 f32 f64 f16 f16x2 bf16 bf16x2");
    case ATOM_MIN:
    case ATOM_MAX: return type_in(type, "u32 s32 u64 s64");
    case ATOM_AND:
    case ATOM_OR:
    case ATOM_XOR: return type_in(type, "b32 b64");
    case ATOM_EXCH: return type_in(type, "b32 b64 b128");
    case ATOM_CAS: return type_in(type, "b16 b32 b64 b128");
    case ATOM_INC:
    case ATOM_DEC: return type_in(type, "u32");
    }
    return false;
}

static bool finish_update(const struct mods *m, struct opcode *o)
{
    enum atom_op op = (enum atom_op)GET(atomop);
    int count = GET_OR(vec, 1), type = GET(type);
    set_types(m, o);
    set_space(m, o);
    set_order(m, o, SEM_RELAXED, SCOPE_GPU);
    if (o->instr.space != MEM_GENERIC && o->instr.space != MEM_GLOBAL && o->instr.space != MEM_SHARED && o->instr.space != MEM_CLUSTER)
        return false;
    if (o->instr.sem == SEM_WEAK || o->instr.sem == SEM_VOLATILE || o->instr.sem == SEM_SC) return false;
    if (!atom_takes(op, type) || HAS(noftz) != type_in(type, "f16 f16x2 bf16 bf16x2")) return false;
    if (HAS(vec) && (op != ATOM_ADD || o->instr.space != MEM_GLOBAL || bytes_of(type) * count > 16 || !type_in(type, "f32 f16 f16x2 bf16 bf16x2")))
        return false;
    o->instr.count = (uint8_t)count;
    return sub(o, (int)op);
}
static bool finish_atom(const struct mods *m, struct opcode *o) { return finish_update(m, o); }
static bool finish_red(const struct mods *m, struct opcode *o)
{
    return GET(atomop) != ATOM_EXCH && GET(atomop) != ATOM_CAS && GET_OR(sem, SEM_RELAXED) != SEM_ACQUIRE &&
           GET_OR(sem, SEM_RELAXED) != SEM_ACQ_REL && finish_update(m, o);
}

static bool finish_prefetch(const struct mods *m, struct opcode *o)
{
    (void)o;
    if (HAS(tensormap) || (HAS(space) && GET(space) != MEM_GLOBAL && GET(space) != MEM_LOCAL)) return false;
    return GET(level) != LEVEL_EVICT || GET_OR(space, MEM_GENERIC) != MEM_LOCAL;
}
static bool finish_prefetchu(const struct mods *m, struct opcode *o) { (void)o; return GET(level) == 1; }
static bool finish_discard(const struct mods *m, struct opcode *o) { (void)o; return GET_OR(space, MEM_GLOBAL) == MEM_GLOBAL && GET(level) == 2; }
static bool finish_applypriority(const struct mods *m, struct opcode *o)
{
    (void)o;
    return GET_OR(space, MEM_GLOBAL) == MEM_GLOBAL && GET(evict2) == 1;
}
static bool finish_setmaxnreg(const struct mods *m, struct opcode *o) { (void)o; return GET(type) == PTX_U32; }
static bool finish_pmevent(const struct mods *m, struct opcode *o) { (void)m; (void)o; return true; }

/* ---- Control ------------------------------------------------------------------------- */

static bool finish_bra(const struct mods *m, struct opcode *o)
{
    o->instr.flags = HAS(uni) ? BRA_UNIFORM : 0;
    return true;
}
static bool finish_call(const struct mods *m, struct opcode *o) { (void)m; (void)o; return true; }
static bool finish_ret(const struct mods *m, struct opcode *o) { (void)m; (void)o; return true; }
static bool finish_exit(const struct mods *m, struct opcode *o) { (void)m; (void)o; return true; }
static bool finish_trap(const struct mods *m, struct opcode *o) { (void)m; (void)o; return true; }
static bool finish_brkpt(const struct mods *m, struct opcode *o) { (void)m; (void)o; return true; }
static bool finish_nanosleep(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    return GET(type) == PTX_U32;
}
static bool finish_griddepcontrol(const struct mods *m, struct opcode *o) { return sub(o, GET(griddep)); }

/* ---- Barriers, warps, fences ------------------------------------------------------------ */

static bool finish_block_barrier(const struct mods *m, struct opcode *o, bool aligned)
{
    o->instr.aligned = aligned;
    set_types(m, o);
    if (GET(barop) != BAR_RED_POPC)
        return !HAS(redop) && !HAS(type) && sub(o, GET(barop));
    if (!HAS(redop) || !HAS(type) || GET(type) != (GET(redop) == BAR_RED_POPC ? PTX_U32 : PTX_PRED)) return false;
    return sub(o, GET(redop));
}
static bool finish_bar(const struct mods *m, struct opcode *o) { return finish_block_barrier(m, o, true); }
static bool finish_barrier(const struct mods *m, struct opcode *o) { return finish_block_barrier(m, o, HAS(aligned)); }
static bool finish_bar_warp(const struct mods *m, struct opcode *o) { (void)m; return sub(o, WARP_SYNC); }

static bool finish_cluster_arrive(const struct mods *m, struct opcode *o)
{
    set_order(m, o, SEM_RELEASE, SCOPE_CLUSTER);
    o->instr.aligned = HAS(aligned);
    return (o->instr.sem == SEM_RELEASE || o->instr.sem == SEM_RELAXED) && sub(o, CLUSTER_ARRIVE);
}
static bool finish_cluster_wait(const struct mods *m, struct opcode *o)
{
    set_order(m, o, SEM_ACQUIRE, SCOPE_CLUSTER);
    o->instr.aligned = HAS(aligned);
    return o->instr.sem == SEM_ACQUIRE && sub(o, CLUSTER_WAIT);
}

static bool finish_shfl(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    return GET(type) == PTX_B32 && sub(o, GET(shflop));
}
static bool finish_vote(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    return GET(type) == (GET(voteop) == WARP_VOTE_BALLOT ? PTX_B32 : PTX_PRED) && sub(o, GET(voteop));
}
static bool finish_match(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    return type_in(GET(type), "b32 b64") && sub(o, GET(matchop));
}
static bool finish_redux(const struct mods *m, struct opcode *o)
{
    bool logic = GET(reduxop) == WARP_REDUX_AND || GET(reduxop) == WARP_REDUX_OR || GET(reduxop) == WARP_REDUX_XOR;
    set_types(m, o);
    return type_in(GET(type), logic ? "b32" : "u32 s32") && sub(o, GET(reduxop));
}
static bool finish_activemask(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    return GET(type) == PTX_B32 && sub(o, WARP_ACTIVEMASK);
}
static bool finish_elect(const struct mods *m, struct opcode *o) { (void)m; return sub(o, WARP_ELECT); }

static bool finish_membar(const struct mods *m, struct opcode *o)
{
    o->instr.sem = SEM_SC;
    o->instr.scope = (uint8_t)GET(level_of);
    return sub(o, FENCE_THREAD);
}
static bool finish_membar_proxy(const struct mods *m, struct opcode *o)
{
    return GET(proxy) == PROXY_ALIAS && sub(o, FENCE_PROXY_ALIAS);
}
/* The two halves: acquire over the cluster's shared memory, release over the block's. */
static bool restricted(const struct mods *m, struct opcode *o)
{
    bool acquire = GET_OR(sem, SEM_WEAK) == SEM_ACQUIRE && GET_OR(restrict, 0) == MEM_CLUSTER;
    bool release = GET_OR(sem, SEM_WEAK) == SEM_RELEASE && GET_OR(restrict, 0) == MEM_SHARED;
    o->instr.space = (uint8_t)GET_OR(restrict, MEM_GENERIC);
    set_order(m, o, SEM_WEAK, SCOPE_NONE);
    return (acquire || release) && GET_OR(scope, SCOPE_NONE) == SCOPE_CLUSTER;
}
static bool finish_fence(const struct mods *m, struct opcode *o)
{
    if (HAS(restrict)) return restricted(m, o) && sub(o, FENCE_SYNC_RESTRICT);
    set_order(m, o, SEM_ACQ_REL, SCOPE_NONE);
    bool known = !HAS(sem) || GET(sem) == SEM_SC || GET(sem) == SEM_ACQ_REL || GET(sem) == SEM_ACQUIRE || GET(sem) == SEM_RELEASE;
    return known && sub(o, FENCE_THREAD);
}
static bool finish_fence_proxy(const struct mods *m, struct opcode *o)
{
    if (GET(proxy) == PROXY_ASYNC_GENERIC) return !HAS(space) && restricted(m, o) && sub(o, FENCE_PROXY_HALF);
    if (HAS(sem) || HAS(scope) || HAS(restrict)) return false;
    if (GET(proxy) == PROXY_ALIAS) return !HAS(space) && sub(o, FENCE_PROXY_ALIAS);
    set_space(m, o);
    return o->instr.space <= MEM_CLUSTER && GET_OR(space, MEM_GENERIC) != PLAIN_SHARED && sub(o, FENCE_PROXY_ASYNC);
}
static bool finish_fence_mbarrier(const struct mods *m, struct opcode *o)
{
    set_order(m, o, SEM_RELEASE, SCOPE_CLUSTER);
    return GET(sem) == SEM_RELEASE && GET(scope) == SCOPE_CLUSTER && sub(o, FENCE_MBARRIER_INIT);
}

/* ---- mbarrier ------------------------------------------------------------------------------ */

static bool mbarrier(const struct mods *m, struct opcode *o, int operation, bool remote)
{
    set_types(m, o);
    set_space(m, o);
    bool here = o->instr.space == MEM_GENERIC || o->instr.space == MEM_SHARED;
    return GET(type) == PTX_B64 && (here || (remote && o->instr.space == MEM_CLUSTER)) && sub(o, operation);
}
static bool finish_mbar_init(const struct mods *m, struct opcode *o) { return mbarrier(m, o, MBARRIER_INIT, false); }
static bool finish_mbar_inval(const struct mods *m, struct opcode *o) { return mbarrier(m, o, MBARRIER_INVAL, false); }
static bool transaction(const struct mods *m, struct opcode *o, int operation)
{
    set_order(m, o, SEM_RELAXED, SCOPE_CTA);
    return o->instr.sem == SEM_RELAXED && GET_OR(scope, SCOPE_CTA) <= SCOPE_CLUSTER && HAS(sem) == HAS(scope) &&
           mbarrier(m, o, operation, true);
}
static bool finish_mbar_expect(const struct mods *m, struct opcode *o) { return transaction(m, o, MBARRIER_EXPECT_TX); }
static bool finish_mbar_complete(const struct mods *m, struct opcode *o) { return transaction(m, o, MBARRIER_COMPLETE_TX); }

static bool arrive(const struct mods *m, struct opcode *o, int plain)
{
    set_order(m, o, SEM_RELEASE, SCOPE_CTA);
    if (o->instr.sem != SEM_RELEASE && o->instr.sem != SEM_RELAXED) return false;
    if (GET_OR(scope, SCOPE_CTA) > SCOPE_CLUSTER || HAS(sem) != HAS(scope) || (HAS(expect) && HAS(nocomplete))) return false;
    if (HAS(nocomplete) && (o->instr.sem == SEM_RELAXED || o->instr.scope == SCOPE_CLUSTER)) return false;
    return mbarrier(m, o, HAS(expect) ? plain + 1 : HAS(nocomplete) ? plain + 2 : plain, !HAS(nocomplete));
}
static bool finish_mbar_arrive(const struct mods *m, struct opcode *o) { return arrive(m, o, MBARRIER_ARRIVE); }
static bool finish_mbar_drop(const struct mods *m, struct opcode *o) { return arrive(m, o, MBARRIER_DROP); }

static bool mbarrier_wait(const struct mods *m, struct opcode *o, int plain)
{
    set_order(m, o, SEM_ACQUIRE, SCOPE_CTA);
    if (o->instr.sem != SEM_ACQUIRE && o->instr.sem != SEM_RELAXED) return false;
    if (GET_OR(scope, SCOPE_CTA) > SCOPE_CLUSTER || HAS(sem) != HAS(scope)) return false;
    return mbarrier(m, o, plain + HAS(parity), false);
}
static bool finish_mbar_test(const struct mods *m, struct opcode *o) { return mbarrier_wait(m, o, MBARRIER_TEST_WAIT); }
static bool finish_mbar_try(const struct mods *m, struct opcode *o) { return mbarrier_wait(m, o, MBARRIER_TRY_WAIT); }
static bool finish_mbar_pending(const struct mods *m, struct opcode *o) { return mbarrier(m, o, MBARRIER_PENDING_COUNT, false); }

static bool finish_mapa(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    set_space(m, o);
    return type_in(GET(type), HAS(space) ? "u32 u64" : "u64") && (!HAS(space) || GET(space) == MEM_CLUSTER);
}
static bool finish_getctarank(const struct mods *m, struct opcode *o) { return finish_mapa(m, o); }

/* ---- Asynchronous copies ---------------------------------------------------------------------- */

static bool finish_cpa_copy(const struct mods *m, struct opcode *o)
{
    set_space(m, o);
    o->instr.flags = 0;
    return space_of(m) == MEM_SHARED && GET(from) == MEM_GLOBAL && sub(o, CP_ASYNC_COPY);
}
static bool finish_cpa_commit(const struct mods *m, struct opcode *o) { (void)m; return sub(o, CP_ASYNC_COMMIT_GROUP); }
static bool finish_cpa_wait(const struct mods *m, struct opcode *o) { (void)m; return sub(o, CP_ASYNC_WAIT_GROUP); }
static bool finish_cpa_wait_all(const struct mods *m, struct opcode *o) { (void)m; return sub(o, CP_ASYNC_WAIT_ALL); }
static bool finish_cpa_mbar(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    set_space(m, o);
    o->instr.flags = HAS(noinc) ? CP_ASYNC_NOINC : 0;
    return GET(type) == PTX_B64 && (o->instr.space == MEM_GENERIC || o->instr.space == MEM_SHARED) && sub(o, CP_ASYNC_MBARRIER_ARRIVE);
}

static bool finish_bulk_copy(const struct mods *m, struct opcode *o)
{
    int to = GET(space), from = GET(from);
    bool counted = GET(completion) == COMPLETION_MBARRIER;
    set_space(m, o);
    o->instr.flags = (uint8_t)((HAS(multicast) ? BULK_MULTICAST : 0) | (HAS(bytemask) ? BULK_CP_MASK : 0));
    if (HAS(multicast) && !(to == MEM_CLUSTER && from == MEM_GLOBAL)) return false;
    if (HAS(bytemask) && to != MEM_GLOBAL) return false;
    if ((to == MEM_CLUSTER || to == MEM_SHARED) && from == MEM_GLOBAL) return counted && sub(o, BULK_TO_SHARED);
    if (to == MEM_CLUSTER && from == MEM_SHARED) return counted && sub(o, BULK_TO_CLUSTER);
    return to == MEM_GLOBAL && from == MEM_SHARED && !counted && sub(o, BULK_TO_GLOBAL);
}

static bool finish_bulk_reduce(const struct mods *m, struct opcode *o)
{
    int to = GET(space), op = GET(redbulk), type = GET(type);
    bool to_global = to == MEM_GLOBAL, arithmetic = op == ATOM_ADD || op == ATOM_MIN || op == ATOM_MAX;
    set_types(m, o);
    set_space(m, o);
    o->instr.count = (uint8_t)op;
    if (GET(from) != MEM_SHARED || (to != MEM_GLOBAL && to != MEM_CLUSTER)) return false;
    if ((GET(completion) == COMPLETION_MBARRIER) == to_global) return false;
    if (HAS(noftz) != (op == ATOM_ADD && type_in(type, "f16 bf16"))) return false;
    if (arithmetic ? !type_in(type, to_global ? (op == ATOM_ADD ? "u32 s32 u64 f16 bf16 f32 f64" : "u32 s32 u64 s64 f16 bf16") : "u32 s32 u64")
        : op == ATOM_INC || op == ATOM_DEC ? !type_in(type, "u32") : !type_in(type, "b32 b64"))
        return false;
    if (type_in(type, "f32 f64") && op != ATOM_ADD) return false;
    if (!to_global && arithmetic && op != ATOM_ADD && !type_in(type, "u32 s32")) return false;
    if (!to_global && type_in(type, "s64 b64")) return false;
    return sub(o, to_global ? BULK_REDUCE_GLOBAL : BULK_REDUCE_CLUSTER);
}

static bool finish_bulk_prefetch(const struct mods *m, struct opcode *o)
{
    set_space(m, o);
    return GET(level) == 2 && GET(space) == MEM_GLOBAL && sub(o, BULK_PREFETCH);
}
static bool finish_bulk_commit(const struct mods *m, struct opcode *o) { (void)m; return sub(o, BULK_COMMIT_GROUP); }
static bool finish_bulk_wait(const struct mods *m, struct opcode *o)
{
    o->instr.flags = HAS(read) ? BULK_READ : 0;
    return sub(o, BULK_WAIT_GROUP);
}

static bool remote_store(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    set_space(m, o);
    return GET_OR(completion, -1) == COMPLETION_MBARRIER && (o->instr.space == MEM_GENERIC || o->instr.space == MEM_CLUSTER);
}
static bool finish_st_async(const struct mods *m, struct opcode *o)
{
    set_order(m, o, SEM_WEAK, SCOPE_NONE);
    o->instr.count = (uint8_t)GET_OR(vec, 1);
    return remote_store(m, o) && o->instr.sem == SEM_WEAK && !HAS(scope) && GET_OR(vec, 1) < 8 &&
           type_in(GET(type), "b32 b64 u32 u64 s32 s64 f32 f64") && sub(o, ST_ASYNC) &&
           bytes_of(GET(type)) * GET_OR(vec, 1) <= 16;
}
static bool finish_red_async(const struct mods *m, struct opcode *o)
{
    static const char *const types[] = {[ATOM_ADD] = "u32 s32 u64", [ATOM_MIN] = "u32 s32", [ATOM_MAX] = "u32 s32",
                                        [ATOM_AND] = "b32", [ATOM_OR] = "b32", [ATOM_XOR] = "b32", [ATOM_EXCH] = "",
                                        [ATOM_CAS] = "", [ATOM_INC] = "u32", [ATOM_DEC] = "u32"};
    set_order(m, o, SEM_RELAXED, SCOPE_CLUSTER);
    o->instr.count = (uint8_t)GET(atomop);
    return remote_store(m, o) && o->instr.sem == SEM_RELAXED && o->instr.scope == SCOPE_CLUSTER && HAS(sem) && HAS(scope) &&
           type_in(GET(type), types[GET(atomop)]) && sub(o, RED_ASYNC);
}

/* ---- Launch control -------------------------------------------------------------------------------- */

static bool finish_clc_try(const struct mods *m, struct opcode *o)
{
    set_types(m, o);
    set_space(m, o);
    o->instr.flags = HAS(multiall) ? CLC_MULTICAST : 0;
    return GET(type) == PTX_B128 && GET(completion) == COMPLETION_MBARRIER &&
           (o->instr.space == MEM_GENERIC || o->instr.space == MEM_SHARED) && sub(o, CLC_TRY_CANCEL);
}
static bool query(const struct mods *m, struct opcode *o, enum clc_op op, enum ptx_type type)
{
    set_types(m, o);
    return GET(type) == (int)type && GET(type2) == PTX_B128 && sub(o, op);
}
static bool finish_clc_is(const struct mods *m, struct opcode *o) { return query(m, o, CLC_IS_CANCELED, PTX_PRED); }
static bool finish_clc_first_x(const struct mods *m, struct opcode *o) { return query(m, o, CLC_FIRST_X, PTX_B32); }
static bool finish_clc_first_y(const struct mods *m, struct opcode *o) { return query(m, o, CLC_FIRST_Y, PTX_B32); }
static bool finish_clc_first_z(const struct mods *m, struct opcode *o) { return query(m, o, CLC_FIRST_Z, PTX_B32); }
static bool finish_clc_first(const struct mods *m, struct opcode *o)
{
    o->instr.count = 4;
    return GET(vec) == 4 && query(m, o, CLC_FIRST_V4, PTX_B32);
}

bool opcode_finish(enum op_id family, const struct mods *m, struct opcode *o)
{
    switch (family) {
#define FAMILY(id, prefix, klass, cost, modifiers) case OP_##id: return finish_##id(m, o);
#include "ptx/opcodes.def"
    default: return false;
    }
}

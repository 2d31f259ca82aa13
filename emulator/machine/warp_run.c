/*
 * The interpreter: runs one warp until it waits, ends, or has used its burst.
 *
 * Lanes that agree on frame and program counter run together; the group with
 * the deepest frame and, within it, the lowest program counter goes first, so
 * that groups meet again where their paths join. A group that only spins hands
 * over to the others (a failed wait, nanosleep, too many backward branches
 * without a store), so no lane starves the one it waits for.
 *
 * Compiled four times: VARIANT names the processor, OBSERVED says whether
 * events are emitted, so a run without listeners pays nothing for them.
 */
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"
#include "ptx/opcode.h"
#include "sync/exec_sync.h"

#define JOIN3(a, b, c) a##b##c
#define NAME3(a, b, c) JOIN3(a, b, c)
#if OBSERVED
#define RUN_WARP NAME3(run_warp_observed_, VARIANT, )
#else
#define RUN_WARP NAME3(run_warp_plain_, VARIANT, )
#endif

enum {
    ALL_LANES = -1,
    SPIN_LIMIT = 2000,       /* backward branches without a store before a group hands over */
    POLL_LIMIT = 128,        /* the same when it loads volatile, strong or atomic in between */
    VISIBLE_SLACK = 100,     /* cycles a warp may run ahead of the others before it does what they can see */
    EXIT_SLACK = 2000,
    MEMORY_CREDIT = 1000
};

/* What one call of RUN_WARP has used so far. */
struct spent {
    uint64_t start;          /* cycle it began at */
    uint64_t cycles;         /* latency */
    uint64_t issue;          /* busy time of the warp scheduler */
    uint32_t steps;
};

/* Where each lane of the group stands. Nothing to do while it is all there is. */
static void store_group(struct warp *w)
{
    if (w->whole)
        return;
    for (uint32_t l = 0; l < LANES; l++)
        if (w->active >> l & 1)
            w->lane_pc[l] = w->pc;
}

static uint32_t first_of(uint32_t mask)
{
    uint32_t lane = 0;
    while (!(mask >> lane & 1))
        lane++;
    return lane;
}

/* All live lanes stand at one place. */
static bool together(const struct warp *w)
{
    uint32_t first = first_of(w->live), bad = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t differs = (w->lane_pc[l] ^ w->lane_pc[first]) | (uint32_t)(w->lane_frame[l] != w->lane_frame[first]);
        bad |= w->live >> l & 1 ? differs : 0;
    }
    return bad == 0;
}

/* Picks the group to run. false: no lane can run. */
static bool select_group(struct warp *w)
{
    uint32_t ready = w->live & ~w->blocked;
    uint32_t pool = ready & ~w->yielded;
    if (ready == 0)
        return false;
    if (pool == 0) {
        w->yielded = 0;
        pool = ready;
    }
    if (w->whole) {
        w->active = ready;
        w->stop_pc = UINT32_MAX;
        warp_banks(w);
        return true;
    }
    if (ready == w->live && together(w)) {
        w->frame = w->lane_frame[first_of(ready)];
        w->pc = w->lane_pc[first_of(ready)];
        w->active = ready;
        w->stop_pc = UINT32_MAX;
        w->yielded = 0;
        w->whole = true;
        warp_banks(w);
        return true;
    }
    uint32_t best = LANES;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(pool >> l & 1))
            continue;
        if (best == LANES || w->lane_frame[l]->depth > w->lane_frame[best]->depth ||
            (w->lane_frame[l]->depth == w->lane_frame[best]->depth &&
             (w->lane_frame[l]->serial < w->lane_frame[best]->serial ||
              (w->lane_frame[l] == w->lane_frame[best] && w->lane_pc[l] < w->lane_pc[best]))))
            best = l;
    }
    w->frame = w->lane_frame[best];
    w->pc = w->lane_pc[best];
    w->stop_pc = UINT32_MAX;
    w->active = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(ready >> l & 1) || w->lane_frame[l] != w->frame)
            continue;
        if (w->lane_pc[l] == w->pc)
            w->active |= 1u << l;
        else if (w->lane_pc[l] > w->pc && w->lane_pc[l] < w->stop_pc)
            w->stop_pc = w->lane_pc[l];
    }
    w->yielded &= ~w->active;
    w->whole = w->active == w->live;
    warp_banks(w);
    return true;
}

/* The group steps back until the others have had their turn. */
static void hand_over(struct warp *w)
{
    store_group(w);
    w->spins = 0;
    if (w->whole)
        return;
    w->yielded |= w->active;
}

static inline bool strong(const struct instr *i)
{
    return i->sem != SEM_WEAK;
}

/* ---- loads and stores: the common shapes at vector speed ----------------- */

static inline bool consecutive(const uint64_t *a, uint64_t step)
{
    uint64_t bad = 0;
    for (uint32_t l = 0; l < LANES; l++)
        bad |= a[l] ^ (a[0] + step * l);
    return bad == 0;
}

static void load_param(const struct warp *w, const struct instr *i, uint32_t mask)
{
    const uint8_t *from = w->block->grid->params + i->imm;
    void *to = operand_at(w->bank, i->r[0]);
    if (i->type == PTX_U64 || i->type == PTX_B64 || i->type == PTX_S64 || i->type == PTX_F64) {
        uint64_t v, *d = to;
        memcpy(&v, from, 8);
        for (uint32_t l = 0; l < LANES; l++)
            d[l] = mask >> l & 1 ? v : d[l];
    } else {
        uint32_t v, *d = to;
        memcpy(&v, from, 4);
        for (uint32_t l = 0; l < LANES; l++)
            d[l] = mask >> l & 1 ? v : d[l];
    }
}

/* Kernel parameters at constant addresses, 4 or 8 bytes into a register of that size. */
static inline bool simple_param(const struct warp *w, const struct instr *i)
{
    int bytes = ptx_type_bytes(i->type);
    return i->r[1] == OPREF_NONE && i->count == 1 && (bytes == 4 || bytes == 8) &&
           !(i->flags & (LD_WIDE_REG32 | LD_WIDE_REG64)) && w->frame->depth == 0 &&
           i->imm >= 0 && (uint64_t)i->imm + (uint64_t)bytes <= w->block->grid->param_bytes;
}

/* All 32 lanes, consecutive elements of 4 or 8 bytes in one allocation, and all of them written
 * before: host bytes of lane 0, or NULL when the access is not of that shape. */
static uint8_t *consecutive_global(struct machine *m, const struct warp *w, const struct instr *i, opref base,
                                   uint32_t bytes, bool write)
{
    const uint64_t *a = operand_at(w->bank, base);
    if (base == OPREF_NONE || i->addr32 || !consecutive(a, bytes))
        return NULL;
    uint64_t first = a[0] + (uint64_t)i->imm;
    if (first % bytes != 0)
        return NULL;
    struct allocation *at = memory_find(m->memory, first);
    if (at == NULL || at->freed || at->size - (first - at->address) < (uint64_t)LANES * bytes)
        return NULL;
    size_t offset = first - at->address;
    if (at->init != NULL && write) {
        bits_set(at->init, offset, (size_t)LANES * bytes);
    } else if (at->init != NULL) {
        if (offset % 8 != 0)
            return NULL;
        uint64_t bits[4] = {~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
        memcpy(bits, at->init + offset / 8, (size_t)LANES * bytes / 8);
        if ((bits[0] & bits[1] & bits[2] & bits[3]) != ~UINT64_C(0))
            return NULL;
    }
    return at->bytes + offset;
}

/* Offsets of all 32 lanes in the own block's shared memory; false: some lane needs the general way. */
static inline bool shared_offsets(const struct warp *w, const struct instr *i, opref base, uint32_t bytes, uint32_t *offset)
{
    uint64_t bad = 0;
    uint32_t limit = w->block->grid->shared_bytes - bytes;
    if (base == OPREF_NONE)
        return false;
    if (i->addr32) {
        const uint32_t *a = operand_at(w->bank, base);
        for (uint32_t l = 0; l < LANES; l++)
            offset[l] = a[l] + (uint32_t)i->imm;
    } else {
        const uint64_t *a = operand_at(w->bank, base);
        for (uint32_t l = 0; l < LANES; l++) {
            uint64_t at = a[l] + (uint64_t)i->imm;
            offset[l] = (uint32_t)at;
            bad |= at >> 32;
        }
    }
    uint32_t wrong = 0;
    for (uint32_t l = 0; l < LANES; l++)
        wrong |= (offset[l] & (bytes - 1)) | (uint32_t)(offset[l] > limit);
    return (bad | wrong) == 0;
}

static inline bool side_by_side(const uint32_t *offset, uint32_t bytes)
{
    uint32_t bad = 0;
    for (uint32_t l = 0; l < LANES; l++)
        bad |= offset[l] ^ (offset[0] + bytes * l);
    return bad == 0;
}

/* Every element was written at least in part. `bytes` is 4 or 8 and offsets are aligned to it. */
static inline bool all_written(const uint8_t *init, const uint32_t *offset, uint32_t bytes)
{
    uint32_t bits = bytes == 4 ? 15 : 255, missing = 0;
    for (uint32_t l = 0; l < LANES; l++)
        missing |= (uint32_t)((init[offset[l] >> 3] >> (offset[l] & 7) & bits) == 0);
    return missing == 0;
}

static bool load_shared(const struct warp *w, const struct instr *i, uint32_t bytes)
{
    uint32_t offset[LANES];
    const struct block *b = w->block;
    if (!shared_offsets(w, i, i->r[1], bytes, offset) || !all_written(b->shared_init, offset, bytes))
        return false;
    if (side_by_side(offset, bytes)) {
        memcpy(operand_at(w->bank, i->r[0]), b->shared + offset[0], (size_t)LANES * bytes);
        return true;
    }
    uint8_t *to = operand_at(w->bank, i->r[0]);
    for (uint32_t l = 0; l < LANES; l++)
        if (bytes == 4)
            memcpy(to + 4 * l, b->shared + offset[l], 4);
        else
            memcpy(to + 8 * l, b->shared + offset[l], 8);
    return true;
}

static bool store_shared(const struct warp *w, const struct instr *i, uint32_t bytes)
{
    uint32_t offset[LANES];
    struct block *b = w->block;
    if (!shared_offsets(w, i, i->r[0], bytes, offset))
        return false;
    const uint8_t *from = operand_at(w->bank, i->r[1]);
    if (side_by_side(offset, bytes)) {
        memcpy(b->shared + offset[0], from, (size_t)LANES * bytes);
        bits_set(b->shared_init, offset[0], (size_t)LANES * bytes);
        return true;
    }
    for (uint32_t l = 0; l < LANES; l++) {
        if (bytes == 4)
            memcpy(b->shared + offset[l], from + 4 * l, 4);
        else
            memcpy(b->shared + offset[l], from + 8 * l, 8);
        b->shared_init[offset[l] >> 3] |= (uint8_t)((bytes == 4 ? 15u : 255u) << (offset[l] & 7));
    }
    return true;
}

static inline uint32_t plain_bytes(const struct instr *i)
{
    int bytes = ptx_type_bytes(i->type);
    bool plain = i->count == 1 && (bytes == 4 || bytes == 8) && !(i->flags & (LD_WIDE_REG32 | LD_WIDE_REG64));
    return plain ? (uint32_t)bytes : 0;
}

static bool is_device_space(uint8_t space)
{
    return space == MEM_GLOBAL || space == MEM_GENERIC;
}

/* The SM's share of device bandwidth. Warps run ahead of each other, so accesses do not come in order of time: what was
 * not used during the last MEMORY_CREDIT cycles may still be. */
static void charge_memory(struct machine *m, struct warp *w, struct spent *s, uint32_t bytes)
{
    struct sm *sm = &m->sms[w->block->sm];
    uint64_t now = s->start + s->cycles;
    if (sm->memory_busy + MEMORY_CREDIT < now)
        sm->memory_busy = now - MEMORY_CREDIT;
    uint64_t share = (uint64_t)bytes * (uint64_t)m->device->sms;
    sm->memory_busy += (share + (uint64_t)m->device->bytes_per_cycle - 1) / (uint64_t)m->device->bytes_per_cycle;
    if (sm->memory_busy > now)
        s->cycles += sm->memory_busy - now;
}

static bool load(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct spent *s)
{
    uint32_t bytes = plain_bytes(i);
    if (bytes != 0 && mask == (uint32_t)ALL_LANES && is_device_space(i->space)) {
        const uint8_t *from = consecutive_global(m, w, i, i->r[1], bytes, false);
        if (from != NULL) {
            memcpy(operand_at(w->bank, i->r[0]), from, (size_t)LANES * bytes);
            charge_memory(m, w, s, LANES * bytes);
            return true;
        }
    }
    if (bytes != 0 && mask == (uint32_t)ALL_LANES && i->space == MEM_SHARED && load_shared(w, i, bytes))
        return true;
    if (i->space == MEM_GLOBAL)
        charge_memory(m, w, s, 32 * lanes_count(mask));
    return exec_ld(m, w, i, mask);
}

static bool store(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct spent *s)
{
    uint32_t bytes = plain_bytes(i);
    if (bytes != 0 && mask == (uint32_t)ALL_LANES && is_device_space(i->space)) {
        uint8_t *to = consecutive_global(m, w, i, i->r[0], bytes, true);
        if (to != NULL) {
            memcpy(to, operand_at(w->bank, i->r[1]), (size_t)LANES * bytes);
            charge_memory(m, w, s, LANES * bytes);
            return true;
        }
    }
    if (bytes != 0 && mask == (uint32_t)ALL_LANES && i->space == MEM_SHARED && store_shared(w, i, bytes))
        return true;
    if (i->space == MEM_GLOBAL)
        charge_memory(m, w, s, 32 * lanes_count(mask));
    return exec_st(m, w, i, mask);
}

/* ---- events --------------------------------------------------------------- */

#if OBSERVED
static void emit_access(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, opref base,
                        uint8_t flags, const struct spent *s)
{
    uint64_t addr[LANES];
    for (uint32_t l = 0; l < LANES; l++)
        addr[l] = mask >> l & 1 ? lane_address(w, i, base, l) : 0;
    struct event e = {.kind = EVENT_ACCESS, .time = s->start + s->cycles, .grid = w->block->grid, .block = w->block,
                      .warp = w, .function = w->frame->function, .pc = w->pc, .mask = mask, .space = i->space,
                      .sem = i->sem, .scope = i->scope, .sub = i->sub, .flags = flags,
                      .bytes = (uint32_t)ptx_type_bytes(i->type) * (i->count ? i->count : 1u), .addr = addr};
    for (struct observer *o = m->observers; o != NULL; o = o->next)
        o->event(o, &e);
}
#define EMIT_ACCESS(base, flags, spent) emit_access(m, w, i, mask, base, flags, spent)
#else
#define EMIT_ACCESS(base, flags, spent) ((void)0)
#endif

/* ---- control flow ----------------------------------------------------------- */

/* Returns false when another group must be picked. */
static bool branch(struct warp *w, const struct instr *i, uint32_t taken)
{
    uint32_t target = (uint32_t)i->imm, next = w->pc + 1;
    if (target <= w->pc && taken != 0)
        w->spins++;
    if (taken == w->active) {
        w->pc = target;
        return true;
    }
    if (taken == 0) {
        w->pc = next;
        return true;
    }
    w->whole = false;
    for (uint32_t l = 0; l < LANES; l++)
        if (w->active >> l & 1)
            w->lane_pc[l] = taken >> l & 1 ? target : next;
    return false;
}

static void finish(struct machine *m, struct warp *w, const struct spent *s)
{
    struct sm *sm = &m->sms[w->block->sm];
    uint64_t *busy = &sm->busy[w->slot & 3];
    uint64_t end = s->start + s->cycles;
    *busy = (*busy > s->start ? *busy : s->start) + s->issue;
    w->time = end > *busy ? end : *busy;
    m->counts.warp_instructions += s->steps;
    m->steps_since_progress += s->steps;
    m->steps_since_block += s->steps;
}

/* Everything but arithmetic: what happened, and what the loop does next. */
enum next { GO_ON, PICK /* another group */, LEAVE /* the warp stops for now */ };

/* Before an instruction at which lanes may come to wait: where each goes on. */
static void lanes_step(struct warp *w)
{
    w->whole = false;
    for (uint32_t l = 0; l < LANES; l++)
        if (w->active >> l & 1)
            w->lane_pc[l] = w->pc + 1;
}

/* Nobody had to wait: the group goes on, and is all there is if it was. */
static void step_together(struct warp *w)
{
    w->pc++;
    w->whole = w->active == w->live && w->blocked == 0;
}

static enum next after_exec(struct warp *w, enum exec_result r)
{
    if (r == EXEC_NEXT) {
        step_together(w);
        return GO_ON;
    }
    return r == EXEC_BLOCKED ? PICK : LEAVE;
}

static enum next run_sync(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct spent *s)
{
    struct sync_time t = {.now = s->start + s->cycles, .extra = 0};
    lanes_step(w);
    enum sync_result r = exec_sync(m, w, i, mask, &t);
    s->cycles += t.extra;
    switch (r) {
    case SYNC_DONE:
        step_together(w);
        return GO_ON;
    case SYNC_YIELD:                 /* the wait failed; the result is written */
        w->pc++;
        hand_over(w);
        return LEAVE;
    case SYNC_BLOCK:
        return PICK;
    case SYNC_FAULT:
        break;
    }
    return LEAVE;
}

static enum next run_exit(struct machine *m, struct warp *w, uint32_t mask, struct spent *s)
{
    if (mask == 0) {
        w->pc++;
        return GO_ON;
    }
    lanes_step(w);
    finish(m, w, s);
    lanes_exit(m, w, mask);
    return LEAVE;
}

static enum next run_call(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    if (mask == 0) {
        w->pc++;
        return GO_ON;
    }
    lanes_step(w);
    return frame_call(m, w, i, mask) ? PICK : LEAVE;
}

static enum next run_ret(struct machine *m, struct warp *w, uint32_t mask)
{
    if (mask == 0) {
        w->pc++;
        return GO_ON;
    }
    lanes_step(w);
    frame_return(m, w, mask);
    return PICK;
}

static enum next run_nanosleep(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct spent *s)
{
    const uint32_t *ns = operand_at(w->bank, i->r[0]);
    uint64_t longest = 0;
    for (uint32_t l = 0; l < LANES; l++)
        if ((mask >> l & 1) && ns[l] > longest)
            longest = ns[l];
    if (longest > 1000000)
        longest = 1000000;               /* PTX ISA: at most 1 ms */
    w->pc++;
    if (mask == 0)
        return GO_ON;
    s->cycles += longest * (uint64_t)m->device->clock_khz / 1000000;
    hand_over(w);
    return LEAVE;
}

/* Other warps see what this instruction does, or when it is done. */
static bool must_wait_its_turn(const struct warp *w, const struct instr *i, const struct spent *s)
{
    switch (i->klass) {
    case CLASS_ATOM: case CLASS_RED: case CLASS_MBARRIER: case CLASS_CLC: case CLASS_CP_BULK: case CLASS_ST_ASYNC:
    case CLASS_CLUSTER_BAR: case CLASS_BAR:
        return s->cycles > VISIBLE_SLACK;
    case CLASS_LD: case CLASS_ST:
        return (s->cycles > VISIBLE_SLACK && strong(i)) || (s->cycles > MEMORY_CREDIT && is_device_space(i->space));
    case CLASS_RET:
        return s->cycles > EXIT_SLACK && w->frame->depth == 0;
    case CLASS_EXIT:
        return s->cycles > EXIT_SLACK;
    default:
        return false;
    }
}

static void run_refused(struct machine *m, struct warp *w, uint32_t mask)
{
    char what[256];
    opcode_refusal_text(&w->frame->function->source->statements[w->pc], what, sizeof what);
    fault_at(m, w, mask, FAULT_UNSUPPORTED, "%s is outside the emulator's coverage (`emu-run --coverage` lists what is inside)", what);
}

static enum next run_other(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, struct spent *sp)
{
    enum exec_result r;
    enum next next = GO_ON;
    switch (i->klass) {
    case CLASS_NOP: case CLASS_GRIDDEP:
        w->pc++;
        return GO_ON;
    case CLASS_MOV_SREG:
        exec_mov_sreg(m, w, i, mask, sp->start + sp->cycles);
        w->pc++;
        return GO_ON;
    case CLASS_MOV_FRAME:
        exec_mov_frame(m, w, i, mask);
        w->pc++;
        return GO_ON;
    case CLASS_CVTA:
        exec_cvta(m, w, i, mask);
        w->pc++;
        return GO_ON;
    case CLASS_ISSPACEP:
        exec_isspacep(m, w, i, mask);
        w->pc++;
        return GO_ON;
    case CLASS_ATOM: case CLASS_RED:
        if (mask != 0) {
            EMIT_ACCESS(i->klass == CLASS_RED ? i->r[0] : i->r[1], ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC, sp);
            if (!exec_atom(m, w, i, mask))
                return LEAVE;
            m->epoch++;
            w->spins += SPIN_LIMIT / POLL_LIMIT;
        }
        w->pc++;
        return GO_ON;
    case CLASS_CALL:
        return run_call(m, w, i, mask);
    case CLASS_RET:
        return w->frame->depth == 0 ? run_exit(m, w, mask, sp) : run_ret(m, w, mask);
    case CLASS_EXIT:
        return run_exit(m, w, mask, sp);
    case CLASS_TRAP: case CLASS_BRKPT:
        if (mask != 0) {
            fault_at(m, w, mask, FAULT_TRAP, "the kernel executed `%s`", i->klass == CLASS_TRAP ? "trap" : "brkpt");
            return LEAVE;
        }
        w->pc++;
        return GO_ON;
    case CLASS_BAR:
        finish(m, w, sp);
        *sp = (struct spent){.start = w->time};
        if (mask == 0) {
            w->pc++;
            return GO_ON;
        }
        lanes_step(w);
        r = exec_bar(m, w, i, mask);
        sp->start = w->time;             /* the last to arrive opens it and waits no longer than the others */
        return after_exec(w, r);
    case CLASS_WARP:
        if (mask == 0) {
            w->pc++;
            return GO_ON;
        }
        lanes_step(w);
        return after_exec(w, exec_warp_op(m, w, i, mask));
    case CLASS_NANOSLEEP:
        return run_nanosleep(m, w, i, mask, sp);
    case CLASS_FENCE: case CLASS_MBARRIER: case CLASS_CLUSTER_BAR: case CLASS_MAPA: case CLASS_GETCTARANK:
    case CLASS_CP_ASYNC: case CLASS_CP_BULK: case CLASS_ST_ASYNC: case CLASS_CLC:
        if (mask == 0) {
            w->pc++;
            return GO_ON;
        }
        return run_sync(m, w, i, mask, sp);
    default:
        if (mask == 0) {
            w->pc++;
            return GO_ON;
        }
        run_refused(m, w, mask);
        next = LEAVE;
    }
    return next;
}

void RUN_WARP(struct machine *m, struct warp *w, uint32_t burst)
{
    struct spent s = {.start = w->time};
    const struct device *d = m->device;
    alu_function *const *alu = m->alu;
    enum next next = PICK;
    for (;;) {
        if (next == PICK && !select_group(w))
            break;
        const struct instr *code = w->frame->function->code;
        next = GO_ON;
        while (next == GO_ON) {
            if (w->pc >= w->stop_pc) {
                store_group(w);
                next = PICK;
                break;
            }
            const struct instr *i = &code[w->pc];
            uint32_t mask = w->active;
            if (i->guard != OPREF_NONE) {
                uint32_t p = *(const uint32_t *)operand_at(w->bank, i->guard);
                mask &= i->guard_not ? ~p : p;
            }
            if (i->klass != CLASS_ALU && (s.steps >= burst || must_wait_its_turn(w, i, &s))) {
                store_group(w);
                next = LEAVE;
                break;
            }
            s.steps++;
            s.cycles += (uint64_t)d->latency[i->cost];
            s.issue += (uint64_t)d->issue[i->cost];
            switch (i->klass) {
            case CLASS_ALU:
                if (mask != 0)
                    alu[i->op](w->bank, i, mask);
                w->pc++;
                break;
            case CLASS_LD:
                if (mask != 0) {
                    if (i->space == MEM_KPARAM && simple_param(w, i)) {
                        load_param(w, i, mask);
                    } else {
                        EMIT_ACCESS(i->r[1], ACCESS_READ, &s);
                        if (!load(m, w, i, mask, &s)) {
                            next = LEAVE;
                            break;
                        }
                    }
                    if (strong(i))
                        w->spins += SPIN_LIMIT / POLL_LIMIT;
                }
                w->pc++;
                break;
            case CLASS_ST:
                if (mask != 0) {
                    EMIT_ACCESS(i->r[0], ACCESS_WRITE, &s);
                    if (!store(m, w, i, mask, &s)) {
                        next = LEAVE;
                        break;
                    }
                    w->spins = 0;
                    m->epoch += i->space != MEM_LOCAL && i->space != MEM_FRAME;
                }
                w->pc++;
                break;
            case CLASS_BRA:
                if (!branch(w, i, mask)) {
                    next = PICK;
                } else if (w->spins > SPIN_LIMIT) {
                    hand_over(w);
                    next = PICK;
                }
                break;
            default:
                next = run_other(m, w, i, mask, &s);
                if (next == LEAVE && (i->klass == CLASS_EXIT || i->klass == CLASS_RET))
                    return;              /* the warp may be gone */
            }
        }
        if (next == LEAVE)
            break;
    }
    finish(m, w, &s);
}

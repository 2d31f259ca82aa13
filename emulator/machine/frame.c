/*
 * Calls and returns.
 *
 * A call makes a frame for the lanes that called together: registers, and a
 * stretch of local memory for parameters, results and .local variables.
 * Arguments are copied in, results copied back when a lane returns. Lanes of
 * one frame may return at different times; the last one gives it back.
 */
#include <string.h>

#include "machine/grid.h"

enum { LOCAL_LIMIT = 512 * 1024 };      /* bytes per thread, as on hardware */

static uint8_t *lane_local(const struct warp *w, uint32_t lane, uint32_t address)
{
    return w->local + (size_t)lane * w->local_stride + address;
}

bool local_reserve(struct machine *m, struct warp *w, uint32_t bytes)
{
    if (bytes <= w->local_stride) {
        w->local_top = w->local_top > bytes ? w->local_top : bytes;
        return true;
    }
    uint32_t stride = w->local_stride ? w->local_stride : 64;
    while (stride < bytes)
        stride *= 2;
    uint8_t *grown = bytes <= LOCAL_LIMIT ? heap_alloc(m->heap, (size_t)LANES * stride) : NULL;
    if (grown == NULL)
        return false;
    for (uint32_t l = 0; l < LANES && w->local != NULL; l++)
        memcpy(grown + (size_t)l * stride, lane_local(w, l, 0), w->local_stride);
    heap_free(m->heap, w->local, (size_t)LANES * w->local_stride);
    w->local = grown;
    w->local_stride = stride;
    w->local_top = bytes;
    return true;
}

static struct frame *frame_new(struct machine *m, struct warp *w, const struct code_function *f)
{
    struct frame *frame = w->free_frames;
    if (frame != NULL)
        w->free_frames = frame->next_free;
    else
        frame = heap_alloc(m->heap, sizeof *frame);
    uint8_t *regs = frame != NULL ? heap_alloc(m->heap, f->reg_bytes) : NULL;
    if (regs == NULL)
        return NULL;
    *frame = (struct frame){.function = f, .regs = regs, .serial = ++w->frame_serial};
    return frame;
}

static void frame_delete(struct machine *m, struct warp *w, struct frame *f)
{
    heap_free(m->heap, f->regs, f->function->reg_bytes);
    f->next_free = w->free_frames;
    w->free_frames = f;
}

static uint32_t round16(uint32_t n) { return (n + 15) & ~15u; }

static void copy_lane(const struct warp *w, uint32_t lane, uint32_t to, uint32_t from, uint32_t bytes)
{
    memcpy(lane_local(w, lane, to), lane_local(w, lane, from), bytes);
}

static bool enter(struct machine *m, struct warp *w, const struct code_call *call, int function, uint32_t mask)
{
    const struct code *code = w->block->grid->code;
    const struct code_function *f = &code->functions[function];
    struct frame *caller = w->frame, *callee = frame_new(m, w, f);
    if (callee == NULL) {
        fault_plain(m, FAULT_INTERNAL, "out of memory");
        return false;
    }
    callee->parent = caller;
    callee->call = call;
    callee->return_pc = w->pc + 1;
    callee->lanes = mask;
    callee->depth = caller->depth + 1;
    callee->base = caller->base + round16(caller->function->frame_bytes);
    if (!local_reserve(m, w, callee->base + f->frame_bytes)) {
        fault_at(m, w, mask, FAULT_ADDRESS, "the call needs more than %d bytes of local memory per thread (recursion without end?)",
                 LOCAL_LIMIT);
        return false;
    }
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        for (int k = 0; k < call->arg_count && k < f->source->param_count; k++)
            copy_lane(w, l, callee->base + f->param_offset[k], caller->base + call->arg_offset[k], call->arg_bytes[k]);
        w->lane_frame[l] = callee;
        w->lane_pc[l] = 0;
    }
    return true;
}

/* Lanes that call through different pointers leave one after the other. */
static bool call_indirect(struct machine *m, struct warp *w, const struct code_call *call, uint32_t mask)
{
    const uint64_t *target = operand_at(w->bank, call->target);
    const struct code *code = w->block->grid->code;
    uint32_t left = mask;
    while (left != 0) {
        uint32_t first = 0, same = 0;
        while (!(left >> first & 1))
            first++;
        for (uint32_t l = first; l < LANES; l++)
            if ((left >> l & 1) && target[l] == target[first])
                same |= 1u << l;
        uint64_t number = (target[first] - FUNCTION_ADDRESS(0)) / 16;
        if (target[first] < FUNCTION_ADDRESS(0) || target[first] % 16 != 0 ||
            number >= (uint64_t)code->module->function_count || code->functions[number].code == NULL) {
            fault_at(m, w, same, FAULT_ILLEGAL, "indirect call to 0x%llx, which is no function of this module",
                     (unsigned long long)target[first]);
            return false;
        }
        if (!enter(m, w, call, (int)number, same))
            return false;
        left &= ~same;
    }
    return true;
}

/* lane_pc of the group already points behind the call. */
bool frame_call(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    const struct code_call *call = &w->frame->function->calls[i->imm];
    switch (call->kind) {
    case CALL_FUNCTION: return enter(m, w, call, call->function, mask);
    case CALL_INDIRECT: return call_indirect(m, w, call, mask);
    default: return call_builtin(m, w, call, mask);
    }
}

void frame_return(struct machine *m, struct warp *w, uint32_t mask)
{
    struct frame *f = w->frame, *parent = f->parent;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        for (int k = 0; k < f->call->ret_count && k < f->function->source->ret_count; k++)
            copy_lane(w, l, parent->base + f->call->ret_offset[k], f->base + f->function->ret_offset[k], f->call->ret_bytes[k]);
        w->lane_frame[l] = parent;
        w->lane_pc[l] = f->return_pc;
    }
    f->lanes &= ~mask;
    if (f->lanes == 0)
        frame_delete(m, w, f);
}

/* Lanes that exit inside a function leave all their frames. */
void frames_leave(struct machine *m, struct warp *w, uint32_t lane)
{
    for (struct frame *f = w->lane_frame[lane]; f->depth > 0;) {
        struct frame *parent = f->parent;
        f->lanes &= ~(1u << lane);
        if (f->lanes == 0)
            frame_delete(m, w, f);
        f = parent;
    }
    w->lane_frame[lane] = w->entry_frame;
}

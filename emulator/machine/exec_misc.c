/* Special registers that change, address conversions, addresses of local variables. */
#include <string.h>

#include "machine/grid.h"

static uint64_t nanoseconds(const struct machine *m, uint64_t cycles)
{
    return (uint64_t)((double)cycles * 1e6 / (double)m->device->clock_khz);
}

static uint64_t sreg_value(const struct machine *m, const struct warp *w, enum ptx_sreg sreg, uint64_t time)
{
    const struct grid *g = w->block->grid;
    switch (sreg) {
    case PTX_SREG_CLOCK: case PTX_SREG_CLOCK64: return time;
    case PTX_SREG_CLOCK_HI: return time >> 32;
    case PTX_SREG_GLOBALTIMER: case PTX_SREG_GLOBALTIMER_LO: return nanoseconds(m, time);
    case PTX_SREG_GLOBALTIMER_HI: return nanoseconds(m, time) >> 32;
    case PTX_SREG_ENVREG1: return g->grid_sync >> 32;
    case PTX_SREG_ENVREG2: return g->grid_sync & 0xffffffffu;
    case PTX_SREG_RESERVED_SMEM_BEGIN: return 0;
    case PTX_SREG_RESERVED_SMEM_0: case PTX_SREG_RESERVED_SMEM_1: return g->shared_bytes - g->reserved_bytes;
    case PTX_SREG_RESERVED_SMEM_END: case PTX_SREG_RESERVED_SMEM_CAP: return g->shared_bytes;
    default: return 0;
    }
}

void exec_mov_sreg(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask, uint64_t time)
{
    if (i->imm >= PTX_SREG_CLOCK)
        m->clock_read = true;            /* somebody waits by the clock: time must go on */
    uint64_t value = sreg_value(m, w, (enum ptx_sreg)i->imm, time);
    uint32_t bytes = (uint32_t)ptx_type_bytes((enum ptx_type)i->type);
    uint8_t *d = operand_at(w->bank, i->r[0]);
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1)
            memcpy(d + (size_t)l * bytes, &value, bytes);
}

void exec_mov_frame(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    uint64_t value = w->frame->base + (uint64_t)i->imm;
    uint32_t bytes = (uint32_t)ptx_type_bytes((enum ptx_type)i->type);
    uint8_t *d = operand_at(w->bank, i->r[0]);
    (void)m;
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1)
            memcpy(d + (size_t)l * bytes, &value, bytes);
}

static uint64_t window(const struct warp *w, enum mem_space space)
{
    switch (space) {
    case MEM_SHARED: case MEM_CLUSTER: return WINDOW_SHARED;
    case MEM_LOCAL: case MEM_FRAME: return WINDOW_LOCAL;
    case MEM_KPARAM: return WINDOW_PARAM;
    case MEM_CONST: return w->block->grid->const_base;
    default: return 0;
    }
}

/* cvta: space to generic adds the window; cvta.to takes it off (PTX ISA 9.7.9.20). */
void exec_cvta(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    uint64_t base = window(w, (enum mem_space)i->space);
    bool to_space = i->sub != 0;
    (void)m;
    if (i->addr32) {
        const uint32_t *a = operand_at(w->bank, i->r[1]);
        uint32_t *d = operand_at(w->bank, i->r[0]);
        for (uint32_t l = 0; l < LANES; l++)
            if (mask >> l & 1)
                d[l] = to_space ? a[l] - (uint32_t)base : a[l] + (uint32_t)base;
        return;
    }
    const uint64_t *a = operand_at(w->bank, i->r[1]);
    uint64_t *d = operand_at(w->bank, i->r[0]);
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1)
            d[l] = to_space ? a[l] - base : a[l] + base;
}

static bool lies_in(const struct warp *w, enum mem_space space, uint64_t a)
{
    bool shared = a - WINDOW_SHARED < WINDOW_BYTES, local = a - WINDOW_LOCAL < WINDOW_BYTES;
    bool param = a - WINDOW_PARAM < WINDOW_BYTES, constant = a - w->block->grid->const_base < w->block->grid->const_bytes;
    switch (space) {
    case MEM_SHARED: {
        uint64_t rank = (a - WINDOW_SHARED) >> CLUSTER_SHIFT;
        return shared && (rank == 0 || rank == w->block->cluster_rank + 1u);
    }
    case MEM_CLUSTER: return shared;
    case MEM_LOCAL: return local;
    case MEM_KPARAM: return param;
    case MEM_CONST: return constant;
    default: return !shared && !local && !constant;     /* an H200 answers so for parameters and constants */
    }
}

void exec_isspacep(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    uint32_t *p = operand_at(w->bank, i->r[0]), bits = 0;
    (void)m;
    for (uint32_t l = 0; l < LANES; l++) {
        uint64_t a = i->addr32 ? ((const uint32_t *)operand_at(w->bank, i->r[1]))[l]
                               : ((const uint64_t *)operand_at(w->bank, i->r[1]))[l];
        bits |= (uint32_t)lies_in(w, (enum mem_space)i->space, a) << l;
    }
    *p = (*p & ~mask) | (bits & mask);
}

/*
 * Memory accesses lane by lane: every space, width and shape.
 *
 * warp_run.c takes the common shapes itself; what it leaves comes here. An
 * access that memory does not allow ends the run with a sentence naming the
 * allocation concerned.
 *
 * A read is refused as uninitialised only when none of its bytes was ever
 * written: compilers read structures with padding whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "machine/event.h"
#include "machine/grid.h"

/* ---- addresses ----------------------------------------------------------- */

uint64_t lane_address(const struct warp *w, const struct instr *i, opref base, uint32_t lane)
{
    if (base == OPREF_NONE)
        return (uint64_t)i->imm;
    if (i->addr32)
        return (uint32_t)(((const uint32_t *)operand_at(w->bank, base))[lane] + (uint32_t)i->imm);
    return ((const uint64_t *)operand_at(w->bank, base))[lane] + (uint64_t)i->imm;
}

/* "12 bytes after the 1000-byte allocation at 0x... (cudaMalloc number 2)" */
static void describe_allocation(const struct machine *m, uint64_t address, char *text, size_t size)
{
    const struct allocation *a = memory_nearest(m->memory, address);
    if (a == NULL) {
        snprintf(text, size, "nothing is allocated");
        return;
    }
    char number[24] = "", what[160];
    if (a->kind != MEMORY_VARIABLE)
        snprintf(number, sizeof number, " number %u", a->serial);
    snprintf(what, sizeof what, "the %zu-byte allocation at 0x%" PRIx64 " (%s%s)", a->size, a->address, a->label, number);
    if (a->freed)
        snprintf(text, size, "%s was freed", what);
    else if (address < a->address)
        snprintf(text, size, "%" PRIu64 " bytes before %s", a->address - address, what);
    else if (address >= a->address + a->size)
        snprintf(text, size, "%" PRIu64 " bytes after the end of %s", address - (a->address + a->size), what);
    else
        snprintf(text, size, "%" PRIu64 " bytes before the end of %s", a->address + a->size - address, what);
}

static const char *access_name(enum access access)
{
    return access == FOR_READ ? "read" : access == FOR_WRITE ? "write" : "atomic operation";
}

/* Far from all memory a kernel may use. */
static bool is_host_pointer(const struct machine *m, uint64_t address)
{
    enum { NEAR = 1 << 20 };
    const struct allocation *a = memory_nearest(m->memory, address);
    bool near = a != NULL && (address < a->address ? a->address - address <= NEAR : address - a->address <= a->size + NEAR);
    return !near && (address < MEMORY_BASE || address >= m->memory->next + MEMORY_BASE / 64);
}

void fault_access(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size, enum access access)
{
    char where[320];
    struct allocation *a = memory_find(m->memory, address);
    describe_allocation(m, address, where, sizeof where);
    const char *what = a != NULL && a->freed ? "use after free" : "out of bounds";
    if (address < 4096)
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "%s of %u bytes at 0x%" PRIx64 ": a null pointer, or close to one",
                 access_name(access), size, address);
    else if (a == NULL && is_host_pointer(m, address))
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "%s of %u bytes at 0x%" PRIx64
                 ": a host pointer; a kernel reads only memory from cudaMalloc, cudaMallocManaged or cudaHostAlloc",
                 access_name(access), size, address);
    else
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "%s, %s of %u bytes at 0x%" PRIx64 ", %s", what, access_name(access),
                 size, address, where);
}

void fault_uninitialised(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size)
{
    char where[320] = "shared memory";
    if (address < WINDOW_SHARED || address >= WINDOW_SHARED + WINDOW_BYTES)
        describe_allocation(m, address, where, sizeof where);
    fault_at(m, w, 1u << lane, FAULT_ADDRESS, "uninitialised, read of %u bytes at 0x%" PRIx64 " that nothing has written, %s",
             size, address, where);
}

static struct place no_place(void) { return (struct place){.bytes = NULL}; }

static bool any_written(const struct place *p, uint32_t size)
{
    return p->init == NULL || bits_any(p->init, p->init_bit, size);
}

static struct place in_global(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size,
                              enum access access)
{
    struct allocation *a = memory_find(m->memory, address);
    if (a == NULL || a->freed || a->size - (address - a->address) < size) {
        fault_access(m, w, lane, address, size, access);
        return no_place();
    }
    size_t offset = address - a->address;
    struct place p = {.bytes = a->bytes + offset, .init = a->init, .init_bit = offset, .space = MEM_GLOBAL};
    if ((access & FOR_READ) && !any_written(&p, size)) {
        fault_uninitialised(m, w, lane, address, size);
        return fault_later(m) ? p : no_place();
    }
    return p;
}

/* The block a shared address means, the own one or one of the cluster, and the offset in it; NULL: no such block. */
struct block *cluster_owner(struct block *self, uint32_t address, uint32_t *offset)
{
    uint32_t rank = address >> CLUSTER_SHIFT;
    const struct cluster *c = self->cluster;
    *offset = address & ((UINT32_C(1) << CLUSTER_SHIFT) - 1);
    if (rank == 0)
        return self;
    if (c == NULL)
        return rank == 1 ? self : NULL;
    return rank <= c->block_count ? c->blocks[rank - 1] : NULL;
}

static struct place in_shared(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size,
                              enum access access)
{
    uint32_t offset;
    struct block *b = cluster_owner(w->block, (uint32_t)address, &offset);
    if (b == NULL || (b != w->block && b->live_threads == 0)) {
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "%s of %u bytes at shared address 0x%" PRIx64
                 ": block %" PRIu64 " of the cluster does not exist or has ended", access_name(access), size, address,
                 (address >> CLUSTER_SHIFT) - 1);
        fault_rule(m, "CL1");
        return no_place();
    }
    if ((uint64_t)offset + size > b->grid->shared_bytes) {
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "out of bounds, %s of %u bytes at shared address 0x%" PRIx64
                 "; the block has %u bytes of shared memory", access_name(access), size, address, b->grid->shared_bytes);
        return no_place();
    }
    struct place p = {.bytes = b->shared + offset, .init = b->shared_init, .init_bit = offset, .block = b,
                      .space = MEM_SHARED};
    if ((access & FOR_READ) && !any_written(&p, size)) {
        fault_uninitialised(m, w, lane, WINDOW_SHARED + address, size);
        return fault_later(m) ? p : no_place();
    }
    return p;
}

static struct place in_local(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size,
                             enum access access)
{
    if (address + size > w->local_top) {
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "out of bounds, %s of %u bytes at local address 0x%" PRIx64
                 "; the thread has %u bytes of local memory", access_name(access), size, address, w->local_top);
        return no_place();
    }
    return (struct place){.bytes = w->local + (size_t)lane * w->local_stride + address, .space = MEM_LOCAL};
}

static struct place in_params(struct machine *m, struct warp *w, uint32_t lane, uint64_t address, uint32_t size,
                              enum access access)
{
    const struct grid *g = w->block->grid;
    if (address + size > g->param_bytes || access != FOR_READ) {
        fault_at(m, w, 1u << lane, FAULT_ADDRESS, "%s of %u bytes at parameter address 0x%" PRIx64
                 "; the kernel has %u bytes of parameters, read only", access_name(access), size, address, g->param_bytes);
        return no_place();
    }
    return (struct place){.bytes = g->params + address, .space = MEM_KPARAM};
}

struct place resolve(struct machine *m, struct warp *w, uint32_t lane, enum mem_space space, uint64_t address,
                     uint32_t size, enum access access)
{
    uint32_t align = size < 16 ? size : 16;
    if (address % align != 0) {
        fault_at(m, w, 1u << lane, FAULT_MISALIGNED, "misaligned %s of %u bytes at 0x%" PRIx64
                 "; the address must be a multiple of %u", access_name(access), size, address, align);
        return no_place();
    }
    switch (space) {
    case MEM_GENERIC:
        if (address - WINDOW_SHARED < WINDOW_BYTES)
            return in_shared(m, w, lane, address - WINDOW_SHARED, size, access);
        if (address - WINDOW_LOCAL < WINDOW_BYTES)
            return in_local(m, w, lane, address - WINDOW_LOCAL, size, access);
        if (address - WINDOW_PARAM < WINDOW_BYTES)
            return in_params(m, w, lane, address - WINDOW_PARAM, size, access);
        return in_global(m, w, lane, address, size, access);
    case MEM_GLOBAL: return in_global(m, w, lane, address, size, access);
    case MEM_CONST: return in_global(m, w, lane, w->block->grid->const_base + address, size, access);
    case MEM_SHARED: case MEM_CLUSTER: return in_shared(m, w, lane, address, size, access);
    case MEM_LOCAL: return in_local(m, w, lane, address, size, access);
    case MEM_FRAME: return in_local(m, w, lane, w->frame->base + address, size, access);
    case MEM_KPARAM: return in_params(m, w, lane, address, size, access);
    }
    return no_place();
}

/* ---- registers ------------------------------------------------------------- */

/* Bytes of the register an element of a load or store lives in. */
static uint32_t register_bytes(const struct instr *i)
{
    uint32_t bytes = (uint32_t)ptx_type_bytes(i->type);
    if (i->flags & LD_WIDE_REG64)
        return 8;
    if (i->flags & LD_WIDE_REG32)
        return 4;
    return bytes == 1 ? 2 : bytes;
}

static uint64_t extend(const uint8_t *bytes, uint32_t size, bool is_signed)
{
    uint64_t v = 0;
    memcpy(&v, bytes, size);
    if (is_signed && size < 8 && (v >> (8 * size - 1) & 1))
        v |= ~UINT64_C(0) << 8 * size;
    return v;
}

static void to_register(const struct warp *w, const struct instr *i, opref r, uint32_t lane, const uint8_t *bytes)
{
    uint32_t size = (uint32_t)ptx_type_bytes(i->type), width = register_bytes(i);
    uint8_t *d = (uint8_t *)operand_at(w->bank, r) + (size_t)lane * width;
    if (width == size) {
        memcpy(d, bytes, size);
        return;
    }
    uint64_t v = extend(bytes, size, i->flags & LD_SIGNED);
    memcpy(d, &v, width);
}

static void from_register(const struct warp *w, const struct instr *i, opref r, uint32_t lane, uint8_t *bytes)
{
    uint32_t size = (uint32_t)ptx_type_bytes(i->type), width = register_bytes(i);
    const uint8_t *s = (const uint8_t *)operand_at(w->bank, r) + (size_t)lane * width;
    memcpy(bytes, s, size);              /* little endian: the low bytes */
}

/* ---- ld, st ------------------------------------------------------------------ */

static opref element(const struct warp *w, const struct instr *i, opref single, uint32_t k)
{
    return i->count > 1 ? w->frame->function->list[i->list + k] : single;
}

/* All lanes of the mask read one address of memory they share. */
static bool same_address(const struct warp *w, const struct instr *i, uint32_t mask, uint32_t first)
{
    if (i->space == MEM_LOCAL || i->space == MEM_FRAME)
        return false;
    if (i->r[1] == OPREF_NONE)
        return true;
    uint64_t a = lane_address(w, i, i->r[1], first);
    if (a - WINDOW_LOCAL < WINDOW_BYTES && i->space == MEM_GENERIC)
        return false;
    for (uint32_t l = first + 1; l < LANES; l++)
        if ((mask >> l & 1) && lane_address(w, i, i->r[1], l) != a)
            return false;
    return true;
}

static void broadcast(const struct warp *w, const struct instr *i, opref r, uint32_t mask, const uint8_t *bytes)
{
    uint32_t width = register_bytes(i), size = (uint32_t)ptx_type_bytes(i->type);
    if (width == 4 || width == 8) {
        uint64_t v = size < width ? extend(bytes, size, i->flags & LD_SIGNED) : 0;
        if (size == width)
            memcpy(&v, bytes, size);
        uint32_t *d4 = operand_at(w->bank, r);
        uint64_t *d8 = operand_at(w->bank, r);
        for (uint32_t l = 0; l < LANES && width == 4; l++)
            d4[l] = mask >> l & 1 ? (uint32_t)v : d4[l];
        for (uint32_t l = 0; l < LANES && width == 8; l++)
            d8[l] = mask >> l & 1 ? v : d8[l];
        return;
    }
    for (uint32_t l = 0; l < LANES; l++)
        if (mask >> l & 1)
            to_register(w, i, r, l, bytes);
}

bool exec_ld(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    uint32_t size = (uint32_t)ptx_type_bytes(i->type), count = i->count ? i->count : 1, first = 0;
    while (!(mask >> first & 1))
        first++;
    if (same_address(w, i, mask, first)) {
        struct place p = resolve(m, w, first, (enum mem_space)i->space, lane_address(w, i, i->r[1], first), size * count, FOR_READ);
        for (uint32_t k = 0; k < count && p.bytes != NULL; k++) {
            opref r = element(w, i, i->r[0], k);
            if (r != OPREF_NONE)
                broadcast(w, i, r, mask, p.bytes + (size_t)k * size);
        }
        return p.bytes != NULL;
    }
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        struct place p = resolve(m, w, l, (enum mem_space)i->space, lane_address(w, i, i->r[1], l), size * count, FOR_READ);
        if (p.bytes == NULL)
            return false;
        for (uint32_t k = 0; k < count; k++) {
            opref r = element(w, i, i->r[0], k);
            if (r != OPREF_NONE)
                to_register(w, i, r, l, p.bytes + (size_t)k * size);
        }
    }
    return true;
}

bool exec_st(struct machine *m, struct warp *w, const struct instr *i, uint32_t mask)
{
    uint32_t size = (uint32_t)ptx_type_bytes(i->type), count = i->count ? i->count : 1;
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(mask >> l & 1))
            continue;
        struct place p = resolve(m, w, l, (enum mem_space)i->space, lane_address(w, i, i->r[0], l), size * count, FOR_WRITE);
        if (p.bytes == NULL)
            return false;
        for (uint32_t k = 0; k < count; k++)
            from_register(w, i, element(w, i, i->r[1], k), l, p.bytes + (size_t)k * size);
        if (p.init != NULL)
            bits_set(p.init, p.init_bit, (size_t)size * count);
    }
    return true;
}

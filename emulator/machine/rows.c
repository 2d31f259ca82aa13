/* Rows of special registers; see rows.h. */
#include "machine/rows.h"

/* ROW(sreg, value for block b of grid g) */
#define BLOCK_ROWS(ROW)                                                         \
    ROW(CTAID_X, b->id[0])                                                      \
    ROW(CTAID_Y, b->id[1])                                                      \
    ROW(CTAID_Z, b->id[2])                                                      \
    ROW(CLUSTERID_X, b->id[0] / shape[0])                                       \
    ROW(CLUSTERID_Y, b->id[1] / shape[1])                                       \
    ROW(CLUSTERID_Z, b->id[2] / shape[2])                                       \
    ROW(CLUSTER_CTAID_X, b->id[0] % shape[0])                                   \
    ROW(CLUSTER_CTAID_Y, b->id[1] % shape[1])                                   \
    ROW(CLUSTER_CTAID_Z, b->id[2] % shape[2])                                   \
    ROW(CLUSTER_CTARANK, b->cluster_rank)                                       \
    ROW(SMID, b->sm)

enum block_row_number {
#define ROW(sreg, value) BLOCK_ROW_##sreg,
    BLOCK_ROWS(ROW)
#undef ROW
    BLOCK_ROW_COUNT
};

int block_row_count(void) { return BLOCK_ROW_COUNT; }

int block_row(enum ptx_sreg sreg)
{
    switch (sreg) {
#define ROW(sreg, value) case PTX_SREG_##sreg: return BLOCK_ROW_##sreg;
    BLOCK_ROWS(ROW)
#undef ROW
    default: return -1;
    }
}

bool sreg_is_dynamic(enum ptx_sreg sreg)
{
    switch (sreg) {
    case PTX_SREG_CLOCK: case PTX_SREG_CLOCK_HI: case PTX_SREG_CLOCK64: case PTX_SREG_GLOBALTIMER:
    case PTX_SREG_GLOBALTIMER_LO: case PTX_SREG_GLOBALTIMER_HI: case PTX_SREG_ENVREG1: case PTX_SREG_ENVREG2:
    case PTX_SREG_RESERVED_SMEM_BEGIN: case PTX_SREG_RESERVED_SMEM_END: case PTX_SREG_RESERVED_SMEM_CAP:
    case PTX_SREG_RESERVED_SMEM_0: case PTX_SREG_RESERVED_SMEM_1:
        return true;
    default:
        return false;
    }
}

static void fill(uint8_t *rows, int row, uint32_t value)
{
    uint32_t *r = (uint32_t *)(void *)(rows + (size_t)row * SREG_ROW);
    for (uint32_t l = 0; l < LANES; l++)
        r[l] = value;
}

void block_rows_fill(struct block *b)
{
    static const uint32_t one[3] = {1, 1, 1};
    const uint32_t *shape = b->grid->has_cluster ? b->grid->cluster_dim : one;
#define ROW(sreg, value) fill(b->rows, BLOCK_ROW_##sreg, value);
    BLOCK_ROWS(ROW)
#undef ROW
}

/* The same for all warps of a launch. */
static void fill_launch(const struct machine *m, const struct grid *g, uint8_t *rows)
{
    const uint32_t *c = g->cluster_dim;
    const struct { enum ptx_sreg sreg; uint32_t value; } table[] = {
        {PTX_SREG_NTID_X, g->block_dim[0]}, {PTX_SREG_NTID_Y, g->block_dim[1]}, {PTX_SREG_NTID_Z, g->block_dim[2]},
        {PTX_SREG_NCTAID_X, g->dim[0]}, {PTX_SREG_NCTAID_Y, g->dim[1]}, {PTX_SREG_NCTAID_Z, g->dim[2]},
        {PTX_SREG_NWARPID, 64}, {PTX_SREG_NSMID, (uint32_t)m->device->sms}, {PTX_SREG_GRIDID, g->id},
        {PTX_SREG_NCLUSTERID_X, g->dim[0] / c[0]}, {PTX_SREG_NCLUSTERID_Y, g->dim[1] / c[1]},
        {PTX_SREG_NCLUSTERID_Z, g->dim[2] / c[2]},
        {PTX_SREG_CLUSTER_NCTAID_X, c[0]}, {PTX_SREG_CLUSTER_NCTAID_Y, c[1]}, {PTX_SREG_CLUSTER_NCTAID_Z, c[2]},
        {PTX_SREG_CLUSTER_NCTARANK, c[0] * c[1] * c[2]}, {PTX_SREG_IS_EXPLICIT_CLUSTER, g->has_cluster},
        {PTX_SREG_DYNAMIC_SMEM_SIZE, g->dynamic_shared}, {PTX_SREG_TOTAL_SMEM_SIZE, g->shared_bytes},
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        fill(rows, table[k].sreg, table[k].value);
}

static void fill_lanes(const struct grid *g, uint32_t warp, uint8_t *rows)
{
    uint32_t *row[PTX_SREG_COUNT];
    for (int s = 0; s < PTX_SREG_COUNT; s++)
        row[s] = (uint32_t *)(void *)(rows + (size_t)s * SREG_ROW);
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t t = warp * LANES + l, below = (UINT32_C(1) << l) - 1;
        row[PTX_SREG_TID_X][l] = t % g->block_dim[0];
        row[PTX_SREG_TID_Y][l] = t / g->block_dim[0] % g->block_dim[1];
        row[PTX_SREG_TID_Z][l] = t / g->block_dim[0] / g->block_dim[1];
        row[PTX_SREG_LANEID][l] = l;
        row[PTX_SREG_WARPID][l] = warp;
        row[PTX_SREG_LANEMASK_EQ][l] = UINT32_C(1) << l;
        row[PTX_SREG_LANEMASK_LT][l] = below;
        row[PTX_SREG_LANEMASK_LE][l] = below | UINT32_C(1) << l;
        row[PTX_SREG_LANEMASK_GE][l] = ~below;
        row[PTX_SREG_LANEMASK_GT][l] = ~below & ~(UINT32_C(1) << l);
    }
}

bool grid_rows_new(struct machine *m, struct grid *g)
{
    g->warp_rows = heap_alloc(m->heap, g->warps_per_block * sizeof *g->warp_rows);
    for (uint32_t i = 0; g->warp_rows != NULL && i < g->warps_per_block; i++) {
        g->warp_rows[i] = heap_alloc(m->heap, (size_t)PTX_SREG_COUNT * SREG_ROW);
        if (g->warp_rows[i] == NULL)
            return false;
        fill_launch(m, g, g->warp_rows[i]);
        fill_lanes(g, i, g->warp_rows[i]);
    }
    return g->warp_rows != NULL;
}

void grid_rows_delete(struct machine *m, struct grid *g)
{
    for (uint32_t i = 0; g->warp_rows != NULL && i < g->warps_per_block; i++)
        heap_free(m->heap, g->warp_rows[i], (size_t)PTX_SREG_COUNT * SREG_ROW);
    heap_free(m->heap, g->warp_rows, g->warps_per_block * sizeof *g->warp_rows);
    g->warp_rows = NULL;
}

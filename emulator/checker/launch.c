/* Mistakes of a launch that the machine accepts. */
#include <stdio.h>

#include "checker/state.h"

enum { MANY_BLOCKS = 256 };

/* A number of threads that is no multiple of a warp, under a round number of blocks. */
bool checker_looks_swapped(const uint32_t grid[3], const uint32_t block[3])
{
    bool one_dimension = grid[1] == 1 && grid[2] == 1 && block[1] == 1 && block[2] == 1;
    return one_dimension && grid[0] >= MANY_BLOCKS && grid[0] % LANES == 0 && grid[0] <= 1024 && block[0] % LANES != 0 &&
           block[0] < 2 * LANES;
}

void check_launch(struct checker *c, const struct event *e)
{
    const struct grid *g = e->grid;
    char name[128], detail[200];
    if (c->host_launches || !checker_looks_swapped(g->dim, g->block_dim))
        return;
    snprintf(detail, sizeof detail, "%u blocks of %u threads", g->dim[0], g->threads);
    checker_tell(c, RULE_LN1, plain_name(g->code->entry->name, name, sizeof name), detail);
}

/*
 * Special registers that keep their value while a block lives, as rows of 32
 * lanes that operands point at: those of the block, and those that depend only
 * on the launch and the warp's index (code.h, BANK_BLOCK and BANK_WARP).
 */
#ifndef EMU_MACHINE_ROWS_H
#define EMU_MACHINE_ROWS_H

#include "machine/state.h"

int block_row_count(void);
void block_rows_fill(struct block *b);
/* The rows of every warp of a launch; false: out of memory. */
bool grid_rows_new(struct machine *m, struct grid *g);
void grid_rows_delete(struct machine *m, struct grid *g);

#endif

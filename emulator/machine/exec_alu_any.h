/*
 * The general forms of cvt and set, setp on pairs, mov with a vector operand.
 */
#ifndef EMU_MACHINE_EXEC_ALU_ANY_H
#define EMU_MACHINE_EXEC_ALU_ANY_H

#include "machine/code.h"

alu_function alu_cvt_any, alu_set_any, alu_setp_x2, alu_mov_pack, alu_mov_unpack;

#endif

/*
 * Lane functions for processors with AVX2 and FMA, chosen at run time; this
 * file alone is compiled with -mavx2 -mfma. See exec_alu_wide.h.
 */
#if defined(__x86_64__)
#define ALU_TABLE alu_table_avx2
#include "machine/exec_alu_wide.h"
#endif

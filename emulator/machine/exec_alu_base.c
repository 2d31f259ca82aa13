/* Lane functions for any processor: see exec_alu_wide.h. */
#define ALU_TABLE alu_table_base
#include "machine/exec_alu_wide.h"

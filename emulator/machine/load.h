/* Modules on a machine: load.c. */
#ifndef EMU_MACHINE_LOAD_H
#define EMU_MACHINE_LOAD_H

#include "machine/state.h"

/* The executable form of a kernel, made when it is first asked for. */
struct code *machine_code(struct machine *m, int module, const struct ptx_function *entry, struct ptx_error *error);
void machine_unload_all(struct machine *m);

#endif

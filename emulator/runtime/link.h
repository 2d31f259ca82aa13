/*
 * Separate compilation (nvcc -rdc=true): the modules of a program's source
 * files become one module, as nvlink would make of their machine code.
 *
 * A name that is visible or weak means the same in every module; of weak
 * definitions the first is kept; other names stay private to their module.
 * Not modelled: unlinking; garbage collection of what nothing uses.
 */
#ifndef EMU_RUNTIME_LINK_H
#define EMU_RUNTIME_LINK_H

#include "ptx/module.h"

/* One module from `count` >= 1 parts, which belong to it from now on (one part is returned as it is).
 * NULL and *error when a name is defined twice or nowhere; then the parts are gone too. */
struct ptx_module *link_modules(struct ptx_module **parts, int count, struct ptx_error *error);

#endif

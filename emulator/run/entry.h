/*
 * Finding a kernel or variable by the name a person uses: the exact name of
 * the module, or the plain C++ name of the only one whose Itanium name is made
 * of it (_Z3fooPf, _ZL3foo, _ZN2ns3fooE, _Z3fooIfEvPT_).
 * Not modelled: parameter types in the given name.
 */
#ifndef EMU_RUN_ENTRY_H
#define EMU_RUN_ENTRY_H

#include <stdbool.h>
#include <stdio.h>

#include "ptx/module.h"
#include "run/complaint.h"

/* Is `mangled` a name of `plain` ("foo" or "ns::foo")? */
bool entry_matches(const char *mangled, const char *plain);
/* name NULL: the only kernel there is. `where` stands before the complaint. */
const struct ptx_function *entry_find(const struct ptx_module *module, const char *name, const char *where,
                                      struct complaint *c);
const struct ptx_var *variable_find(const struct ptx_module *module, const char *name, const char *where,
                                    struct complaint *c);
/* A line for each kernel with its parameters. */
void entry_list(const struct ptx_module *module, FILE *out);

#endif

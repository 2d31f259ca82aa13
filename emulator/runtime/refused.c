/*
 * What is not there: each remaining symbol of libcudart, so that a program
 * links and runs until it really calls one; then it hears the name, exit 4.
 * The toolkit's headers stay out, since nothing here has its own signature.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/refuse.h"

_Noreturn static void refuse_call(const void *from, const char *call)
{
    char site[300];
    callsite_describe(from, site, sizeof site);
    runtime_refuse_at(site, "%s is outside the emulator's coverage", call);
}

#pragma GCC visibility push(default)

#define REFUSED(name) int name(void);
#include "runtime/refused.def"
#undef REFUSED

#define REFUSED(name) int name(void) { refuse_call(__builtin_return_address(0), #name); }
#include "runtime/refused.def"
#undef REFUSED

/* Asked for by name: say which. */
#define REFUSED_ENTRY(name)                                                                                       \
    int name(const char *symbol);                                                                                 \
    int name(const char *symbol)                                                                                  \
    {                                                                                                             \
        char call[200];                                                                                           \
        snprintf(call, sizeof call, "%s(\"%s\"), of the driver API,", #name, symbol ? symbol : "");               \
        refuse_call(__builtin_return_address(0), call);                                                           \
    }
REFUSED_ENTRY(cudaGetDriverEntryPoint)
REFUSED_ENTRY(cudaGetDriverEntryPoint_ptsz)
REFUSED_ENTRY(cudaGetDriverEntryPointByVersion)
REFUSED_ENTRY(cudaGetDriverEntryPointByVersion_ptsz)

#pragma GCC visibility pop

/* zstd frames: see zstd.h. The one function used has been in libzstd since 1.0. */
#include "runtime/zstd.h"

#include <dlfcn.h>
#include <string.h>

typedef size_t decompress_function(void *to, size_t capacity, const void *from, size_t packed);

static decompress_function *decompress(void)
{
    static decompress_function *function;
    if (!function) {
        void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "ZSTD_decompress") : NULL;
        memcpy(&function, &symbol, sizeof symbol);   /* ISO C has no cast for this; POSIX promises it works */
    }
    return function;
}

bool zstd_available(void)
{
    return decompress() != NULL;
}

bool zstd_decode(const void *from, size_t packed, void *to, size_t plain)
{
    return decompress()(to, plain, from, packed) == plain;   /* an error code is larger than any size */
}

/*
 * Which CUDA this is. Compiled once for each library: LIBRARY_VERSION is that
 * of the toolkit whose programs look for it.
 */
#include "runtime/runtime.h"

#ifndef LIBRARY_VERSION
#define LIBRARY_VERSION CUDART_VERSION
#endif

static cudaError_t answer(int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = LIBRARY_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return API_QUIET(answer(version));
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return API_QUIET(answer(version));
}

/*
 * Hints about managed memory: accepted, nothing happens.
 *
 * What stands after the size differs between toolkits 12 and 13, and none of
 * it matters; so the toolkit's header stays out and each form takes the two
 * arguments that all have.
 */
#include "runtime/hints.h"

#pragma GCC visibility push(default)
#define HINT(name) int name(const void *, size_t); int name(const void *p, size_t bytes) { return memory_hint(p, bytes); }
HINT(cudaMemAdvise)
HINT(cudaMemAdvise_v2)
HINT(cudaMemPrefetchAsync)
HINT(cudaMemPrefetchAsync_ptsz)
HINT(cudaMemPrefetchAsync_v2)
HINT(cudaMemPrefetchAsync_v2_ptsz)
#pragma GCC visibility pop

/* Counts on a folder common/ beside it: with the header there it would take its own way. */
#include "common/clc.cuh"

#ifndef OWN_HEADER
#error "this is not my common/clc.cuh"
#endif

__global__ void kernel_row_sums(const unsigned*, const int*, const unsigned*, unsigned* sums, clc::pool)
{
    sums[blockIdx.x] = 0;
}

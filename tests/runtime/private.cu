/*
 * The private interface of the runtime (emulator/runtime/private.h) against the toolkit's own declarations:
 * nvcc puts crt/host_runtime.h into this translation unit, and a C function that is declared in two ways is an
 * error. The kernel and the variables make nvcc use all of them.
 *   nvcc -c -Iemulator tests/runtime/private.cu
 */
#include "runtime/private.h"

__device__ int plain;
__managed__ int managed;

__global__ void kernel(int *p)
{
    *p = plain + managed;
}

int main()
{
    kernel<<<1, 1>>>(&managed);
    return managed;
}

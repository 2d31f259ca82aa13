/*
 * The private interface between host code made by nvcc and the runtime.
 *
 * The toolkit declares these in C++ headers only (crt/host_runtime.h), so they
 * are declared again here; tests/runtime/private.cu holds the two against
 * each other.
 */
#ifndef EMU_RUNTIME_PRIVATE_H
#define EMU_RUNTIME_PRIVATE_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device_host, const char *name, int thread_limit,
                            uint3 *thread_id, uint3 *block_id, dim3 *block_dim, dim3 *grid_dim, int *warp_size);
void __cudaRegisterVar(void **handle, char *shadow, char *device_shadow, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_shadow, const char *name, int external,
                              size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                    cudaStream_t stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

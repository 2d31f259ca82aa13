/*
 * The twins: with `nvcc --default-stream per-thread` host code calls these
 * names. They are the same calls, but stream 0 is the calling thread's own.
 */
#include "runtime/runtime.h"

#include "runtime/private.h"

#define TWIN(name, suffix, parameters, arguments)                                                                 \
    __attribute__((visibility("default"))) cudaError_t name##_##suffix parameters;                                \
    cudaError_t name##_##suffix parameters                                                                        \
    {                                                                                                             \
        bool outside = thread.per_thread_default;                                                                 \
        thread.per_thread_default = true;                                                                         \
        cudaError_t error = name arguments;                                                                       \
        thread.per_thread_default = outside;                                                                      \
        return error;                                                                                             \
    }

TWIN(__cudaLaunchKernel, ptsz,
     (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (kernel, grid, block, arguments, shared, stream))
TWIN(cudaLaunchKernel, ptsz,
     (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (function, grid, block, arguments, shared, stream))
TWIN(cudaLaunchCooperativeKernel, ptsz,
     (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream),
     (function, grid, block, arguments, shared, stream))
TWIN(cudaLaunchKernelExC, ptsz,
     (const cudaLaunchConfig_t *config, const void *function, void **arguments), (config, function, arguments))
TWIN(cudaLaunchHostFunc, ptsz, (cudaStream_t stream, cudaHostFn_t function, void *argument),
     (stream, function, argument))
TWIN(cudaMemcpy, ptds, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind), (to, from, bytes, kind))
TWIN(cudaMemcpyAsync, ptsz,
     (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream))
TWIN(cudaMemcpy2D, ptds,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
      enum cudaMemcpyKind kind),
     (to, to_pitch, from, from_pitch, width, height, kind))
TWIN(cudaMemcpy2DAsync, ptsz,
     (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
      enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, kind, stream))
TWIN(cudaMemcpyToSymbol, ptds,
     (const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
     (symbol, from, bytes, offset, kind))
TWIN(cudaMemcpyToSymbolAsync, ptsz,
     (const void *symbol, const void *from, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
      cudaStream_t stream),
     (symbol, from, bytes, offset, kind, stream))
TWIN(cudaMemcpyFromSymbol, ptds,
     (void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
     (to, symbol, bytes, offset, kind))
TWIN(cudaMemcpyFromSymbolAsync, ptsz,
     (void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream),
     (to, symbol, bytes, offset, kind, stream))
TWIN(cudaMemset, ptds, (void *to, int value, size_t bytes), (to, value, bytes))
TWIN(cudaMemsetAsync, ptsz, (void *to, int value, size_t bytes, cudaStream_t stream), (to, value, bytes, stream))
TWIN(cudaMemset2D, ptds, (void *to, size_t pitch, int value, size_t width, size_t height),
     (to, pitch, value, width, height))
TWIN(cudaMemset2DAsync, ptsz,
     (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
     (to, pitch, value, width, height, stream))
TWIN(cudaMallocAsync, ptsz, (void **pointer, size_t bytes, cudaStream_t stream), (pointer, bytes, stream))
TWIN(cudaFreeAsync, ptsz, (void *pointer, cudaStream_t stream), (pointer, stream))
TWIN(cudaStreamAttachMemAsync, ptsz, (cudaStream_t stream, void *pointer, size_t length, unsigned flags),
     (stream, pointer, length, flags))
TWIN(cudaEventRecord, ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))
TWIN(cudaEventRecordWithFlags, ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags), (event, stream, flags))
TWIN(cudaStreamSynchronize, ptsz, (cudaStream_t stream), (stream))
TWIN(cudaStreamQuery, ptsz, (cudaStream_t stream), (stream))
TWIN(cudaStreamWaitEvent, ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
TWIN(cudaStreamAddCallback, ptsz,
     (cudaStream_t stream, cudaStreamCallback_t callback, void *argument, unsigned flags),
     (stream, callback, argument, flags))
TWIN(cudaStreamGetDevice, ptsz, (cudaStream_t stream, int *number), (stream, number))
TWIN(cudaStreamGetFlags, ptsz, (cudaStream_t stream, unsigned *flags), (stream, flags))
TWIN(cudaStreamGetId, ptsz, (cudaStream_t stream, unsigned long long *number), (stream, number))
TWIN(cudaStreamGetPriority, ptsz, (cudaStream_t stream, int *priority), (stream, priority))
TWIN(cudaStreamIsCapturing, ptsz, (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream, status))
TWIN(cudaMallocFromPoolAsync, ptsz, (void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
     (pointer, bytes, pool, stream))

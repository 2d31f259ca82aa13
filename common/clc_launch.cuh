/*
 * The host's side of clc.cuh: the pool that a launch of a stealing kernel hands to the kernel.
 *   clc::prepare(&pool, kernel, blocks, cluster, stream)  before each launch, same stream: nothing taken yet
 *   clc::name(kernel)                                     "instruction" or "software": what this kernel gets here
 *   clc::yield(true, stream)                              refuse requests from now on (false: grant them again);
 *                       stands in for a waiting kernel of higher priority, and whoever launches that sets it
 * On 10.0 and newer the hardware keeps the pool, and prepare() only asks the runtime which code it picked. Below,
 * each stream has a pool of its own, zeroed in the stream, so that launches in two streams may overlap and those
 * in one stream need not be waited for. All return the runtime's error, cudaSuccess if none.
 * Not modelled: several devices or host threads in one process; launches that overlap within one stream.
 */
#pragma once

#include "clc.cuh"
#include <cuda_runtime.h>

namespace clc {

struct stream_pool {
    cudaStream_t stream;
    unsigned *state; /* null: free */
    size_t words;    /* room at `state` */
};

struct pools {
    stream_pool of[8];
    unsigned *yield;
};

inline pools &all()
{
    static pools p;
    return p;
}

/* The driver picks the kernel's code, and the kernel's code has one CLC or the other: ask what was picked. A 10.0
   GPU that had to translate PTX for 9.0 gets the stand-in. */
template <typename Kernel> cudaError_t takes_instruction(Kernel *kernel, bool *yes)
{
    cudaFuncAttributes a = {};
    const cudaError_t e = cudaFuncGetAttributes(&a, reinterpret_cast<const void *>(kernel));
    *yes = e == cudaSuccess && a.ptxVersion >= 100;
    return e;
}

template <typename Kernel> const char *name(Kernel *kernel)
{
    bool yes;
    const cudaError_t e = takes_instruction(kernel, &yes);
    if (e != cudaSuccess)
        cudaGetLastError(); /* the launch will say it again */
    return yes ? "instruction" : "software";
}

inline cudaError_t yield_word(unsigned **word)
{
    unsigned *&w = all().yield;
    cudaError_t e = cudaSuccess;
    if (w == nullptr) {
        e = cudaMalloc(reinterpret_cast<void **>(&w), sizeof *w);
        if (e == cudaSuccess)
            e = cudaMemset(w, 0, sizeof *w);
    }
    *word = w;
    return e;
}

inline cudaError_t yield(bool on, cudaStream_t stream)
{
    unsigned *word;
    const cudaError_t e = yield_word(&word);
    return e != cudaSuccess ? e : cudaMemsetAsync(word, on ? 0xff : 0, sizeof *word, stream);
}

/* The pool of this stream; a free one; or, with more than eight streams, the first once nobody uses it. */
inline stream_pool *find_pool(cudaStream_t stream, cudaError_t *e)
{
    *e = cudaSuccess;
    for (stream_pool &p : all().of)
        if (p.state == nullptr || p.stream == stream) {
            p.stream = stream;
            return &p;
        }
    *e = cudaDeviceSynchronize();
    all().of[0].stream = stream;
    return &all().of[0];
}

/* Zeroed in the stream: after the launch before, ahead of the launch to come. */
inline cudaError_t zero(stream_pool *p, size_t words)
{
    if (words > p->words) {
        cudaFree(p->state); /* waits until nobody uses it */
        p->state = nullptr, p->words = 0;
        const cudaError_t e = cudaMalloc(reinterpret_cast<void **>(&p->state), words * sizeof *p->state);
        if (e != cudaSuccess)
            return e;
        p->words = words;
    }
    return cudaMemsetAsync(p->state, 0, words * sizeof *p->state, p->stream);
}

/* `blocks`: of the whole grid, a multiple of `cluster` (blocks per cluster); at most 2^31 clusters. */
template <typename Kernel>
cudaError_t prepare(pool *p, Kernel *kernel, uint64_t blocks, unsigned cluster = 1, cudaStream_t stream = nullptr)
{
    bool instruction;
    *p = pool{nullptr, nullptr};
    cudaError_t e = takes_instruction(kernel, &instruction);
    if (instruction || e != cudaSuccess)
        return e;
    const uint64_t clusters = blocks / cluster;
    if (clusters > UINT64_C(1) << 31)
        return cudaErrorInvalidConfiguration;
    unsigned *word;
    e = yield_word(&word);
    stream_pool *own = e == cudaSuccess ? find_pool(stream, &e) : nullptr;
    if (e == cudaSuccess)
        e = zero(own, first_bit + (clusters + 31) / 32);
    if (e == cudaSuccess)
        *p = pool{own->state, word};
    return e;
}

} // namespace clc

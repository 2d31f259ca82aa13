/*
 * Copies, fills, symbols.
 *
 * Every copy is queued in its stream and takes its turn. cudaMemcpy waits for
 * it, unless both ends are on the device. Pageable host memory is read at
 * once or waited for, as CUDA documents; pinned and managed memory is touched
 * when the turn comes, so that host code that does not wait is found out.
 * Not modelled: 3D copies, arrays.
 */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { STAGED_BYTES = 65536 };   /* what CUDA stages without waiting, CUDA Runtime API, "API synchronization behavior" */

enum when { WAIT, QUEUE };

/* A block of rows; plain copies have one row. */
struct transfer {
    const char *call;              /* for messages */
    void *to; size_t to_pitch;
    const void *from; size_t from_pitch;
    size_t width, height;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    enum when when;
};

/* ---- which side is where -------------------------------------------------------------- */

static bool on_device(enum reach reach)
{
    return reach == REACH_DEVICE || reach == REACH_MANAGED;
}

/* Whether a side may be what the direction says; managed and pinned memory is both. */
static bool fits(enum reach reach, bool wants_device)
{
    return wants_device ? reach != REACH_HOST : reach != REACH_DEVICE;
}

static cudaError_t check_direction(const struct transfer *t, enum reach to, enum reach from)
{
    bool to_device = t->kind == cudaMemcpyHostToDevice || t->kind == cudaMemcpyDeviceToDevice;
    bool from_device = t->kind == cudaMemcpyDeviceToHost || t->kind == cudaMemcpyDeviceToDevice;
    if ((int)t->kind < cudaMemcpyHostToHost || (int)t->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (t->kind == cudaMemcpyDefault)
        return cudaSuccess;
    return fits(to, to_device) && fits(from, from_device) ? cudaSuccess : cudaErrorInvalidValue;
}

/* Bytes from the first of a block of rows to its last. */
static size_t extent(size_t pitch, size_t width, size_t height)
{
    return (height - 1) * pitch + width;
}

static cudaError_t check(const struct transfer *t, enum reach to, enum reach from)
{
    if (!t->to || !t->from)
        return cudaErrorInvalidValue;
    if (t->width > t->to_pitch || t->width > t->from_pitch)
        return cudaErrorInvalidValue;
    cudaError_t error = check_direction(t, to, from);
    if (error != cudaSuccess)
        return error;
    bool fine = (to == REACH_HOST || memory_holds(t->call, t->to, extent(t->to_pitch, t->width, t->height))) &&
                (from == REACH_HOST || memory_holds(t->call, t->from, extent(t->from_pitch, t->width, t->height)));
    return fine ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- the copy --------------------------------------------------------------------------- */

static void enqueue_rows(const struct transfer *t, int stream, bool to_device, bool from_device)
{
    bool whole = t->to_pitch == t->width && t->from_pitch == t->width;
    size_t rows = whole ? 1 : t->height, bytes = whole ? t->width * t->height : t->width;
    for (size_t row = 0; row < rows; row++) {
        struct copy c = { .bytes = bytes };
        char *to = (char *)t->to + row * t->to_pitch;
        const char *from = (const char *)t->from + row * t->from_pitch;
        if (to_device)
            c.dst = (uint64_t)(uintptr_t)to;
        else
            c.host_dst = to;
        if (from_device)
            c.src = (uint64_t)(uintptr_t)from;
        else
            c.host_src = from;
        machine_enqueue_copy(rt.machine, stream, &c);
    }
}

/* A small pageable source is copied aside, so that the caller may change it at once. */
static bool stage(struct transfer *t, int stream)
{
    char *aside = malloc(t->width * t->height);
    if (!aside)
        return false;
    for (size_t row = 0; row < t->height; row++)
        memcpy(aside + row * t->width, (const char *)t->from + row * t->from_pitch, t->width);
    t->from = aside;
    t->from_pitch = t->width;
    enqueue_rows(t, stream, true, false);
    machine_enqueue_host(rt.machine, stream, free, aside);
    return true;
}

static cudaError_t transfer(struct transfer t)
{
    int stream;
    cudaError_t error = stream_id(t.stream, &stream);
    if (error != cudaSuccess || t.width == 0 || t.height == 0)
        return error;
    enum reach to = memory_reach(t.to), from = memory_reach(t.from);
    error = check(&t, to, from);
    if (error != cudaSuccess)
        return error;
    bool both = on_device(to) && on_device(from);
    if (t.when == QUEUE && from == REACH_HOST && on_device(to) && t.width * t.height <= STAGED_BYTES &&
        stage(&t, stream))
        return cudaSuccess;
    enqueue_rows(&t, stream, on_device(to), on_device(from));
    if (t.when == WAIT ? both : from != REACH_HOST && to != REACH_HOST)
        return cudaSuccess;
    return runtime_waited(machine_wait_stream(rt.machine, stream));
}

static cudaError_t transfer_line(const char *call, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                 cudaStream_t stream, enum when when)
{
    return transfer((struct transfer){ call, to, bytes, from, bytes, bytes, 1, kind, stream, when });
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return API(transfer_line("cudaMemcpy", to, from, bytes, kind, NULL, WAIT));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return API(transfer_line("cudaMemcpyAsync", to, from, bytes, kind, stream, QUEUE));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    return API(transfer((struct transfer){ "cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, NULL,
                                           WAIT }));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return API(transfer((struct transfer){ "cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind,
                                           stream, QUEUE }));
}

/* ---- fills ---------------------------------------------------------------------------------- */

static cudaError_t fill_rows(const char *call, void *to, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream, enum when when)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    if (error != cudaSuccess || width == 0 || height == 0)
        return error;
    if (!to || width > pitch || !memory_holds(call, to, extent(pitch, width, height)))
        return cudaErrorInvalidValue;
    bool whole = pitch == width;
    for (size_t row = 0; row < (whole ? 1 : height); row++)
        machine_enqueue_fill(rt.machine, id, (uint64_t)(uintptr_t)to + row * pitch, (uint8_t)value,
                             whole ? width * height : width);
    if (when == QUEUE || memory_reach(to) == REACH_DEVICE)
        return cudaSuccess;
    return runtime_waited(machine_wait_stream(rt.machine, id));   /* memory that the host sees is filled on return */
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    return API(fill_rows("cudaMemset", to, bytes, value, bytes, 1, NULL, WAIT));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return API(fill_rows("cudaMemsetAsync", to, bytes, value, bytes, 1, stream, QUEUE));
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return API(fill_rows("cudaMemset2D", to, pitch, value, width, height, NULL, WAIT));
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    return API(fill_rows("cudaMemset2DAsync", to, pitch, value, width, height, stream, QUEUE));
}

/* ---- symbols ---------------------------------------------------------------------------------- */

/* Where [offset, offset + bytes) of a variable lies. */
static cudaError_t part_of_symbol(const void *symbol, size_t bytes, size_t offset, void **address)
{
    uint64_t start;
    size_t size;
    cudaError_t error = symbol_find(symbol, &start, &size);
    if (error != cudaSuccess)
        return error;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    *address = (void *)(uintptr_t)(start + offset);
    return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, enum when when)
{
    void *to;
    cudaError_t error = part_of_symbol(symbol, bytes, offset, &to);
    if (error != cudaSuccess)
        return error;
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
        return cudaErrorInvalidMemcpyDirection;
    return transfer_line("cudaMemcpyToSymbol", to, from, bytes, kind, stream, when);
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                               cudaStream_t stream, enum when when)
{
    void *from;
    cudaError_t error = part_of_symbol(symbol, bytes, offset, &from);
    if (error != cudaSuccess)
        return error;
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
        return cudaErrorInvalidMemcpyDirection;
    return transfer_line("cudaMemcpyFromSymbol", to, from, bytes, kind, stream, when);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return API(to_symbol(symbol, from, bytes, offset, kind, NULL, WAIT));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return API(to_symbol(symbol, from, bytes, offset, kind, stream, QUEUE));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    return API(from_symbol(to, symbol, bytes, offset, kind, NULL, WAIT));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return API(from_symbol(to, symbol, bytes, offset, kind, stream, QUEUE));
}

static cudaError_t symbol_address(void **address, const void *symbol)
{
    return address ? part_of_symbol(symbol, 0, 0, address) : cudaErrorInvalidValue;
}

static cudaError_t symbol_size(size_t *size, const void *symbol)
{
    uint64_t address;
    return size ? symbol_find(symbol, &address, size) : cudaErrorInvalidValue;
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    return API(symbol_address(address, symbol));
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
    return API(symbol_size(size, symbol));
}

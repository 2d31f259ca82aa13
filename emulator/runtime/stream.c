/*
 * Streams.
 *
 * A handle is valid from its creation until cudaStreamDestroy or
 * cudaDeviceReset; 0, cudaStreamLegacy and cudaStreamPerThread need no
 * creation. The host waits, and virtual time passes; a question
 * (cudaStreamQuery) lets one quantum of it pass.
 * Not modelled: capture into graphs.
 */
#include "runtime/runtime.h"

#include <stdlib.h>

enum { GREATEST_PRIORITY = -5, LEAST_PRIORITY = 0 };

struct CUstream_st {
    int id;                    /* of the machine */
    unsigned generation;
    unsigned flags;
    int priority;
    unsigned long long number;
};

static unsigned long long numbers = 2;   /* cudaStreamGetId; 1 and 2 are the default streams */

int stream_priority(int wanted)
{
    return wanted < GREATEST_PRIORITY ? GREATEST_PRIORITY : wanted > LEAST_PRIORITY ? LEAST_PRIORITY : wanted;
}

static bool is_own(cudaStream_t stream)
{
    return stream == cudaStreamPerThread || (!stream && thread.per_thread_default);
}

static bool is_legacy(cudaStream_t stream)
{
    return stream == cudaStreamLegacy || (!stream && !thread.per_thread_default);
}

static int own_stream(void)
{
    if (thread.own_generation != rt.generation) {
        thread.own_stream = machine_stream_new(rt.machine, STREAM_BLOCKING, LEAST_PRIORITY);
        thread.own_generation = rt.generation;
    }
    return thread.own_stream;
}

static struct CUstream_st *stream_of(cudaStream_t handle)
{
    struct CUstream_st *s = handle ? table_get(&rt.streams, handle) : NULL;
    return s && s->generation == rt.generation ? s : NULL;
}

cudaError_t stream_id(cudaStream_t stream, int *id)
{
    struct CUstream_st *s;
    if (is_legacy(stream))
        *id = 0;
    else if (is_own(stream))
        *id = own_stream();
    else if ((s = stream_of(stream)))
        *id = s->id;
    else
        return cudaErrorInvalidResourceHandle;
    return cudaSuccess;
}

/* ---- life ------------------------------------------------------------------------ */

static cudaError_t create(cudaStream_t *handle, unsigned flags, int priority)
{
    if (!handle || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (!s || !table_put(&rt.streams, s, s)) {
        free(s);
        return cudaErrorMemoryAllocation;
    }
    enum stream_kind kind = flags == cudaStreamNonBlocking ? STREAM_NONBLOCKING : STREAM_BLOCKING;
    priority = stream_priority(priority);
    *s = (struct CUstream_st){ machine_stream_new(rt.machine, kind, priority), rt.generation, flags, priority,
                               ++numbers };
    *handle = s;
    return cudaSuccess;
}

static cudaError_t destroy(cudaStream_t handle)
{
    struct CUstream_st *s = stream_of(handle);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    table_take(&rt.streams, handle);
    machine_stream_delete(rt.machine, s->id);
    free(s);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return API(create(stream, cudaStreamDefault, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return API(create(stream, flags, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    return API(create(stream, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return API(destroy(stream));
}

/* ---- waiting ----------------------------------------------------------------------- */

static cudaError_t synchronize(cudaStream_t stream)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    return error == cudaSuccess ? runtime_waited(machine_wait_stream(rt.machine, id)) : error;
}

static cudaError_t query(cudaStream_t stream)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    if (error != cudaSuccess)
        return error;
    if (!machine_stream_idle(rt.machine, id) && !machine_poll(rt.machine))
        return runtime_waited(false);
    return machine_stream_idle(rt.machine, id) ? cudaSuccess : cudaErrorNotReady;
}

static cudaError_t wait_event(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    int id, e;
    if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal)
        return cudaErrorInvalidValue;
    cudaError_t error = stream_id(stream, &id);
    if (error == cudaSuccess)
        error = event_id(event, &e);
    if (error == cudaSuccess && machine_event_recorded(rt.machine, e))
        machine_stream_wait_event(rt.machine, id, e);
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return API(synchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return API(query(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return API(wait_event(stream, event, flags));
}

cudaError_t cudaDeviceSynchronize(void)
{
    return API(runtime_waited(machine_wait_all(rt.machine)));
}

/* ---- host functions ------------------------------------------------------------------ */

struct host_call {
    cudaHostFn_t function;                 /* one of the two */
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void *argument;
};

/* No CUDA from inside: the calls answer cudaErrorNotPermitted. */
static void call_host(void *what)
{
    struct host_call call = *(struct host_call *)what;
    free(what);
    thread.in_callback = true;
    if (call.function)
        call.function(call.argument);
    else
        call.callback(call.stream, cudaSuccess, call.argument);
    thread.in_callback = false;
}

static cudaError_t enqueue_call(struct host_call call)
{
    int id;
    cudaError_t error = stream_id(call.stream, &id);
    if (error != cudaSuccess)
        return error;
    struct host_call *kept = malloc(sizeof *kept);
    if (!kept)
        return cudaErrorMemoryAllocation;
    *kept = call;
    machine_enqueue_host(rt.machine, id, call_host, kept);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    struct host_call call = { function, NULL, stream, argument };
    return API(function ? enqueue_call(call) : cudaErrorInvalidValue);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *argument, unsigned flags)
{
    struct host_call call = { NULL, callback, stream, argument };
    return API(callback && flags == 0 ? enqueue_call(call) : cudaErrorInvalidValue);
}

/* ---- questions ------------------------------------------------------------------------- */

/* What is known of any stream, the default ones included. */
static cudaError_t describe(cudaStream_t stream, struct CUstream_st *about)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    if (error != cudaSuccess)
        return error;
    struct CUstream_st *s = stream_of(stream);
    *about = s ? *s : (struct CUstream_st){ id, rt.generation, cudaStreamDefault, 0, is_own(stream) ? 2 : 1 };
    return cudaSuccess;
}

static cudaError_t get_flags(cudaStream_t stream, unsigned *flags)
{
    struct CUstream_st about = { 0 };
    cudaError_t error = flags ? describe(stream, &about) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *flags = about.flags;
    return error;
}

static cudaError_t get_priority(cudaStream_t stream, int *priority)
{
    struct CUstream_st about = { 0 };
    cudaError_t error = priority ? describe(stream, &about) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *priority = about.priority;
    return error;
}

static cudaError_t get_number(cudaStream_t stream, unsigned long long *number)
{
    struct CUstream_st about = { 0 };
    cudaError_t error = number ? describe(stream, &about) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *number = about.number;
    return error;
}

static cudaError_t is_capturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    struct CUstream_st about = { 0 };
    cudaError_t error = status ? describe(stream, &about) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *status = cudaStreamCaptureStatusNone;
    return error;
}

static cudaError_t get_device(cudaStream_t stream, int *number)
{
    struct CUstream_st about = { 0 };
    cudaError_t error = number ? describe(stream, &about) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *number = 0;
    return error;
}

static cudaError_t priority_range(int *least, int *greatest)
{
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    return API(get_flags(stream, flags));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    return API(get_priority(stream, priority));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *number)
{
    return API(get_number(stream, number));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *number)
{
    return API(get_device(stream, number));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return API(is_capturing(stream, status));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    return API(priority_range(least, greatest));
}

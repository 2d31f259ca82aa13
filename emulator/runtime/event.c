/*
 * Events: places in a stream's queue, and the virtual time at which it got
 * there. Elapsed time is model cycles, turned into milliseconds by the
 * device's nominal clock.
 * Not modelled: events between processes.
 */
#include "runtime/runtime.h"

#include <stdlib.h>

struct CUevent_st {
    int id;                    /* of the machine */
    unsigned generation;
    unsigned flags;
};

static struct CUevent_st *event_of(cudaEvent_t handle)
{
    struct CUevent_st *e = handle ? table_get(&rt.events, handle) : NULL;
    return e && e->generation == rt.generation ? e : NULL;
}

cudaError_t event_id(cudaEvent_t event, int *id)
{
    struct CUevent_st *e = event_of(event);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    *id = e->id;
    return cudaSuccess;
}

static cudaError_t create(cudaEvent_t *handle, unsigned flags)
{
    unsigned known = cudaEventBlockingSync | cudaEventDisableTiming;
    if (flags & cudaEventInterprocess)
        runtime_refuse("events between processes (cudaEventInterprocess) are outside the emulator's coverage");
    if (!handle || flags & ~known)
        return cudaErrorInvalidValue;
    struct CUevent_st *e = calloc(1, sizeof *e);
    if (!e || !table_put(&rt.events, e, e)) {
        free(e);
        return cudaErrorMemoryAllocation;
    }
    *e = (struct CUevent_st){ machine_event_new(rt.machine), rt.generation, flags };
    *handle = e;
    return cudaSuccess;
}

static cudaError_t destroy(cudaEvent_t handle)
{
    struct CUevent_st *e = event_of(handle);
    if (!e)
        return cudaErrorInvalidResourceHandle;
    table_take(&rt.events, handle);
    machine_event_delete(rt.machine, e->id);
    free(e);
    return cudaSuccess;
}

static cudaError_t record(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    int id, e;
    if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal)
        return cudaErrorInvalidValue;
    cudaError_t error = stream_id(stream, &id);
    if (error == cudaSuccess)
        error = event_id(event, &e);
    if (error == cudaSuccess)
        machine_event_record(rt.machine, e, id);
    return error;
}

static bool is_done(int id)
{
    return !machine_event_recorded(rt.machine, id) || machine_event_done(rt.machine, id);
}

static cudaError_t query(cudaEvent_t event)
{
    int id;
    cudaError_t error = event_id(event, &id);
    if (error != cudaSuccess)
        return error;
    if (!is_done(id) && !machine_poll(rt.machine))
        return runtime_waited(false);
    return is_done(id) ? cudaSuccess : cudaErrorNotReady;
}

static cudaError_t synchronize(cudaEvent_t event)
{
    int id;
    cudaError_t error = event_id(event, &id);
    if (error != cudaSuccess || is_done(id))
        return error;
    return runtime_waited(machine_wait_event(rt.machine, id));
}

static cudaError_t elapsed(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    struct CUevent_st *a = event_of(from), *b = event_of(to);
    if (!ms)
        return cudaErrorInvalidValue;
    if (!a || !b || (a->flags | b->flags) & cudaEventDisableTiming ||
        !machine_event_recorded(rt.machine, a->id) || !machine_event_recorded(rt.machine, b->id))
        return cudaErrorInvalidResourceHandle;
    if (!is_done(a->id) || !is_done(b->id))
        return cudaErrorNotReady;
    int64_t cycles = (int64_t)(machine_event_time(rt.machine, b->id) - machine_event_time(rt.machine, a->id));
    *ms = (float)((double)cycles / rt.settings.device->clock_khz);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return API(create(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return API(create(event, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return API(destroy(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return API(record(event, stream, cudaEventRecordDefault));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return API(record(event, stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return API(query(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return API(synchronize(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return API(elapsed(ms, from, to));
}

/* The name of the same call in toolkits 12.8 and 12.9. */
#pragma GCC visibility push(default)
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to);
#pragma GCC visibility pop

cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return cudaEventElapsedTime(ms, from, to);
}

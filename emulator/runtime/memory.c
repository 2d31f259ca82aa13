/*
 * Allocations.
 *
 * Device memory is the machine's. Pinned and managed memory is host memory at
 * an address that kernels use too. cudaFree waits for the device, as CUDA's
 * does; cudaFreeAsync takes its turn in the stream.
 * Not modelled: pages that move, advice, prefetching (accepted, nothing
 * happens); pools with properties of their own.
 */
#include "runtime/runtime.h"

#include "runtime/hints.h"

enum { PITCH = 512 };

/* ---- what a pointer is ------------------------------------------------------------ */

enum reach memory_reach(const void *pointer)
{
    enum memory_kind kind;
    bool freed;
    if (!machine_find(rt.machine, (uint64_t)(uintptr_t)pointer, NULL, NULL, &kind, &freed) || freed)
        return REACH_HOST;
    switch (kind) {
    case MEMORY_DEVICE:
    case MEMORY_VARIABLE: return REACH_DEVICE;
    case MEMORY_PINNED:   return REACH_PINNED;
    case MEMORY_MANAGED:  return REACH_MANAGED;
    }
    return REACH_HOST;
}

bool memory_holds(const char *call, const void *pointer, size_t bytes)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer, start;
    size_t size;
    bool freed;
    if (!machine_find(rt.machine, address, &start, &size, NULL, &freed)) {
        runtime_note("%s: %p is no device address", call, pointer);
        return false;
    }
    if (freed) {
        runtime_note("%s: %p lies in memory that was freed", call, pointer);
        return false;
    }
    if (bytes > size - (address - start)) {
        runtime_note("%s: %zu bytes from %p on reach beyond their allocation, which ends %zu bytes further on", call,
                     bytes, pointer, (size_t)(size - (address - start)));
        return false;
    }
    return true;
}

/* ---- device memory ------------------------------------------------------------------- */

static cudaError_t allocate(void **pointer, size_t bytes, const char *label)
{
    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    *pointer = (void *)(uintptr_t)machine_alloc(rt.machine, bytes, MEMORY_DEVICE, label);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t release(void *pointer)
{
    uint64_t start;
    size_t size;
    enum memory_kind kind;
    bool freed;
    if (!pointer)
        return cudaSuccess;
    cudaError_t error = runtime_waited(machine_wait_all(rt.machine));
    if (error != cudaSuccess)
        return error;
    if (!machine_find(rt.machine, (uint64_t)(uintptr_t)pointer, &start, &size, &kind, &freed) || freed ||
        start != (uint64_t)(uintptr_t)pointer)
        return cudaErrorInvalidValue;
    if (kind == MEMORY_DEVICE)
        return machine_free(rt.machine, start) ? cudaSuccess : cudaErrorInvalidValue;
    if (kind != MEMORY_MANAGED)
        return cudaErrorInvalidValue;
    machine_unmap_host(rt.machine, pointer);
    host_give(pointer, size);
    return cudaSuccess;
}

static void release_in_turn(void *pointer)
{
    machine_free(rt.machine, (uint64_t)(uintptr_t)pointer);
}

static cudaError_t release_async(void *pointer, cudaStream_t stream)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    if (error != cudaSuccess || !pointer)
        return error;
    if (memory_reach(pointer) != REACH_DEVICE)
        return cudaErrorInvalidValue;
    machine_enqueue_host(rt.machine, id, release_in_turn, pointer);
    return cudaSuccess;
}

static cudaError_t allocate_async(void **pointer, size_t bytes, cudaStream_t stream)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    return error == cudaSuccess ? allocate(pointer, bytes, "cudaMallocAsync") : error;
}

static cudaError_t allocate_pitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pitch || width > SIZE_MAX - PITCH)
        return cudaErrorInvalidValue;
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (height && *pitch > SIZE_MAX / height)
        return cudaErrorMemoryAllocation;
    return allocate(pointer, *pitch * height, "cudaMallocPitch");
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    return API(allocate(pointer, bytes, "cudaMalloc"));
}

cudaError_t cudaFree(void *pointer)
{
    return API(release(pointer));
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    return API(allocate_async(pointer, bytes, stream));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return API(release_async(pointer, stream));
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    return API(allocate_pitch(pointer, pitch, width, height));
}

static cudaError_t memory_info(size_t *free_bytes, size_t *total)
{
    if (!free_bytes || !total)
        return cudaErrorInvalidValue;
    *free_bytes = machine_memory_free(rt.machine);
    *total = (size_t)rt.settings.device->memory_bytes;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    return API(memory_info(free_bytes, total));
}

/* ---- host memory that kernels reach ---------------------------------------------------- */

static cudaError_t allocate_host(void **pointer, size_t bytes, enum memory_kind kind, const char *label)
{
    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    void *start = host_take(bytes);
    if (!start)
        return cudaErrorMemoryAllocation;
    if (!machine_map_host(rt.machine, start, bytes, kind, label)) {
        host_give(start, bytes);
        return cudaErrorMemoryAllocation;
    }
    *pointer = start;
    return cudaSuccess;
}

static cudaError_t allocate_managed(void **pointer, size_t bytes, unsigned flags)
{
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cudaErrorInvalidValue;
    return allocate_host(pointer, bytes, MEMORY_MANAGED, "cudaMallocManaged");
}

static cudaError_t allocate_pinned(void **pointer, size_t bytes, unsigned flags)
{
    if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return cudaErrorInvalidValue;
    return allocate_host(pointer, bytes, MEMORY_PINNED, "cudaHostAlloc");
}

/* The pinned block that starts at the pointer. */
static bool pinned_block(void *pointer, size_t *size)
{
    uint64_t start;
    enum memory_kind kind;
    bool freed;
    return machine_find(rt.machine, (uint64_t)(uintptr_t)pointer, &start, size, &kind, &freed) && !freed &&
           kind == MEMORY_PINNED && start == (uint64_t)(uintptr_t)pointer;
}

static cudaError_t release_pinned(void *pointer)
{
    size_t size;
    if (!pointer)
        return cudaSuccess;
    cudaError_t error = runtime_waited(machine_wait_all(rt.machine));
    if (error != cudaSuccess)
        return error;
    if (!pinned_block(pointer, &size))
        return cudaErrorInvalidValue;
    machine_unmap_host(rt.machine, pointer);
    host_give(pointer, size);
    return cudaSuccess;
}

static cudaError_t register_host(void *pointer, size_t bytes, unsigned flags)
{
    if (!pointer || bytes == 0 ||
        flags & ~(unsigned)(cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly))
        return cudaErrorInvalidValue;
    if (memory_reach(pointer) != REACH_HOST)
        return cudaErrorHostMemoryAlreadyRegistered;
    return machine_map_host(rt.machine, pointer, bytes, MEMORY_PINNED, "cudaHostRegister")
        ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
}

static cudaError_t unregister_host(void *pointer)
{
    size_t size;
    cudaError_t error = runtime_waited(machine_wait_all(rt.machine));
    if (error != cudaSuccess)
        return error;
    if (!pinned_block(pointer, &size))
        return cudaErrorHostMemoryNotRegistered;
    machine_unmap_host(rt.machine, pointer);
    return cudaSuccess;
}

static cudaError_t device_pointer(void **device, void *host, unsigned flags)
{
    if (!device || flags != 0)
        return cudaErrorInvalidValue;
    *device = NULL;
    enum reach reach = memory_reach(host);
    if (reach != REACH_PINNED && reach != REACH_MANAGED)
        return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    return API(allocate_managed(pointer, bytes, flags));
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    return API(allocate_pinned(pointer, bytes, flags));
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return API(allocate_host(pointer, bytes, MEMORY_PINNED, "cudaMallocHost"));
}

cudaError_t cudaFreeHost(void *pointer)
{
    return API(release_pinned(pointer));
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    return API(register_host(pointer, bytes, flags));
}

cudaError_t cudaHostUnregister(void *pointer)
{
    return API(unregister_host(pointer));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    return API(device_pointer(device, host, flags));
}

/* Nothing here depends on the flags a block was made with; mapped is what all of them are. */
static cudaError_t host_flags(unsigned *flags, void *pointer)
{
    if (!flags || memory_reach(pointer) != REACH_PINNED)
        return cudaErrorInvalidValue;
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *pointer)
{
    return API(host_flags(flags, pointer));
}

/* ---- questions and hints ----------------------------------------------------------------- */

static cudaError_t pointer_attributes(struct cudaPointerAttributes *a, const void *pointer)
{
    if (!a)
        return cudaErrorInvalidValue;
    *a = (struct cudaPointerAttributes){ .type = cudaMemoryTypeUnregistered, .device = -2,
                                         .hostPointer = (void *)(uintptr_t)pointer };
    void *same = (void *)(uintptr_t)pointer;
    switch (memory_reach(pointer)) {
    case REACH_HOST:
        return cudaSuccess;
    case REACH_PINNED:
        a->type = cudaMemoryTypeHost;
        break;
    case REACH_DEVICE:
        a->type = cudaMemoryTypeDevice;
        break;
    case REACH_MANAGED:
        a->type = cudaMemoryTypeManaged;
        break;
    }
    a->device = 0;
    a->devicePointer = same;
    a->hostPointer = a->type == cudaMemoryTypeDevice ? NULL : same;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    return API(pointer_attributes(attributes, pointer));
}

/* cudaMemAdvise and cudaMemPrefetchAsync: hints.c. */
static cudaError_t hint(const void *pointer, size_t bytes)
{
    return memory_reach(pointer) == REACH_MANAGED && bytes ? cudaSuccess : cudaErrorInvalidValue;
}

int memory_hint(const void *pointer, size_t bytes)
{
    return (int)API(hint(pointer, bytes));
}

static cudaError_t attach(cudaStream_t stream, void *pointer)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    return error != cudaSuccess || memory_reach(pointer) == REACH_MANAGED ? error : cudaErrorInvalidValue;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned flags)
{
    (void)length, (void)flags;
    return API(attach(stream, pointer));
}

/*
 * The device: number 0, "emulated NAME". Its properties are the row of
 * machine/devices.def that EMU_DEVICE names.
 * Not modelled: several devices, peers, caches and their settings (accepted).
 */
#include "runtime/runtime.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SHARED_WITHOUT_ASKING = 49152, BUS_BITS = 8192 };

/* The clock at which a bus of BUS_BITS moves what the model moves, twice a cycle. */
static int memory_clock_khz(const struct device *d)
{
    return (int)((int64_t)d->bytes_per_cycle * 8 * d->clock_khz / 2 / BUS_BITS);
}

/* ---- properties, in the layouts of toolkits 12 and 13 --------------------------------- */

#define MEMBER(type, name, dimensions, ...) type name dimensions;
#define VALUE(type, name, dimensions, ...) .name = __VA_ARGS__,
#define NOTHING(type, name, dimensions, ...)

struct properties12 {
#define BOTH MEMBER
#define ONLY12 MEMBER
#define ONLY13 NOTHING
#include "runtime/properties.def"
#undef ONLY12
#undef ONLY13
};

struct properties13 {
#define ONLY12 NOTHING
#define ONLY13 MEMBER
#include "runtime/properties.def"
#undef BOTH
#undef ONLY12
#undef ONLY13
};

#if CUDART_VERSION >= 13000
#define PROPERTIES_HERE struct properties13
#else
#define PROPERTIES_HERE struct properties12
#endif
_Static_assert(sizeof(PROPERTIES_HERE) == sizeof(struct cudaDeviceProp), "properties.def and the toolkit's header");
#define SAME_PLACE(name)                                                                                   \
    _Static_assert(offsetof(PROPERTIES_HERE, name) == offsetof(struct cudaDeviceProp, name), "place of " #name);
SAME_PLACE(major) SAME_PLACE(multiProcessorCount) SAME_PLACE(sharedMemPerBlockOptin) SAME_PLACE(clusterLaunch)

static cudaError_t fill12(void *to, int number)
{
    const struct device *d = rt.settings.device;
    if (!to || number != 0)
        return to ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    struct properties12 p = {
#define BOTH VALUE
#define ONLY12 VALUE
#define ONLY13 NOTHING
#include "runtime/properties.def"
#undef ONLY12
#undef ONLY13
    };
    snprintf(p.name, sizeof p.name, "emulated %s", d->name);
    memcpy(to, &p, sizeof p);
    return cudaSuccess;
}

static cudaError_t fill13(void *to, int number)
{
    const struct device *d = rt.settings.device;
    if (!to || number != 0)
        return to ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    struct properties13 p = {
#define ONLY12 NOTHING
#define ONLY13 VALUE
#include "runtime/properties.def"
#undef BOTH
#undef ONLY12
#undef ONLY13
    };
    snprintf(p.name, sizeof p.name, "emulated %s", d->name);
    memcpy(to, &p, sizeof p);
    return cudaSuccess;
}

/* Host code of toolkit 13 calls the plain name, that of 12 the other one, whatever headers this was built with. */
#undef cudaGetDeviceProperties
#pragma GCC visibility push(default)
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int number);
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *properties, int number);
#pragma GCC visibility pop

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int number)
{
    return API_QUIET(fill13(properties, number));
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *properties, int number)
{
    return API_QUIET(fill12(properties, number));
}

/* ---- attributes ------------------------------------------------------------------------- */

static cudaError_t attribute(int *value, enum cudaDeviceAttr which, int number)
{
    const struct device *d = rt.settings.device;
    if (!value || (int)which <= 0 || which >= cudaDevAttrMax)
        return cudaErrorInvalidValue;
    if (number != 0)
        return cudaErrorInvalidDevice;
    switch ((int)which) {
#define ATTRIBUTE(name, answer) case cudaDevAttr##name: *value = answer; break;
#include "runtime/attributes.def"
#undef ATTRIBUTE
    default: *value = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int number)
{
    return API_QUIET(attribute(value, which, number));
}

/* ---- which device --------------------------------------------------------------------------- */

static cudaError_t answer(int *to, int value)
{
    if (!to)
        return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

static cudaError_t is_device(int number)
{
    return number == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    return API_QUIET(answer(count, 1));
}

cudaError_t cudaGetDevice(int *number)
{
    return API_QUIET(answer(number, 0));
}

cudaError_t cudaSetDevice(int number)
{
    return API(is_device(number));
}

cudaError_t cudaInitDevice(int number, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return API(is_device(number));
}

cudaError_t cudaSetValidDevices(int *numbers, int count)
{
    return API_QUIET(numbers && count > 0 ? is_device(numbers[0]) : cudaErrorInvalidValue);
}

cudaError_t cudaChooseDevice(int *number, const struct cudaDeviceProp *wanted)
{
    return API_QUIET(wanted ? answer(number, 0) : cudaErrorInvalidValue);
}

static unsigned device_flags;

static cudaError_t set_flags(unsigned flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    return API(set_flags(flags));
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    return API_QUIET(answer((int *)flags, (int)(device_flags | cudaDeviceMapHost)));
}

static cudaError_t peer(int *can, int number, int other)
{
    return number == 0 && other == 0 ? answer(can, 0) : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int number, int other)
{
    return API_QUIET(peer(can, number, other));
}

static cudaError_t bus_id(char *text, int length, int number)
{
    if (!text || length < 13 || number != 0)
        return number ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    strcpy(text, "0000:00:00.0");
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int number)
{
    return API_QUIET(bus_id(text, length, number));
}

/* ---- settings that change nothing here --------------------------------------------------------- */

static size_t *limit_of(enum cudaLimit limit)
{
    static size_t pending_launches = 2048, fetch = 64, persisting;
    switch ((int)limit) {
    case cudaLimitStackSize:                    return &rt.stack_limit;
    case cudaLimitPrintfFifoSize:               return &rt.printf_limit;
    case cudaLimitMallocHeapSize:               return &rt.heap_limit;
    case cudaLimitDevRuntimePendingLaunchCount: return &pending_launches;
    case cudaLimitMaxL2FetchGranularity:        return &fetch;
    case cudaLimitPersistingL2CacheSize:        return &persisting;
    default:                                    return NULL;
    }
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value)
{
    size_t *place = limit_of(limit);
    if (!place)
        return cudaErrorInvalidValue;
    *place = value;
    return cudaSuccess;
}

static cudaError_t get_limit(size_t *value, enum cudaLimit limit)
{
    size_t *place = limit_of(limit);
    if (!place || !value)
        return cudaErrorInvalidValue;
    *value = *place;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    return API(set_limit(limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    return API(get_limit(value, limit));
}

static enum cudaFuncCache cache = cudaFuncCachePreferNone;

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache wanted)
{
    cache = wanted;
    return API(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *answer_to)
{
    return API(answer((int *)answer_to, (int)cache));
}

/* Width of shared memory banks; devices have had one width only for years. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    (void)config;
    return API(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    return API(answer((int *)config, cudaSharedMemBankSizeFourByte));
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return API(cudaSuccess);
}

/* Declared in cuda_profiler_api.h, which not every toolkit package brings. */
#pragma GCC visibility push(default)
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#pragma GCC visibility pop

cudaError_t cudaProfilerStart(void)
{
    return API(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
    return API(cudaSuccess);
}

/* ---- starting over ---------------------------------------------------------------------------------- */

/*
 * Waits, then takes everything away: memory, streams, events, loaded code. After a kernel's fault the device stays lost to
 * this process: an H200 answered so (experiments/results/h200/errors.txt), and driver_types.h says of such a fault that the
 * process must be started again.
 */
static cudaError_t reset(void)
{
    if (rt.machine) {
        machine_wait_all(rt.machine);
        runtime_report_fault();
        launch_nobody_asked();
        runtime_report_findings();
        checker_delete(rt.checker);
        rt.checker = NULL;
        machine_delete(rt.machine);
    }
    rt.machine = NULL;
    if (rt.sticky)
        rt.sticky = cudaErrorDevicesUnavailable;
    thread.last = cudaSuccess;
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    return API_QUIET(reset());
}

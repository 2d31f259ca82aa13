/*
 * Kernels: their attributes, and how many of their blocks or clusters fit.
 * Not modelled: cache preferences, shared memory carve-outs (accepted).
 */
#include "runtime/runtime.h"

enum { SHARED_WITHOUT_ASKING = 49152 };

/* ---- attributes --------------------------------------------------------------------- */

static cudaError_t machine_attributes(struct kernel *k, struct kernel_attributes *out)
{
    struct ptx_error why;
    cudaError_t error = kernel_load(k);
    if (error != cudaSuccess)
        return error;
    if (!machine_kernel_attributes(rt.machine, k->module, k->name, out, &why))
        runtime_refuse("%s", why.text);
    return cudaSuccess;
}

static cudaError_t get_attributes(struct cudaFuncAttributes *a, struct kernel *k)
{
    struct kernel_attributes m;
    if (!a)
        return cudaErrorInvalidValue;
    cudaError_t error = machine_attributes(k, &m);
    if (error != cudaSuccess)
        return error;
    *a = (struct cudaFuncAttributes){
        .sharedSizeBytes = m.shared_bytes, .constSizeBytes = m.const_bytes, .localSizeBytes = m.local_bytes,
        .maxThreadsPerBlock = m.max_threads_per_block, .numRegs = m.registers, .ptxVersion = m.ptx_version,
        .binaryVersion = rt.settings.device->cc, .preferredShmemCarveout = k->carveout,
        .maxDynamicSharedSizeBytes =
            k->max_dynamic_shared ? k->max_dynamic_shared : SHARED_WITHOUT_ASKING - (int)m.shared_bytes,
        .nonPortableClusterSizeAllowed = k->any_cluster_size,
    };
    int *required[3] = { &a->requiredClusterWidth, &a->requiredClusterHeight, &a->requiredClusterDepth };
    for (int i = 0; i < 3; i++)
        *required[i] = m.required_cluster[i] ? m.required_cluster[i] : k->cluster[i];
    a->clusterDimMustBeSet = a->requiredClusterWidth != 0;
    return cudaSuccess;
}

static cudaError_t raise_shared(struct kernel *k, int bytes)
{
    struct kernel_attributes m;
    cudaError_t error = machine_attributes(k, &m);
    if (error != cudaSuccess)
        return error;
    if (bytes < 0 || (size_t)bytes + m.shared_bytes > (size_t)rt.settings.device->shared_per_block)
        return cudaErrorInvalidValue;
    k->max_dynamic_shared = bytes;
    return cudaSuccess;
}

static cudaError_t set_attribute(struct kernel *k, enum cudaFuncAttribute which, int value)
{
    cudaError_t error = kernel_load(k);
    if (error != cudaSuccess)
        return error;
    switch ((int)which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return raise_shared(k, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        k->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0)
            return cudaErrorInvalidValue;
        k->cluster[which - cudaFuncAttributeRequiredClusterWidth] = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        k->any_cluster_size = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    return API(get_attributes(attributes, kernel_find(function)));
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute which, int value)
{
    return API(set_attribute(kernel_find(function), which, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache cache)
{
    (void)cache;
    return API(kernel_load(kernel_find(function)));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    (void)config;
    return API(kernel_load(kernel_find(function)));
}

static cudaError_t get_name(const char **name, struct kernel *k)
{
    if (!name || !k)
        return name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    *name = k->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    return API(get_name(name, kernel_find(function)));
}

static cudaError_t parameter(struct kernel *k, size_t index, size_t *offset, size_t *size)
{
    cudaError_t error = offset ? kernel_load(k) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    if (index >= (size_t)k->function->param_count)
        return cudaErrorInvalidValue;
    *offset = k->function->params[index].offset;
    if (size)
        *size = k->function->params[index].size;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size)
{
    return API(parameter(kernel_find(function), index, offset, size));
}

static cudaError_t parameter_count(struct kernel *k, size_t *count)
{
    cudaError_t error = count ? kernel_load(k) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *count = (size_t)k->function->param_count;
    return error;
}

/* Newer than toolkit 13.0. */
#pragma GCC visibility push(default)
cudaError_t cudaFuncGetParamCount(const void *function, size_t *count);
#pragma GCC visibility pop

cudaError_t cudaFuncGetParamCount(const void *function, size_t *count)
{
    return API(parameter_count(kernel_find(function), count));
}

/* ---- occupancy -------------------------------------------------------------------------- */

static cudaError_t blocks_per_sm(int *blocks, struct kernel *k, int threads, size_t shared)
{
    if (!blocks || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_load(k);
    if (error == cudaSuccess)
        *blocks = machine_occupancy(rt.machine, k->module, k->name, threads, shared);
    return error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared)
{
    return API(blocks_per_sm(blocks, kernel_find(function), threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t shared, unsigned flags)
{
    bool known = flags == cudaOccupancyDefault || flags == cudaOccupancyDisableCachingOverride;
    return API(known ? blocks_per_sm(blocks, kernel_find(function), threads, shared) : cudaErrorInvalidValue);
}

/* The most dynamic shared memory with which `blocks` blocks still fit on an SM: a search, since occupancy only falls. */
static cudaError_t shared_left(size_t *bytes, struct kernel *k, int blocks, int threads)
{
    if (!bytes || blocks <= 0 || threads <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_load(k);
    if (error != cudaSuccess)
        return error;
    size_t fits = 0, above = (size_t)rt.settings.device->shared_per_block + 1;
    while (above - fits > 1) {
        size_t middle = fits + (above - fits) / 2;
        if (machine_occupancy(rt.machine, k->module, k->name, threads, middle) >= blocks)
            fits = middle;
        else
            above = middle;
    }
    *bytes = fits;
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads)
{
    return API(shared_left(bytes, kernel_find(function), blocks, threads));
}

static cudaError_t clusters(int *count, struct kernel *k, const cudaLaunchConfig_t *config)
{
    struct launch l;
    if (!count)
        return cudaErrorInvalidValue;
    *count = 0;
    cudaError_t error = launch_from_config(k, config, &l);
    if (error == cudaSuccess && cluster_is_allowed(k, &l))
        *count = machine_cluster_occupancy(rt.machine, &l);
    return error;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *function, const cudaLaunchConfig_t *config)
{
    return API(clusters(count, kernel_find(function), config));
}

static cudaError_t largest_cluster(int *size, struct kernel *k, const cudaLaunchConfig_t *config)
{
    struct launch l;
    if (!size)
        return cudaErrorInvalidValue;
    *size = 0;
    cudaError_t error = launch_from_config(k, config, &l);
    if (error != cudaSuccess)
        return error;
    for (int blocks = k->any_cluster_size ? 16 : 8; blocks >= 1 && *size == 0; blocks /= 2) {
        l.cluster[0] = l.grid[0] = (uint32_t)blocks;
        l.cluster[1] = l.cluster[2] = l.grid[1] = l.grid[2] = 1;
        if (machine_cluster_occupancy(rt.machine, &l) > 0)
            *size = blocks;
    }
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config)
{
    return API(largest_cluster(size, kernel_find(function), config));
}

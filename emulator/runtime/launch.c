/*
 * Launches.
 *
 *   kernel<<<grid, block, shared, stream>>>(...) becomes
 *     __cudaPushCallConfiguration; a stub that calls __cudaPopCallConfiguration and then
 *     13.x: __cudaGetKernel once, __cudaLaunchKernel      12.x: cudaLaunchKernel
 *
 * Arguments arrive as pointers; their sizes and places are those of the PTX
 * .param list. Attributes of cudaLaunchKernelExC that only tune speed are
 * accepted and change nothing: a schedule without them is a legal one.
 */
#include "runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/private.h"

/* ---- <<<>>> --------------------------------------------------------------------- */

static bool push_shape(struct call_shape shape)
{
    if (thread.shape_count == thread.shape_capacity) {
        int capacity = thread.shape_capacity ? 2 * thread.shape_capacity : 8;
        struct call_shape *larger = realloc(thread.shapes, (size_t)capacity * sizeof *larger);
        if (!larger)
            return false;
        thread.shapes = larger;
        thread.shape_capacity = capacity;
    }
    thread.shapes[thread.shape_count++] = shape;
    return true;
}

/* Host code calls the kernel's stub only when this returns 0. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    return !push_shape((struct call_shape){ grid, block, shared, stream, __builtin_return_address(0) });
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (thread.shape_count == 0)
        return API_QUIET(cudaErrorMissingConfiguration);
    struct call_shape shape = thread.shapes[--thread.shape_count];
    *grid = shape.grid;
    *block = shape.block;
    *shared = shape.shared;
    *(cudaStream_t *)stream = shape.stream;
    thread.launch_site = shape.site;
    thread.launch_returns = false;
    return cudaSuccess;
}

/* ---- one launch ------------------------------------------------------------------ */

static cudaError_t error_of_launch(enum launch_error error)
{
    switch (error) {
    case LAUNCH_OK:               return cudaSuccess;
    case LAUNCH_NO_FUNCTION:      return cudaErrorInvalidDeviceFunction;
    case LAUNCH_BAD_SHAPE:        return cudaErrorInvalidValue;
    case LAUNCH_TOO_MANY_THREADS: return cudaErrorInvalidValue;
    case LAUNCH_TOO_MUCH_SHARED:  return cudaErrorInvalidValue;
    case LAUNCH_BAD_CLUSTER:      return cudaErrorInvalidClusterSize;
    case LAUNCH_NO_ROOM:          return cudaErrorCooperativeLaunchTooLarge;
    case LAUNCH_AFTER_FAULT:      return cudaErrorLaunchFailure;
    case LAUNCH_UNSUPPORTED:      runtime_refuse("%s", machine_launch_message(rt.machine));
    case LAUNCH_PTX_ERROR:
        runtime_note("%s", machine_launch_message(rt.machine));
        rt.exit_code = 1;
        return cudaErrorInvalidPtx;
    }
    return cudaErrorUnknown;
}

static void set_shape(struct launch *l, dim3 grid, dim3 block, size_t shared)
{
    l->grid[0] = grid.x, l->grid[1] = grid.y, l->grid[2] = grid.z;
    l->block[0] = block.x, l->block[1] = block.y, l->block[2] = block.z;
    l->dynamic_shared = shared;
}

static void set_kernel(struct launch *l, const struct kernel *k)
{
    l->module = k->module;
    l->entry = k->name;
    l->max_dynamic_shared = (size_t)k->max_dynamic_shared;
    for (int i = 0; i < 3; i++)
        l->cluster[i] = (uint32_t)k->cluster[i];
}

bool cluster_is_allowed(const struct kernel *k, const struct launch *l)
{
    uint64_t blocks = (uint64_t)l->cluster[0] * l->cluster[1] * l->cluster[2];
    return k->any_cluster_size || blocks <= 8;
}

/* More threads than any block may have is a bad shape; more than this kernel may have is a lack of resources. */
static bool block_is_allowed(const struct launch *l)
{
    return (uint64_t)l->block[0] * l->block[1] * l->block[2] <= (uint64_t)rt.settings.device->threads_per_block;
}

static cudaError_t copy_arguments(const struct ptx_function *f, void **arguments, uint8_t *params)
{
    for (int i = 0; i < f->param_count; i++) {
        if (!arguments || !arguments[i])
            return cudaErrorInvalidValue;
        memcpy(params + f->params[i].offset, arguments[i], f->params[i].size);
    }
    return cudaSuccess;
}

/* "24 blocks of 128 threads, clusters of 2 x 1 x 1: cudaErrorX"; the cluster of the launch, else the kernel's own. */
static void describe_launch(const struct kernel *k, const struct launch *l, cudaError_t error, char *text, size_t size)
{
    char cluster[80] = "";
    bool own = k->function && l->cluster[0] == 0 && k->function->reqnctapercluster[0] > 0;
    uint32_t c[3];
    for (int i = 0; i < 3; i++)
        c[i] = own ? (uint32_t)k->function->reqnctapercluster[i] : l->cluster[i];
    if (c[0] > 0)
        snprintf(cluster, sizeof cluster, ", clusters of %u x %u x %u", c[0], c[1], c[2]);
    snprintf(text, size, "grid %u x %u x %u, block %u x %u x %u%s: %s", l->grid[0], l->grid[1], l->grid[2],
             l->block[0], l->block[1], l->block[2], cluster, cudaGetErrorName(error));
}

/* What the checker says of a launch: grid and block swapped, grid no multiple of the cluster, an error nobody sees. */
static void judge(const struct kernel *k, const struct launch *l, cudaError_t error)
{
    char site[300], detail[200];
    bool swapped = error == cudaSuccess && checker_looks_swapped(l->grid, l->block);
    if (!rt.checker || (!swapped && error == cudaSuccess))
        return;
    describe_launch(k, l, error, detail, sizeof detail);
    callsite_describe(thread.launch_site, site, sizeof site);
    if (swapped)
        checker_tell(rt.checker, RULE_LN1, site, detail);
    if (error == cudaErrorInvalidClusterSize)
        checker_tell(rt.checker, RULE_CL2, site, detail);
    else if (error != cudaSuccess && !thread.launch_returns) {
        rt.unasked = thread.launch_site;
        snprintf(rt.unasked_why, sizeof rt.unasked_why, "%s", detail);
    }
}

void launch_nobody_asked(void)
{
    char site[300];
    if (!rt.checker || !rt.unasked)
        return;
    callsite_describe(rt.unasked, site, sizeof site);
    rt.unasked = NULL;
    checker_tell(rt.checker, RULE_LN2, site, rt.unasked_why);
}

static cudaError_t enqueue(struct kernel *k, struct launch *l, void **arguments, cudaStream_t stream)
{
    int id;
    cudaError_t error = stream_id(stream, &id);
    if (error != cudaSuccess)
        return error;
    if (!block_is_allowed(l))
        return cudaErrorInvalidValue;
    if (!cluster_is_allowed(k, l))
        return cudaErrorInvalidClusterSize;
    uint8_t *params = calloc(1, k->function->param_bytes + 1);
    if (!params)
        return cudaErrorMemoryAllocation;
    l->params = params;
    l->param_bytes = k->function->param_bytes;
    error = copy_arguments(k->function, arguments, params);
    bool explore = error == cudaSuccess && rt.settings.schedules > 0 && !k->explored && machine_wait_all(rt.machine);
    if (error == cudaSuccess)
        error = error_of_launch(machine_launch(rt.machine, id, l));
    if (explore && error == cudaSuccess)
        explore_launch(k);
    free(params);
    return error;
}

static cudaError_t start(struct kernel *k, struct launch *l, void **arguments, cudaStream_t stream)
{
    cudaError_t error = enqueue(k, l, arguments, stream);
    judge(k, l, error);
    return error;
}

static cudaError_t launch_plain(struct kernel *k, dim3 grid, dim3 block, void **arguments, size_t shared,
                                cudaStream_t stream, bool cooperative)
{
    struct launch l = { .cooperative = cooperative };
    cudaError_t error = kernel_load(k);
    if (error != cudaSuccess)
        return error;
    set_kernel(&l, k);
    set_shape(&l, grid, block, shared);
    return start(k, &l, arguments, stream);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream)
{
    return API(launch_plain(kernel_find(kernel), grid, block, arguments, shared, stream, false));
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    return API(launch_plain(kernel_find(function), grid, block, arguments, shared, stream, false));
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream)
{
    thread.launch_site = __builtin_return_address(0);
    thread.launch_returns = true;
    return API(launch_plain(kernel_find(function), grid, block, arguments, shared, stream, true));
}

/* ---- launches with attributes ------------------------------------------------------ */

static cudaError_t take_cluster(struct launch *l, const cudaLaunchAttributeValue *v)
{
    l->cluster[0] = v->clusterDim.x, l->cluster[1] = v->clusterDim.y, l->cluster[2] = v->clusterDim.z;
    return l->cluster[0] && l->cluster[1] && l->cluster[2] ? cudaSuccess : cudaErrorInvalidClusterSize;
}

static cudaError_t take_attribute(struct launch *l, const cudaLaunchAttribute *a)
{
    switch ((int)a->id) {
    case cudaLaunchAttributeClusterDimension:
        return take_cluster(l, &a->val);
    case cudaLaunchAttributeCooperative:
        l->cooperative = a->val.cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributePriority:
        l->priority = stream_priority(a->val.priority);
        l->has_priority = true;
        return cudaSuccess;
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributeLaunchCompletionEvent:
        runtime_refuse("a launch with an event of its own (cudaLaunchAttributeProgrammaticEvent or "
                       "LaunchCompletionEvent) is outside the emulator's coverage");
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return cudaErrorInvalidValue;   /* for graphs only */
    case cudaLaunchAttributeProgrammaticStreamSerialization:   /* starting early is allowed, never required */
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case 16:   /* cudaLaunchAttributeNvlinkUtilCentricScheduling, toolkit 13 */
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t launch_from_config(struct kernel *k, const cudaLaunchConfig_t *config, struct launch *l)
{
    *l = (struct launch){ 0 };
    if (!config || (config->numAttrs && !config->attrs))
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_load(k);
    if (error != cudaSuccess)
        return error;
    set_kernel(l, k);
    set_shape(l, config->gridDim, config->blockDim, config->dynamicSmemBytes);
    for (unsigned i = 0; i < config->numAttrs && error == cudaSuccess; i++)
        error = take_attribute(l, &config->attrs[i]);
    return error;
}

static cudaError_t launch_config(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    struct launch l;
    struct kernel *k = kernel_find(function);
    cudaError_t error = launch_from_config(k, config, &l);
    return error == cudaSuccess ? start(k, &l, arguments, config->stream) : error;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    thread.launch_site = __builtin_return_address(0);
    thread.launch_returns = true;
    return API(launch_config(config, function, arguments));
}

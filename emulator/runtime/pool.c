/*
 * Memory pools: handles to allocate from. One pool is as good as another here,
 * since memory that is freed goes back to the device at once; attributes are
 * kept and answered.
 * Not modelled: sharing pools between processes and devices.
 */
#include "runtime/runtime.h"

#include <stdlib.h>

enum { ATTRIBUTES = 9 };       /* cudaMemPoolReuseFollowEventDependencies = 1 ... cudaMemPoolAttrUsedMemHigh = 8 */

/* Attributes 1 to 3 are int, the others 64 bits; sizes in bytes. */
struct CUmemPoolHandle_st {
    unsigned long long attribute[ATTRIBUTES];
};

static struct CUmemPoolHandle_st standard = { .attribute = { 0, 1, 1, 1 } };
static cudaMemPool_t current = &standard;
static struct table pools;     /* those of cudaMemPoolCreate */

static bool is_pool(cudaMemPool_t pool)
{
    return pool == &standard || (pool && table_get(&pools, pool));
}

static cudaError_t hand_out(cudaMemPool_t *to, cudaMemPool_t pool, int device)
{
    if (!to)
        return cudaErrorInvalidValue;
    if (device != 0)
        return cudaErrorInvalidDevice;
    *to = pool;
    return cudaSuccess;
}

static cudaError_t create(cudaMemPool_t *to, const struct cudaMemPoolProps *wanted)
{
    if (!to || !wanted || wanted->handleTypes != cudaMemHandleTypeNone)
        return cudaErrorInvalidValue;
    cudaMemPool_t pool = malloc(sizeof *pool);
    if (!pool)
        return cudaErrorMemoryAllocation;
    *pool = standard;
    if (!table_put(&pools, pool, pool)) {
        free(pool);
        return cudaErrorMemoryAllocation;
    }
    *to = pool;
    return cudaSuccess;
}

static cudaError_t destroy(cudaMemPool_t pool)
{
    if (pool == &standard || !table_take(&pools, pool))
        return cudaErrorInvalidValue;
    if (current == pool)
        current = &standard;
    free(pool);
    return cudaSuccess;
}

static cudaError_t attribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value, bool set)
{
    if (!is_pool(pool) || !value || (int)which < 1 || (int)which >= ATTRIBUTES)
        return cudaErrorInvalidValue;
    unsigned long long *kept = &pool->attribute[which];
    if (which <= cudaMemPoolReuseAllowInternalDependencies) {
        if (set)
            *kept = *(int *)value != 0;
        else
            *(int *)value = (int)*kept;
    } else if (set) {
        *kept = *(unsigned long long *)value;
    } else {
        *(unsigned long long *)value = *kept;
    }
    return cudaSuccess;
}

static cudaError_t use(int device, cudaMemPool_t pool)
{
    if (device != 0)
        return cudaErrorInvalidDevice;
    if (!is_pool(pool))
        return cudaErrorInvalidValue;
    current = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return API(hand_out(pool, &standard, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return API(hand_out(pool, current, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    return API(use(device, pool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    return API(create(pool, properties));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    return API(destroy(pool));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
    return API(attribute(pool, which, value, true));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
    return API(attribute(pool, which, value, false));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    return API(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

/* There is one device, and it always has access. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
{
    return API(is_pool(pool) && (list || count == 0) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    if (API(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue) != cudaSuccess)
        return cudaErrorInvalidValue;
    return cudaMallocAsync(pointer, bytes, stream);
}

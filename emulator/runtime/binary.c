/*
 * Registration and loading: what host code made by nvcc calls before main,
 * and what happens when a kernel or variable is first used.
 *
 *   __cudaRegisterFatBinary(wrapper)      -> handle
 *   __cudaRegisterFunction(handle, ...)   for each kernel
 *   __cudaRegisterVar, __cudaRegisterManagedVar
 *   __cudaRegisterFatBinaryEnd; main; at exit __cudaUnregisterFatBinary
 *
 * A fat binary is read when something in it is first used; its module then
 * belongs to the current machine and is loaded again after cudaDeviceReset.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fatbin.h"
#include "runtime/link.h"
#include "runtime/private.h"

struct variable {
    struct binary *binary;
    const char *name;
    void **managed;            /* host pointer to fill, or NULL */
    struct variable *next;
};

struct binary {
    const void *wrapper;
    const struct ptx_module *module;   /* once read */
    cudaError_t error;                 /* why it cannot be used */
    int id;                            /* in machine number `generation` */
    unsigned generation;
    bool machine_code;                 /* part of it has no PTX: a library, such as the runtime of dynamic parallelism */
    struct variable *variables;
};

static struct table kernels;           /* by host function, and by handle */
static struct table variables;         /* by host shadow */

/* Registration has nobody to return an error to. */
static void *need(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory) {
        runtime_note("there is no memory to register device code");
        runtime_exit(3);
    }
    return memory;
}

/* ---- reading: from the fat binary to a module -------------------------------- */

static cudaError_t no_code(enum fatbin_choice choice)
{
    const struct device *d = rt.settings.device;
    switch (choice) {
    case FATBIN_ONLY_ELF:
        runtime_refuse("the program holds machine code for the %s without its PTX, which is what the emulator runs: build it "
                       "with nvcc-emu, or with -gencode arch=compute_%s,code=compute_%s", d->name, d->target, d->target);
    case FATBIN_DAMAGED:
        return cudaErrorInvalidKernelImage;
    default:
        return cudaErrorNoKernelImageForDevice;
    }
}

/* PTX that does not parse: the program's own (inline assembly), or beyond the emulator. */
static cudaError_t bad_ptx(const struct ptx_error *error)
{
    if (error->unsupported)
        runtime_refuse("%s", error->text);
    runtime_note("%s", error->text);
    rt.exit_code = 1;
    return cudaErrorInvalidPtx;
}

/* Parses one fat binary's best entry; *module stays NULL when it has no device code. */
static cudaError_t read_image(struct binary *b, const void *image, struct ptx_module **module)
{
    struct fatbin_entry entry;
    enum fatbin_choice choice = fatbin_choose(image, rt.settings.device->cc, &entry);
    b->machine_code |= choice == FATBIN_ONLY_ELF;
    if (choice == FATBIN_EMPTY || choice == FATBIN_ONLY_ELF)
        return cudaSuccess;
    if (choice != FATBIN_FOUND)
        return no_code(choice);
    char why[512];
    size_t length;
    char *text = fatbin_text(&entry, &length, why, sizeof why);
    if (!text)
        runtime_refuse("%s", why);
    char name[256];
    struct ptx_error error;
    snprintf(name, sizeof name, "PTX of %s", program_invocation_short_name);
    *module = ptx_parse(text, length, name, &error);
    free(text);
    return *module ? cudaSuccess : bad_ptx(&error);
}

static cudaError_t read_binary(struct binary *b)
{
    const void *one[1];
    int count = fatbin_images(b->wrapper, one, 1), modules = 0;
    if (count < 1)
        return count < 0 ? cudaErrorInvalidKernelImage : cudaErrorNoKernelImageForDevice;
    const void **images = need((size_t)count * sizeof *images);
    struct ptx_module **parts = need((size_t)count * sizeof *parts);
    fatbin_images(b->wrapper, images, count);
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < count && result == cudaSuccess; i++) {
        parts[modules] = NULL;
        result = read_image(b, images[i], &parts[modules]);
        modules += parts[modules] != NULL;
    }
    struct ptx_error error;
    if (result == cudaSuccess && modules == 0)
        result = no_code(b->machine_code ? FATBIN_ONLY_ELF : FATBIN_EMPTY);
    else if (result == cudaSuccess && !(b->module = link_modules(parts, modules, &error)))
        result = bad_ptx(&error);
    free(images);
    free(parts);
    return result;
}

/* ---- loading: from a module to the machine ------------------------------------- */

/* Host code reads managed variables through pointers that are filled here. */
static void fill_managed(struct binary *b)
{
    for (struct variable *v = b->variables; v; v = v->next)
        if (v->managed)
            *v->managed = (void *)(uintptr_t)machine_variable(rt.machine, b->id, v->name, NULL);
}

static cudaError_t binary_load(struct binary *b)
{
    if (b->generation == rt.generation)
        return cudaSuccess;
    if (!b->module && b->error == cudaSuccess)
        b->error = read_binary(b);
    if (b->error != cudaSuccess)
        return b->error;
    struct ptx_error error = { 0 };
    switch (machine_load(rt.machine, b->module, &b->id, &error)) {
    case LOAD_OK:
        break;
    case LOAD_WRONG_TARGET:
        return cudaErrorNoKernelImageForDevice;
    case LOAD_ERROR:
        return b->error = bad_ptx(&error);
    }
    b->generation = rt.generation;
    fill_managed(b);
    return cudaSuccess;
}

/* What host code registered is not in the PTX: it may be in the part that has none. */
static cudaError_t not_found(const struct binary *b, cudaError_t error)
{
    return b->machine_code ? no_code(FATBIN_ONLY_ELF) : error;
}

struct kernel *kernel_find(const void *function)
{
    return function ? table_get(&kernels, function) : NULL;
}

cudaError_t kernel_load(struct kernel *k)
{
    if (!k)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = binary_load(k->binary);
    if (error != cudaSuccess)
        return error;
    k->module = k->binary->id;
    k->function = ptx_function_find(k->binary->module, k->name);
    return k->function ? cudaSuccess : not_found(k->binary, cudaErrorInvalidDeviceFunction);
}

cudaError_t symbol_find(const void *symbol, uint64_t *address, size_t *size)
{
    struct variable *v = symbol ? table_get(&variables, symbol) : NULL;
    if (!v)
        return cudaErrorInvalidSymbol;
    cudaError_t error = binary_load(v->binary);
    if (error != cudaSuccess)
        return error;
    *address = machine_variable(rt.machine, v->binary->id, v->name, size);
    return *address ? cudaSuccess : not_found(v->binary, cudaErrorInvalidSymbol);
}

/* ---- what host code calls ---------------------------------------------------------- */

void **__cudaRegisterFatBinary(void *wrapper)
{
    api_enter_quiet();
    struct binary *b = need(sizeof *b);
    b->wrapper = wrapper;
    api_leave(cudaSuccess);
    return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* At exit. What was loaded stays until the process is gone. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device_host, const char *name, int thread_limit,
                            uint3 *thread_id, uint3 *block_id, dim3 *block_dim, dim3 *grid_dim, int *warp_size)
{
    (void)device_host, (void)thread_limit, (void)thread_id, (void)block_id;
    (void)block_dim, (void)grid_dim, (void)warp_size;
    if (table_get(&kernels, host))   /* a template made in two source files: the code is the same */
        return;
    struct kernel *k = need(sizeof *k);
    k->binary = (struct binary *)handle;
    k->name = name;
    k->host = host;
    k->carveout = -1;
    table_put(&kernels, host, k);
    table_put(&kernels, k, k);
}

static void add_variable(void **handle, const void *shadow, const char *name, void **managed)
{
    struct variable *v = need(sizeof *v);
    v->binary = (struct binary *)handle;
    v->name = name;
    v->managed = managed;
    v->next = v->binary->variables;
    v->binary->variables = v;
    table_put(&variables, shadow, v);
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_shadow, const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)device_shadow, (void)external, (void)size, (void)constant, (void)global;
    add_variable(handle, shadow, name, NULL);
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_shadow, const char *name, int external,
                              size_t size, int constant, int global)
{
    (void)device_shadow, (void)external, (void)size, (void)constant, (void)global;
    add_variable(handle, pointer, name, pointer);
}

char __cudaInitModule(void **handle)
{
    API(binary_load((struct binary *)handle));
    return 1;
}

static cudaError_t get_kernel(cudaKernel_t *handle, const void *host)
{
    struct kernel *k = kernel_find(host);
    *handle = (cudaKernel_t)k;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    return API_QUIET(get_kernel(handle, host));
}

cudaError_t cudaGetKernel(cudaKernel_t *handle, const void *host)
{
    return API_QUIET(handle ? get_kernel(handle, host) : cudaErrorInvalidValue);
}

static cudaError_t get_function(cudaFunction_t *handle, const void *host)
{
    struct kernel *k = kernel_find(host);
    *handle = (cudaFunction_t)k;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *host)
{
    return API_QUIET(handle ? get_function(handle, host) : cudaErrorInvalidValue);
}

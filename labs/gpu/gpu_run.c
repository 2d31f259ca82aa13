/*
 * gpu-run: what emu-run does with a launch file, on a real GPU. For a student
 * who has one; no grade depends on it.
 *   gpu-run KERNEL.cubin KERNEL.ptx --launch FILE [--set NAME=VALUE]...
 * The PTX, of the same source, tells the kernel's full name and its parameters.
 * The driver is looked for when the program runs, so it builds on any machine.
 * Below compute capability 10.0 a parameter of 16 zero bytes is a clc::pool, and
 * gets the state that common/clc_launch.cuh would give it.
 * Not modelled: priorities, `symbol` with buffers in constant memory beyond its size.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/module.h"
#include "run/entry.h"
#include "run/file.h"
#include "run/judge.h"
#include "run/launchfile.h"

/* ---- the part of cuda.h that is used, written down so that no toolkit is needed ------ */

struct attribute { int id; char pad[4]; union { char room[64]; unsigned cluster[3]; } value; };
struct config { unsigned grid[3], block[3], shared; void *stream; struct attribute *attributes; unsigned count; };
enum { ATTRIBUTE_CLUSTER = 4, DEVICE_MAJOR = 75, DEVICE_MINOR = 76, DEVICE_SMS = 16, FUNCTION_SHARED = 8 };

/* CALL(name, the symbol's name, parameters) */
#define CALLS(CALL)                                                                                              \
    CALL(init, "cuInit", (unsigned flags))                                                                       \
    CALL(device, "cuDeviceGet", (int *device, int number))                                                       \
    CALL(name, "cuDeviceGetName", (char *name, int size, int device))                                            \
    CALL(ask, "cuDeviceGetAttribute", (int *value, int attribute, int device))                                   \
    CALL(retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                       \
    CALL(current, "cuCtxSetCurrent", (void *context))                                                            \
    CALL(load, "cuModuleLoadData", (void **module, const void *image))                                           \
    CALL(function, "cuModuleGetFunction", (void **function, void *module, const char *name))                     \
    CALL(global, "cuModuleGetGlobal_v2", (uint64_t *address, size_t *bytes, void *module, const char *name))     \
    CALL(alloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes))                                              \
    CALL(write, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes))                                \
    CALL(read, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))                                       \
    CALL(set, "cuFuncSetAttribute", (void *function, int attribute, int value))                                  \
    CALL(fits, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *blocks, void *function, int threads, size_t shared)) \
    CALL(launch, "cuLaunchKernelEx", (const struct config *config, void *function, void **params, void **extra)) \
    CALL(wait, "cuCtxSynchronize", (void))                                                                       \
    CALL(event, "cuEventCreate", (void **event, unsigned flags))                                                 \
    CALL(record, "cuEventRecord", (void *event, void *stream))                                                   \
    CALL(elapsed, "cuEventElapsedTime", (float *ms, void *from, void *to))                                       \
    CALL(error, "cuGetErrorName", (int error, const char **name))

static struct {
#define CALL(id, symbol, params) int (*id) params;
    CALLS(CALL)
#undef CALL
} cu;

static _Noreturn void stop(int code, const char *sentence, const char *what)
{
    fprintf(stderr, "gpu-run: %s%s%s\n", what, *what ? ": " : "", sentence);
    exit(code);
}

static void find_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver)
        stop(ENDS_MACHINE, "there is no NVIDIA driver here", "libcuda.so.1");
    const struct { const char *symbol; void *place; } wanted[] = {
#define CALL(id, symbol, params) { symbol, &cu.id },
        CALLS(CALL)
#undef CALL
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(driver, wanted[i].symbol);
        if (!found)
            stop(ENDS_MACHINE, "the driver is too old: it lacks this call", wanted[i].symbol);
        memcpy(wanted[i].place, &found, sizeof found);      /* as POSIX has it for functions */
    }
}

/* `code`: what a failure of this call means. */
static void must(int error, int code, const char *what)
{
    const char *name = "an unknown error";
    if (error == 0)
        return;
    cu.error(error, &name);
    stop(code, name ? name : "an unknown error", what);
}

/* ---- one run ---------------------------------------------------------------------------- */

struct gpu {
    struct launch_file file;
    const struct ptx_function *entry;
    void *module, *function;
    uint64_t *address;
    int cc, sms;
    char name[200];
};

static void open_gpu(struct gpu *g, const char *image)
{
    void *context;
    int device, major, minor;
    must(cu.init(0), ENDS_MACHINE, "cuInit");
    must(cu.device(&device, 0), ENDS_MACHINE, "no GPU");
    must(cu.name(g->name, sizeof g->name, device), ENDS_MACHINE, "cuDeviceGetName");
    must(cu.ask(&major, DEVICE_MAJOR, device), ENDS_MACHINE, "compute capability");
    must(cu.ask(&minor, DEVICE_MINOR, device), ENDS_MACHINE, "compute capability");
    must(cu.ask(&g->sms, DEVICE_SMS, device), ENDS_MACHINE, "number of SMs");
    must(cu.retain(&context, device), ENDS_MACHINE, "context");
    must(cu.current(context), ENDS_MACHINE, "context");
    g->cc = 10 * major + minor;
    must(cu.load(&g->module, image), ENDS_MACHINE, "the kernel does not load");
    must(cu.function(&g->function, g->module, g->entry->name), ENDS_MACHINE, g->entry->name);
}

static void place_buffers(struct gpu *g)
{
    g->address = calloc((size_t)g->file.buffer_count + 1, sizeof *g->address);
    for (int i = 0; i < g->file.buffer_count; i++) {
        const struct buffer *b = &g->file.buffers[i];
        const size_t size = element_bytes(b->element), bytes = b->count * size;
        uint8_t *copy = calloc(b->count + 1, size);
        if (!copy || !g->address)
            stop(ENDS_MACHINE, "memory is out", b->name);
        for (size_t k = 0; b->fill == FILL_VALUE && k < b->count; k++)
            memcpy(copy + k * size, b->fill_value, size);
        if (b->fill == FILL_FILE && bytes)
            memcpy(copy, b->array.bytes, bytes);
        if (bytes) {
            must(cu.alloc(&g->address[i], bytes), ENDS_MACHINE, b->name);
            must(cu.write(g->address[i], copy, bytes), ENDS_MACHINE, b->name);
        }
        free(copy);
    }
}

static uint8_t *bytes_of(const struct gpu *g, const struct value *v, size_t size)
{
    uint8_t *bytes = calloc(size + 8, 1);
    if (!bytes)
        stop(ENDS_MACHINE, "memory is out", "value");
    memcpy(bytes, v->bytes, v->size < size ? v->size : size);
    for (int i = 0; i < v->patch_count; i++)
        memcpy(bytes + v->patches[i].offset, &g->address[v->patches[i].buffer], 8);
    return bytes;
}

static void place_symbols(const struct gpu *g)
{
    for (int i = 0; i < g->file.symbol_count; i++) {
        const struct symbol *s = &g->file.symbols[i];
        uint64_t address;
        size_t size;
        must(cu.global(&address, &size, g->module, s->name), ENDS_USAGE, s->name);
        uint8_t *bytes = bytes_of(g, &s->value, s->value.size);
        must(cu.write(address, bytes, s->value.size < size ? s->value.size : size), ENDS_MACHINE, s->name);
        free(bytes);
    }
}

/* A clc::pool that the launch file leaves empty. */
static bool is_pool(const struct value *v)
{
    static const uint8_t zero[16];
    return v->size == 16 && v->patch_count == 0 && memcmp(v->bytes, zero, 16) == 0;
}

/* state: the next ticket, and from word 32 on a bit a cluster; yield: a word. All zero. */
static void fill_pool(uint8_t *bytes, uint64_t clusters)
{
    const size_t words = 32 + (clusters + 31) / 32 + 1;
    uint64_t address;
    uint32_t *zeros = calloc(words, sizeof *zeros);
    if (!zeros)
        stop(ENDS_MACHINE, "memory is out", "pool");
    must(cu.alloc(&address, words * sizeof *zeros), ENDS_MACHINE, "pool");
    must(cu.write(address, zeros, words * sizeof *zeros), ENDS_MACHINE, "pool");
    const uint64_t yield = address + (words - 1) * sizeof *zeros;
    memcpy(bytes, &address, 8);
    memcpy(bytes + 8, &yield, 8);
    free(zeros);
}

static uint64_t volume(const uint32_t extent[3]) { return (uint64_t)extent[0] * extent[1] * extent[2]; }

static void make_config(const struct gpu *g, struct config *config, struct attribute *cluster)
{
    const struct launch_file *f = &g->file;
    const uint64_t blocks = volume(f->cluster) ? volume(f->cluster) : 1;
    int fits = 0;
    *config = (struct config){ .shared = (unsigned)f->shared, .attributes = cluster, .count = volume(f->cluster) ? 1 : 0 };
    *cluster = (struct attribute){ .id = ATTRIBUTE_CLUSTER };
    memcpy(cluster->value.cluster, f->cluster, sizeof f->cluster);
    memcpy(config->grid, f->grid, sizeof f->grid);
    memcpy(config->block, f->block, sizeof f->block);
    if (f->shared)
        must(cu.set(g->function, FUNCTION_SHARED, (int)f->shared), ENDS_MACHINE, "shared memory");
    if (f->grid_kind == GRID_RESIDENT) {
        must(cu.fits(&fits, g->function, (int)volume(f->block), f->shared), ENDS_MACHINE, "occupancy");
        uint64_t grid = (uint64_t)fits * (uint64_t)g->sms * f->grid_factor;
        grid = f->grid_most && grid > f->grid_most ? f->grid_most : grid;
        config->grid[0] = (unsigned)(grid / blocks * blocks);
        config->grid[1] = config->grid[2] = 1;
    }
}

/* Launches once; milliseconds. */
static float launch(struct gpu *g)
{
    const struct launch_file *f = &g->file;
    struct config config;
    struct attribute cluster;
    void *from, *to, **params = calloc((size_t)f->arg_count + 1, sizeof *params);
    float ms = 0;
    make_config(g, &config, &cluster);
    const uint64_t clusters = volume(config.grid) / (volume(f->cluster) ? volume(f->cluster) : 1);
    if (f->arg_count != g->entry->param_count || !params)
        stop(ENDS_USAGE, "the launch file has another number of arguments than the kernel", g->entry->name);
    for (int i = 0; i < f->arg_count; i++) {
        params[i] = bytes_of(g, &f->args[i], g->entry->params[i].size);
        if (g->cc < 100 && is_pool(&f->args[i]))
            fill_pool(params[i], clusters);
    }
    must(cu.event(&from, 0), ENDS_MACHINE, "event");
    must(cu.event(&to, 0), ENDS_MACHINE, "event");
    must(cu.record(from, NULL), ENDS_MACHINE, "event");
    must(cu.launch(&config, g->function, params, NULL), ENDS_MACHINE, "the launch");
    must(cu.record(to, NULL), ENDS_MACHINE, "event");
    must(cu.wait(), ENDS_WRONG, "the kernel broke");
    must(cu.elapsed(&ms, from, to), ENDS_MACHINE, "event");
    for (int i = 0; i < f->arg_count; i++)
        free(params[i]);
    free(params);
    return ms;
}

static int judge_buffers(const struct gpu *g, float ms)
{
    struct judgement j = { 0 };
    for (int i = 0; i < g->file.expect_count; i++) {
        const struct expect *e = &g->file.expects[i];
        const struct buffer *b = &g->file.buffers[e->buffer];
        const size_t bytes = b->count * element_bytes(b->element);
        uint8_t *got = malloc(bytes + 1);
        if (!got)
            stop(ENDS_MACHINE, "memory is out", b->name);
        if (bytes)
            must(cu.read(got, g->address[e->buffer], bytes), ENDS_WRONG, b->name);
        judge(&j, g->file.expect_count > 1 ? b->name : "", b->element, b->count, got, e->array.bytes);
        free(got);
    }
    judge_print(&j, g->file.kernel ? g->file.kernel : g->entry->name, stdout);
    printf("time %.3f ms on %s, compute capability %d.%d\n", (double)ms, g->name, g->cc / 10, g->cc % 10);
    return j.wrong ? ENDS_WRONG : ENDS_RIGHT;
}

/* ---- the command line -------------------------------------------------------------------- */

static int run(const char *cubin, const char *ptx, const char *path, const struct setting *settings, int count)
{
    struct complaint c = { 0 };
    struct ptx_error error = { 0 };
    struct gpu g = { 0 };
    char *image, *text;
    size_t size, length;
    float ms = 0;
    if (!file_read(cubin, 1 << 28, &image, &size, &c) || !file_read(ptx, 1 << 28, &text, &length, &c)
        || !launch_read(path, settings, count, &g.file, &c))
        stop(c.code, c.text, "");
    struct ptx_module *module = ptx_parse(text, length, ptx, &error);
    if (!module)
        stop(ENDS_USAGE, error.text, ptx);
    g.entry = entry_find(module, g.file.kernel, path, &c);
    if (!g.entry)
        stop(c.code, c.text, "");
    find_driver();
    open_gpu(&g, image);
    place_buffers(&g);
    place_symbols(&g);
    for (int i = 0; i < g.file.repeat; i++)
        ms = launch(&g);
    const int code = judge_buffers(&g, ms);
    launch_free(&g.file);
    ptx_module_free(module);
    free(g.address);
    free(image);
    free(text);
    return code;
}

int main(int argc, char **argv)
{
    struct setting *settings = calloc((size_t)argc + 1, sizeof *settings);
    const char *file = NULL;
    int count = 0;
    if (!settings || argc < 3)
        stop(ENDS_USAGE, "usage: gpu-run KERNEL.cubin KERNEL.ptx --launch FILE [--set NAME=VALUE]...", "");
    for (int i = 3; i < argc; i++) {
        const char *equals = i + 1 < argc ? strchr(argv[i + 1], '=') : NULL;
        if (strcmp(argv[i], "--launch") == 0 && i + 1 < argc)
            file = argv[++i];
        else if (strcmp(argv[i], "--set") == 0 && equals)
            settings[count++] = (struct setting){ argv[i + 1], equals + 1, (size_t)(equals - argv[i + 1]) }, i++;
        else
            stop(ENDS_USAGE, "is no option with a value", argv[i]);
    }
    if (!file)
        stop(ENDS_USAGE, "want --launch FILE", "");
    const int code = run(argv[1], argv[2], file, settings, count);
    free(settings);
    return code;
}

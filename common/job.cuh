/*
 * The CUDA side of a job: everything in a step that is not the lesson.
 *  - in a kernel  compute_scalar() is the prologue, spend(bx) the cost of a tile; both record who
 *                 did what if the launch is the recorded one, and cost a load and a branch if not
 *  - in main      job_open(), job.grid = ..., job_run(&job, launch), job_close(&job)
 *  - CUDA(call)   ends the program with a sentence and an exit code if the call failed
 * The first launch is recorded and checked; then come warm-ups and timed launches, and a last check.
 * Not modelled: several GPUs, other streams than the default one.
 */
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "job.h"
#include "npy.h"

/* ---- errors ------------------------------------------------------------------------------- */

/* Wrong result (the kernel broke), or a machine that cannot do it? */
inline int cuda_exit_code(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
        return EXIT_WRONG;
    default:
        return EXIT_MACHINE;
    }
}

inline const char *cuda_hint(cudaError_t error)
{
    switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
        return "; BACKEND=emulator needs no GPU";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidPtx:
        return "; this program was not built for this GPU: `make run` builds for the one it finds, ARCH= overrides";
    case cudaErrorMemoryAllocation:
        return "; take a smaller --n";
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
        return "; this GPU cannot run such a grid, block or cluster";
    default:
        return "";
    }
}

inline void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    const char *slash = strrchr(file, '/');
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s, %s%s\n", slash ? slash + 1 : file, line, call, cudaGetErrorName(error),
            cudaGetErrorString(error), cuda_hint(error));
    exit(cuda_exit_code(error));
}

#define CUDA(call) cuda_check((call), #call, __FILE__, __LINE__)

/* ---- in the kernel ------------------------------------------------------------------------ */

__constant__ struct tile_plan plan;

__device__ inline uint64_t now() /* nanoseconds */
{
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

__device__ inline uint32_t thread_number()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ inline uint32_t block_number()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* `units` multiply-adds, each waiting for the one before. x stays between 0 and 1023, which no compiler can know. */
__device__ inline void arithmetic(uint32_t units)
{
    const float half = plan.half, one = plan.one;
    float x = threadIdx.x;
    for (uint32_t unit = 0; unit < units; unit++)
        x = TILE_COST(x, half, one);
    if (x < 0)
        *plan.never = x;
}

/* The prologue: computes the scalar, the same in every thread. Thread 0 signs for the block. */
__device__ inline float compute_scalar()
{
    if (plan.busy) {
        const bool sign = plan.blocks && thread_number() == 0;
        const uint64_t start = sign ? now() : 0;
        arithmetic(plan.prologue);
        if (sign) {
            struct block_record *record = &plan.blocks[block_number()];
            asm("mov.u32 %0, %%smid;" : "=r"(record->sm));
            record->prologues++;
            record->start = start;
            record->end = now();
        }
    }
    return plan.alpha;
}

/* Lane 0 signs for its warp, thread 0 tells the block and the time. */
__device__ inline void sign_tile(struct tile_record *record, uint64_t start)
{
    const uint64_t end = now();
    const uint32_t thread = thread_number();
    if (thread % 32 == 0)
        atomicAdd((unsigned long long *)&record->signed_by, tile_signature(block_number(), thread / 32));
    if (thread == 0) {
        record->block = block_number();
        record->start = start;
        record->end = end;
    }
}

/* The cost of tile bx. Call it once per tile, by all threads of the block. */
__device__ inline void spend(uint32_t bx)
{
    if (!plan.busy)
        return;
    const uint32_t tile = min(bx, plan.count); /* too far: the spare record, so that the host can tell */
    const uint64_t start = plan.tiles ? now() : 0;
    arithmetic(plan.units ? plan.units[tile] : plan.uniform);
    if (plan.tiles)
        sign_tile(&plan.tiles[tile], start);
}

/* ---- around the launch -------------------------------------------------------------------- */

inline void job_fail(const struct job *job, const struct sentence *why)
{
    job_die(job->program, why, EXIT_USAGE);
}

template <class T> T *device_array(int64_t count)
{
    T *array = nullptr;
    CUDA(cudaMalloc(&array, (size_t)(count ? count : 1) * sizeof(T)));
    return array;
}

template <class T> T *host_array(const struct job *job, int64_t count)
{
    T *array = (T *)calloc((size_t)count + 1, sizeof(T));
    if (!array) {
        struct sentence why;
        say(&why, "no memory for %lld bytes", (long long)count * (long long)sizeof(T));
        job_die(job->program, &why, EXIT_MACHINE);
    }
    return array;
}

inline void find_device(struct job *job)
{
    cudaDeviceProp properties;
    int device = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaGetDeviceProperties(&properties, device));
    snprintf(job->device, sizeof job->device, "%s", properties.name);
    job->emulated = strncmp(properties.name, "emulated ", 9) == 0;
}

/* Reads options, data and work sizes; puts the data on the device. Ends the program on bad input. */
inline struct job job_open(int argc, char **argv, const char *program, unsigned takes)
{
    struct job job;
    struct sentence why;
    if (!job_prepare(&job, program, takes, argc, argv, &why))
        job_die(program, &why, EXIT_USAGE);
    if (job.options.help)
        exit(EXIT_RIGHT);
    find_device(&job);
    job.data = device_array<float>(job.n);
    float *piece = host_array<float>(&job, JOB_PIECE);
    for (int64_t first = 0; first < job.n; first += JOB_PIECE) {
        const int64_t count = job_piece(&job, first);
        job_input(&job, piece, first, count);
        CUDA(cudaMemcpy(job.data + first, piece, (size_t)count * sizeof(float), cudaMemcpyHostToDevice));
    }
    free(piece);
    return job;
}

/* --blocks, or as many blocks as fit on the GPU at once: SMs x blocks on one; whole clusters. Never more than tiles. */
template <class Kernel> int resident_blocks(const struct job *job, Kernel *kernel)
{
    int device = 0, sms = 0, on_one = 0;
    if (job->options.blocks != OPTION_AUTO)
        return job->tiles ? (int)job->options.blocks : 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_one, kernel, job->block, 0));
    const int fit = sms * on_one - sms * on_one % job->cluster; /* 0: less than a cluster; the launch will tell */
    return fit > 0 && fit < job->tiles ? fit : job->tiles;
}

/* The plan of a launch, with or without records. */
inline void set_plan(struct tile_plan p, bool record)
{
    if (!record) {
        p.tiles = nullptr;
        p.blocks = nullptr;
    }
    p.busy = p.units || p.uniform || p.prologue || p.tiles;
    CUDA(cudaMemcpyToSymbol(plan, &p, sizeof p));
}

inline void fill_plan(struct job *job, struct tile_plan *p)
{
    memset(p, 0, sizeof *p);
    p->count = (uint32_t)job->tiles;
    p->uniform = job->uniform;
    p->prologue = (uint32_t)job->options.prologue;
    p->alpha = job->alpha;
    p->half = 0.5f;
    p->one = 1;
    if (job->sizes) {
        uint32_t *units = device_array<uint32_t>(job->tiles + 1);
        CUDA(cudaMemcpy(units, job->sizes, ((size_t)job->tiles + 1) * sizeof *units, cudaMemcpyHostToDevice));
        p->units = units;
    }
    if (job->tiles <= JOB_RECORDED_MOST) {
        p->tiles = device_array<struct tile_record>(job->tiles + 1);
        p->blocks = device_array<struct block_record>(job->grid);
        CUDA(cudaMemset(p->tiles, 0, ((size_t)job->tiles + 1) * sizeof *p->tiles));
        CUDA(cudaMemset(p->blocks, 0, (size_t)job->grid * sizeof *p->blocks));
    }
}

/* Copies the ledger to the host. */
inline void fetch_ledger(struct job *job, const struct tile_plan *p)
{
    struct ledger *l = &job->ledger;
    if (!p->tiles)
        return;
    l->tiles = host_array<struct tile_record>(job, job->tiles + 1);
    l->blocks = host_array<struct block_record>(job, job->grid);
    l->tile_count = job->tiles;
    l->block_count = job->grid;
    l->block_threads = job->block;
    l->steals = (job->takes & JOB_STEALS) != 0;
    CUDA(cudaMemcpy(l->tiles, p->tiles, ((size_t)job->tiles + 1) * sizeof *l->tiles, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(l->blocks, p->blocks, (size_t)job->grid * sizeof *l->blocks, cudaMemcpyDeviceToHost));
}

/* Compares the result, piece by piece, and writes it to `out` if there is one. */
inline void check_data(struct job *job, struct out_file *out)
{
    struct sentence why;
    float *got = host_array<float>(job, JOB_PIECE), *want = host_array<float>(job, JOB_PIECE);
    for (int64_t first = 0; first < job->n; first += JOB_PIECE) {
        const int64_t count = job_piece(job, first);
        const size_t size = (size_t)count * sizeof *got;
        CUDA(cudaMemcpy(got, job->data + first, size, cudaMemcpyDeviceToHost));
        job_compare(job, got, want, first, count);
        if (out && !out_bytes(out, got, size, &why))
            job_fail(job, &why);
    }
    free(got);
    free(want);
}

/* After the recorded launch: the ledger, the values, the files that were asked for. */
inline void check_first(struct job *job, const struct tile_plan *p)
{
    struct sentence why;
    struct out_file out;
    const bool write = *job->options.output != '\0';
    fetch_ledger(job, p);
    if (write && !(out_open(&out, job->options.output, &why) && npy_header(&out, "<f4", job->n, &why)))
        job_fail(job, &why);
    check_data(job, write ? &out : nullptr);
    if (write && !out_close(&out, &why))
        job_fail(job, &why);
    if (*job->options.trace && job->ledger.tiles && !ledger_csv(&job->ledger, job->options.trace, &why))
        job_fail(job, &why);
}

template <class Launch> void launch_once(struct job *job, Launch launch)
{
    launch(job);
    CUDA(cudaGetLastError());
    job->launches++;
}

template <class Launch> void time_launches(struct job *job, Launch launch)
{
    const struct options *o = &job->options;
    const int warmup = o->warmup != OPTION_AUTO ? (int)o->warmup : job->emulated ? 0 : 2;
    const int repeat = o->repeat != OPTION_AUTO ? (int)o->repeat : job->emulated ? 1 : 10;
    int device = 0, khz = 0;
    cudaEvent_t start, end;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    job->times = host_array<double>(job, repeat);
    for (int k = 0; k < warmup; k++)
        launch_once(job, launch);
    for (; job->timed < repeat; job->timed++) {
        float ms = 0;
        CUDA(cudaEventRecord(start));
        launch_once(job, launch);
        CUDA(cudaEventRecord(end));
        CUDA(cudaEventSynchronize(end));
        CUDA(cudaEventElapsedTime(&ms, start, end));
        job->times[job->timed] = job->emulated ? std::round((double)ms * khz) : (double)ms;
    }
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(end));
}

/*
 * Runs `launch(&job)`, which starts the kernel on job->data with job->grid blocks: once recorded,
 * then warmed up and timed. Without tiles nothing is launched: an empty grid is an error in CUDA.
 */
template <class Launch> void job_run(struct job *job, Launch launch)
{
    struct tile_plan p;
    fill_plan(job, &p);
    if (job->grid) {
        set_plan(p, true);
        launch_once(job, launch);
        CUDA(cudaDeviceSynchronize());
    }
    check_first(job, &p);
    if (job->grid && !job->wrong.count) {
        set_plan(p, false);
        time_launches(job, launch);
        if (job->launches > 1)
            check_data(job, nullptr);
    }
    CUDA(cudaFree((void *)p.units));
    CUDA(cudaFree(p.tiles));
    CUDA(cudaFree(p.blocks));
}

/* Prints the report and returns the exit code. */
inline int job_close(struct job *job)
{
    const int code = job_report(job);
    CUDA(cudaFree(job->data));
    job_free(job);
    return code;
}

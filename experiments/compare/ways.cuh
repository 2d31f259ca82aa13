/*
 * The ways to hand out tiles that the tutorial compares: the kernels of the steps and of the tile counter, taken from
 * their own files, and launched on a machine whose SMs have a given number of slots.
 *   ways[]           a row a way: its name, how many blocks, whether it steals, its kernel, its launch
 *   prepare_ways()   asks for so much shared memory that `slots` blocks fit on an SM, and no more
 *   way_blocks()     how many blocks to launch        way_launch()   launches job->grid of them
 * Each file brings its own main() and launch(); they are renamed, put into a namespace, and not used.
 * Not modelled: more than one device.
 */
#pragma once

/* For a bench that fills an SM: an FFMA of three registers, which each kernel chooses anew, takes two cycles or one (seen
   on an H200: up to 1.7 times the time). With a constant among its operands it takes one in every kernel. */
#ifdef TILE_COST_ALIKE
__device__ inline float unit_of_cost(float x, float, float)
{
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, 0f3F800000;" : "+f"(x));
    return x;
}
#define TILE_COST(x, half, one) unit_of_cost(x, half, one)
#endif

#include "common/clc_launch.cuh"
#include "common/job.cuh"
#include "tutorial/rungs/urgent.cuh"

#define main example_main
namespace step01 {
#include "step01_fixed_work/fixed_work.cu"
}
namespace step02 {
#include "step02_fixed_blocks/fixed_blocks.cu"
}
namespace step03 {
#include "step03_clc_blocks/clc_blocks.cu"
}
namespace step04 {
#include "step04_clc_clusters/clc_clusters.cu"
}
namespace rung01 {
#include "tutorial/rungs/01-tile-counter/tile-counter.cu"
}
#undef main

/* What a launch needs beside the job. */
struct stage {
    cudaStream_t stream;
    int slots;         /* blocks on an SM at a time */
    int sms;
    unsigned shared;   /* bytes of dynamic shared memory that keep a further block away */
    int *counter;
};

enum way_grid { ONE_A_TILE, RESIDENT };

struct way {
    const char *name;  /* as on the command line */
    const char *title; /* as in the table */
    enum way_grid blocks;
    bool steals;
    int cluster;
    const void *kernel;
    void (*launch)(const struct stage *, const struct job *, cudaLaunchConfig_t *);
};

inline void start_fixed_work(const struct stage *, const struct job *job, cudaLaunchConfig_t *config)
{
    CUDA(cudaLaunchKernelEx(config, step01::kernel_fixed_work, job->data, job->n));
}

inline void start_fixed_blocks(const struct stage *, const struct job *job, cudaLaunchConfig_t *config)
{
    CUDA(cudaLaunchKernelEx(config, step02::kernel_fixed_blocks, job->data, job->n));
}

inline void start_counter(const struct stage *stage, const struct job *job, cudaLaunchConfig_t *config)
{
    CUDA(cudaMemsetAsync(stage->counter, 0, sizeof *stage->counter, stage->stream));
    CUDA(cudaLaunchKernelEx(config, rung01::kernel_tile_counter, job->data, job->n, stage->counter));
}

inline void start_clc_blocks(const struct stage *stage, const struct job *job, cudaLaunchConfig_t *config)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, step03::kernel_clc_blocks, config->gridDim.x, 1, stage->stream));
    CUDA(cudaLaunchKernelEx(config, step03::kernel_clc_blocks, job->data, job->n, pool));
}

inline void start_clc_clusters(const struct stage *stage, const struct job *job, cudaLaunchConfig_t *config)
{
    clc::pool pool;
    CUDA(clc::prepare(&pool, step04::kernel_clc_clusters, config->gridDim.x, unsigned(job->cluster), stage->stream));
    CUDA(cudaLaunchKernelEx(config, step04::kernel_clc_clusters, job->data, job->n, pool));
}

static const struct way ways[] = {
    {"step01", "1 fixed work", ONE_A_TILE, false, 1, (const void *)step01::kernel_fixed_work, start_fixed_work},
    {"step02", "2 fixed blocks", RESIDENT, false, 1, (const void *)step02::kernel_fixed_blocks, start_fixed_blocks},
    {"counter", "tile counter", RESIDENT, false, 1, (const void *)rung01::kernel_tile_counter, start_counter},
    {"step03", "3 CLC, blocks", ONE_A_TILE, true, 1, (const void *)step03::kernel_clc_blocks, start_clc_blocks},
    {"step04", "4 CLC, clusters of 2", ONE_A_TILE, true, 2, (const void *)step04::kernel_clc_clusters,
     start_clc_clusters},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Below 9.0 there are no clusters. */
inline bool way_runs_here(const struct way *way)
{
    int device = 0, major = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return way->cluster == 1 || major >= 9;
}

/* Dynamic shared memory with which `slots` blocks of any of the kernels fit on an SM, but not one more. */
inline unsigned shared_for(int slots)
{
    int device = 0, most = 0, per_sm = 0, reserved = 0, fixed = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CUDA(cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CUDA(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
    for (const struct way &way : ways) {
        cudaFuncAttributes attributes;
        CUDA(cudaFuncGetAttributes(&attributes, way.kernel));
        fixed = attributes.sharedSizeBytes > (size_t)fixed ? (int)attributes.sharedSizeBytes : fixed;
    }
    const int room = per_sm / slots - reserved - fixed, limit = most - fixed;
    return room > 0 ? (unsigned)((room < limit ? room : limit) / 128 * 128) : 0;
}

/* False: this GPU does not hold `slots` blocks of one of the kernels. */
inline bool prepare_ways(struct stage *stage, int threads)
{
    int device = 0, fit = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&stage->sms, cudaDevAttrMultiProcessorCount, device));
    stage->shared = shared_for(stage->slots);
    stage->counter = device_array<int>(1);
    for (const struct way &way : ways) {
        CUDA(cudaFuncSetAttribute(way.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)stage->shared));
        CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, way.kernel, threads, stage->shared));
        if (fit != stage->slots)
            return false;
    }
    return true;
}

inline int way_blocks(const struct way *way, const struct stage *stage, const struct job *job)
{
    const int resident = stage->sms * stage->slots;
    return way->blocks == RESIDENT && resident < job->tiles ? resident : job->tiles;
}

inline void way_launch(const struct way *way, const struct stage *stage, const struct job *job)
{
    cudaLaunchAttribute size = {};
    cudaLaunchConfig_t config = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = (unsigned)way->cluster;
    size.val.clusterDim.y = size.val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned)job->grid);
    config.blockDim = dim3((unsigned)job->block);
    config.dynamicSmemBytes = stage->shared;
    config.stream = stage->stream;
    config.attrs = &size;
    config.numAttrs = way->cluster > 1;
    way->launch(stage, job, &config);
}

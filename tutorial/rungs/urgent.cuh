/*
 * --urgent: a kernel of high priority arrives while another one runs; how long does it wait?
 *   urgent_wait(&job, name, launch)   runs launch(&job) twice more, prints one line; nothing without --urgent
 *   urgent_wait(..., tell)            and calls tell(true, stream) before the urgent kernel, tell(false, stream) after it
 * The arrival needs no clock of the host. In the urgent stream an alarm goes first, one warp that does nothing for a
 * third of the time that the other kernel takes, and the urgent kernel, one block for each SM, is queued behind it. It
 * has waited from the end of the alarm to the start of its last block.
 * Not modelled: GPUs on which the alarm finds no room (then it ends late, and the wait is short).
 */
#pragma once

#include "common/job.cuh"

struct urgent_times {
    unsigned long long arrived; /* ns of %globaltimer */
    unsigned long long begun;
};

__global__ void kernel_alarm(uint64_t ns, struct urgent_times* times)
{
    const uint64_t start = now();
    while (now() - start < ns) {
    }
    if (threadIdx.x == 0)
        times->arrived = now();
}

__global__ void kernel_urgent(struct urgent_times* times)
{
    if (threadIdx.x == 0)
        atomicMax(&times->begun, (unsigned long long)now());
}

/* Milliseconds of one launch, alone on the GPU. */
template <class Launch> float urgent_alone(struct job* job, Launch launch)
{
    float ms = 0;
    cudaEvent_t start, end;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(start));
    launch_once(job, launch);
    CUDA(cudaEventRecord(end));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, start, end));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(end));
    return ms;
}

/* Milliseconds that the urgent kernel waits while `launch` runs. */
template <class Launch, class Tell> double urgent_measure(struct job* job, float alone, Launch launch, Tell tell)
{
    int device = 0, sms = 0, lowest = 0, highest = 0;
    cudaStream_t stream;
    struct urgent_times* times = device_array<struct urgent_times>(1);
    struct urgent_times seen;
    CUDA(cudaMemset(times, 0, sizeof *times));
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest));
    kernel_alarm<<<1, 32, 0, stream>>>(uint64_t(alone * 1e6 / 3), times);
    CUDA(cudaGetLastError());
    tell(true, stream);
    kernel_urgent<<<sms, job->block, 0, stream>>>(times);
    CUDA(cudaGetLastError());
    tell(false, stream);
    launch_once(job, launch);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&seen, times, sizeof seen, cudaMemcpyDeviceToHost));
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(times));
    return seen.begun > seen.arrived ? (seen.begun - seen.arrived) / 1e6 : 0;
}

inline void urgent_print(const struct job* job, const char* name, double wait, double alone)
{
    int device = 0, khz = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device));
    const double factor = job->emulated ? khz : 1;
    printf("urgent kernel, %s: waits %.*f of %.*f %s\n", name, job->emulated ? 0 : 4, wait * factor,
           job->emulated ? 0 : 4, alone * factor, job->emulated ? "model cycles" : "ms");
}

template <class Launch, class Tell> void urgent_wait(struct job* job, const char* name, Launch launch, Tell tell)
{
    if (!job->options.urgent || !job->tiles || job->wrong.count)
        return;
    struct tile_plan p;
    fill_plan(job, &p);
    set_plan(p, false);
    const float alone = urgent_alone(job, launch);
    urgent_print(job, name, urgent_measure(job, alone, launch, tell), alone);
    check_data(job, nullptr);
    CUDA(cudaFree((void*)p.units));
    CUDA(cudaFree(p.tiles));
    CUDA(cudaFree(p.blocks));
}

template <class Launch> void urgent_wait(struct job* job, const char* name, Launch launch)
{
    urgent_wait(job, name, launch, [](bool, cudaStream_t) {});
}

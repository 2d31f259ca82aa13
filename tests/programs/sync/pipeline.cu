/*
 * cuda::pipeline and cuda::memcpy_async: a block-wide pipeline of two stages, one with producer warps, one per thread, and
 * memcpy_async on a barrier (a bulk copy where size and alignment are known).
 *   expect PASS pipeline: 4096 elements
 */
#include "../check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

enum { STAGES = 2, BATCH = 256 };

__global__ void shared_pipeline(const float *in, float *out, int batches)
{
    __shared__ float room[STAGES][BATCH];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int fetched = 0;
    for (int batch = 0; batch < batches; batch++) {
        for (; fetched < batches && fetched < batch + STAGES; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, room[fetched % STAGES], in + fetched * BATCH, sizeof(float) * BATCH, pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        out[batch * BATCH + threadIdx.x] = room[batch % STAGES][BATCH - 1 - threadIdx.x] * 2;
        pipeline.consumer_release();
    }
}

__global__ void partitioned(const float *in, float *out, int batches)
{
    __shared__ float room[STAGES][BATCH];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    const size_t producers = 32;
    auto role = block.thread_rank() < producers ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    for (int batch = 0; batch < batches; batch++) {
        if (role == cuda::pipeline_role::producer) {
            pipeline.producer_acquire();
            for (int k = threadIdx.x; k < BATCH; k += producers)
                cuda::memcpy_async(&room[batch % STAGES][k], in + batch * BATCH + k, sizeof(float), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            for (int k = threadIdx.x - producers; k < BATCH; k += blockDim.x - producers)
                out[batch * BATCH + k] = room[batch % STAGES][BATCH - 1 - k] * 2;
            pipeline.consumer_release();
        }
    }
}

__global__ void own_pipeline(const float *in, float *out, int batches)
{
    __shared__ float room[STAGES][BATCH];
    auto pipeline = cuda::make_pipeline();
    for (int batch = 0; batch <= batches; batch++) {
        if (batch < batches) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&room[batch % STAGES][threadIdx.x], in + batch * BATCH + BATCH - 1 - threadIdx.x, sizeof(float),
                               pipeline);
            pipeline.producer_commit();
        }
        if (batch > 0) {
            if (batch < batches)
                cuda::pipeline_consumer_wait_prior<1>(pipeline);
            else
                cuda::pipeline_consumer_wait_prior<0>(pipeline);
            out[(batch - 1) * BATCH + threadIdx.x] = room[(batch - 1) % STAGES][threadIdx.x] * 2;
            pipeline.consumer_release();
        }
    }
}

__global__ void on_barrier(const float *in, float *out, int batches)
{
    __shared__ alignas(16) float room[BATCH];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    block.sync();
    for (int batch = 0; batch < batches; batch++) {
        cuda::memcpy_async(block, room, in + batch * BATCH, cuda::aligned_size_t<16>(sizeof(float) * BATCH), bar);
        bar.arrive_and_wait();
        out[batch * BATCH + threadIdx.x] = room[BATCH - 1 - threadIdx.x] * 2;
        bar.arrive_and_wait();
    }
}

/* The same through cooperative groups, two copies in flight. */
__global__ void by_groups(const float *in, float *out, int batches)
{
    __shared__ float room[STAGES][BATCH];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, room[0], in, sizeof(float) * BATCH);
    for (int batch = 0; batch < batches; batch++) {
        if (batch + 1 < batches) {
            cg::memcpy_async(block, room[(batch + 1) % STAGES], in + (batch + 1) * BATCH, sizeof(float) * BATCH);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        out[batch * BATCH + threadIdx.x] = room[batch % STAGES][BATCH - 1 - threadIdx.x] * 2;
        block.sync();
    }
}

/* Bulk copies through libcu++'s own transaction barrier. */
__global__ void by_transactions(const float *in, float *out, int batches)
{
    __shared__ alignas(16) float room[BATCH];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    for (int batch = 0; batch < batches; batch++) {
        cuda::barrier<cuda::thread_scope_block>::arrival_token token;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(room, in + batch * BATCH, cuda::aligned_size_t<16>(sizeof room), bar);
            token = cuda::device::barrier_arrive_tx(bar, 1, sizeof room);
        } else {
            token = bar.arrive();
        }
        bar.wait(std::move(token));
        out[batch * BATCH + threadIdx.x] = room[BATCH - 1 - threadIdx.x] * 2;
        __syncthreads();
    }
}

int main()
{
    const int batches = 16, n = batches * BATCH;
    std::vector<float> in(n), want(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 0.5f + 1;
    for (int i = 0; i < n; i++)
        want[i] = in[i / BATCH * BATCH + BATCH - 1 - i % BATCH] * 2;
    float *d = to_device(in), *out;
    void (*all[])(const float *, float *, int) = {shared_pipeline, partitioned, own_pipeline, on_barrier, by_groups, by_transactions};
    CUDA(cudaMalloc(&out, n * sizeof(float)));
    for (auto kernel : all) {
        CUDA(cudaMemset(out, 0, n * sizeof(float)));
        kernel<<<1, BATCH>>>(d, out, batches);
        CUDA(cudaDeviceSynchronize());
        if (verdict("pipeline", to_host(out, n), want))
            return 1;
    }
    return 0;
}

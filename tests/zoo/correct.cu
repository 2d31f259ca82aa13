/*
 * Correct ways to write the protocol that must pass without a word, under any schedule. Each adds 1 to every
 * element of out, once. The steps, their variants and the guide's kernel are run by run.sh from their own files.
 */
#if CCCL_VERSION >= 3000000
#include <cuda/work_stealing>
#define LIBRARY 1
#else
#define LIBRARY 0
#endif
#include <cooperative_groups.h>
#include <cuda/pipeline>

// The two-way fence, by the issuing thread only. launch: grid 40 block 64
ZOO issuer_fence_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
    }
}

// A relaxed wait, then a block barrier, which acquires for it. launch: grid 40 block 64
ZOO relaxed_wait_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
            while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, &bar, phase)) {
            }
        }
        TILE(bx);
        __syncthreads();
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
    }
}

// The request is before or after the arrive; both are legal. launch: grid 40 block 64
ZOO expect_first_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            EXPECT(&bar, 16);
            REQUEST(&result, &bar);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        RELEASE_HALF;
    }
}

// Arrive and wait of the cluster barrier apart, relaxed, with both halves. launch: grid 40 block 64 cluster 4
ZOO split_barrier_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        ptx::barrier_cluster_wait(ptx::sem_acquire);
        __syncthreads(); // this block's threads see bar initialised
        if (cg::cluster_group::thread_rank() == 0) {
            ACQUIRE_HALF;
            MULTICAST(&result, &bar);
        }
        if (threadIdx.x == 0)
            EXPECT(&bar, 16);
        int tile = bx;
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result)) {
            TILE(tile);
            break;
        }
        bx = FIRST(result) + cg::cluster_group::block_index().x;
        RELEASE_HALF;
        ptx::barrier_cluster_arrive(ptx::sem_relaxed);
        TILE(tile); // between arrive and wait
    }
}

// Full and empty barriers, three stages, a scheduler warp that asks and workers that compute. launch: grid 40 block 96
ZOO pipeline_right(unsigned* out)
{
    constexpr int stages = 3;
    __shared__ uint4 result[stages];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], blockDim.x); // all read, the scheduler too
        }
    __syncthreads();
    int bx = blockIdx.x;
    const int worker = threadIdx.x - 32, workers = blockDim.x - 32;
    for (int turn = 0;; turn++) {
        const int s = turn % stages, phase = turn / stages % 2;
        if (threadIdx.x == 0) {
            WAIT(&empty[s], phase ^ 1); // the first time round: free
            REQUEST(&result[s], &full[s]);
            EXPECT(&full[s], 16);
        }
        if (worker >= 0)
            for (int i = worker; i < blockDim.x; i += workers)
                out[bx * blockDim.x + i] += 1;
        WAIT(&full[s], phase);
        uint4 answer = result[s];
        ptx::fence_proxy_async(ptx::space_shared);
        ARRIVE(&empty[s]);
        if (!CANCELED(answer))
            break;
        bx = FIRST(answer);
    }
}

// A cluster with empty barriers at the first block, which stays until the last signal. launch: grid 40 block 64 cluster 2
ZOO remote_empty_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, cg::cluster_group::num_threads());
        INIT_FENCE;
    }
    cg::cluster_group::sync();
    uint64_t* first = cg::cluster_group::map_shared_rank(&empty, 0);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        if (cg::cluster_group::thread_rank() == 0) {
            WAIT_CLUSTER(&empty, phase ^ 1);
            ACQUIRE_HALF;
            MULTICAST(&result, &full);
        }
        if (threadIdx.x == 0)
            EXPECT(&full, 16);
        TILE(bx);
        WAIT_CLUSTER(&full, phase);
        uint4 answer = result;
        RELEASE_HALF;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, first);
        if (!CANCELED(answer))
            break;
        bx = FIRST(answer) + cg::cluster_group::block_index().x;
    }
    cg::cluster_group::sync();
}

// A block that asks once only: what is refused starts by itself. launch: grid 40 block 64
ZOO ask_once_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    TILE(blockIdx.x);
    WAIT(&bar, 0);
    if (CANCELED(result))
        TILE(FIRST(result));
}

// Most requests are refused. launch: grid 40 block 64 refuse p0.7
ZOO refused_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        RELEASE_HALF;
    }
}

// A test without waiting, then the wait. launch: grid 40 block 64
ZOO test_first_right(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        if (!ptx::mbarrier_test_wait_parity(&bar, phase))
            WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        RELEASE_HALF;
    }
}

__device__ unsigned ticket, words[4096];

// Every thread fences, one takes the ticket, all fence again: two fence.sc, ordered by the ticket. launch: grid 6 block 64
ZOO last_block_right(unsigned* out)
{
    __shared__ bool last;
    words[blockIdx.x * 64 + threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
        __threadfence();
        for (unsigned b = 0; b < gridDim.x; b++)
            out[b * 64 + threadIdx.x] = words[b * 64 + (threadIdx.x ^ 33)];
    }
}

// A release, and a relaxed store to the same place by the same thread, release together. launch: grid 2 block 32
ZOO release_goes_on_right(unsigned* out)
{
    if (threadIdx.x == 0) {
        unsigned seen = 0;
        if (blockIdx.x == 0) {
            words[0] = 1;
            asm volatile("st.release.gpu.u32 [%0], 1;" ::"l"(&ticket) : "memory");
            asm volatile("st.relaxed.gpu.u32 [%0], 2;" ::"l"(&ticket) : "memory");
        }
        while (seen != 2)
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(&ticket) : "memory");
        words[1 + blockIdx.x] = words[0];
    }
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = words[1 + blockIdx.x];
}

// Lanes of one instruction store to one word: one of the values stays. launch: grid 2 block 32
ZOO any_lane_right(unsigned* out)
{
    __shared__ unsigned some[2];
    some[threadIdx.x & 1] = 1;
    __syncwarp();
    out[blockIdx.x * 32 + threadIdx.x] = some[threadIdx.x >> 4];
}

// Each block hears of all mbarriers before it, through a counter; the first block lives longest. launch: grid 520 block 8
ZOO many_mbarriers_right(unsigned* out)
{
    __shared__ uint64_t bar[2];
    unsigned seen = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
    }
    __syncwarp();
    for (int phase = 0; phase < 8; phase++) {
        if (threadIdx.x == 0)
            ARRIVE(&bar[phase & 1]);
        WAIT(&bar[phase & 1], phase >> 1 & 1);
        __syncwarp(); // or thread 0 ends two phases while another still waits for the first
        if (threadIdx.x == 0)
            asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(seen) : "l"(&ticket) : "memory");
        while (blockIdx.x == 0 && threadIdx.x == 0 && phase == 1 && seen < 8 * gridDim.x - 6) {
            __nanosleep(20000); // an acquire of all that is behind the counter is much to work out
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(&ticket) : "memory");
        }
    }
    TILE(blockIdx.x);
}

#if LIBRARY
// launch: grid 40 block 64
ZOO library_right(unsigned* out)
{
#if CCCL_VERSION >= 3002000
    cuda::device::for_each_canceled_block<3>([&](dim3 block) { TILE(block.x); });
#else
    cuda::for_each_canceled_block<3>([&](dim3 block) { TILE(block.x); });
#endif
}
#endif

// The pipeline of the library, which ends the life of its mbarriers after a match of each warp. launch: grid 2 block 64
ZOO ended_pipeline_right(unsigned* out)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ __align__(16) unsigned part[2][64];
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int turn = 0; turn <= 4; turn++) {
        if (turn < 4) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, part[turn & 1], out + 64 * blockIdx.x, sizeof part[0], pipeline);
            pipeline.producer_commit();
        }
        if (turn == 0)
            continue;
        pipeline.consumer_wait();
        if (part[(turn - 1) & 1][threadIdx.x ^ 32] != 0)
            __trap();
        pipeline.consumer_release();
    }
    block.sync();
    TILE(blockIdx.x);
}

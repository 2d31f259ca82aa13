/*
 * Shared memory written by threads, then carried out by a bulk copy without a proxy fence: which kernels show it?
 * proxy_fence.cu tries one kernel; here the same 16 KiB are written and sent in many ways, each with the fence and
 * without, everything else alike:
 *   stores   16 bytes a thread; words without and with bank conflicts (32 lanes on one bank, slow to drain); atomics
 *   meet     __syncthreads, an mbarrier, a counter whose last arriver sends at once; or each warp sends its own part
 *   sender   thread 0, the last thread, the last arriver, lane 0 of each warp
 *   place    in order, or so that the warp that comes last writes what the copy reads first
 *   read     in the same round from L2, or through L1, or all rounds by a later kernel
 *            (what a bulk copy wrote to device memory a line of L1 may still hold as it was)
 *   blocks   1 or 2 on an SM
 * A round's values differ from those of the round before; `old` counts wrong reads that saw the round before.
 *
 *   proxy_fence_shapes [--reads N] [--runs N]   text on stdout; exit 1 if a read is wrong in spite of the fence
 * Needs compute capability 9.0. Not measured: clusters, tensor copies.
 */
#include "../proxy_fence.cuh"

enum stores { WIDE, WORDS_APART, CONFLICTS, ATOMICS };
enum meet { BARRIER, MBARRIER, LAST_ARRIVER, EACH_WARP };
enum sender { FIRST, LAST }; /* of the threads, after a barrier */
enum readback { FROM_L2, THROUGH_L1, LATER };

struct shape {
    const char *name;
    stores store;
    meet how;
    sender who;
    bool reversed, noise;
    readback read;
    int threads, blocks; /* on an SM */
};

/* ---- the parts of a round ----------------------------------------------------------------- */

template <bool Reversed> __device__ uint32_t place(uint32_t k, uint32_t of) { return Reversed ? of - 1 - k : k; }

template <stores Store, bool Reversed> __device__ void write(uint32_t *tile, uint32_t round)
{
    if constexpr (Store == WIDE) {
        for (uint32_t k = threadIdx.x; k < WORDS / 4; k += blockDim.x) {
            const uint32_t at = place<Reversed>(k, WORDS / 4), v = value_of(round, blockIdx.x, 4 * at);
            reinterpret_cast<uint4 *>(tile)[at] = make_uint4(v, v + 1, v + 2, v + 3);
        }
    } else {
#pragma unroll 4
        for (uint32_t k = threadIdx.x; k < WORDS; k += blockDim.x) {
            const uint32_t s = place<Reversed>(k, WORDS);
            const uint32_t at = Store == CONFLICTS ? s % 128 * 32 + s / 128 : s;
            if (Store == ATOMICS)
                atomicExch(&tile[at], value_of(round, blockIdx.x, at));
            else
                tile[at] = value_of(round, blockIdx.x, at);
        }
    }
}

/* Other stores to shared memory, with conflicts, ahead of those that count: a queue that has to drain. */
template <bool Noise> __device__ void noise(uint32_t *other, uint32_t round)
{
    if (Noise)
#pragma unroll 4
        for (uint32_t k = 0; k < 4; k++)
            *(volatile uint32_t *)&other[threadIdx.x % 32 * 32] = round + k;
}

__device__ void send(uint32_t *to, const uint32_t *from, uint32_t bytes)
{
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, bytes);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>()); /* written, not only read */
}

/* The threads meet, and one of them sends. */
template <meet How, sender Who>
__device__ void meet_and_send(uint32_t *to, uint32_t *tile, uint64_t *bar, unsigned *arrived, uint32_t round)
{
    const uint32_t sends = Who == FIRST ? 0 : blockDim.x - 1;
    if (How == BARRIER) {
        __syncthreads();
        if (threadIdx.x == sends)
            send(to, tile, WORDS * 4);
    } else if (How == MBARRIER) {
        ptx::mbarrier_arrive(bar);
        if (threadIdx.x == sends) {
            while (!ptx::mbarrier_try_wait_parity(bar, (round & 1) ^ 1)) {
            }
            send(to, tile, WORDS * 4);
        }
    } else if (How == LAST_ARRIVER) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            __threadfence_block();
            if (atomicAdd(arrived, 1) == blockDim.x / 32 * round - 1) {
                __threadfence_block();
                send(to, tile, WORDS * 4);
            }
        }
    } else {
        const uint32_t part = WORDS / (blockDim.x / 32), first = threadIdx.x / 32 * part;
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            send(to + first, tile + first, part * 4);
    }
}

template <stores Store, meet How, sender Who, bool Reversed, bool Noise, readback Read, bool Fence>
__global__ void __launch_bounds__(1024) out(uint32_t *memory, uint32_t rounds, unsigned long long *sum)
{
    extern __shared__ __align__(128) uint32_t shared[];
    uint32_t *tile = shared, *other = shared + WORDS, bad = 0, old = 0;
    __shared__ uint64_t bar;
    __shared__ unsigned arrived;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, blockDim.x);
        arrived = 0;
    }
    for (uint32_t k = threadIdx.x; k < 2 * WORDS; k += blockDim.x)
        shared[k] = 0;
    __syncthreads();
    for (uint32_t round = 1; round <= rounds; round++) {
        uint32_t *mine = memory + (size_t(Read == LATER ? round - 1 : 0) * gridDim.x + blockIdx.x) * WORDS;
        noise<Noise>(other, round);
        write<Store, Reversed>(tile, round);
        if (Fence)
            ptx::fence_proxy_async();
        meet_and_send<How, Who>(mine, tile, &bar, &arrived, round);
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < WORDS && Read != LATER; k += blockDim.x) {
            const uint32_t got = Read == THROUGH_L1 ? __ldca(mine + k) : __ldcg(mine + k);
            bad += got != value_of(round, blockIdx.x, k);
            old += got == value_of(round - 1, blockIdx.x, k);
        }
        __syncthreads();
    }
    count(sum, bad, old);
}

/* All rounds, after the kernel. */
__global__ void look(const uint32_t *memory, uint32_t rounds, uint32_t blocks, unsigned long long *sum)
{
    uint32_t bad = 0, old = 0;
    for (uint32_t piece = blockIdx.x; piece < rounds * blocks; piece += gridDim.x)
        for (uint32_t k = threadIdx.x; k < WORDS; k += blockDim.x) {
            const uint32_t got = memory[size_t(piece) * WORDS + k], round = piece / blocks + 1, block = piece % blocks;
            bad += got != value_of(round, block, k);
            old += got == value_of(round - 1, block, k);
        }
    count(sum, bad, old);
}

/* ---- the measurement ---------------------------------------------------------------------- */

struct machine {
    int sms;
    uint32_t *memory;
    size_t words;
    unsigned long long *sum;
};

static int64_t reads = 5400000000, runs = 10;
static int broken;
static unsigned long long shown;

template <class Kernel> void run(const machine &m, const shape &s, const char *fence, Kernel kernel, int times)
{
    const uint32_t blocks = uint32_t(m.sms * s.blocks);
    const size_t shared = s.blocks == 1 ? 120 * 1024 : WORDS * 8; /* more than half an SM: no second block */
    CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)));
    const uint32_t all = uint32_t(reads / (int64_t(blocks) * WORDS) + 1);
    const uint32_t most = s.read == LATER ? uint32_t(m.words / (size_t(blocks) * WORDS)) : all;
    unsigned long long wrong = 0, old = 0, least = ~0ull, largest = 0;
    uint64_t done = 0;
    for (int k = 0; k < times; k++) {
        unsigned long long sum[2];
        CUDA(cudaMemset(m.sum, 0, sizeof sum));
        for (uint32_t left = all; left > 0;) {
            const uint32_t rounds = left < most ? left : most;
            kernel<<<blocks, s.threads, shared>>>(m.memory, rounds, m.sum);
            CUDA(cudaGetLastError());
            if (s.read == LATER)
                look<<<m.sms * 4, 512>>>(m.memory, rounds, blocks, m.sum);
            CUDA(cudaDeviceSynchronize());
            left -= rounds;
            done += uint64_t(rounds) * blocks * WORDS;
        }
        CUDA(cudaMemcpy(sum, m.sum, sizeof sum, cudaMemcpyDeviceToHost));
        wrong += sum[0], old += sum[1];
        least = sum[0] < least ? sum[0] : least;
        largest = sum[0] > largest ? sum[0] : largest;
    }
    printf("%-42s %4d threads, %d a SM, fence %-3s %llu wrong, %llu of them old, of %llu reads", s.name, s.threads,
           s.blocks, fence, wrong, old, (unsigned long long)done);
    printf(wrong ? ", %llu to %llu in each of %d runs\n" : "\n", least, largest, times);
    fflush(stdout);
    broken += strcmp(fence, "yes") == 0 && wrong != 0 && s.read != THROUGH_L1;
    shown += strcmp(fence, "no") == 0 ? wrong : 0;
}

template <stores Store, meet How, sender Who, bool Reversed, bool Noise, readback Read>
void both(const machine &m, const char *name, int threads, int blocks)
{
    const shape s = {name, Store, How, Who, Reversed, Noise, Read, threads, blocks};
    run(m, s, "no", out<Store, How, Who, Reversed, Noise, Read, false>, runs);
    run(m, s, "yes", out<Store, How, Who, Reversed, Noise, Read, true>, 3);
}

static void sizes(const machine &m, int threads, int blocks)
{
    both<WIDE, BARRIER, FIRST, false, false, FROM_L2>(m, "16 bytes, barrier", threads, blocks);
    both<WIDE, BARRIER, FIRST, true, false, FROM_L2>(m, "16 bytes, barrier, reversed", threads, blocks);
    both<WIDE, BARRIER, LAST, false, false, FROM_L2>(m, "16 bytes, barrier, last thread sends", threads, blocks);
    both<WIDE, BARRIER, LAST, true, true, FROM_L2>(m, "16 bytes, noise, barrier, last, reversed", threads, blocks);
    both<WIDE, MBARRIER, FIRST, true, false, FROM_L2>(m, "16 bytes, mbarrier, reversed", threads, blocks);
    both<WIDE, LAST_ARRIVER, FIRST, false, false, FROM_L2>(m, "16 bytes, last arriver sends", threads, blocks);
    both<WIDE, LAST_ARRIVER, FIRST, true, true, FROM_L2>(m, "16 bytes, noise, last arriver, reversed", threads, blocks);
    both<WIDE, EACH_WARP, FIRST, false, false, FROM_L2>(m, "16 bytes, each warp sends", threads, blocks);
    both<WIDE, BARRIER, FIRST, false, false, THROUGH_L1>(m, "16 bytes, barrier, read through L1", threads, blocks);
    both<WORDS_APART, BARRIER, FIRST, true, false, FROM_L2>(m, "words, barrier, reversed", threads, blocks);
    both<WORDS_APART, BARRIER, FIRST, false, false, LATER>(m, "words, barrier, read by a later kernel", threads, blocks);
    both<WIDE, BARRIER, LAST, true, false, LATER>(m, "16 bytes, last, reversed, later kernel", threads, blocks);
    both<CONFLICTS, BARRIER, FIRST, false, false, FROM_L2>(m, "conflicts, barrier", threads, blocks);
    both<CONFLICTS, BARRIER, LAST, true, false, FROM_L2>(m, "conflicts, barrier, last, reversed", threads, blocks);
    both<CONFLICTS, MBARRIER, LAST, true, false, FROM_L2>(m, "conflicts, mbarrier, last, reversed", threads, blocks);
    both<CONFLICTS, LAST_ARRIVER, FIRST, true, true, FROM_L2>(m, "conflicts, noise, last arriver, reversed", threads, blocks);
    both<CONFLICTS, LAST_ARRIVER, FIRST, false, false, LATER>(m, "conflicts, last arriver, later kernel", threads, blocks);
    both<ATOMICS, BARRIER, LAST, true, false, FROM_L2>(m, "atomics, barrier, last, reversed", threads, blocks);
    both<ATOMICS, LAST_ARRIVER, FIRST, true, false, FROM_L2>(m, "atomics, last arriver, reversed", threads, blocks);
}

int main(int argc, char **argv)
{
    machine m = {};
    cudaDeviceProp gpu;
    read_args("proxy_fence_shapes",
              {{"--reads", "N", "reads of each shape in a run", &reads, 1, INT64_MAX},
               {"--runs", "N", "runs of each shape", &runs, 1, 1000}},
              argc, argv);
    CUDA(cudaGetDeviceProperties(&gpu, 0));
    m.sms = gpu.multiProcessorCount;
    m.words = size_t(1) << 30;
    if (strncmp(gpu.name, "emulated", 8) == 0)
        m.words = size_t(1) << 22;
    CUDA(cudaMalloc(&m.memory, m.words * sizeof *m.memory));
    CUDA(cudaMemset(m.memory, 0, m.words * sizeof *m.memory));
    CUDA(cudaMalloc(&m.sum, 2 * sizeof *m.sum));
    printf("%s, nvcc %d.%d.%d\n", gpu.name, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
    for (int threads : {1024, 512})
        for (int blocks : {1, 2})
            sizes(m, threads, blocks);
    printf("without the fence %llu wrong reads in all\n", shown);
    if (broken)
        fprintf(stderr, "proxy_fence_shapes: wrong reads in spite of the fence\n");
    return broken ? 1 : 0;
}

/*
 * Lab 8: two irregular jobs, balanced and preemptible.
 *   prompts      scores[p]: each token of prompt p is compared with itself and all before it; cost grows with the
 *                square of the length, and a few prompts are long. order[] names the prompts, the longest first.
 *   mandelbrot   counts[y][x]: turns of z = z z + c until |z| > 2, at most `most`; the inside of the set costs most
 *
 *   run    make grade N=8
 *   read   both kernels: right as they stand, a block for each prompt or tile, and a prologue in each block
 *   want   the same numbers sooner: running blocks take over the work of those that have not started, in an order that
 *          leaves no long piece for the end. And preemptible: a block that is refused ends with the piece it has.
 *
 * prompts: one block per prompt, 64 threads. mandelbrot: one block per tile of 16 x 8 pixels, a grid in two dimensions.
 */
#include "common/clc.cuh"

namespace cg = cooperative_groups;

enum { TABLE = 64 };

// Prologue of both: a table in shared memory, the same in every block.
static __device__ void make_table(unsigned* table, unsigned seed)
{
    for (int k = cg::thread_block::thread_rank(); k < TABLE; k += cg::thread_block::size()) {
        unsigned word = seed + k;
        for (int turn = 0; turn < 300; turn++)
            word = word * 1664525 + 1013904223;
        table[k] = word;
    }
}

// By all threads: the score of one prompt. Each thread returns its share.
static __device__ unsigned share_of_score(const unsigned* tokens, int begin, int end, const unsigned* table)
{
    unsigned score = 0;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
        for (int j = begin; j <= i; j++)
            score += table[(tokens[i] ^ tokens[j]) % TABLE];
    return score;
}

// Fixed point, 28 bits behind the point, so that every machine counts the same.
static __device__ unsigned escape(int64_t cr, int64_t ci, unsigned most)
{
    int64_t zr = 0, zi = 0;
    unsigned count = 0;
    for (; count < most; count++) {
        const int64_t rr = zr * zr >> 28, ii = zi * zi >> 28;
        if (rr + ii > INT64_C(4) << 28)
            break;
        zi = (zr * zi >> 27) + ci;
        zr = rr - ii + cr;
    }
    return count;
}
// [solution]

// By all threads of the block: asks for one more index.
static __device__ void request(uint4* result, uint64_t* bar)
{
    if (cg::thread_block::thread_rank() < 32) {
        cg::invoke_one(cg::coalesced_threads(), [&] {
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(result, bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, bar, sizeof(uint4));
        });
        __syncwarp();
    }
}

// By all threads: waits for the answer. False: refused, and that is final.
static __device__ bool answer(const uint4* result, uint64_t* bar, int* phase, int* bx, int* by)
{
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, *phase)) {
    }
    *phase ^= 1;
    const uint4 got = *result;
    const bool granted = ptx::clusterlaunchcontrol_query_cancel_is_canceled(got);
    if (granted) {
        *bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(got);
        *by = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(got);
    }
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    return granted;
}
// [skeleton]
// [end]

__global__ void kernel_prompts(const int* first, const unsigned* tokens, const int* order, unsigned* scores, unsigned seed,
                               clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ unsigned table[TABLE], partial[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    // [solution]
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0, bx = blockIdx.x, by = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    make_table(table, seed);

    do {
        __syncthreads(); // `result` and `partial` have been read; the first time, bar and table are there
        const int prompt = order[bx]; // the longest first: nothing long is left for the end
        unsigned score = share_of_score(tokens, first[prompt], first[prompt + 1], table);
        score = __reduce_add_sync(0xffffffff, score);
        if (lane == 0)
            partial[warp] = score;
        request(&result, &bar); // late, so that nothing waits behind a long prompt
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < warps; w++)
                score += partial[w];
            scores[prompt] = score;
        }
    } while (answer(&result, &bar, &phase, &bx, &by));
    // [skeleton]
    //| make_table(table, seed);
    //| __syncthreads();
    //|
    //| const int prompt = blockIdx.x;
    //| unsigned score = share_of_score(tokens, first[prompt], first[prompt + 1], table);
    //| score = __reduce_add_sync(0xffffffff, score);
    //| if (lane == 0)
    //|     partial[warp] = score;
    //| __syncthreads();
    //| if (threadIdx.x == 0) {
    //|     for (int w = 1; w < warps; w++)
    //|         score += partial[w];
    //|     scores[prompt] = score;
    //| }
    // [end]
}

__global__ void kernel_mandelbrot(unsigned* counts, int width, int height, int64_t left, int64_t top, int64_t step,
                                  unsigned most, unsigned seed, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;
    __shared__ unsigned table[TABLE]; // colours
    // [solution]
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0, bx = blockIdx.x, by = blockIdx.y;
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    make_table(table, seed);

    do {
        __syncthreads();
        request(&result, &bar);
        const int x = bx * blockDim.x + threadIdx.x, y = by * blockDim.y + threadIdx.y;
        if (x < width && y < height) {
            const unsigned count = escape(left + x * step, top + y * step, most);
            counts[y * width + x] = count ^ table[count % TABLE];
        }
    } while (answer(&result, &bar, &phase, &bx, &by));
    // [skeleton]
    //| make_table(table, seed);
    //| __syncthreads();
    //|
    //| const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    //| if (x < width && y < height) {
    //|     const unsigned count = escape(left + x * step, top + y * step, most);
    //|     counts[y * width + x] = count ^ table[count % TABLE];
    //| }
    // [end]
}

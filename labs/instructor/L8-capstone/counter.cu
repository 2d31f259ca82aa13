/*
 * What lab 8 is measured by: the same two jobs, balanced by an atomic counter. As many blocks as fit draw their pieces
 * from *next, the prompts longest first. No launch control; and nothing can preempt it, for each block works to the end.
 */
#include "common/clc.cuh"

enum { TABLE = 64 };

static __device__ void make_table(unsigned* table, unsigned seed)
{
    for (int k = threadIdx.x + blockDim.x * threadIdx.y; k < TABLE; k += blockDim.x * blockDim.y) {
        unsigned word = seed + k;
        for (int turn = 0; turn < 300; turn++)
            word = word * 1664525 + 1013904223;
        table[k] = word;
    }
}

// By all threads: the next piece of the job.
static __device__ int draw(int* next)
{
    __shared__ int drawn;
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0)
        drawn = atomicAdd(next, 1);
    __syncthreads();
    return drawn;
}

__global__ void counter_prompts(const int* first, const unsigned* tokens, const int* order, unsigned* scores, unsigned seed,
                                int prompts, int* next)
{
    __shared__ unsigned table[TABLE], partial[32];
    make_table(table, seed);
    for (int bx = draw(next); bx < prompts; bx = draw(next)) {
        const int prompt = order[bx], begin = first[prompt], end = first[prompt + 1];
        unsigned score = 0;
        for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
            for (int j = begin; j <= i; j++)
                score += table[(tokens[i] ^ tokens[j]) % TABLE];
        score = __reduce_add_sync(0xffffffff, score);
        if (threadIdx.x % 32 == 0)
            partial[threadIdx.x / 32] = score;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < int(blockDim.x / 32); w++)
                score += partial[w];
            scores[prompt] = score;
        }
    }
}

__global__ void counter_mandelbrot(unsigned* counts, int width, int height, int64_t left, int64_t top, int64_t step,
                                   unsigned most, unsigned seed, int across, int tiles, int* next)
{
    __shared__ unsigned table[TABLE];
    make_table(table, seed);
    for (int tile = draw(next); tile < tiles; tile = draw(next)) {
        const int x = tile % across * blockDim.x + threadIdx.x, y = tile / across * blockDim.y + threadIdx.y;
        if (x >= width || y >= height)
            continue;
        const int64_t cr = left + x * step, ci = top + y * step;
        int64_t zr = 0, zi = 0;
        unsigned count = 0;
        for (; count < most; count++) {
            const int64_t rr = zr * zr >> 28, ii = zi * zi >> 28;
            if (rr + ii > INT64_C(4) << 28)
                break;
            zi = (zr * zi >> 27) + ci;
            zr = rr - ii + cr;
        }
        counts[y * width + x] = count ^ table[count % TABLE];
    }
}

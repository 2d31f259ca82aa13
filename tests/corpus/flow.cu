/*
 * Corpus: control flow, calls, memory spaces as compiled code uses them, and progress between
 * threads that wait for each other. Each test is a kernel; its line is `flow NAME: checksums`.
 * Arguments: none runs all; --list names them; FIRST COUNT runs a part.
 * Every test's result is the same on every schedule.
 */
#include "corpus.cuh"

#define N 1024
typedef void (*test_launch)(const u32 *in, u32 *out);

#define LAUNCH(kernel, blocks, threads) \
    static void launch_##kernel(const u32 *in, u32 *out) { kernel<<<blocks, threads>>>(in, out); }
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x

/* ---- loops and branches ----------------------------------------------- */

static __global__ void loops(const u32 *in, u32 *out)
{
    INDEX;
    u32 x = in[i], sum = 0;
    for (u32 k = 0; k < (x & 31); k++) {
        if (k % 3 == 1)
            continue;
        sum += k * x;
        if (sum > 0xf0000000)
            break;
    }
    do
        sum = sum * 3 + 1;
    while (sum & 4);
    while (x > 1)
        x = x & 1 ? x / 3 : x / 2, sum++;
    out[i] = sum;
}
LAUNCH(loops, N / 256, 256)

static __global__ void nested(const u32 *in, u32 *out)
{
    INDEX;
    u32 x = in[i], r = 0;
    if (x & 1) {
        if (x & 2) {
            for (u32 k = 0; k < (x >> 4 & 7); k++)
                r += x & 8 ? k : k * k;
        } else if (x & 4)
            r = 40;
        else
            r = 50;
        r += 1000;
    } else {
        for (u32 a = 0; a < (x >> 8 & 3); a++)
            for (u32 b = a; b < (x >> 10 & 7); b++) {
                if ((a ^ b) == (x >> 13 & 3))
                    goto out_of_both;
                r = r * 7 + a + b;
            }
    out_of_both:
        r += 2000;
    }
    out[i] = r * 17 + (u32)__popc(x);
}
LAUNCH(nested, N / 128, 128)

static __global__ void switches(const u32 *in, u32 *out)
{
    INDEX;
    u32 x = in[i], r = 1;
    switch (x % 23) {
    case 0: r = x; break;
    case 1: r = x * 3; /* fallthrough */
    case 2: r += 7; break;
    case 3: case 4: case 5: r = x ^ 0x1234; break;
    case 6: r = __brev(x); break;
    case 7: for (r = 0; r * r < (x & 0xff); r++) ; break;
    case 8: r = x / 11; break;
    case 9: r = x % 11; break;
    case 10: r = __clz(x); break;
    case 11: out[i] = 11; return;
    case 12: r = 12; /* fallthrough */
    case 13: r = r * 13; /* fallthrough */
    case 14: r = r + 14; /* fallthrough */
    default: r = r * 5 + x % 23; break;
    case 20: r = x << 3; break;
    case 21: r = x >> 3; break;
    }
    out[i] = r;
}
LAUNCH(switches, N / 64, 64)

/* A loop with two entries. */
static __global__ void goto_into_loop(const u32 *in, u32 *out)
{
    INDEX;
    u32 x = in[i], r = 0, k = x & 15;
    if (x & 16)
        goto middle;
top:
    r = r * 3 + k;
middle:
    r += 5;
    if (k-- > 0) {
        if (r & 64)
            goto top;
        r ^= x;
        goto middle;
    }
    out[i] = r;
}
LAUNCH(goto_into_loop, N / 256, 256)

static __global__ void early_exits(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ u32 s[256];
    u32 x = in[i];
    out[i] = 1;
    if (threadIdx.x >= 224)
        return;                                  /* a whole warp leaves before the barrier */
    s[threadIdx.x] = x;
    __syncthreads();
    if (x & 1)
        return;
    out[i] = 2;
    for (u32 k = 0; k < 10; k++)
        if (s[(threadIdx.x + k) % 224] & 2)
            return;
    out[i] = 3;
}
LAUNCH(early_exits, N / 256, 256)

static __global__ void math64(const u32 *in, u32 *out)
{
    INDEX;
    u64 x = in[i] * 0x100000001ull + 12345, y = (u64)in[i ^ 1] << (in[i] & 31) | 1;
    int64_t s = (int64_t)x * (in[i] & 1 ? -1 : 1), t = (int64_t)y;
    u64 r = x / y + x % y + (x << (y & 63)) + (x >> (in[i] & 63)) + __umul64hi(x, y);
    r ^= (u64)(s / (t | 1)) + (u64)(s % (t | 1)) + (u64)(s >> (in[i] >> 5 & 63)) + (u64)__mul64hi(s, t);
    r += x > y ? 1 : 2;
    r += s < t ? 4 : 8;
    out[i] = (u32)(r ^ r >> 32);
}
LAUNCH(math64, N / 256, 256)

/* ---- calls ------------------------------------------------------------ */

static __device__ __noinline__ u32 fibonacci(u32 n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __device__ __noinline__ u32 ackermann(u32 m, u32 n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static __global__ void recursion(const u32 *in, u32 *out)
{
    INDEX;
    out[i] = fibonacci(in[i] % 12) * 1000 + ackermann(in[i] & 1, in[i] >> 1 & 7);
}
LAUNCH(recursion, N / 128, 128)

struct pair { u32 a; double b; u16 c[3]; };

static __device__ __noinline__ pair by_value(pair p, u32 k)
{
    p.a += k;
    p.b *= 1.5;
    p.c[k % 3] ^= (u16)k;
    return p;
}

static __global__ void structs(const u32 *in, u32 *out)
{
    INDEX;
    pair p = { in[i], (double)(in[i] & 0xffff), { 1, 2, 3 } };
    for (u32 k = 0; k < (in[i] & 3); k++)
        p = by_value(p, k + in[i]);
    out[i] = p.a ^ (u32)p.b ^ p.c[0] ^ p.c[1] << 8 ^ p.c[2] << 16;
}
LAUNCH(structs, N / 256, 256)

typedef u32 (*binary)(u32, u32);
static __device__ __noinline__ u32 f_add(u32 a, u32 b) { return a + b; }
static __device__ __noinline__ u32 f_mul(u32 a, u32 b) { return a * b; }
static __device__ __noinline__ u32 f_xor(u32 a, u32 b) { return (a ^ b) + 1; }
static __device__ binary table[3] = { f_add, f_mul, f_xor };

static __global__ void function_pointers(const u32 *in, u32 *out)
{
    INDEX;
    binary f = table[in[i] % 3], g = in[i] & 8 ? f_mul : f_add;
    u32 r = f(in[i], 3);
    if (in[i] & 16)
        r = g(r, f(r, 5));
    out[i] = r;
}
LAUNCH(function_pointers, N / 256, 256)

struct shape {
    u32 size;
    __device__ shape(u32 s) : size(s) {}
    __device__ virtual u32 area() const = 0;
    __device__ virtual u32 twice() const { return 2 * area(); }
};
struct square : shape {
    __device__ square(u32 s) : shape(s) {}
    __device__ u32 area() const override { return size * size; }
};
struct strip : shape {
    __device__ strip(u32 s) : shape(s) {}
    __device__ u32 area() const override { return size * 3; }
    __device__ u32 twice() const override { return shape::twice() + 1; }
};

static __device__ __noinline__ u32 measure(const shape *s) { return s->twice() + s->area(); }

static __global__ void virtual_functions(const u32 *in, u32 *out)
{
    INDEX;
    square q(in[i] & 255);
    strip r(in[i] >> 8 & 255);
    const shape *s = in[i] & 1 ? (const shape *)&q : &r;
    out[i] = measure(s);
}
LAUNCH(virtual_functions, N / 256, 256)

/* ---- memory as compiled code uses it ---------------------------------- */

static __constant__ u32 weights[8] = { 1, 10, 100, 1000, 7, 77, 777, 7777 };
static __constant__ struct { float f; char c[5]; double d; } mixed = { 2.5f, { 'a', 'b', 'c', 'd', 0 }, -0.125 };
static __device__ u32 counter, cells[64] = { 3, 1, 4, 1, 5 };
static __device__ const u32 *pointer_to_cells = cells + 2;

static __global__ void variables(const u32 *in, u32 *out)
{
    INDEX;
    u32 r = weights[in[i] & 7] + weights[3];
    r += (u32)mixed.c[in[i] >> 3 & 3] + (u32)(mixed.f * 4) + (u32)(mixed.d * -8);
    r += cells[in[i] >> 5 & 7] * 1000000 + *pointer_to_cells;
    atomicAdd(&counter, 1u);
    out[i] = r;
}
LAUNCH(variables, N / 256, 256)

static __global__ void local_arrays(const u32 *in, u32 *out)
{
    INDEX;
    u32 a[16];
    unsigned char bytes[13];
    for (int k = 0; k < 16; k++)
        a[k] = in[i] * (k + 1);
    for (int k = 0; k < 13; k++)
        bytes[(k * 5) % 13] = (unsigned char)(in[i] >> k);
    for (int k = 0; k < 40; k++) {
        int p = in[i] >> (k % 28) & 15, q = k & 15;
        u32 t = a[p];
        a[p] = a[q] + bytes[p % 13];
        a[q] = t;
    }
    u32 r = 0;
    for (int k = 0; k < 16; k++)
        r = r * 31 + a[k];
    out[i] = r;
}
LAUNCH(local_arrays, N / 128, 128)

static __global__ void shared_arrays(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ double d[64];
    __shared__ u32 w[64][3];
    __shared__ unsigned char b[256];
    u32 t = threadIdx.x;
    if (t < 64)
        d[t] = in[i] & 0xff, w[t][t % 3] = in[i], w[t][(t + 1) % 3] = 5, w[t][(t + 2) % 3] = t;
    b[255 - t] = (unsigned char)in[i];
    __syncthreads();
    out[i] = (u32)d[t & 63] * 3 + w[(t * 7) & 63][t % 3] + b[t];
}
LAUNCH(shared_arrays, N / 256, 256)

static __global__ void dynamic_shared(const u32 *in, u32 *out)
{
    INDEX;
    extern __shared__ u32 dynamic[];
    u64 *wide = (u64 *)(dynamic + 256);
    u32 t = threadIdx.x;
    dynamic[t] = in[i];
    wide[t] = (u64)in[i] << 32 | t;
    __syncthreads();
    out[i] = dynamic[t ^ 5] + (u32)(wide[255 - t] >> 32) + (u32)wide[t ^ 64];
}
static void launch_dynamic_shared(const u32 *in, u32 *out) { dynamic_shared<<<N / 256, 256, 256 * 12>>>(in, out); }

static __global__ void three_dimensions(const u32 *in, u32 *out)
{
    u32 block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    u32 thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    u32 i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    out[i] = in[i] ^ (blockIdx.z << 28 | blockIdx.y << 24 | blockIdx.x << 20 | threadIdx.z << 16 |
                      threadIdx.y << 8 | threadIdx.x);
}
static void launch_three_dimensions(const u32 *in, u32 *out)
{
    three_dimensions<<<dim3(2, 4, 2), dim3(4, 2, 8)>>>(in, out); /* 16 blocks of 64 threads */
}

/* A block whose thread count is no multiple of 32. */
static __global__ void odd_block(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ u32 s[100];
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[99 - threadIdx.x] + __popc(__activemask()) + (u32)__syncthreads_count(in[i] & 1);
}
LAUNCH(odd_block, 10, 100)

/* ---- waiting for each other ------------------------------------------- */

/* One lane raises a flag that the others of its warp wait for: store laid out before the loop. */
static __global__ void spin_first(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ volatile u32 flag, value;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 7) {
        value = in[i] + 1;
        __threadfence_block();
        flag = 1;
    } else
        while (!flag)
            ;
    __threadfence_block();
    out[i] = value;
}
LAUNCH(spin_first, N / 32, 32)

/* The same, the waiting loop laid out first. */
static __global__ void spin_last(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ volatile u32 flag, value;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x != 7) {
        while (!flag)
            ;
    } else {
        value = in[i] + 2;
        __threadfence_block();
        flag = 1;
    }
    __threadfence_block();
    out[i] = value;
}
LAUNCH(spin_last, N / 32, 32)

/* A lock that all lanes of a warp want. */
static __global__ void warp_lock(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ u32 lock, sum;
    if (threadIdx.x == 0)
        lock = 0, sum = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0u, 1u) != 0)
        ;
    __threadfence_block();
    *(volatile u32 *)&sum = *(volatile u32 *)&sum + in[i];
    __threadfence_block();
    atomicExch(&lock, 0u);
    __syncthreads();
    out[i] = sum;
}
LAUNCH(warp_lock, N / 128, 128)

/* Lanes hand a token round: lane k waits for lane k - 1. */
static __global__ void warp_chain(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ volatile u32 token, sum;
    if (threadIdx.x == 0)
        token = 0, sum = 0;
    __syncthreads();
    u32 turn = 31 - threadIdx.x;
    while (token != turn)
        ;
    __threadfence_block();
    sum = sum * 3 + in[i];
    __threadfence_block();
    token = turn + 1;
    while (token < 32)
        ;
    __threadfence_block();
    out[i] = sum;
}
LAUNCH(warp_chain, N / 32, 32)

static __device__ u32 arrived, generation, block_turn, block_sum;

/* All blocks wait for all: a barrier over the grid, three times. */
static __global__ void grid_barrier(const u32 *in, u32 *out)
{
    INDEX;
    u32 x = in[i];
    for (int round = 0; round < 3; round++) {
        out[i] = x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            u32 before = *(volatile u32 *)&generation;
            if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
                arrived = 0;
                __threadfence();
                atomicAdd(&generation, 1u);
            } else
                while (*(volatile u32 *)&generation == before)
                    ;
            __threadfence();
        }
        __syncthreads();
        x = x * 5 + *(volatile u32 *)&out[(i * 37 + 11) & (N - 1)];
        __syncthreads();
        if (threadIdx.x == 0) { /* and again, so that nobody writes before all have read */
            u32 before = *(volatile u32 *)&generation;
            if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
                arrived = 0;
                __threadfence();
                atomicAdd(&generation, 1u);
            } else
                while (*(volatile u32 *)&generation == before)
                    __nanosleep(20);
            __threadfence();
        }
        __syncthreads();
    }
    out[i] = x;
}
LAUNCH(grid_barrier, N / 128, 128)

/* Block k waits for block k - 1, as a look-back scan does. */
static __global__ void block_chain(const u32 *in, u32 *out)
{
    INDEX;
    if (threadIdx.x == 0) {
        while (*(volatile u32 *)&block_turn != blockIdx.x)
            ;
        __threadfence();
        block_sum = *(volatile u32 *)&block_sum * 7 + in[i];
        out[i] = block_sum;
        __threadfence();
        *(volatile u32 *)&block_turn = blockIdx.x + 1;
    } else
        out[i] = blockIdx.x;
}
LAUNCH(block_chain, N / 64, 64)

/* Integer atomics that meet: the sums do not depend on the order. */
static __device__ u32 bins[32];
static __device__ int least = 0x7fffffff, most = (int)0x80000000;
static __device__ float whole;

static __global__ void contention(const u32 *in, u32 *out)
{
    INDEX;
    __shared__ u32 local_bins[32];
    if (threadIdx.x < 32)
        local_bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local_bins[in[i] & 31], 1u);
    atomicXor(&local_bins[in[i] >> 5 & 3], in[i] & ~0xffffu);
    atomicMin(&least, (int)in[i]);
    atomicMax(&most, (int)in[i]);
    atomicAdd(&whole, (float)(in[i] & 7));
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&bins[threadIdx.x], local_bins[threadIdx.x]);
    out[i] = local_bins[threadIdx.x & 31];
}
LAUNCH(contention, N / 256, 256)

static __global__ void contention_results(const u32 *, u32 *out)
{
    INDEX;
    out[i] = i < 32 ? bins[i] : i == 32 ? (u32)least : i == 33 ? (u32)most : i == 34 ? (u32)whole : i == 35 ? counter : 0;
}
LAUNCH(contention_results, N / 256, 256)

/* ---- the list --------------------------------------------------------- */

#define TESTS(T) T(loops) T(nested) T(switches) T(goto_into_loop) T(early_exits) T(math64) \
    T(recursion) T(structs) T(function_pointers) T(virtual_functions) \
    T(variables) T(local_arrays) T(shared_arrays) T(dynamic_shared) T(three_dimensions) T(odd_block) \
    T(spin_first) T(spin_last) T(warp_lock) T(warp_chain) T(grid_barrier) T(block_chain) \
    T(contention) T(contention_results)

static const struct { const char *name; test_launch launch; } tests[] = {
#define ROW(name) { "flow " #name, launch_##name },
    TESTS(ROW)
};
#define COUNT (int)(sizeof(tests) / sizeof(tests[0]))

static void run_test(int t, const u32 *in, u32 *out)
{
    std::vector<u32> host(N);
    std::vector<u64> wide(N);
    CUDA(cudaMemset(out, 0, N * 4));
    tests[t].launch(in, out);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host.data(), out, N * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        wide[i] = host[i];
    printf("%s:", tests[t].name);
    for (int i = 0; i < 16; i++)
        printf(" %08x", host[i * 61 + i % 3]);
    printf(" |");
    for (int i = 0; i < 16; i++)
        printf(" %08x", checksum(&wide[i * N / 16], N / 16));
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list")) {
        for (int t = 0; t < COUNT; t++)
            printf("%s\n", tests[t].name);
        return 0;
    }
    std::vector<u32> host(N);
    u64 s = 2718;
    for (auto &v : host)
        v = (u32)(lcg(&s) >> 20);
    u32 *in, *out;
    CUDA(cudaMalloc(&in, N * 4));
    CUDA(cudaMalloc(&out, N * 4));
    CUDA(cudaMemcpy(in, host.data(), N * 4, cudaMemcpyHostToDevice));
    int first = argc > 2 ? atoi(argv[1]) : 0, last = argc > 2 ? first + atoi(argv[2]) : COUNT;
    for (int t = first; t < last && t < COUNT; t++)
        run_test(t, in, out);
    return 0;
}

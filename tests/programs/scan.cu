/*
 * Prefix sum in one pass: each block takes its number from a counter and looks back at the
 * blocks before it, which may still be at work.
 *   expect PASS scan: 50000 elements
 */
#include "check.h"

enum { THREADS = 256, EMPTY = 0, LOCAL = 1, TOTAL = 2 };
struct state { unsigned long long value[512]; unsigned status[512]; unsigned next; };

__device__ unsigned long long look_back(volatile struct state *s, int tile)
{
    unsigned long long before = 0;
    for (int t = tile - 1; t >= 0; t--) {
        unsigned status;
        while ((status = s->status[t]) == EMPTY)
            ;
        __threadfence();
        before += status == TOTAL ? s->value[t + 256] : s->value[t];
        if (status == TOTAL)
            break;
    }
    return before;
}

__global__ void scan(const unsigned *in, unsigned long long *out, int n, struct state *s)
{
    __shared__ unsigned long long sum[THREADS], before;
    __shared__ int tile;
    int t = threadIdx.x;
    if (t == 0)
        tile = atomicAdd(&s->next, 1u);
    __syncthreads();
    int i = tile * THREADS + t;
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int far = 1; far < THREADS; far *= 2) {
        unsigned long long add = t >= far ? sum[t - far] : 0;
        __syncthreads();
        sum[t] += add;
        __syncthreads();
    }
    if (t == 0) {
        volatile struct state *v = s;
        v->value[tile] = sum[THREADS - 1];
        __threadfence();
        v->status[tile] = LOCAL;
        before = look_back(v, tile);
        v->value[tile + 256] = before + sum[THREADS - 1];
        __threadfence();
        v->status[tile] = TOTAL;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + sum[t];
}

int main()
{
    const int n = 50000;
    std::vector<unsigned> in(n);
    std::vector<unsigned long long> want(n);
    for (int i = 0; i < n; i++) {
        in[i] = i * 40503u % 1000003u;
        want[i] = in[i] + (i ? want[i - 1] : 0);
    }
    unsigned *d = to_device(in);
    unsigned long long *out;
    struct state *s;
    CUDA(cudaMalloc(&out, n * sizeof(*out)));
    CUDA(cudaMalloc(&s, sizeof(*s)));
    CUDA(cudaMemset(s, 0, sizeof(*s)));
    scan<<<(n + THREADS - 1) / THREADS, THREADS>>>(d, out, n, s);
    CUDA(cudaGetLastError());
    return verdict("scan", to_host(out, n), want);
}

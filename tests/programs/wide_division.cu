/*
 * Divides 128-bit integers. nvcc's code for it asks with `addc` whether `subc.cc` has borrowed.
 *   expect PASS quotients and remainders: 8000 elements
 */
#include "check.h"

typedef unsigned long long word;
typedef unsigned __int128 wide;

struct pair {
    word high, low;
};

__host__ __device__ static void divide(pair a, pair b, word result[4])
{
    wide x = (wide)a.high << 64 | a.low, y = (wide)b.high << 64 | b.low, quotient = x / y, rest = x % y;
    result[0] = (word)(quotient >> 64);
    result[1] = (word)quotient;
    result[2] = (word)(rest >> 64);
    result[3] = (word)rest;
}

__global__ void divide_all(const pair *a, const pair *b, word *results, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        divide(a[i], b[i], results + 4 * i);
}

/* Of every length, so that quotients are. */
static word next_word()
{
    static word s = 88172645463325252ull;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s >> s % 61;
}

int main()
{
    const int n = 2000;
    std::vector<pair> a(n), b(n);
    std::vector<word> want(4 * n), zero(4 * n);
    for (int i = 0; i < n; i++) {
        a[i] = {next_word(), next_word()};
        b[i] = {i % 2 ? 0 : next_word(), next_word() | 1};
        divide(a[i], b[i], &want[4 * i]);
    }
    word *results = to_device(zero);
    divide_all<<<(n + 127) / 128, 128>>>(to_device(a), to_device(b), results, n);
    CUDA(cudaGetLastError());
    return verdict("quotients and remainders", to_host(results, 4 * n), want);
}

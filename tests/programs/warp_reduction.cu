/*
 * Sums and maxima by shuffles, and a vote that skips empty warps.
 *   expect PASS warp_reduction: 128 elements
 */
#include "check.h"

__global__ void reduce(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int sum = in[i], most = in[i];
    if (__any_sync(0xffffffff, in[i] != 0)) {
        for (int far = 16; far > 0; far /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, far);
        for (int far = 16; far > 0; far /= 2)
            most = max(most, __shfl_xor_sync(0xffffffff, most, far));
    }
    if (lane == 0) {
        out[i / 32 * 2] = sum;
        out[i / 32 * 2 + 1] = most;
    }
}

int main()
{
    const int warps = 64;
    std::vector<int> in(warps * 32), want(warps * 2);
    for (int w = 0; w < warps; w++) {
        int sum = 0, most = -1000000;
        for (int l = 0; l < 32; l++) {
            int v = w == 5 ? 0 : (w * 32 + l) * 7919 % 1009 - 500;
            in[w * 32 + l] = v;
            sum += v;
            most = v > most ? v : most;
        }
        want[w * 2] = sum, want[w * 2 + 1] = most;
    }
    int *d = to_device(in), *out;
    CUDA(cudaMalloc(&out, want.size() * sizeof(int)));
    reduce<<<warps / 4, 128>>>(d, out);
    CUDA(cudaGetLastError());
    return verdict("warp_reduction", to_host(out, want.size()), want);
}

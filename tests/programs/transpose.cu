/*
 * Transposes a matrix through a padded tile of shared memory; sizes are no multiples of the tile.
 *   expect PASS transpose: 59000 elements
 */
#include "check.h"

__global__ void transpose(const double *in, double *out, int rows, int columns)
{
    __shared__ double tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    if (x < rows && y < columns)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int rows = 200, columns = 295, n = rows * columns;
    std::vector<double> in(n), want(n);
    for (int i = 0; i < n; i++) {
        in[i] = i * 0.1;
        want[i % columns * rows + i / columns] = in[i];
    }
    double *d = to_device(in), *out;
    CUDA(cudaMalloc(&out, n * sizeof(double)));
    transpose<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(d, out, rows, columns);
    CUDA(cudaGetLastError());
    return verdict("transpose", to_host(out, n), want);
}

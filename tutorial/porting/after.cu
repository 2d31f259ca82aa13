// One block for each row: every row is scaled so that its largest element becomes 1. After the port.
//   emulator/bin/nvcc-emu -std=c++17 -I. tutorial/porting/after.cu -o build/after && EMU_CHECK=1 build/after
#include "tutorial/porting/rows.cuh"
#include "tutorial/porting/steal.cuh"

__device__ float* row_of(dim3 block, float* data, int width) { return data + block.x * width; }

__global__ void scale_rows(float* data, const int* filled, int width)
{
    __shared__ int largest; // of a row of floats that are not negative: their bits compare like integers
    steal_blocks([&](dim3 block) {
        int count = filled[block.x];
        float* row = row_of(block, data, width);
        if (count == 0)
            return;
        if (threadIdx.x == 0)
            largest = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += blockDim.x)
            atomicMax(&largest, __float_as_int(row[i]));
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += blockDim.x)
            row[i] /= __int_as_float(largest);
    });
}

int main() { return check_rows(scale_rows); }

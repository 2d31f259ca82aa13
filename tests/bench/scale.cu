/*
 * What the emulator's speed is measured with: v := alpha v, plain and with a block barrier.
 * The PTX beside this file is made from it: tools/ptx.sh tests/bench/scale.cu
 */
__global__ void scale(float *data, float alpha, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

__global__ void scale_barrier(float *data, float alpha, int n)
{
    __shared__ float tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? data[i] : 0;
    __syncthreads();
    if (i < n)
        data[i] = tile[threadIdx.x ^ 1] * alpha;
}

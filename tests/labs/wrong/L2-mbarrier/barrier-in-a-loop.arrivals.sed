# One __syncthreads() in the source, two in the run.
s/^    __syncthreads\(\);.*/#pragma unroll 1\n    for (int turn = 0; turn < 2; turn++)\n        __syncthreads();/

# No barrier between the rows: partial[] and the answer are overwritten while somebody reads.
s/__syncthreads\(\); \/\/ all have read.*/if (bx == blockIdx.x)\n            __syncthreads();/

/* The other half of rdc_main.cu. Its `mine` is another variable of the same name. */
__device__ int counter = 100;
static __device__ int mine = 7;

__device__ int twice(int x) { return 2 * x; }

__global__ void other(int *out) { *out = counter * 10 + mine; }

void launch_other(int *out) { other<<<1, 1>>>(out); }

# Balanced by a counter of its own: nobody asks the launch control, and nobody can preempt.
s/^namespace cg = cooperative_groups;/&\n\n__device__ int taken[2];/
s/^( *)request\(&result, &bar\);.*/\1if (cg::thread_block::thread_rank() == 0)\n\1    result.x = atomicAdd(\&taken[gridDim.y > 1], 1);/
s/^    while \(!ptx::mbarrier_try_wait.*/    __syncthreads();\n    while (false) {/
s/const bool granted = .*/const bool granted = got.x + 8 < gridDim.x * gridDim.y \&\& blockIdx.x + gridDim.x * blockIdx.y < 8;/
s/get_first_ctaid_x<int>\(got\)/get_first_ctaid_x<int>(got), *bx = (got.x + 8) % gridDim.x/
s/get_first_ctaid_y<int>\(got\)/get_first_ctaid_y<int>(got), *by = (got.x + 8) \/ gridDim.x/

# __syncthreads() does the work; the mbarrier is for show.
s/^( *)while \(!ptx::mbarrier_try_wait.*/\1__syncthreads();\n\1while (false) {/

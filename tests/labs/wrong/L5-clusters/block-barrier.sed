# The barrier at the head of the loop holds the block, not the cluster.
s/cg::cluster_group::sync\(\); \/\/ the whole cluster.*/if (bx == blockIdx.x \&\& by == blockIdx.y)\n            cg::cluster_group::sync();\n        __syncthreads();/

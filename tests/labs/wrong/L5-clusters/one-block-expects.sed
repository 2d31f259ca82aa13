# The asking block expects its bytes, the others none.
s/if \(cg::thread_block::thread_rank\(\) == 0\)$/if (cg::cluster_group::thread_rank() == 0)/

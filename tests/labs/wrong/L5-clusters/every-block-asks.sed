# Each of the four blocks sends a request.
s/cluster_group::thread_rank\(\) < 32/thread_block::thread_rank() < 32/

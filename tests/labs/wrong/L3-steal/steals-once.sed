# A block takes over one row and leaves. Legal, and no loop.
s/thread_rank\(\) < 32\)/thread_rank() < 32 \&\& bx == blockIdx.x)/
s/^( *)while \(!ptx::mbarrier_try_wait/\1if (bx != blockIdx.x)\n\1    break;\n&/

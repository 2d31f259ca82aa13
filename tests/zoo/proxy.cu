/* The way from a read of `result` to the next request: barrier, release half, acquire half. See zoo.cu. */

// Lanes 1 to 31 have read before lane 0 asks, but nothing says so. launch: grid 20 block 32
ZOO PX1_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);                // expect: PX1
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        RELEASE_HALF;
    }
}

// launch: grid 20 block 32
ZOO PX1_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncwarp(); // of the only warp
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        RELEASE_HALF;
    }
}

// launch: grid 20 block 64
ZOO PX2_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            REQUEST(&result, &bar);                // expect: PX2
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
    }
}

// The readers' two-way fence. launch: grid 20 block 64
ZOO PX2_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        ptx::fence_proxy_async(ptx::space_shared);
    }
}

// The readers' two-way fence does not reach from a peer. launch: grid 20 block 32 cluster 2
ZOO PX2_bad_peer(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0)
            MULTICAST(&result, &bar);              // expect: PX2
        if (threadIdx.x == 0)
            EXPECT(&bar, 16);
        TILE(bx);
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result) + cg::cluster_group::block_index().x;
        ptx::fence_proxy_async(ptx::space_shared);
    }
}

// The two halves do. launch: grid 20 block 32 cluster 2
ZOO PX2_ok_peer(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0) {
            ACQUIRE_HALF;
            MULTICAST(&result, &bar);
        }
        if (threadIdx.x == 0)
            EXPECT(&bar, 16);
        TILE(bx);
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result) + cg::cluster_group::block_index().x;
        RELEASE_HALF;
    }
}

// launch: grid 20 block 64
ZOO PX3_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);                // expect: PX3
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
    }
}

// Both halves by the issuer: the barrier brings the reads to it. launch: grid 20 block 64
ZOO PX3_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            RELEASE_HALF;
            ACQUIRE_HALF;
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
    }
}

// launch: grid 20 block 64
ZOO PX4_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            REQUEST(&result, &bar);                // expect: PX4
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        RELEASE_HALF;
    }
}

// launch: grid 20 block 64
ZOO PX4_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        RELEASE_HALF;
    }
}

// The issuer's fence names its own block; the answer goes to the peer too. launch: grid 20 block 32 cluster 2
ZOO PX5_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            MULTICAST(&result, &bar);              // expect: PX5
        }
        if (threadIdx.x == 0)
            EXPECT(&bar, 16);
        TILE(bx);
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result) + cg::cluster_group::block_index().x;
    }
}

// launch: grid 20 block 32 cluster 2
ZOO PX5_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0) {
            ptx::fence_proxy_async(ptx::space_cluster);
            MULTICAST(&result, &bar);
        }
        if (threadIdx.x == 0)
            EXPECT(&bar, 16);
        TILE(bx);
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result) + cg::cluster_group::block_index().x;
    }
}

// Both halves by the issuer, whose release half does not cover the peer. launch: grid 20 block 32 cluster 2
ZOO PX5_bad_halves(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        cg::cluster_group::sync();
        if (cg::cluster_group::thread_rank() == 0) {
            RELEASE_HALF;
            ACQUIRE_HALF;
            MULTICAST(&result, &bar);              // expect: PX5
        }
        if (threadIdx.x == 0)
            EXPECT(&bar, 16);
        TILE(bx);
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result) + cg::cluster_group::block_index().x;
    }
}

// The readers' fence, then a barrier that releases nothing. launch: grid 20 block 64
ZOO PX6_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        ptx::barrier_cluster_arrive(ptx::sem_relaxed);
        ptx::barrier_cluster_wait(ptx::sem_acquire);
        if (threadIdx.x == 0) {
            REQUEST(&result, &bar);                // expect: PX6
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        ptx::fence_proxy_async(ptx::space_shared);
    }
}

// launch: grid 20 block 64
ZOO PX6_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (int bx = blockIdx.x, phase = 0;; phase ^= 1) {
        ptx::barrier_cluster_arrive(ptx::sem_release);
        ptx::barrier_cluster_wait(ptx::sem_acquire);
        if (threadIdx.x == 0) {
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        TILE(bx);
        WAIT(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);
        ptx::fence_proxy_async(ptx::space_shared);
    }
}

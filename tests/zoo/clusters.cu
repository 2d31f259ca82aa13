/* Several blocks: multicast, remote barriers, scope, life and death of a peer. See zoo.cu. */

// The peers have met before they initialised, not after. launch: grid 2 block 32 cluster 2
ZOO TC6_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    cg::cluster_group::sync();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    __syncthreads();
    if (cg::cluster_group::thread_rank() == 0)
        MULTICAST(&result, &bar);                  // expect: TC6
    if (threadIdx.x == 0)
        EXPECT(&bar, 16);
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = CANCELED(result);
}

// launch: grid 2 block 32 cluster 2
ZOO TC6_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 0)
        MULTICAST(&result, &bar);
    if (threadIdx.x == 0)
        EXPECT(&bar, 16);
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = CANCELED(result);
}

// Block 1 leaves after its first answer, whatever it was. launch: grid 20 block 32 cluster 2
ZOO TC7_bad(unsigned* out)
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
            MULTICAST(&result, &bar);              // expect: TC7
        }
        if (threadIdx.x == 0)
            EXPECT(&bar, 16);
        TILE(bx);
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result) + cg::cluster_group::block_index().x;
        RELEASE_HALF;
        if (cg::cluster_group::block_rank() == 1) {
            TILE(bx);
            break;
        }
    }
}

// Each block leaves after a refusal. launch: grid 20 block 32 cluster 2
ZOO TC7_ok(unsigned* out)
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

// A wait, at a generic address, on the peer's barrier. launch: grid 2 block 32 cluster 2
ZOO MB4_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar);
    }
    cg::cluster_group::sync();
    uint64_t* peers = cg::cluster_group::map_shared_rank(&bar, cg::cluster_group::block_rank() ^ 1);
    unsigned done;
    do
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}" // expect: MB4
                     : "=r"(done) : "l"(peers) : "memory"); // expect: MB4
    while (!done);
    out[blockIdx.x * blockDim.x + threadIdx.x] = done;
    cg::cluster_group::sync();
}

// An arrival from afar, a wait at home. launch: grid 2 block 32 cluster 2
ZOO MB4_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    cg::cluster_group::sync();
    uint64_t* peers = cg::cluster_group::map_shared_rank(&bar, cg::cluster_group::block_rank() ^ 1);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, peers);
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cg::cluster_group::sync();
}

// The barrier releases the init all the same: a lint. launch: grid 2 block 32 cluster 2
ZOO FE3_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    cg::cluster_group::sync();
    uint64_t* peers = cg::cluster_group::map_shared_rank(&bar, cg::cluster_group::block_rank() ^ 1);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, peers); // expect: FE3
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cg::cluster_group::sync();
}

// launch: grid 2 block 32 cluster 2
ZOO FE3_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    cg::cluster_group::sync();
    uint64_t* peers = cg::cluster_group::map_shared_rank(&bar, cg::cluster_group::block_rank() ^ 1);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, peers);
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cg::cluster_group::sync();
}

// A relaxed barrier releases nothing. launch: grid 2 block 32 cluster 2
ZOO FE3E_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    uint64_t* peers = cg::cluster_group::map_shared_rank(&bar, cg::cluster_group::block_rank() ^ 1);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, peers); // expect: FE3E
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cg::cluster_group::sync();
}

// launch: grid 2 block 32 cluster 2
ZOO FE3E_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    __syncthreads();
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    uint64_t* peers = cg::cluster_group::map_shared_rank(&bar, cg::cluster_group::block_rank() ^ 1);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, peers);
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cg::cluster_group::sync();
}

// launch: grid 2 block 32 cluster 2
ZOO FE5_bad(unsigned* out)
{
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_arrive(ptx::sem_release); // expect: FE5
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// launch: grid 2 block 32 cluster 2
ZOO FE5_ok(unsigned* out)
{
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/* libcu++ has no remote arrive of block scope; code in the wild has. */
#define ARRIVE_REMOTE_CTA(bar)                                                                      \
    asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" ::"r"(clc::smem(bar)) : "memory")

// Released to its own block only. launch: grid 2 block 32 cluster 2
ZOO FE7_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 32) {
        out[0] = 51;
        ARRIVE_REMOTE_CTA(cg::cluster_group::map_shared_rank(&bar, 0)); // expect: FE7
    }
    if (cg::cluster_group::thread_rank() == 0) {
        WAIT_CLUSTER(&bar, 0);                     // expect: FE7
        out[1] = out[0];                           // expect: FE7
    }
    cg::cluster_group::sync();
}

// launch: grid 2 block 32 cluster 2
ZOO FE7_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
    }
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 32) {
        out[0] = 51;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cg::cluster_group::map_shared_rank(&bar, 0));
    }
    if (cg::cluster_group::thread_rank() == 0) {
        WAIT_CLUSTER(&bar, 0);
        out[1] = out[0];
    }
    cg::cluster_group::sync();
}

// Has the peer started? launch: grid 2 block 32 cluster 2
ZOO CL1_bad_start(unsigned* out)
{
    __shared__ unsigned room;
    if (cg::cluster_group::thread_rank() == 0)
        *cg::cluster_group::map_shared_rank(&room, 1) = 51; // expect: CL1
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 32)
        out[0] = room;
}

// Has the peer left? launch: grid 2 block 32 cluster 2
ZOO CL1_bad(unsigned* out)
{
    __shared__ unsigned room;
    if (threadIdx.x == 0)
        room = 51;
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 0)
        out[0] = *cg::cluster_group::map_shared_rank(&room, 1); // expect: CL1
}

// launch: grid 2 block 32 cluster 2
ZOO CL1_ok(unsigned* out)
{
    __shared__ unsigned room;
    if (threadIdx.x == 0)
        room = 51;
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 0)
        out[0] = *cg::cluster_group::map_shared_rank(&room, 1);
    cg::cluster_group::sync();
}

#define SEND(room, bar, peer)                                                                                               \
    ptx::st_async(&cg::cluster_group::map_shared_rank(room, peer)[threadIdx.x], 1u, cg::cluster_group::map_shared_rank(bar, peer))

// Nothing says that the peer has started when the words are sent. launch: grid 8 block 32 cluster 2
ZOO CL1_bad_send(unsigned* out)
{
    __shared__ unsigned room[32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
        EXPECT(&bar, 128);
    }
    __syncthreads();
    SEND(room, &bar, cg::cluster_group::block_rank() ^ 1);   // expect: CL1
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * 32 + threadIdx.x] = room[threadIdx.x];
}

// A copy completes on a peer's mbarrier, which a barrier alone publishes. launch: grid 8 block 32 cluster 2
ZOO FE3_bad_send(unsigned* out)
{
    __shared__ unsigned room[32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        EXPECT(&bar, 128);
    }
    cg::cluster_group::sync();
    SEND(room, &bar, cg::cluster_group::block_rank() ^ 1);   // expect: FE3
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * 32 + threadIdx.x] = room[threadIdx.x];
}

// launch: grid 8 block 32 cluster 2
ZOO FE3_ok_send(unsigned* out)
{
    __shared__ unsigned room[32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
        EXPECT(&bar, 128);
    }
    cg::cluster_group::sync();
    SEND(room, &bar, cg::cluster_group::block_rank() ^ 1);
    WAIT_CLUSTER(&bar, 0);
    out[blockIdx.x * 32 + threadIdx.x] = room[threadIdx.x];
}

static __device__ unsigned peer_address(const void* own, unsigned rank)
{
    unsigned address;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(clc::smem(own)), "r"(rank));
    return address;
}

#define COPY_TO_PEER(to, from, bar)                                                                                          \
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(      \
                     peer_address(to, 1)),                                                                                   \
                 "r"(clc::smem(from)), "r"(peer_address(bar, 1))                                                             \
                 : "memory")

// The copy to the peer may read its source still. launch: grid 2 block 32 cluster 2
ZOO TC3_bad_source(unsigned* out)
{
    __shared__ __align__(16) unsigned from[32], to[32];
    __shared__ uint64_t bar;
    from[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
        EXPECT(&bar, 128);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cg::cluster_group::sync();
    if (cg::cluster_group::block_rank() == 0) {
        if (threadIdx.x == 0) {
            COPY_TO_PEER(to, from, &bar);
            while (*(volatile unsigned*)&out[100] == 0) { // keeps the time, and orders nothing
            }
        }
        __syncthreads();
        from[threadIdx.x] = 2;                     // expect: TC3
    } else {
        WAIT_CLUSTER(&bar, 0);
        out[threadIdx.x] = to[threadIdx.x];
        if (threadIdx.x == 0)
            atomicExch(&out[100], 1);
    }
    cg::cluster_group::sync();
}

// launch: grid 2 block 32 cluster 2
ZOO TC3_ok_source(unsigned* out)
{
    __shared__ __align__(16) unsigned from[32], to[32];
    __shared__ uint64_t bar;
    from[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INIT_FENCE;
        EXPECT(&bar, 128);
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 0)
        COPY_TO_PEER(to, from, &bar);
    if (cg::cluster_group::block_rank() == 1) {
        WAIT_CLUSTER(&bar, 0);
        out[threadIdx.x] = to[threadIdx.x];
    }
    cg::cluster_group::sync();
    from[threadIdx.x] = 2;
}

#define STORE_TO_PEER(to, value, bar)                                                                                        \
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(peer_address(to, 1)), \
                 "r"(value), "r"(peer_address(bar, 1))                                                                       \
                 : "memory")

// Each lane's store completes on an mbarrier of its own; this one waits for its neighbour's. launch: grid 2 block 32 cluster 2
ZOO TC3_bad_lanes(unsigned* out)
{
    __shared__ unsigned to[32];
    __shared__ uint64_t bar[32];
    ptx::mbarrier_init(&bar[threadIdx.x], 1);
    INIT_FENCE;
    EXPECT(&bar[threadIdx.x], 4);
    cg::cluster_group::sync();
    if (cg::cluster_group::block_rank() == 0)
        STORE_TO_PEER(&to[threadIdx.x], 1, &bar[threadIdx.x]); // expect: TC3
    if (cg::cluster_group::block_rank() == 1) {
        WAIT_CLUSTER(&bar[threadIdx.x], 0);
        out[threadIdx.x] = to[threadIdx.x ^ 1];    // expect: TC3
    }
    cg::cluster_group::sync();
}

// launch: grid 2 block 32 cluster 2
ZOO TC3_ok_lanes(unsigned* out)
{
    __shared__ unsigned to[32];
    __shared__ uint64_t bar[32];
    ptx::mbarrier_init(&bar[threadIdx.x], 1);
    INIT_FENCE;
    EXPECT(&bar[threadIdx.x], 4);
    cg::cluster_group::sync();
    if (cg::cluster_group::block_rank() == 0)
        STORE_TO_PEER(&to[threadIdx.x], 1, &bar[threadIdx.x]);
    if (cg::cluster_group::block_rank() == 1) {
        WAIT_CLUSTER(&bar[threadIdx.x], 0);
        out[threadIdx.x] = to[threadIdx.x];
    }
    cg::cluster_group::sync();
}

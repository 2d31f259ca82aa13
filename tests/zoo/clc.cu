/* Undefined uses of launch control, and the ledger. See zoo.cu. */

// launch: grid 1 block 32
ZOO TC1_bad(unsigned* out)
{
    __shared__ alignas(16) char room[32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST((uint4*)(room + 8), &bar);         // expect: TC1
        EXPECT(&bar, 16);
        WAIT(&bar, 0);
    }
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO TC1_ok(unsigned* out)
{
    __shared__ alignas(16) char room[32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST((uint4*)(room + 16), &bar);
        EXPECT(&bar, 16);
        WAIT(&bar, 0);
    }
    out[threadIdx.x] = 1;
}

/* The form with generic addresses. */
#define REQUEST_GENERIC(result, bar)                                                                \
    asm volatile("clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"l"(result), "l"(bar) : "memory")

// The response is to go to a peer. launch: grid 2 block 32 cluster 2
ZOO TC2_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 0) {
        REQUEST_GENERIC(cg::cluster_group::map_shared_rank(&result, 1), &bar); // expect: TC2
        EXPECT(&bar, 16);
        WAIT(&bar, 0);
    }
    out[threadIdx.x + blockIdx.x * blockDim.x] = 1;
    cg::cluster_group::sync();
}

// launch: grid 2 block 32 cluster 2
ZOO TC2_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    cg::cluster_group::sync();
    if (cg::cluster_group::thread_rank() == 0) {
        REQUEST_GENERIC(&result, &bar);
        EXPECT(&bar, 16);
        WAIT(&bar, 0);
    }
    out[threadIdx.x + blockIdx.x * blockDim.x] = 1;
    cg::cluster_group::sync();
}

// Block 1 does the tile that block 0 has. launch: grid 20 block 32 cluster 2
ZOO TC8_bad(unsigned* out)
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
        TILE(bx);                                  // expect: TC8
        WAIT_CLUSTER(&bar, phase);
        if (!CANCELED(result))
            break;
        bx = FIRST(result);                        // expect: TC8
        RELEASE_HALF;
    }
}

// launch: grid 20 block 32 cluster 2
ZOO TC8_ok(unsigned* out)
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

// launch: grid 1 block 32
ZOO TC9_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int phase = 0; phase < 2; phase++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);                // expect: TC9
            EXPECT(&bar, 16);
        }
        WAIT(&bar, phase);
        out[threadIdx.x] = CANCELED(result);
        RELEASE_HALF;
    }
}

// launch: grid 1 block 32
ZOO TC9_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    bool more = true;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int phase = 0; phase < 2 && more; phase++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ACQUIRE_HALF;
            REQUEST(&result, &bar);
            EXPECT(&bar, 16);
        }
        WAIT(&bar, phase);
        more = CANCELED(result);
        out[threadIdx.x] = more;
        RELEASE_HALF;
    }
}

// launch: grid 1 block 32
ZOO TC10_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        REQUEST(&result, &bar);                    // expect: TC10
        EXPECT(&bar, 32);
    }
    __syncthreads();
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result);
}

// Both leave before either answer is looked at. launch: grid 1 block 32
ZOO TC10_ok(unsigned* out)
{
    __shared__ uint4 result[2];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result[0], &bar);
        REQUEST(&result[1], &bar);
        EXPECT(&bar, 32);
    }
    __syncthreads();
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result[0]) + CANCELED(result[1]);
}

// launch: grid 1 block 32
ZOO TC10W_bad(unsigned* out)
{
    __shared__ uint4 result[32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 32);
    __syncthreads();
    REQUEST(&result[threadIdx.x], &bar);           // expect: TC10W
    EXPECT(&bar, 16);
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result[threadIdx.x]);
}

// launch: grid 1 block 32
ZOO TC10W_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result);
}

// The first of two is refused, the second is granted, and forgotten. launch: grid 9 block 32 refuse 1
ZOO TC16_bad(unsigned* out)
{
    __shared__ uint4 result[2];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result[0], &bar);
        REQUEST(&result[1], &bar);                 // expect: TC16
        EXPECT(&bar, 32);
    }
    __syncthreads();
    TILE(blockIdx.x);
    WAIT(&bar, 0);
    for (int k = 0; k < 2; k++) {
        if (!CANCELED(result[k]))
            break;
        TILE(FIRST(result[k]));
    }
}

// launch: grid 9 block 32 refuse 1
ZOO TC16_ok(unsigned* out)
{
    __shared__ uint4 result[2];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result[0], &bar);
        REQUEST(&result[1], &bar);
        EXPECT(&bar, 32);
    }
    __syncthreads();
    TILE(blockIdx.x);
    WAIT(&bar, 0);
    for (int k = 0; k < 2; k++) {
        if (!CANCELED(result[k]))
            continue;
        TILE(FIRST(result[k]));
    }
}

// launch: grid 1 block 32
ZOO QC2_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    WAIT(&bar, 0);
    out[threadIdx.x] = FIRST(result);              // expect: QC2
}

// launch: grid 1 block 32
ZOO QC2_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    WAIT(&bar, 0);
    if (CANCELED(result))
        out[threadIdx.x] = FIRST(result);
}

// launch: grid 1 block 32
ZOO QC4_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    WAIT(&bar, 0);
    volatile unsigned* piece = (unsigned*)&result;
    uint4 copy;
    copy.x = piece[0];                             // expect: QC4
    copy.y = piece[1];                             // expect: QC4
    copy.z = piece[2];                             // expect: QC4
    copy.w = piece[3];                             // expect: QC4
    out[threadIdx.x] = CANCELED(copy);             // expect: QC4
}

// launch: grid 1 block 32
ZOO QC4_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    WAIT(&bar, 0);
    uint4 copy = result;
    out[threadIdx.x] = CANCELED(copy);
}

// The stolen tile is done twice. launch: grid 12 block 32
ZOO CL3_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    TILE(blockIdx.x);
    WAIT(&bar, 0);
#pragma unroll 1
    for (int turn = 0; turn < 2; turn++) {
        if (CANCELED(result))
            TILE(FIRST(result));                   // expect: CL3
        __syncthreads();
    }
}

// launch: grid 12 block 32
ZOO CL3_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    TILE(blockIdx.x);
    WAIT(&bar, 0);
    if (CANCELED(result))
        TILE(FIRST(result));
}

// One steal a block; the index is never asked for. launch: grid 12 block 32
ZOO TC16_bad_unread(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);                    // expect: TC16
        EXPECT(&bar, 16);
    }
    __syncthreads();
    TILE(blockIdx.x);
    WAIT(&bar, 0);
    if (CANCELED(result))
        atomicAdd(&out[4000], 1);
}

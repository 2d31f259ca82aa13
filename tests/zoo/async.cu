/* Results of asynchronous operations: read too early, published too widely, left behind. See zoo.cu. */

// __syncthreads() does not wait for the response. launch: grid 1 block 32
ZOO TC3_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        result = uint4{};
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();                               // expect: TC3
    out[threadIdx.x] = CANCELED(result);           // expect: TC3
    WAIT(&bar, 0);
}

// launch: grid 1 block 32
ZOO TC3_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        result = uint4{};
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result);
}

// One warp waits, the other reads. launch: grid 1 block 64
ZOO TC3_bad_one_waits(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        result = uint4{};
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        WAIT(&bar, 0)
    else
        out[threadIdx.x] = CANCELED(result);       // expect: TC3
}

// The one meets the other after its wait. launch: grid 1 block 64
ZOO TC3_ok_one_waits(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
        WAIT(&bar, 0);
    }
    __syncthreads();
    out[threadIdx.x] = CANCELED(result);
}

// The phase ends, but the relaxed arrive has not released x. launch: grid 1 block 64
ZOO AS1_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ unsigned x;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        x = out[200];
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result);
    if (threadIdx.x >= 32)
        out[threadIdx.x] = x;                      // expect: AS1
}

// launch: grid 1 block 64
ZOO AS1_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ unsigned x;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        x = out[200];
        REQUEST(&result, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
    }
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result);
    if (threadIdx.x >= 32)
        out[threadIdx.x] = x;
}

// launch: grid 1 block 32
ZOO TC13_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    out[threadIdx.x] = 1;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);                    // expect: TC13
        EXPECT(&bar, 16);
    }
}                                                  // expect: TC13

// launch: grid 1 block 32
ZOO TC13_ok(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
        WAIT(&bar, 0);
        out[0] = CANCELED(result);
    }
}

// The wait that is missing lets the copy read. launch: grid 1 block 32
ZOO TC13_bad_source(unsigned* out)
{
    __shared__ __align__(16) unsigned part[32];
    part[threadIdx.x] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, part, sizeof part); // expect: TC13
        ptx::cp_async_bulk_commit_group();
    }
}                                                  // expect: TC13

// launch: grid 1 block 32
ZOO TC13_ok_source(unsigned* out)
{
    __shared__ __align__(16) unsigned part[32];
    part[threadIdx.x] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, part, sizeof part);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

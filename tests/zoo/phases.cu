/* Phases and their parity; runs that cannot end. See zoo.cu. */

// Warp 0 sleeps through two phases: the parity it waits for now means the third. launch: grid 1 block 64
ZOO MB5_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    __shared__ unsigned flag; // relaxed: it keeps the time, and orders nothing
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        for (int phase = 0; phase < 2; phase++) {
            ARRIVE(&bar);
            WAIT(&bar, phase);
        }
        atomicExch(&flag, 1);
        while (atomicAdd(&flag, 0) != 2) {
        }
        ARRIVE(&bar);
    }
    if (threadIdx.x == 0) {
        while (atomicAdd(&flag, 0) != 1) {
        }
        out[0] = ptx::mbarrier_test_wait_parity(&bar, 0); // expect: MB5
        atomicExch(&flag, 2);
        WAIT(&bar, 0);                             // expect: MB5
    }
}

// launch: grid 1 block 64
ZOO MB5_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (int phase = 0; phase < 2; phase++) {
        if (threadIdx.x == 32)
            ARRIVE(&bar);
        if (threadIdx.x % 32 == 0)
            WAIT(&bar, phase);
        __syncthreads();
    }
    out[threadIdx.x] = 1;
}

// A phase that was seen may be waited for again: it passes, and means what it says. launch: grid 1 block 64
ZOO MB5_ok_again(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32)
        ARRIVE(&bar);
    WAIT(&bar, 0);
    WAIT(&bar, 0);
    out[threadIdx.x] = 1;
}

// A parity of 1 before anything has happened: the usual start of a producer. launch: grid 1 block 64
ZOO MB5_ok_start(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (int turn = 0, phase = 0; turn < 2; turn++, phase ^= 1) {
        if (threadIdx.x == 0) {
            WAIT(&bar, phase ^ 1);
            ARRIVE(&bar);
        }
        WAIT(&bar, phase);
    }
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO MB6_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ARRIVE(&bar);
        ARRIVE(&bar);                              // expect: MB6
    }
    __syncthreads();
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO MB6_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ARRIVE(&bar);
        WAIT(&bar, 0);
        ARRIVE(&bar);
    }
    __syncthreads();
    out[threadIdx.x] = 1;
}

// Each warp waits at a barrier of its own. launch: grid 1 block 64
ZOO DL1_bad(unsigned* out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // expect: DL1
    else
        asm volatile("bar.sync 2, 64;" ::: "memory"); // expect: DL1
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 64
ZOO DL1_ok(unsigned* out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32 steps 100000
ZOO DL2_bad(unsigned* out)
{
    unsigned seen;
    do                                             // expect: DL2
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(out)) : "memory"); // expect: DL2
    while (!seen);                                 // expect: DL2
}

// launch: grid 1 block 32 steps 100000
ZOO DL2_ok(unsigned* out)
{
    unsigned seen;
    if (threadIdx.x == 31)
        atomicExch(out, 1);
    do
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(out)) : "memory");
    while (!seen);
}

/* Counts and life of an mbarrier. See zoo.cu. */

// launch: grid 1 block 32
ZOO MB1_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 2); // expect: MB1
    }
    __syncthreads();
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO MB1_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 2);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 2);
    }
    __syncthreads();
    WAIT(&bar, 0);
    out[threadIdx.x] = 1;
}

// 16 bytes come, 32 are expected. launch: grid 1 block 32
ZOO MB2_bad(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        REQUEST(&result, &bar);
        EXPECT(&bar, 32);
    }
    __syncthreads();
    WAIT(&bar, 0);                                 // expect: MB2
    out[threadIdx.x] = CANCELED(result);
}

// launch: grid 1 block 32
ZOO MB2_ok(unsigned* out)
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
    out[threadIdx.x] = CANCELED(result);
}

// Two are to arrive, one does. launch: grid 1 block 32
ZOO MB2_bad_arrivals(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 2);
        ARRIVE(&bar);
    }
    __syncthreads();
    WAIT(&bar, 0);                                 // expect: MB2
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO MB2_ok_arrivals(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 2);
    __syncthreads();
    if (threadIdx.x < 2)
        ARRIVE(&bar);
    WAIT(&bar, 0);
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO MB3_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ARRIVE(&bar);                              // expect: MB3
    __syncthreads();
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO MB3_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ARRIVE(&bar);
    }
    __syncthreads();
    out[threadIdx.x] = 1;
}

// Initialised, but not for this thread. launch: grid 1 block 64
ZOO MB3_bad_unseen(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    if (threadIdx.x == 32)
        ARRIVE(&bar);                              // expect: MB3
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 64
ZOO MB3_ok_unseen(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32)
        ARRIVE(&bar);
    out[threadIdx.x] = 1;
}

// Its memory is used for something else. launch: grid 1 block 32
ZOO MB3_bad_reuse(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        *(volatile uint64_t*)&bar = 51;            // expect: MB3
        out[0] = (unsigned)*(volatile uint64_t*)&bar; // expect: MB3
    }
}

// launch: grid 1 block 32
ZOO MB3_ok_reuse(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INVAL(&bar);
        *(volatile uint64_t*)&bar = 51;
        out[0] = (unsigned)*(volatile uint64_t*)&bar;
    }
}

// Its life ends while the other warp may still wait. launch: grid 1 block 64
ZOO MB3_bad_inval(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32)
        ARRIVE(&bar);
    WAIT(&bar, 0);                                 // expect: MB3
    if (threadIdx.x == 32)
        INVAL(&bar);                               // expect: MB3
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 64
ZOO MB3_ok_inval(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32)
        ARRIVE(&bar);
    WAIT(&bar, 0);
    __syncthreads();
    if (threadIdx.x == 32)
        INVAL(&bar);
    out[threadIdx.x] = 1;
}

// The end of the phase proves that all have arrived, with release or without. launch: grid 1 block 64
ZOO MB3_ok_inval_arrived(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 32);
    __syncthreads();
    if (threadIdx.x >= 32)
        EXPECT(&bar, 0);
    if (threadIdx.x == 0) {
        WAIT(&bar, 0);
        INVAL(&bar);
    }
    out[threadIdx.x] = 1;
}

// An operation that will complete on it is on its way. launch: grid 1 block 32
ZOO MB3_bad_inval_flight(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        EXPECT(&bar, 16);
        REQUEST(&result, &bar);                    // expect: MB3
        INVAL(&bar);                               // expect: MB3
    }
    while (threadIdx.x == 0 && *(volatile unsigned*)&out[100] == 0) { // expect: MB3
    }
}

// The request needs its mbarrier: the other warp has made it, and nothing orders the two. launch: grid 1 block 64
ZOO MB3_bad_request(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    if (threadIdx.x == 32)
        REQUEST(&result, &bar);                    // expect: MB3
    __syncthreads();
    if (threadIdx.x == 32)
        EXPECT(&bar, 16);
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result);
}

// launch: grid 1 block 64
ZOO MB3_ok_request(unsigned* out)
{
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32) {
        REQUEST(&result, &bar);
        EXPECT(&bar, 16);
    }
    WAIT(&bar, 0);
    out[threadIdx.x] = CANCELED(result);
}

// An arrival when the thread's copies have ended is one on an mbarrier that it must know. launch: grid 1 block 64
ZOO MB3_bad_copies_arrive(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    if (threadIdx.x == 32)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(clc::smem(&bar)) : "memory"); // expect: MB3
    __syncthreads();
    WAIT(&bar, 0);
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 64
ZOO MB3_ok_copies_arrive(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(clc::smem(&bar)) : "memory");
    WAIT(&bar, 0);
    out[threadIdx.x] = 1;
}

// The other warp may read these bytes still as what they were. launch: grid 1 block 64
ZOO MB3_bad_data_before(unsigned* out)
{
    __shared__ union { uint64_t bar; unsigned data; } room;
    if (threadIdx.x == 0)
        room.data = out[200];
    __syncthreads();
    out[threadIdx.x] = room.data;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&room.bar, 1);          // expect: MB3
    __syncthreads();
}

// launch: grid 1 block 64
ZOO MB3_ok_data_before(unsigned* out)
{
    __shared__ union { uint64_t bar; unsigned data; } room;
    if (threadIdx.x == 0)
        room.data = out[200];
    __syncthreads();
    out[threadIdx.x] = room.data;
    __syncthreads();
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&room.bar, 1);
    __syncthreads();
}

// The other warp makes a new one where the old one may live still. launch: grid 1 block 64
ZOO MB3_bad_init_after(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INVAL(&bar);
        atomicExch(&out[100], 1); // keeps the time, and orders nothing
    }
    if (threadIdx.x == 32) {
        while (*(volatile unsigned*)&out[100] == 0) {
        }
        ptx::mbarrier_init(&bar, 1);               // expect: MB3
    }
}

// launch: grid 1 block 64
ZOO MB3_ok_init_after(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        INVAL(&bar);
    }
    __syncthreads();
    if (threadIdx.x == 32)
        ptx::mbarrier_init(&bar, 1);
    out[threadIdx.x] = 1;
}

// The bytes become data before the other warp knows that the mbarrier is gone. launch: grid 1 block 64
ZOO SH1_bad_data_after(unsigned* out)
{
    __shared__ union { uint64_t bar; unsigned data; } room;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&room.bar, 1);
        INVAL(&room.bar);                          // expect: SH1
        atomicExch(&out[100], 1); // keeps the time, and orders nothing
    }
    if (threadIdx.x == 32) {
        while (*(volatile unsigned*)&out[100] == 0) {
        }
        room.data = out[200];                      // expect: SH1
        out[0] = *(volatile unsigned*)&room.data;
    }
}

// launch: grid 1 block 64
ZOO SH1_ok_data_after(unsigned* out)
{
    __shared__ union { uint64_t bar; unsigned data; } room;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&room.bar, 1);
        INVAL(&room.bar);
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        room.data = out[200];
        out[0] = *(volatile unsigned*)&room.data;
    }
}

// launch: grid 1 block 32
ZOO MB9_bad(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        uint64_t state;
        ptx::mbarrier_init(&bar, 1);
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(clc::smem(&bar)) : "memory"); // expect: MB9
    }
    out[threadIdx.x] = 1;
}

// launch: grid 1 block 32
ZOO MB9_ok(unsigned* out)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        uint64_t state;
        ptx::mbarrier_init(&bar, 2);
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state) : "r"(clc::smem(&bar)) : "memory");
        ARRIVE(&bar);
    }
    out[threadIdx.x] = 1;
}

/* Races between generic accesses, and block barriers that not all threads reach. See zoo.cu. */

// launch: grid 1 block 64
ZOO SH1_bad(unsigned* out)
{
    __shared__ unsigned room[64];
    room[threadIdx.x] = 0;
    __syncthreads();
    room[threadIdx.x] = threadIdx.x;               // expect: SH1
    out[threadIdx.x] = room[threadIdx.x ^ 32];     // expect: SH1
}

// launch: grid 1 block 64
ZOO SH1_ok(unsigned* out)
{
    __shared__ unsigned room[64];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[threadIdx.x ^ 32];
}

// A warp is no barrier either. launch: grid 1 block 32
ZOO SH1_bad_warp(unsigned* out)
{
    __shared__ unsigned room[32];
    room[threadIdx.x] = threadIdx.x;               // expect: SH1
    out[threadIdx.x] = room[threadIdx.x ^ 1];      // expect: SH1
}

// launch: grid 1 block 32
ZOO SH1_ok_warp(unsigned* out)
{
    __shared__ unsigned room[32];
    room[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = room[threadIdx.x ^ 1];
}

// launch: grid 4 block 32
ZOO GR1_bad(unsigned* out)
{
    if (threadIdx.x == 0)
        out[0] += 1;                               // expect: GR1
}

// launch: grid 4 block 32
ZOO GR1_ok(unsigned* out)
{
    if (threadIdx.x == 0)
        atomicAdd(&out[0], 1);
}

// The flag is atomic, the data behind it are not released. launch: grid 2 block 32
ZOO GR1_bad_flag(unsigned* out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        out[0] = 51;                                                    // expect: GR1
        asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&out[1])) : "memory");
    } else {
        unsigned seen;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(&out[1])) : "memory");
        while (!seen);
        out[2] = out[0];                                                // expect: GR1
    }
}

// launch: grid 2 block 32
ZOO GR1_ok_flag(unsigned* out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        out[0] = 51;
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&out[1])) : "memory");
    } else {
        unsigned seen;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(&out[1])) : "memory");
        while (!seen);
        out[2] = out[0];
    }
}

// launch: grid 1 block 32
ZOO FE6_bad(unsigned* out)
{
    if (threadIdx.x < 16) {
        out[threadIdx.x] = 1;
        asm volatile("bar.sync 0;" ::: "memory");  // expect: FE6
    } else {
        asm volatile("bar.sync 0;" ::: "memory");  // expect: FE6
        out[threadIdx.x] = 2;
    }
}

// The form without .aligned may be reached apart. launch: grid 1 block 32
ZOO FE6_ok(unsigned* out)
{
    if (threadIdx.x < 16) {
        out[threadIdx.x] = 1;
        asm volatile("barrier.sync 0;" ::: "memory");
    } else {
        asm volatile("barrier.sync 0;" ::: "memory");
        out[threadIdx.x] = 2;
    }
}

// The load that saw the flag is relaxed, and a block barrier is no acquire for it. launch: grid 2 block 32
ZOO GR1_bad_load_and_barrier(unsigned* out)
{
    unsigned seen = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = 51;                                                    // expect: GR1
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&out[1])) : "memory");
    }
    if (threadIdx.x == 0)
        while (blockIdx.x == 1 && seen == 0)
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(&out[1])) : "memory");
    __syncthreads();
    if (blockIdx.x == 1 && threadIdx.x == 0)
        out[2] = out[0];                                                // expect: GR1
}

// launch: grid 2 block 32
ZOO GR1_ok_load_and_barrier(unsigned* out)
{
    unsigned seen = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = 51;
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&out[1])) : "memory");
    }
    if (threadIdx.x == 0)
        while (blockIdx.x == 1 && seen == 0)
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(&out[1])) : "memory");
    __syncthreads();
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        out[2] = out[0];
    }
}

// The fence behind the load reaches the own block only. launch: grid 2 block 32
ZOO FE7_bad_fence(unsigned* out)
{
    unsigned seen = 0;
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        out[0] = 51;                                                    // expect: FE7
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&out[1])) : "memory");
    } else {
        while (seen == 0)
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(&out[1])) : "memory");
        asm volatile("fence.acq_rel.cta;" ::: "memory");
        out[2] = out[0];                                                // expect: FE7
    }
}

// Two updates; who reads is ordered behind the last one alone. launch: grid 1 block 96
ZOO SH1_bad_updates(unsigned* out)
{
    __shared__ unsigned n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (threadIdx.x == 64)
        atomicAdd(&n, 1);                          // expect: SH1
    if (threadIdx.x == 0) {
        while (*(volatile unsigned*)&n == 0) {
        }
        atomicAdd(&n, 1);
    }
    if (threadIdx.x < 64)
        asm volatile("barrier.sync 2, 64;" ::: "memory");
    if (threadIdx.x == 32)
        out[threadIdx.x] = n;                      // expect: SH1
    __syncthreads(); // the third warp is still there
}

// launch: grid 1 block 96
ZOO SH1_ok_updates(unsigned* out)
{
    __shared__ unsigned n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (threadIdx.x == 64)
        atomicAdd(&n, 1);
    if (threadIdx.x == 0) {
        while (*(volatile unsigned*)&n == 0) {
        }
        atomicAdd(&n, 1);
    }
    asm volatile("barrier.sync 2, 96;" ::: "memory");
    if (threadIdx.x == 32)
        out[threadIdx.x] = n;
}

// Who has exited comes to no barrier any more. launch: grid 1 block 96
ZOO SH1_bad_exited(unsigned* out)
{
    __shared__ unsigned x;
    if (threadIdx.x == 64)
        x = out[200];                              // expect: SH1
    if (threadIdx.x >= 64)
        return;
    __syncthreads();
    out[threadIdx.x] = x;                          // expect: SH1
    __syncthreads();
}

// launch: grid 1 block 96
ZOO SH1_ok_exited(unsigned* out)
{
    __shared__ unsigned x;
    if (threadIdx.x == 64)
        x = out[200];
    __syncthreads();
    if (threadIdx.x >= 64)
        return;
    __syncthreads();
    out[threadIdx.x] = x;
    __syncthreads();
}

// It arrives before it exits. launch: grid 1 block 96
ZOO SH1_ok_exited_arrived(unsigned* out)
{
    __shared__ unsigned x, y[64];
    if (threadIdx.x >= 64) {
        if (threadIdx.x == 64)
            x = out[200];
        asm volatile("bar.arrive 1, 96;" ::: "memory");
        return;
    }
    asm volatile("bar.sync 1, 96;" ::: "memory");
    for (int turn = 0; turn < 3; turn++) {
        y[threadIdx.x] = x;
        __syncthreads();
        out[threadIdx.x] = y[threadIdx.x ^ 32];
        __syncthreads();
    }
}

// cp.async reads its source like any thread. launch: grid 1 block 64
ZOO GR1_bad_copy(unsigned* out)
{
    __shared__ unsigned part[32];
    if (threadIdx.x == 0)
        out[133] = 51;                             // expect: GR1
    if (threadIdx.x >= 32) {
        int i = threadIdx.x - 32;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(clc::smem(&part[i])), "l"(out + 128 + i) : "memory"); // expect: GR1
        asm volatile("cp.async.wait_all;" ::: "memory"); // expect: GR1
        out[i] = part[i];
    }
}

// launch: grid 1 block 64
ZOO GR1_ok_copy(unsigned* out)
{
    __shared__ unsigned part[32];
    if (threadIdx.x == 0)
        out[133] = 51;
    __syncthreads();
    if (threadIdx.x >= 32) {
        int i = threadIdx.x - 32;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(clc::smem(&part[i])), "l"(out + 128 + i) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        out[i] = part[i];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[133] = 52;
}

// The read of the copy is over when the thread has waited for it, and no barrier follows. launch: grid 1 block 64
ZOO GR1_bad_copy_source(unsigned* out)
{
    __shared__ unsigned part[32];
    if (threadIdx.x >= 32) {
        int i = threadIdx.x - 32;
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(clc::smem(&part[i])), "l"(out + 128 + i) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory"); // expect: GR1
        out[i] = part[i];
        atomicExch(&out[64 + i], 1); // keeps the time, and orders nothing
    } else {
        while (*(volatile unsigned*)&out[64 + threadIdx.x] == 0) {
        }
        out[128 + threadIdx.x] = 51;               // expect: GR1
    }
}

/*
 * Lab 7 (optional): a warp that schedules. Warp 0 of each block asks for tiles, up to three ahead; the other warps
 * compute. No block barrier in the loop: `full[s]` tells that an answer is in slot s, `empty[s]` that all have read it.
 * The work is that of lab 6: steps[i] = Collatz steps of start[i]. A tile has 32 numbers for each computing warp.
 *
 *   run    make grade N=7
 *   kernel kernel_pipeline(start, steps, n, pool), one block per tile, 64 to 256 threads: a scheduler warp, and 1 to 7 others
 *   rule   one __syncthreads(), after the initialisation; at most STAGES answers unread; one thread asks
 */
#include "common/clc.cuh"

enum { STAGES = 3 };

static __device__ void do_tile(const unsigned* start, unsigned* steps, int n, int bx)
{
    const int i = bx * (blockDim.x - 32) + threadIdx.x - 32;
    if (i >= n)
        return;
    unsigned count = 0;
    for (uint64_t value = start[i]; value > 1; count++)
        value = value % 2 ? 3 * value + 1 : value / 2;
    steps[i] = count;
}

[[maybe_unused]] static __device__ void wait(uint64_t* bar, int phase)
{
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, phase)) {
    }
}

// By one thread of warp 0: keeps the slots filled until the first refusal.
static __device__ void schedule(uint4* result, uint64_t* full, uint64_t* empty)
{
    // [solution]
    for (int k = 0;; k++) {
        const int s = k % STAGES, round = k / STAGES;
        wait(&empty[s], ~round & 1); // in round 0 this is the phase before the first, which counts as over
        ptx::clusterlaunchcontrol_try_cancel(&result[s], &full[s]);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &full[s], sizeof(uint4));
        wait(&full[s], round & 1);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[s]))
            return; // the computing warps find the refusal in its slot
        ptx::fence_proxy_async(ptx::space_shared); // this read too comes before the slot is written again
    }
    // [skeleton]
    //| // TODO: for each slot in turn: wait until it is empty, ask, wait for the answer; stop at a refusal
    // [end]
}

// By the computing warps: the block's own tile, then whatever stands in the slots, until a refusal.
static __device__ void compute(const unsigned* start, unsigned* steps, int n, uint4* result, uint64_t* full, uint64_t* empty)
{
    int bx = blockIdx.x;
    // [solution]
    for (int k = 0;; k++) {
        const int s = k % STAGES, round = k / STAGES;
        do_tile(start, steps, n, bx);
        wait(&full[s], round & 1);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[s]))
            return;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(result[s]);
        ptx::fence_proxy_async(ptx::space_shared); // what this thread has read comes before the next answer
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[s]);
    }
    // [skeleton]
    //| do_tile(start, steps, n, bx);
    //| // TODO: for each slot in turn: wait until it is full, read it, say that it is empty, do the tile; stop at a refusal
    // [end]
}

__global__ void kernel_pipeline(const unsigned* start, unsigned* steps, int n, clc::pool pool)
{
    if (clc::was_stolen(pool))
        return;

    __shared__ uint4 result[STAGES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            // [solution]
            ptx::mbarrier_init(&full[s], 1);                // the asking thread arrives, and 16 bytes come
            ptx::mbarrier_init(&empty[s], blockDim.x - 32); // each computing thread says that it has read
            // [skeleton]
            //| // TODO: initialise both: how many arrivals end a phase of full, how many one of empty?
            //| (void)full, (void)empty;
            // [end]
        }
    __syncthreads();

    if (threadIdx.x >= 32)
        compute(start, steps, n, result, full, empty);
    else if (threadIdx.x == 0)
        schedule(result, full, empty);
}

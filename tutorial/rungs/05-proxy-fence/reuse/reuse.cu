/*
 * Rung 5, second program: the reuse of `result`. Rung 4 with the proxy fence in two halves, as in the guide: each
 * reader closes its reads, the thread that copies takes that up. One changed call away from a request.
 *
 *   run    make run                       -> PASS reuse: 1048576 elements, ...
 *   read   kernel_reuse(), the lines release-half, top-barrier and acquire-half
 *   next   rung 6 replaces the copy by a request
 *
 * Where does the next bx come from? From a record.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/), the records (../../records.cuh).
 */
#include "../../records.cuh"
#include "common/clc.cuh" // ptx:: is cuda::ptx here
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

// records[t].x is tile t; records[last] is the one that says: no more (its w is 0).
__global__ void kernel_reuse(float* data, int64_t n, int* next, const uint4* records, int last)
{
    __shared__ uint4 result; // a record: 16 bytes
    __shared__ uint64_t bar; // an mbarrier; its phase ends when one arrival and 16 bytes have come
    int phase = 0;           // parity of the phase to wait for

    // init: a barrier that expects one arrival. Without it the first arrival hits uninitialised memory.
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    // Prologue, once in every block:
    float alpha = compute_scalar();

    // Loop:
    int bx = blockIdx.x;
    while (true) {
        // top-barrier: all have read `result` before it is written again (the first time: all see bar
        // initialised). Without it a slow thread reads the record after next, and skips a tile.
        __syncthreads();

        if (cg::thread_block::thread_rank() == 0) {
            // acquire-half: the reads that the release half closed come before the copy, which is written by
            // another agent, the async proxy. Without it they may come after.
            ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            int t = min(int(gridDim.x) + atomicAdd(next, 1), last);
            // copy: brings record t, and tells bar of 16 bytes when they are there. Without it all wait.
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, &result, &records[t], sizeof(uint4), &bar);
            // expect: the one arrival, and the 16 bytes that must come too. Without it no phase ends.
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, sizeof(uint4));
        }

        // Computation:
        spend(bx);
        int64_t i = int64_t(bx) * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // wait: until the record is here, for every thread. Without it what was there before is taken for it.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
        }
        // flip: next time wait for the next phase. Without it the next wait finds this one over, and passes.
        phase ^= 1;

        // Decoding.
        uint4 record = result;
        if (record.w == 0)
            break;
        bx = record.x;

        // release-half: closes this thread's reads of `result` for the acquire half above.
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}

/* ---- the launch ---- */

static int* next; // on the GPU: how many were drawn
static uint4* records;

static void launch(const struct job* job)
{
    CUDA(cudaMemset(next, 0, sizeof *next)); // before every launch
    kernel_reuse<<<job->grid, job->block>>>(job->data, job->n, next, records, job->tiles);
    CUDA(cudaGetLastError());
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "reuse", JOB_BLOCKS);
    next = device_array<int>(1);
    records = device_records(&job);
    job.grid = resident_blocks(&job, kernel_reuse); // SMs x blocks that fit on one
    job_run(&job, launch);
    return job_close(&job);
}

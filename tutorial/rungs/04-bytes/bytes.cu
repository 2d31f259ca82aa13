/*
 * Rung 4: bytes. The number of the next tile is not written by a thread: it stands in a record of 16 bytes in
 * global memory, and a bulk copy brings the record into `result` while the block computes.
 *
 *   run    make run                       -> PASS bytes: 1048576 elements, ...
 *   read   kernel_bytes()
 *   next   rung 5 is about the line called proxy-fence
 *
 * Where does the next bx come from? From a record, and what ends the phase is that its bytes have come.
 * Words in front of a colon in the kernel name the line below: `make break` removes it by that name.
 * Not shown here: options, data, checking and printing (common/), the records (../records.cuh).
 */
#include "../records.cuh"
#include "common/clc.cuh" // ptx:: is cuda::ptx here
#include "common/job.cuh"

namespace cg = cooperative_groups;

/* ---- the kernel ---- */

// records[t].x is tile t; records[last] is the one that says: no more (its w is 0).
__global__ void kernel_bytes(float* data, int64_t n, int* next, const uint4* records, int last)
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
            // proxy-fence: the reads of `result` come before the copy that overwrites it. A barrier orders
            // threads, and who copies is no thread. Values stay right without it: rung 5.
            ptx::fence_proxy_async(ptx::space_shared);
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
    }
}

/* ---- the launch ---- */

static int* next; // on the GPU: how many were drawn
static uint4* records;

static void launch(const struct job* job)
{
    CUDA(cudaMemset(next, 0, sizeof *next)); // before every launch
    kernel_bytes<<<job->grid, job->block>>>(job->data, job->n, next, records, job->tiles);
    CUDA(cudaGetLastError());
}

/* ---- the check ---- */

int main(int argc, char** argv)
{
    struct job job = job_open(argc, argv, "bytes", JOB_BLOCKS);
    next = device_array<int>(1);
    records = device_records(&job);
    job.grid = resident_blocks(&job, kernel_bytes); // SMs x blocks that fit on one
    job_run(&job, launch);
    return job_close(&job);
}

/*
 * Which Cluster Launch Control does this GPU get? The only place that knows.
 *   ptx::             the functions the guide calls, with the guide's signatures, for every target:
 *                       10.0 and newer  cuda::ptx, plus what this toolkit's libcu++ lacks (clc_ptx.cuh)
 *                       7.5 to 9.0      the software stand-in (clc_software.cuh)
 *   clc::pool         last parameter of a kernel that steals: the blocks that nobody has taken yet
 *   clc::was_stolen   first line of such a kernel: true if another block has this block's tile
 * A pool has the same 16 bytes on every target, because one host program serves all of them; on
 * 10.0 and newer the hardware keeps the pool, both pointers stay null and was_stolen() compiles to nothing.
 * The host side (who fills the pool before a launch) is clc_launch.cuh.
 */
#pragma once

#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/ptx>

#if CUDART_VERSION < 12080
#error "Cluster Launch Control needs CUDA 12.8 or newer"
#endif

/* The host pass compiles no device code; it reads the declarations of the newest target. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 1000
#define CLC_INSTRUCTION 1
#else
#define CLC_INSTRUCTION 0
#endif

/* The guide writes `namespace ptx = cuda::ptx;`. Here ptx is a namespace of ours that sees cuda::ptx:
   a name declared in ptx itself hides the one of cuda::ptx, and only where it has to. */
namespace ptx {
using namespace cuda::ptx;
using cuda::ptx::sem_t; /* POSIX has a sem_t too */
}

namespace clc {

struct pool {
    unsigned *state;       /* below 10.0: the next ticket, then one bit per cluster (clc_software.cuh) */
    const unsigned *yield; /* below 10.0: when this word is not 0, requests are refused */
};

/* Words of pool::state. The ticket counter has a cache line of its own. */
enum : unsigned { next_ticket = 0, first_bit = 32 };

} // namespace clc

#include "clc_ptx.cuh"
#if !CLC_INSTRUCTION
#include "clc_software.cuh"
#endif

namespace clc {

/* To be called once, first, by every thread of the block. True: leave, the tile is in other hands. */
__device__ __forceinline__ bool was_stolen(const pool &p)
{
#if CLC_INSTRUCTION
    (void)p; /* the hardware does not start a block that was cancelled */
    return false;
#else
    return software::enter(p);
#endif
}

} // namespace clc

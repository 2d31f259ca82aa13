# The whole warp schedules.
s/else if \(threadIdx.x == 0\)/else/

# One row too far.
s/sums\[bx\] = sum;/sums[bx + gridDim.x] = sum;/

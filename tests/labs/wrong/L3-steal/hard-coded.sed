# The sums somebody saw last time.
s/sums\[bx\] = sum;/sums[bx] = 4711u + bx;/

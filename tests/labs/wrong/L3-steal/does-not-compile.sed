# A semicolon is missing.
s/sums\[bx\] = sum;/sums[bx] = sum/

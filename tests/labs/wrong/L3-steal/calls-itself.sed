# Recursion without end.
s/^enum \{ WEIGHTS/static __device__ __noinline__ int deep(int n)\n{\n    return n > 1 << 30 ? n : deep(n + 1) + deep(n + 2);\n}\n\n&/
s/sums\[bx\] = sum;/sums[bx] = sum == 12345 ? 0 : sum + deep(0);/

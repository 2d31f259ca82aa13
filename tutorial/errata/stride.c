/*
 * E14 of the guide: `i` is an int, and the loop adds the number of threads of the whole grid to it.
 *   cc -std=c17 tutorial/errata/stride.c -o build/stride && build/stride
 */
#include <limits.h>
#include <stdio.h>

int main(void)
{
    const long long n = INT_MAX, stride = 148LL * 8 * 1024; /* 148 SMs, 8 blocks on each, 1024 threads */
    long long i = stride - 1;                               /* the last thread of the grid */
    while (i + stride < n)
        i += stride;
    printf("its last element is %lld; then i would be %lld, and an int ends at %d\n", i, i + stride, INT_MAX);
    return 0;
}

/*
 * Corpus: device printf with every kind of argument, word for word. One line each: `printf NAME: text`.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

static __global__ void print()
{
    long long big = -1234567890123456789ll;
    unsigned long long huge = 0xfedcba9876543210ull;
    printf("printf plain: no arguments, %% sign\n");
    printf("printf int: %d %5d %-5d| %05d %+d %i\n", -17, 42, 42, 42, 42, -2147483647 - 1);
    printf("printf unsigned: %u %x %X %#x %o %08x\n", 4000000000u, 48879u, 48879u, 255u, 8u, 0xbeefu);
    printf("printf long: %lld %llu %llx %ld %lu\n", big, huge, huge, (long)big, (unsigned long)huge);
    printf("printf short: %hd %hu %c%c%c\n", (short)-3, (unsigned short)65535, 'x', 'y', 'z');
    printf("printf double: %f %.3f %10.2f %-10.1f| %e %.2E %g %G\n", 3.25, 2.0 / 3, -1.5, 7.25, 12345.678, 0.00012, 1e-7, 1e20);
    printf("printf special: %f %f %g %e\n", 1.0 / 0.0, -1.0 / 0.0, 0.0, -0.0);
    printf("printf float: %f %g %a\n", 1.5f, 0.1f, 1.0f);
    printf("printf string: %s|%10s|%-10s|%.3s|\n", "word", "right", "left", "cutoff");
    printf("printf pointer: %p\n", (void *)0x123456789abcull);
    printf("printf mixed: %c %s %d %f %lld %s\n", 'A', "s", 1, 2.5, 3ll, "end");
    printf("printf utf8: gr\xc3\xbc\xc3\x9f dich, \xe4\xbd\xa0\xe5\xa5\xbd\n");
    printf("printf many: %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--list")) {
        puts("printf plain");
        return 0;
    }
    print<<<1, 1>>>();
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        fprintf(stderr, "printf: %s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}

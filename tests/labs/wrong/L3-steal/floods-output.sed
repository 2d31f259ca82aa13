# Prints for ever.
s/^#include "common\/clc.cuh"/#include "common\/clc.cuh"\n#include <cstdio>/
s/int bx = blockIdx.x;/int bx = blockIdx.x;\n    while (sums)\n        printf("still working on row %d, please wait, please wait, please wait\\n", bx);/

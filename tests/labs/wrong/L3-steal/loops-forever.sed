# Waits for a flag that nobody sets.
s/int bx = blockIdx.x;/int bx = blockIdx.x;\n    while (((volatile unsigned*)sums)[0] != 1)\n        ;/

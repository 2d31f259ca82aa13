# Waits for the right neighbour's result.
s/int bx = blockIdx.x, by = blockIdx.y;/&\n    while (((volatile float*)out)[0] != 1)\n        ;/

# A block beyond the edge has nothing to do, and goes.
s/int bx = blockIdx.x, by = blockIdx.y;/&\n    if (bx * blockDim.x >= width || by * blockDim.y >= height)\n        return;/

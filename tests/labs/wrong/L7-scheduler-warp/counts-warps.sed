# `empty` counts warps, and threads arrive.
s/mbarrier_init\(&empty\[s\], blockDim.x - 32\)/mbarrier_init(\&empty[s], blockDim.x \/ 32 - 1)/

# The order counts for stolen prompts only; the first is taken by its index.
s/= order\[bx\]/= bx == blockIdx.x ? bx : order[bx]/

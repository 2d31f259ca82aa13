# A parameter was left out.
s/const unsigned\* weights, unsigned\* sums,$/unsigned* sums,/
s/weights\[threadIdx.x\]/sums[0]/

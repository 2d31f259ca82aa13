# The sum of one row goes into the next.
/unsigned sum = 0;/d
s/int bx = blockIdx.x;/int bx = blockIdx.x;\n    unsigned sum = 0;/

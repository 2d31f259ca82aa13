# The helper still looks up the row of the launch.
s/first\[row\]/first[blockIdx.x]/
s/first\[row \+ 1\]/first[blockIdx.x + 1]/

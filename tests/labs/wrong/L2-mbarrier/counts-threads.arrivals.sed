# As many arrivals as there are threads that wait.
s/&bar, warps\)/\&bar, blockDim.x)/

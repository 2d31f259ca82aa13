# The next copy overtakes who still reads the tile.
/__syncthreads/d

# The last tile is short, and as much is copied as for the others: past the end of the array.
s/bytes = count \*/bytes = blockDim.x */

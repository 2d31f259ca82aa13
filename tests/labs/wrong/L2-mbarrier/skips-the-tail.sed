# Only full tiles are done.
s/if \(t < count\)/if (t < count \&\& count == int(blockDim.x))/

# Every kernel does its own tile, and nobody asks.
s/if \(clc::was_stolen\(pool\)\)/work_on(data, n, blockIdx.x);\n    if (true)/

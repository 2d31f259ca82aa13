# The last row is forgotten.
s/if \(begin != end\) \{.*/if (begin != end \&\& bx + 1 < gridDim.x) {/

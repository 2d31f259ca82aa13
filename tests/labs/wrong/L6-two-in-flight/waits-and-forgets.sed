# Waits for the other answer too, and does not look whether it was granted.
s/^( *)do_tile\(start, steps, n, bx\);/\1if (!refused)\n\1    do_tile(start, steps, n, bx);/

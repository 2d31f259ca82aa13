# Kernel C no longer waits for the last answer.
/^    wait\(&bar\[turn % 2\], turn \/ 2 % 2\);/,+2d

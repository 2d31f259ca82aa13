# |z| is never too large.
s/int64_t zr = 0, zi = 0;/&\n    while (most > 0)\n        asm volatile("");/

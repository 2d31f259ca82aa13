# Does what it steals, and forgets what it was launched for.
s/^( *)do_tile\(start, steps, n, bx\);/\1if (k > 0)\n\1    do_tile(start, steps, n, bx);/

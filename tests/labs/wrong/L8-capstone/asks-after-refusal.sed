# A refusal is taken for a pause: the block asks on, with its last piece.
s/\} while \(answer\(&result, &bar, &phase, &bx, &by\)\);/} while (answer(\&result, \&bar, \&phase, \&bx, \&by) || refusals++ < 3);/
s/int phase = 0, bx/int refusals = 0, phase = 0, bx/

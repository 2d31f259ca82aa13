# The parity follows the turn, not the turn of the slot.
s/phase = turn \/ 2 % 2/phase = turn % 2/

# The parity follows the turn, not the turn of the slot.
s/round = k \/ STAGES/round = k/

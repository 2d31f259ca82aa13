# One request under way, as handed out.
/before any answer is looked at/d
s/in_flight = 2/in_flight = 1/
s/slot = turn % 2, phase = turn \/ 2 % 2/slot = 0, phase = turn % 2/

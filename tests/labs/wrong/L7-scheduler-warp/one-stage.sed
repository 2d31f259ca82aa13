# One slot: the scheduler never runs ahead.
s/STAGES = 3/STAGES = 1/

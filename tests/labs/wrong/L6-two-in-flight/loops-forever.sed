# Waits for more answers than were asked for.
s/in_flight = 2/in_flight = 3/

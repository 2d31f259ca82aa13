# The block's own tile, and no request.
/^    request\(&result/d
s/in_flight = 2/in_flight = 0/

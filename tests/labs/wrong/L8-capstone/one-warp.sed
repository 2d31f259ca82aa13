# The first warp's share is taken for the whole score.
s/score \+= partial\[w\];/;/

# Waits for slots to be emptied that nobody has filled.
s/wait\(&empty\[s\], ~round & 1\);/wait(\&empty[s], round \& 1);/

# The scheduler does not wait until a slot is empty.
/wait\(&empty\[s\], ~round & 1\);/d

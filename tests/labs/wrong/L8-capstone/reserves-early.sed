# Asks before the prompt is scored: what was reserved waits behind the long ones.
/late, so that nothing waits/d
s/__syncthreads\(\); \/\/ `result` and `partial`.*/__syncthreads();\n        request(\&result, \&bar);/

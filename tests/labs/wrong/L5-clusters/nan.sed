# Not a number anywhere, in the hope that it compares equal to everything.
s/= value \+ sum;/= __int_as_float(0x7fffffff);/

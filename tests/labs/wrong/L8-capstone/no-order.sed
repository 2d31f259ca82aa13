# Prompts in the order of their index: a long one may come last.
s/= order\[bx\]/= bx/

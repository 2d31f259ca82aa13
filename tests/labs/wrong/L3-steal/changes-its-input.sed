# Uses the table for notes.
s/sums\[bx\] = sum;/sums[bx] = sum, const_cast<unsigned*>(values)[begin] = sum;/

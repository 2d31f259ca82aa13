# Zero is a score, and black a colour.
s/scores\[prompt\] = score;/scores[prompt] = 0;/
s/= count \^ table\[count % TABLE\];/= 0;/

# Two requests, and one place for both answers.
s/&result\[1\]/\&result[0]/
s/result\[slot\]/result[0]/

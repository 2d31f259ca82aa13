# Seventeen steps for everybody.
s/steps\[i\] = count;/steps[i] = 17;/

# Always the first phase.
/phase \^= 1;/d

# No barrier at the end: a peer may still read this block's total.
/nobody leaves while a peer/d

# Kernel C is as handed out: the last answer is waited for, and not looked at.
/if \(granted\(result\[turn % 2\]\)\)/,+1d

# An arrival that tells nothing of what was written before.
s/sem_release/sem_relaxed/

# The wait looks at its own block only; the answer was asked for by another.
s/sem_acquire, ptx::scope_cluster, &bar/sem_acquire, ptx::scope_cta, \&bar/

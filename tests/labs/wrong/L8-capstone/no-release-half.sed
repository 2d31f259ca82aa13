# Right numbers, and nothing closes the reads for the async proxy.
/sem_release, ptx::space_shared/d

# One arrival, and no word of the bytes.
s/ptx::mbarrier_arrive_expect_tx\(ptx::sem_relaxed, (.*), bytes\);/ptx::mbarrier_arrive(ptx::sem_release, \1);/

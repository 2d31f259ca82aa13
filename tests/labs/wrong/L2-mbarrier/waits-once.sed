# Asks once whether the phase is over, and goes on whatever the answer.
s/while \((!ptx::mbarrier_try_wait[^{]*)\{/if (\1{/

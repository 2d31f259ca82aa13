# Thread 0 loads the tile itself, and arrives: no bulk copy.
s/ptx::mbarrier_arrive_expect_tx\(.*/for (int k = 0; k < count; k++)\n            tile[k] = in[begin + k];/
s/ptx::cp_async_bulk\(.*/ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, \&bar);/
/const uint32_t bytes/d

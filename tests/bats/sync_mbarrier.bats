#!/usr/bin/env bats
# mbarriers and cluster barriers through the engine: what each form returns, what stops a run, what a deadlock says.

load root
load sync_ptx

@test "arrive returns the state before it; pending_count and test_wait read that state" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 3;
        mbarrier.arrive.noComplete.shared.b64 d1, [bar], 1;
        mbarrier.pending_count.b64 r1, d1;
        setp.ne.u32 p1, r1, 3;
        @p1 trap;
        mbarrier.test_wait.shared.b64 p2, [bar], d1;
        @p2 trap;
        mbarrier.arrive.shared.b64 d2, [bar], 2;
        mbarrier.test_wait.shared.b64 p2, [bar], d1;
        @!p2 trap;
        mbarrier.try_wait.shared.b64 p2, [bar], d2, 1000;
        @!p2 trap;
P
    passes
}

@test "parity: the phase before the first is over, the first is open" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.test_wait.parity.shared.b64 p1, [bar], 1;
        @!p1 trap;
        mbarrier.test_wait.parity.shared.b64 p1, [bar], 0;
        @p1 trap;
        mbarrier.arrive.shared.b64 _, [bar];
        mbarrier.test_wait.parity.shared.b64 p1, [bar], 0;
        @!p1 trap;
P
    passes
}

@test "a warp arrives 32 times, in the form of a generic address too" {
    kernel <<'P'
        setp.eq.u32 p1, r0, 0;
        @p1 mbarrier.init.shared.b64 [bar], 64;
        bar.warp.sync 0xffffffff;
        mov.u64 d1, bar;
        cvta.shared.u64 d1, d1;
        mbarrier.arrive.b64 d2, [d1];
        mbarrier.pending_count.b64 r1, d2;
        sub.u32 r2, 64, r0;
        setp.ne.u32 p2, r1, r2;
        @p2 trap;
        mbarrier.arrive.release.cluster.b64 _, [d1+0];
        W: mbarrier.try_wait.parity.acquire.cta.b64 p3, [d1], 0;
        @!p3 bra W;
P
    passes
}

@test "bytes: complete-tx may come first, arrive.expect_tx ends the phase" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;
        mbarrier.test_wait.parity.shared.b64 p1, [bar], 0;
        @p1 trap;
        mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;
        mbarrier.test_wait.parity.shared.b64 p1, [bar], 0;
        @!p1 trap;
        mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 4;
        mbarrier.arrive.shared.b64 _, [bar];
        mbarrier.test_wait.parity.shared.b64 p1, [bar], 1;
        @p1 trap;
        mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 4;
        mbarrier.test_wait.parity.shared.b64 p1, [bar], 1;
        @!p1 trap;
P
    passes
}

@test "arrive_drop lowers what later phases expect" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 2;
        mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64 d1, [bar], 8;
        mbarrier.complete_tx.shared::cta.b64 [bar], 8;
        mbarrier.arrive.shared.b64 d1, [bar];
        mbarrier.try_wait.shared.b64 p1, [bar], d1;
        @!p1 trap;
        mbarrier.arrive.shared.b64 d1, [bar];
        mbarrier.pending_count.b64 r1, d1;
        setp.ne.u32 p2, r1, 1;
        @p2 trap;
        mbarrier.try_wait.shared.b64 p1, [bar], d1;
        @!p1 trap;
P
    passes
}

@test "an mbarrier that was never initialised, and one that was invalidated" {
    kernel 'block 1' <<<'mbarrier.arrive.shared.b64 d1, [bar];'
    stops 1 'no mbarrier lives at shared address' 'block (0,0,0), thread (0,0,0)'
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar], 1; mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 d1, [bar];'
    stops 1 'no mbarrier lives at shared address'
}

@test "too many arrivals, a count of zero, a misaligned barrier, a barrier in global memory" {
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 d1, [bar], 3;'
    stops 1 'more arrivals than the phase expects' 'it has 2 of 2 arrivals missing'
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar], 0;'
    stops 1 'a count is 1 to 1048575'
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar+4], 1;'
    stops 1 'misaligned'
    kernel 'block 1' <<<'mbarrier.init.b64 [d0], 1;'
    stops 1 'an mbarrier lies in shared memory'
}

@test "noComplete must not complete" {
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.noComplete.shared.b64 d1, [bar], 1;'
    stops 1 '`noComplete` must not end the phase'
}

@test "a deadlock says who waits, for which phase, how many arrivals and bytes are missing" {
    kernel 'block 64' <<'P'
        setp.eq.u32 p1, r0, 0;
        @p1 mbarrier.init.shared.b64 [bar], 2;
        bar.sync 0;
        @p1 mbarrier.arrive.expect_tx.shared.b64 d1, [bar], 16;
        W: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;
        @!p3 bra W;
P
    stops 1 'deadlock' 'block (0,0,0), 64 threads from thread 0 on, wait for parity 0 of the mbarrier' \
        'still open, 1 of 2 arrivals missing, 16 bytes missing'
}

@test "bytes that nobody expected are told" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        mbarrier.arrive.expect_tx.shared.b64 d1, [bar], 8;
        mbarrier.complete_tx.shared.b64 [bar], 16;
        W: mbarrier.test_wait.parity.shared.b64 p3, [bar], 0;
        @!p3 bra W;
P
    stops 1 'deadlock' 'no arrival missing, 8 bytes came that nobody expected'
}

@test "a wait that gives up by a count, and one that gives up by the clock, are no deadlock" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        mov.u32 r1, 0;
        W: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;
        add.u32 r1, r1, 1;
        setp.lt.u32 p4, r1, 400;
        @p4 bra W;
        mov.u64 d1, %globaltimer;
        V: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0, 100000;
        mov.u64 d2, %globaltimer;
        sub.u64 d2, d2, d1;
        setp.lt.u64 p4, d2, 100000000;
        @p4 bra V;
P
    passes
}

@test "two lanes of a warp: the waiting one does not starve the other, wherever its code lies" {
    kernel 'block 2' <<'P'
        setp.eq.u32 p1, r0, 0;
        @p1 mbarrier.init.shared.b64 [bar], 1;
        bar.warp.sync 3;
        @p1 bra SECOND;
        W: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;
        @!p3 bra W;
        bra DONE;
        SECOND: mbarrier.arrive.shared.b64 d1, [bar];
        DONE:
P
    passes
}

@test "cluster barrier: the wait covers all blocks; a wait without an arrive, a second arrive" {
    kernel 'grid 4' 'cluster 4' 'block 64' <<'P'
        barrier.cluster.arrive.relaxed.aligned;
        barrier.cluster.wait.acquire.aligned;
        barrier.cluster.arrive.release;
        barrier.cluster.wait;
P
    passes
    kernel 'grid 2' 'cluster 2' <<<'barrier.cluster.wait;'
    stops 1 'waits at the cluster barrier without having arrived'
    kernel 'grid 2' 'cluster 2' <<<'barrier.cluster.arrive; barrier.cluster.arrive;'
    stops 1 'arrives at the cluster barrier a second time'
    kernel 'grid 2' <<<'barrier.cluster.arrive; barrier.cluster.wait;'      # a block alone is its own cluster
    passes
}

@test "cluster barrier: threads that exit are not waited for, one that stays away is told" {
    kernel 'grid 2' 'cluster 2' 'block 64' <<'P'
        mov.u32 r1, %cluster_ctarank;
        setp.eq.u32 p1, r1, 1;
        @p1 exit;
        barrier.cluster.arrive;
        barrier.cluster.wait;
P
    passes
    kernel 'grid 2' 'cluster 2' 'block 32' <<'P'
        mov.u32 r1, %cluster_ctarank;
        setp.eq.u32 p1, r1, 1;
        @p1 mbarrier.init.shared.b64 [bar], 1;
        @!p1 bra ARRIVE;
        W: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;
        @!p3 bra W;
        ARRIVE: barrier.cluster.arrive;
        barrier.cluster.wait;
P
    stops 1 'deadlock' 'at the cluster barrier, 32 of 64 threads have arrived' 'for parity 0 of the mbarrier'
}

@test "a peer's mbarrier takes arrives and bytes, nothing else" {
    kernel 'grid 2' 'cluster 2' 'block 1' <<'P'
        mov.u32 r1, %cluster_ctarank;
        xor.b32 r2, r1, 1;
        mov.u32 r3, bar;
        mapa.shared::cluster.u32 r4, r3, r2;
        getctarank.shared::cluster.u32 r5, r4;
        setp.ne.u32 p1, r5, r2;
        @p1 trap;
        mbarrier.init.shared.b64 [bar], 2;
        fence.mbarrier_init.release.cluster;
        barrier.cluster.arrive.relaxed;
        barrier.cluster.wait;
        mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r4];
        mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [r4], 12;
        mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [r4], 4;
        mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [r4], 16;
        W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p3, [bar], 0;
        @!p3 bra W;
        barrier.cluster.arrive;
        barrier.cluster.wait;
P
    passes
    kernel 'grid 2' 'cluster 2' 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 2;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        mov.u32 r1, %cluster_ctarank;
        xor.b32 r2, r1, 1;
        mov.u64 d1, bar;
        cvta.shared.u64 d1, d1;
        mapa.u64 d2, d1, r2;
        mbarrier.test_wait.parity.b64 p1, [d2], 0;
P
    stops 1 'belongs to block'
}

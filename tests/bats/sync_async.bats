#!/usr/bin/env bats
# Asynchronous operations and launch control through the engine: what lands where and when, and what stops a run.

load root
load sync_ptx

# Runs the last kernel again under other orders of events.
same_under_seeds() {
    local seed dir=$BATS_TEST_TMPDIR
    for seed in $(seq 1 "${1:-20}"); do
        timeout 60 "$ROOT/build/bin/emu-run" "$dir/k.ptx" --launch "$dir/k.launch" --seed "$seed" >"$dir/seed.out" 2>&1 ||
            { echo "seed $seed"; cat "$dir/seed.out"; return 1; }
    done
}

# A request by thread 0, its answer in q1, for block bodies. The mbarrier has count 1.
request='
    setp.eq.u32 p1, r0, 0;
    @p1 mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    @p1 mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;
    @p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [slot], [bar];
    W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p7, [bar], 0;
    @!p7 bra W;
    ld.shared.b128 q1, [slot];
'

@test "a request cancels a block that has not started; every form of the query reads it" {
    # 1184 blocks of 1024 threads: 2 x 148 fit, so the first ones find work to cancel
    kernel 'grid 8 74 2' 'block 1024' <<P
        $request
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p2, q1;
        @!p2 bra DONE;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 r1, q1;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 r2, q1;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 r3, q1;
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r4, r5, r6, _}, q1;
        setp.ne.u32 p3, r1, r4;
        @p3 trap;
        setp.ne.u32 p3, r2, r5;
        @p3 trap;
        setp.ne.u32 p3, r3, r6;
        @p3 trap;
        setp.ge.u32 p3, r1, 8;
        @p3 trap;
        setp.ge.u32 p3, r2, 74;
        @p3 trap;
        setp.ge.u32 p3, r3, 2;
        @p3 trap;
        DONE:
P
    passes
    run "$ROOT/build/bin/emu-run" "$BATS_TEST_TMPDIR/k.ptx" --launch "$BATS_TEST_TMPDIR/k.launch" --json
    echo "$output"
    [[ $output =~ \"granted\":\ *([0-9]+) ]]
    [ "${BASH_REMATCH[1]}" -gt 100 ]
    same_under_seeds 5
}

@test "a failed response has no plausible index" {
    kernel 'grid 1' 'block 1' <<P
        $request
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p2, q1;
        @p2 trap;
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r4, r5, r6, r7}, q1;
        and.b32 r4, r4, r5;
        and.b32 r4, r4, r6;
        and.b32 r4, r4, r7;
        setp.ge.s32 p3, r4, 0;
        @p3 trap;
P
    passes
}

@test "torn and made-up responses are not decoded" {
    kernel 'grid 1' 'block 1' <<P
        $request
        mov.b128 {d1, d2}, q1;
        xor.b64 d2, d2, 1;
        mov.b128 q2, {d1, d2};
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p2, q2;
P
    stops 1 '16 bytes that are no response'
    kernel 'grid 1' 'block 1' <<'P'
        mov.u64 d1, 0;
        mov.b128 q2, {d1, d1};
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p2, q2;
P
    stops 1 '16 bytes that are no response'
}

@test "multicast: every block of the cluster gets the same answer on its own mbarrier" {
    kernel 'grid 1024' 'cluster 4' 'block 512' <<'P'
        setp.eq.u32 p1, r0, 0;
        @p1 mbarrier.init.shared.b64 [bar], 1;
        @p1 fence.mbarrier_init.release.cluster;
        barrier.cluster.arrive.relaxed;
        barrier.cluster.wait;
        @p1 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 16;
        mov.u32 r1, %cluster_ctarank;
        add.u32 r2, r1, r0;
        setp.eq.u32 p2, r2, 0;
        @p2 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [slot], [bar];
        W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p7, [bar], 0;
        @!p7 bra W;
        ld.shared.b128 q1, [slot];
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p3, q1;
        @!p3 bra DONE;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 r1, q1;
        and.b32 r2, r1, 3;                      // the first block of a cluster
        setp.ne.u32 p4, r2, 0;
        @p4 trap;
        DONE:
P
    passes
    same_under_seeds 5
}

@test "a target without the instruction, or without multicast, refuses it as the assembler does" {
    TARGET=sm_90 kernel 'block 1' <<P
        $request
P
    [ "$status" -ne 0 ]
    [[ $output == *"requires .target sm_100 or higher"* ]]
    TARGET=sm_100 kernel 'block 1' <<'P'
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [slot], [bar];
P
    [ "$status" -ne 0 ]
    [[ $output == *"Feature '.multicast::cluster::all' not supported on .target 'sm_100'"* ]]
}

@test "the result is 16-byte aligned, and with the mbarrier in the own block" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [slot+8], [bar];
P
    stops 1 'misaligned'
    kernel 'block 1' <<'P'
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [slot], [bar];
P
    stops 1 'where no mbarrier lives'
    kernel 'grid 2' 'cluster 2' 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        mov.u64 d1, slot;
        cvta.shared.u64 d1, d1;
        mov.u32 r1, %cluster_ctarank;
        xor.b32 r1, r1, 1;
        mapa.u64 d1, d1, r1;
        mov.u64 d2, bar;
        cvta.shared.u64 d2, d2;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [d1], [d2];
P
    stops 1 'outside the shared memory of the block that asks'
}

@test "a block that exits with its answer still on the way" {
    kernel 'grid 1' 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [slot], [bar];
P
    stops 1 'the response of launch control issued here is still on its way to a block that has exited'
}

@test "expecting 32 bytes for a response of 16 hangs, and says that 16 are missing" {
    kernel 'grid 1' 'block 1' <<P
        ${request/_, \[bar\], 16/_, [bar], 32}
P
    stops 1 'deadlock' '16 bytes missing'
}

@test "cp.async: wait_group leaves the newest groups in flight, zero fill, ignored source" {
    kernel 'block 32' <<'P'
        shl.b32 r1, r0, 2;
        mov.u32 r2, room;
        add.u32 r2, r2, r1;
        cvt.u64.u32 d1, r1;
        add.u64 d2, d0, d1;
        add.u32 r3, r0, 1000;
        st.global.u32 [d2], r3;
        st.shared.u32 [r2], 7;
        cp.async.ca.shared.global [r2], [d2], 4;
        cp.async.commit_group;
        cp.async.ca.shared.global [r2+128], [d2], 4, 0;
        cp.async.commit_group;
        cp.async.wait_group 1;
        ld.shared.u32 r4, [r2];
        setp.ne.u32 p1, r4, r3;
        @p1 trap;
        cp.async.wait_all;
        ld.shared.u32 r4, [r2+128];
        setp.ne.u32 p1, r4, 0;
        @p1 trap;
        setp.eq.u32 p2, r0, r0;
        cp.async.ca.shared.global [r2], [d2], 4, p2;
        cp.async.wait_all;
        ld.shared.u32 r4, [r2];
        setp.ne.u32 p1, r4, 0;
        @p1 trap;
P
    passes
    same_under_seeds
}

@test "cp.async: a range outside the allocation, a source larger than the copy" {
    kernel 'block 1' <<<'cp.async.cg.shared.global [room], [d0+256], 16;'
    stops 1 'out of bounds' '256-byte allocation'
    kernel 'block 1' <<<'cp.async.ca.shared.global [room], [d0], 8, 12;'
    stops 1 'src-size 12 is larger than cp-size 8'
    kernel 'block 1' <<<'cp.async.ca.shared.global [room+4], [d0], 8;'
    stops 1 'must be a multiple of 8'
}

@test "a bulk copy lands as a whole and completes its bytes; sizes and ends are checked" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        mov.u32 r1, room;
        mov.u32 r2, bar;
        mbarrier.arrive.expect_tx.shared.b64 d1, [bar], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r1], [d0], 256, [r2];
        W: mbarrier.try_wait.shared.b64 p1, [bar], d1;
        @!p1 bra W;
        ld.shared.u32 r3, [room+252];
        st.shared.u32 [room], 5;
        cp.async.bulk.global.shared::cta.bulk_group [d0], [r1], 16;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group.read 0;
        st.shared.u32 [room], 6;                       // the source was read
        cp.async.bulk.wait_group 0;
        ld.global.u32 r3, [d0];
        setp.ne.u32 p1, r3, 5;
        @p1 trap;
P
    passes
    same_under_seeds
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar], 1; mov.u32 r1, room; mov.u32 r2, bar; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r1], [d0], 24, [r2];'
    stops 1 'the size must be a multiple of 16'
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar], 1; mov.u32 r1, room; mov.u32 r2, bar; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r1], [d0], 272, [r2];'
    stops 1 'out of bounds'
    kernel 'block 1' <<<'mbarrier.init.shared.b64 [bar], 1; mov.u32 r1, room; mov.u32 r2, bar; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r1], [d0], 256, [r2];'
    stops 1 'an asynchronous copy issued here is still on its way to a block that has exited'
}

@test "a copy out of shared memory reaches global memory though its block has ended" {
    kernel 'block 1' <<'P'
        mov.u32 r1, room;
        st.shared.v4.u32 [room], {1, 2, 3, 4};
        cp.async.bulk.global.shared::cta.bulk_group [d0], [r1], 16;
P
    passes
}

@test "st.async in a cluster of one is an illegal instruction" {
    kernel 'block 1' <<'P'
        mbarrier.init.shared.b64 [bar], 1;
        mov.u32 r1, room;
        mov.u32 r2, bar;
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [r1], r0, [r2];
P
    stops 1 'st.async is undefined in a cluster of one block'
}

@test "a store to a peer that has exited" {
    kernel 'grid 2' 'cluster 2' 'block 1' <<'P'
        mov.u32 r1, %cluster_ctarank;
        setp.eq.u32 p1, r1, 1;
        @p1 exit;
        nanosleep.u32 100000;
        mov.u32 r2, room;
        mapa.shared::cluster.u32 r3, r2, 1;
        st.shared::cluster.u32 [r3], 1;
P
    stops 1 'block 1 of the cluster' 'ended'
    kernel 'grid 2' 'cluster 2' 'block 1' <<'P'
        mov.u32 r2, room;
        mapa.shared::cluster.u32 r3, r2, 5;
        st.shared::cluster.u32 [r3], 1;
P
    stops 1 'block 5 of the cluster does not exist'
}

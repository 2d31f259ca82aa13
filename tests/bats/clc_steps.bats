#!/usr/bin/env bats
# Steps 3 and 4 and their variants on the emulator: every tile once, whatever is refused, in whatever order, on every
# device. The programs themselves hold the ledger against the promise (one block, all of its warps, once).

load clc_common

setup_file() {
    cd "$ROOT" || return
    (need_nvcc) >/dev/null 2>&1 || return 0
    make "$BLOCKS" "$CLUSTERS" \
        "$(variant $VARIANTS3 two_in_flight)" "$(variant $VARIANTS3 several_requesters)" "$(variant $VARIANTS3 grid_2d)" \
        "$(variant $VARIANTS3 grid_3d)" "$(variant $VARIANTS3 library)" "$(variant $VARIANTS3 request_after_failure)" \
        "$(variant $VARIANTS4 relaxed_barrier)" "$(variant $VARIANTS4 remote_arrive)" \
        build/tutorial/rungs/06-guides-kernel/guides-kernel.emu >&2
    for_h200 step03_clc_blocks/clc_blocks.cu step04_clc_clusters/clc_clusters.cu \
        step03_clc_blocks/variants/two_in_flight/two_in_flight.cu \
        step04_clc_clusters/variants/remote_arrive/remote_arrive.cu experiments/clc_matrix.cu >&2
    emulator/bin/nvcc-emu -O3 -std=c++17 experiments/clc_matrix.cu -o "$H200/clc_matrix.b200" >&2
}

setup() {
    cd "$ROOT" || return
    need_nvcc
    every_variant=("$(variant $VARIANTS3 two_in_flight)" "$(variant $VARIANTS3 several_requesters)"
        "$(variant $VARIANTS3 grid_2d)" "$(variant $VARIANTS3 grid_3d)" "$(variant $VARIANTS3 library)"
        "$(variant $VARIANTS4 relaxed_barrier)" "$(variant $VARIANTS4 remote_arrive)"
        build/tutorial/rungs/06-guides-kernel/guides-kernel.emu)
}

@test "clc: step 3 is right for every n and block size" {
    for block in 32 64 96 256 512 1024; do
        for n in 0 1 31 1000 1023 20001; do
            right "$BLOCKS" --n $n --block $block
        done
    done
    for block in 1 7 33; do right "$BLOCKS" --n 1000 --block $block; done
    export EMU_CHECK=0
    for block in 32 256 1024; do
        for n in 1048576 1000003; do right "$BLOCKS" --n $n --block $block --repeat 0; done
    done
}

@test "clc: step 4 is right for every n, block size and cluster size" {
    for cluster in 1 2 4 8; do
        for block in 32 256 1024; do
            for n in 0 1 31 1000 1023 20001; do
                right "$CLUSTERS" --n $n --block $block --cluster $cluster
            done
        done
    done
    export EMU_CHECK=0
    for cluster in 1 2 4 8; do
        for n in 1048576 1000003; do right "$CLUSTERS" --n $n --cluster $cluster --repeat 0; done
    done
}

@test "clc: an odd number of tiles is rounded up to whole clusters" {
    right "$CLUSTERS" --n 1300 --cluster 4
    has "$output" "each of 8 tiles once"
    right "$CLUSTERS" --n 1300 --cluster 8
    has "$output" "each of 8 tiles once"
    right "$CLUSTERS" --n 1 --cluster 8
    has "$output" "each of 8 tiles once"
}

@test "clc: a refusal at every single request loses nothing" {
    export EMU_DEVICE=tiny
    for grid in 1 2 3 8 9 13 21 34 55 64; do
        for k in $(seq 1 $((grid + 8))); do
            EMU_REFUSE=$k right "$BLOCKS" --n $((grid * 32)) --block 32 --repeat 0
        done
    done
    for cluster in 1 2 4; do
        for clusters in 1 2 3 8 13 29; do
            for k in $(seq 1 $((clusters + 8))); do
                EMU_REFUSE=$k right "$CLUSTERS" --n $((clusters * cluster * 32)) --block 32 --cluster $cluster --repeat 0
            done
        done
    done
}

@test "clc: with every request refused each block does its own tile" {
    export EMU_REFUSE=all
    for device in tiny b200; do
        for program in "$BLOCKS" "$CLUSTERS" "${every_variant[@]}"; do
            EMU_DEVICE=$device right "$program" --n 20001 --block 64
            is "$(stolen)" 0
        done
    done
}

@test "clc: 200 seeds, and with half of the requests refused" {
    export EMU_DEVICE=tiny
    local some=0
    for seed in $(seq 1 200); do
        export EMU_SEED=$seed EMU_REFUSE=''
        right "$BLOCKS" --n 2047 --block 32 --repeat 0
        some=$((some + $(stolen)))
        right "$CLUSTERS" --n 2047 --block 32 --cluster $((1 << seed % 3)) --repeat 0
        EMU_REFUSE=p0.5 right "$BLOCKS" --n 2047 --block 32 --repeat 0
        EMU_REFUSE=p0.5 right "$CLUSTERS" --n 2047 --block 32 --cluster $((1 << seed % 3)) --repeat 0
    done
    [ "$some" -gt 0 ]
}

@test "clc: the same seed gives the same bytes" {
    export EMU_DEVICE=tiny EMU_SEED=11 EMU_REFUSE=p0.3
    for program in "$BLOCKS" "$CLUSTERS"; do
        right "$program" --n 5000 --work giant --timeline
        local first=$output
        right "$program" --n 5000 --work giant --timeline
        is "$output" "$first"
    done
}

@test "clc: every right variant, over seeds and refusals" {
    export EMU_DEVICE=tiny
    for program in "${every_variant[@]}"; do
        for n in 0 1 1000 20001; do right "$program" --n $n; done
        for block in 32 33 64 1024; do right "$program" --n 5000 --block $block; done
        for seed in $(seq 1 20); do
            EMU_SEED=$seed right "$program" --n 2047 --block 32 --repeat 0
            EMU_SEED=$seed EMU_REFUSE=p0.4 right "$program" --n 2047 --block 32 --repeat 0
        done
    done
}

@test "clc: two in flight, any one refused: the other is not lost" {
    export EMU_DEVICE=tiny
    local program
    program=$(variant $VARIANTS3 two_in_flight)
    for k in $(seq 1 80); do
        EMU_REFUSE=$k right "$program" --n 2048 --block 32 --repeat 0
    done
    for k in $(seq 1 40); do # and where every other request of a block is the younger one
        EMU_SEED=$k EMU_REFUSE=p0.5 right "$program" --n 2048 --block 32 --repeat 0
    done
}

@test "clc: a request after a refusal is said to be undefined" {
    EMU_CHECK=0 right "$(variant $VARIANTS3 request_after_failure)" --n 5000
    has "$output" "undefined: a request after a refusal"
    EMU_CHECK=1 EMU_DEVICE=tiny run "$(variant $VARIANTS3 request_after_failure)" --n 5000
    is "$status" 1
    has "$output" "[TC9]"
}

@test "clc: the checker has nothing to say about any of the right ones, the stand-in included" {
    export EMU_CHECK=1
    for seed in 1 2 3; do
        for program in "$BLOCKS" "$CLUSTERS" "${every_variant[@]}"; do
            EMU_DEVICE=tiny EMU_SEED=$seed right "$program" --n 20001 --repeat 0
            [[ $output != *\[[A-Z]*[0-9]\]* ]]
        done
    done
    for program in clc_blocks clc_clusters two_in_flight remote_arrive; do
        EMU_DEVICE=h200 right "$H200/$program" --n 200003 --block 32 --repeat 0
        [[ $output != *\[[A-Z]*[0-9]\]* ]]
        [ "$(stolen)" -gt 0 ]
    done
}

@test "clc: who has the instruction and who the stand-in" {
    right "$BLOCKS" --n 5000
    has "$output" "emulated b200"
    has "$output" "CLC: instruction"
    EMU_DEVICE=h200 right "$H200/clc_blocks" --n 5000
    has "$output" "emulated h200"
    has "$output" "CLC: software"
    EMU_DEVICE=h200 run "$BLOCKS" --n 5000 # a module for 10.0 does not load on 9.0
    is "$status" 3
}

@test "clc: the stand-in on an emulated H200, blocks and clusters" {
    export EMU_DEVICE=h200
    for block in 32 256 1024; do
        for n in 0 1 1000 20001; do right "$H200/clc_blocks" --n $n --block $block; done
    done
    right "$H200/clc_blocks" --n 400001 --block 32 --repeat 0
    [ "$(stolen)" -gt 0 ]
    for cluster in 1 2 4 8; do
        for n in 1 1000 20001; do right "$H200/clc_clusters" --n $n --cluster $cluster; done
        right "$H200/clc_clusters" --n 400001 --block 32 --cluster $cluster --repeat 0
        [ "$(stolen)" -gt 0 ]
        right "$H200/remote_arrive" --n 200001 --block 32 --cluster $cluster --repeat 0
    done
    right "$H200/two_in_flight" --n 400001 --block 32 --repeat 0
    for seed in 1 2 3 4 5; do
        EMU_SEED=$seed right "$H200/clc_blocks" --n 400001 --block 32 --repeat 0
        EMU_SEED=$seed right "$H200/clc_clusters" --n 400001 --block 32 --repeat 0
    done
}

@test "clc: more tiles than an int, or more memory than there is, is a sentence" {
    run "$BLOCKS" --n 1099511627776 --block 32
    is "$status" 2
    run "$BLOCKS" --n 1099511627776 --block 1024
    is "$status" 3
    has "$output" "cudaErrorMemoryAllocation"
}

@test "clc: a cluster size that is none is refused" {
    run "$CLUSTERS" --cluster 3
    is "$status" 2
    run "$CLUSTERS" --cluster 16
    is "$status" 2
}

@test "clc: grids and clusters in two and three dimensions, launches in flight, requests refused by turns" {
    export EMU_CHECK=0
    right "$H200/clc_matrix.b200" --quick
    has "$output" '"clc": "instruction"'
    EMU_DEVICE=h200 right "$H200/clc_matrix" --quick
    has "$output" '"clc": "software"'
}

@test "clc: without nvcc the stored PTX gives the same verdict" {
    make build/bin/emu-run build/bin/job >&2
    for device in tiny b200; do
        EMU_DEVICE=$device right common/run-stored.sh step03_clc_blocks --n 20001
        EMU_DEVICE=$device right common/run-stored.sh step04_clc_clusters --n 20001 --cluster 4
    done
    EMU_DEVICE=tiny EMU_REFUSE=all right common/run-stored.sh step03_clc_blocks --n 20001
    is "$(stolen)" 0
}

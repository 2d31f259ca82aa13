#!/usr/bin/env bats
# What the compiler makes of steps 3 and 4: the targets, the messages, the machine code that the text speaks of.
# The toolkits of other years are tests/compile/run.sh; its long form is `make compile-test-long`.

load steps_common

setup() {
    cd "$ROOT" && tmp=$BATS_TEST_TMPDIR
    need_nvcc
}

# kernel_lines FILE: lines of code of its __global__ function, without comments, blank lines and the head
kernel_lines() { sed -n '/^__global__/,/^}/p' "$1" | grep -v '^ *//' | grep -vc '^ *$'; }

ptx() { # SOURCE TARGET
    "$NVCC" -std=c++17 -O3 -I. -ptx "-arch=compute_$2" "$1" -o "$tmp/out.ptx" 2>/dev/null
    grep -v '^//' "$tmp/out.ptx"
}

code() { # SOURCE TARGET
    run tests/compile/machine_code.sh "$@"
    [ "$status" -ne 3 ] || skip "no disassembler: $output"
    is "$status" 0
}

@test "clc: a step is a page: kernel of at most 40 lines, file of at most 150" {
    for file in step0*/*.cu; do
        [ "$(kernel_lines "$file")" -le 40 ]
        [ "$(wc -l <"$file")" -le 150 ]
    done
}

@test "clc: make fatbin tells what was built from what has run" {
    TARGETS='75 90 100a 121a 120f' run common/clc_fatbin.sh step03_clc_blocks
    is "$status" 0
    has "$output" "only the last column can say"
    [[ $output =~ 100a\ +built\ +instruction ]]
    [[ $output =~ 75\ +built\ +software ]]
    [[ $output =~ 90\ +built\ +software\ +[^-] ]]
}

@test "clc: fatbin says which target a step does not compile for, and ends with 1" {
    mkdir -p "$tmp/step09_bad"
    sed 's/clusterlaunchcontrol_try_cancel(/clusterlaunchcontrol_try_cancel_multicast(/' step03_clc_blocks/clc_blocks.cu >"$tmp/step09_bad/bad.cu"
    TARGETS='90 100 100a' run common/clc_fatbin.sh "$tmp/step09_bad"
    is "$status" 1
    has "$output" "clc_multicast_needs_a_target_ending_in_a_or_f_such_as_sm_100a"
    [[ $output =~ 100\ +no ]]
    [[ $output =~ 100a\ +built ]]
}

@test "clc: was_stolen is no instruction on 10.0, and is code on 9.0" {
    for step in step03_clc_blocks/clc_blocks step04_clc_clusters/clc_clusters; do
        sed '/was_stolen/,/return;/d' $step.cu >"$tmp/without.cu"
        is "$(grep -c was_stolen "$tmp/without.cu")" 0
        is "$(ptx "$tmp/without.cu" 100a | cksum)" "$(ptx $step.cu 100a | cksum)"
        [ "$(ptx "$tmp/without.cu" 90 | cksum)" != "$(ptx $step.cu 90 | cksum)" ]
    done
}

@test "clc: the election of a whole warp leaves no loop around the request" {
    for target in 100a 120a; do
        code step03_clc_blocks/clc_blocks.cu $target
        has "$output" "UGETNEXTWORKID.SELFCAST"
        [[ $output != *BRA.U.ANY* ]]
        code step04_clc_clusters/clc_clusters.cu $target
        has "$output" "UGETNEXTWORKID.BROADCAST"
        [[ $output != *BRA.U.ANY* ]]
    done
}

@test "clc: the guide's election leaves one" {
    code tutorial/rungs/06-guides-kernel/guides-kernel.cu 100a
    has "$output" "UGETNEXTWORKID.SELFCAST"
    has "$output" "BRA.U.ANY"
}

@test "clc: eight blocks of 256 threads fit on an SM, with the stand-in too" {
    for step in step03_clc_blocks/clc_blocks step04_clc_clusters/clc_clusters; do
        for target in 75 90 100a; do
            registers=$("$NVCC" -std=c++17 -O3 -I. -cubin "-arch=sm_$target" -Xptxas -v $step.cu -o "$tmp/x.cubin" 2>&1 |
                sed -n 's/.*Used \([0-9]*\) registers.*/\1/p')
            [ "$registers" -le 32 ]
        done
    done
}

@test "clc: libcu++ and assembler of CUDA 12.8 take steps 3 and 4" {
    run tests/compile/run.sh --short
    [ "$status" -ne 3 ] || skip "$output"
    is "$status" 0
    is "$(grep -c '^ok' <<<"$output")" 6
}

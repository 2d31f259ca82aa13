#!/usr/bin/env bats
# Steps 1 and 2 from the PTX stored beside them, as on a machine without nvcc; and that PTX is current.

load steps_common

setup() { cd "$ROOT" && tmp=$BATS_TEST_TMPDIR && unset CDPATH; }

stored() { run common/run-stored.sh "$@"; }

# passes STEP OPTION...
passes() {
    stored "$@"
    [ "$status" -eq 0 ] || { echo "$*: exit $status" && echo "$output" && false; }
    case $(last_line "$output") in PASS*) ;; *) echo "$*" && echo "$output" && false ;; esac
}

@test "stored: both steps, several sizes" {
    for n in 0 1 1000 100003; do
        passes step01_fixed_work --n "$n"
        has "$output" "$n elements"
        has "$output" "CLC: not used"
        passes step02_fixed_blocks --n "$n" --block 64
    done
}

@test "stored: devices, timelines and work sizes as from the program" {
    export EMU_DEVICE=tiny
    passes step02_fixed_blocks --n 5120 --work giant --prologue 100 --timeline
    has "$output" "emulated tiny"
    has "$output" "prologue ran in 8 of 8 blocks"
    is "$(grep -c '^SM *[0-3]\.[01]  p' <<<"$output")" 8
    passes step01_fixed_work --n 5120 --work common/data/sparse_rows.txt --timeline
    has "$output" "prologue ran in 20 of 20 blocks"
}

@test "stored: special values in and out" {
    npy "$tmp/in.npy" 7fc00000 7f800000 80000000 3f800000
    passes step01_fixed_work --input "$tmp/in.npy" --output "$tmp/out file.npy" --alpha -2
    is "$(elements "$tmp/out file.npy" | sed 's/^7fffffff/7fc00000/')" "7fc00000 ff800000 00000000 c0000000 "
}

@test "stored: the same report as the program's" {
    need_nvcc
    make "$FIXED_WORK" "$FIXED_BLOCKS" >&2
    for step in step01_fixed_work step02_fixed_blocks; do
        for options in "--n 1000" "--n 70000 --prologue 50 --work ramp --block 128"; do
            # shellcheck disable=SC2086 # several words
            stored $step $options
            # shellcheck disable=SC2086
            is "$output" "$(build/$step/${step#step0?_}.emu $options)"
        done
    done
}

@test "stored: bad input ends with the sentence and the code of the program" {
    stored step01_fixed_work --n x
    is "$status" 2
    is "$output" "fixed_work: --n x: not a whole number from 0 to 1099511627776"
    stored
    is "$status" 2
    stored step09_nothing
    is "$status" 3
    stored step02_fixed_blocks --help
    is "$status" 0
    has "$output" "--blocks"
}

@test "stored: a device that the PTX is not for says which are, and how to get a compiler" {
    EMU_DEVICE=h200 stored step01_fixed_work --n 100
    [ "$status" -eq 3 ]
    has "$output" "DEVICE=tiny"
    has "$output" "make toolkit"
    case $output in *'"verdict"'*) echo "$output" && false ;; esac
}

@test "stored: a variant, whose PTX is not stored, says what fetches a compiler" {
    stored step03_clc_blocks/variants/library
    is "$status" 3
    is "$output" "run-stored: of step03_clc_blocks/variants/library no PTX is stored; make toolkit fetches a compiler for it"
}

@test "stored: the PTX is current for the toolkit named in it" {
    need_nvcc
    run tools/ptx.sh --check step01_fixed_work step02_fixed_blocks
    [ "$status" -ne 3 ] || skip "made by another toolkit"
    is "$status" 0
}

#!/usr/bin/env bats
# Steps 1 and 2 on the emulator: every size is right, every wrong kernel is found, equal choices give equal bytes.

load steps_common

setup_file() {
    cd "$ROOT" || return
    if (need_nvcc) >/dev/null 2>&1; then make "$FIXED_WORK" "$FIXED_BLOCKS" build/tests/bats/steps/broken.emu >&2; fi
}

setup() {
    cd "$ROOT" && tmp=$BATS_TEST_TMPDIR
    need_nvcc
    broken=build/tests/bats/steps/broken.emu
}

# passes PROGRAM OPTION...: exit 0 and a last line that begins with PASS
passes() {
    run "$@"
    [ "$status" -eq 0 ] || { echo "$*: exit $status" && echo "$output" && false; }
    case $(last_line "$output") in PASS*) ;; *) echo "$*" && echo "$output" && false ;; esac
}

@test "steps: n from nothing to a million and a bit" {
    for n in 0 1 31 1000 1023 1048576 1000003; do
        passes "$FIXED_WORK" --n "$n"
        has "$output" "fixed_work: $n elements"
        passes "$FIXED_BLOCKS" --n "$n"
    done
}

@test "steps: block sizes from 1 to 1024" {
    for block in 1 31 32 33 64 100 256 512 1000 1024; do
        passes "$FIXED_WORK" --n 1023 --block "$block"
        passes "$FIXED_BLOCKS" --n 1023 --block "$block"
        passes env EMU_DEVICE=tiny "$FIXED_BLOCKS" --n 100003 --block "$block" --blocks 7
    done
}

@test "steps: 2^24 elements, with LONG=1 2^27" {
    local n=16777216
    if [ "${LONG:-0}" = 1 ]; then n=134217728; fi
    passes env EMU_CHECK=0 "$FIXED_WORK" --n "$n" --block 1024 --repeat 0
    passes env EMU_CHECK=0 "$FIXED_BLOCKS" --n "$n" --block 1024 --repeat 0
}

@test "steps: more than the machine holds is refused with a sentence" {
    run "$FIXED_WORK" --n 1099511627776 --block 1024
    is "$status" 3
    has "$output" "cudaErrorMemoryAllocation"
    has "$output" "take a smaller --n"
}

@test "steps: nothing is launched for n = 0, and nothing is written but a header" {
    passes "$FIXED_WORK" --n 0 --output "$tmp/out.npy"
    has "$output" "nothing to launch: n is 0"
    is "$(elements "$tmp/out.npy")" ""
}

@test "steps: every run says where it ran and how tiles were found" {
    passes env EMU_DEVICE=tiny "$FIXED_WORK" --n 5000
    has "$output" "emulated tiny"
    has "$output" "CLC: not used"
    has "$output" " model cycles"
    has "$output" "prologue ran in 20 of 20 blocks"
    passes env EMU_DEVICE=tiny "$FIXED_BLOCKS" --n 5000
    has "$output" "prologue ran in 8 of 8 blocks"
    passes env EMU_DEVICE=tiny "$FIXED_BLOCKS" --n 5000 --blocks 30
    has "$output" "prologue ran in 30 of 30 blocks"
}

@test "steps: every shape and every work file" {
    for work in ramp zipf giant; do
        passes "$FIXED_WORK" --n 100000 --work "$work"
        passes "$FIXED_BLOCKS" --n 100000 --work "$work"
    done
    for work in common/data/*.txt; do
        passes "$FIXED_WORK" --block 32 --work "$work"
        passes "$FIXED_BLOCKS" --block 32 --work "$work"
    done
}

@test "steps: units and prologue cost time in proportion" {
    cycles() { "$FIXED_WORK" --n 256 --json "$@" | sed 's/.*"median":\([0-9]*\).*/\1/'; }
    local none one two
    none=$(cycles) one=$(cycles --units 10000) two=$(cycles --units 20000)
    [ "$one" -gt $((none * 4)) ]
    [ $((two - one)) -gt $(((one - none) * 9 / 10)) ]
    [ $((two - one)) -lt $(((one - none) * 11 / 10)) ]
    one=$(cycles --prologue 10000)
    [ "$one" -gt $((none * 4)) ]
}

@test "steps: NaN, infinities, zeros and denormals in the input come out right" {
    npy "$tmp/in.npy" 7fc00000 7f800000 ff800000 80000000 00000001 7f7fffff 3f800000
    for program in "$FIXED_WORK" "$FIXED_BLOCKS"; do
        passes "$program" --input "$tmp/in.npy" --output "$tmp/out.npy" --alpha 2
        has "$output" "7 elements"
        is "$(elements "$tmp/out.npy" | sed 's/^7fffffff/7fc00000/')" \
            "7fc00000 7f800000 ff800000 80000000 00000002 7f800000 40000000 "
        is "$(ls "$tmp")" "$(printf 'in.npy\nout.npy')"
    done
    npy "$tmp/in.npy" 7f800000 3f800000
    passes "$FIXED_WORK" --input "$tmp/in.npy" --alpha 0
    passes "$FIXED_WORK" --input "$tmp/in.npy" --alpha inf
}

@test "steps: a wrong kernel ends with 1 and says what is wrong" {
    wrong() { # KIND SENTENCE
        run env BROKEN="$1" EMU_CHECK=0 "$broken" --n 5000
        is "$status" 1
        is "$(last_line "$output")" "FAIL broken: $2"
    }
    BROKEN=nothing passes "$broken" --n 5000
    wrong nan "[17] is nan, want 54"
    wrong twice "[17] is 162, want 54"
    wrong left "[512] is 513, want 1539"
    wrong shortcut "tile 2 was done by nobody"
    wrong repeated "tile 2 was done more than once, by block 2 among others"
    wrong warp "tile 2 was not done by every warp: 7 of 8 signed for it"
    wrong beyond "a tile beyond the last one, 19, was done by block 2"
    wrong late "[17] is 486, want 162"
}

@test "steps: a fault in the kernel ends with 1, a launch that cannot be with 3" {
    run env BROKEN=fault "$broken" --n 5000
    is "$status" 1
    has "$output" "broken.cu"
    run env BROKEN=config "$broken" --n 5000
    is "$status" 3
    has "$output" "broken.cu:55: cudaGetLastError(): cudaError"
}

@test "steps: --json is one object with the same verdict" {
    run "$FIXED_BLOCKS" --n 1000 --json
    is "$status" 0
    is "$(printf '%s\n' "$output" | wc -l)" 1
    has "$output" '"verdict":"pass"'
    has "$output" '"clc":"not used"'
    has "$output" '"unit":"model cycles"'
    run env BROKEN=nan EMU_CHECK=0 "$broken" --n 1000 --json
    is "$status" 1
    has "$output" '"verdict":"fail","why":"[17] is nan, want 54","exit":1'
}

@test "steps: the timeline has a row for each slot and refuses long runs" {
    passes env EMU_DEVICE=tiny "$FIXED_BLOCKS" --n 5120 --work giant --prologue 100 --timeline
    is "$(grep -c '^SM *[0-3]\.[01]  [p#.]*  ' <<<"$output")" 8
    is "$(grep -c '^SM.*  1 9 17$' <<<"$output")" 1
    passes env EMU_DEVICE=tiny "$FIXED_WORK" --n 5120 --work giant --prologue 100 --timeline
    is "$(grep -c '^SM *[0-3]\.[01]  [p#.]*  ' <<<"$output")" 8
    run "$FIXED_WORK" --timeline
    is "$status" 2
    is "$output" "fixed_work: --timeline: 4096 tiles; it draws 64 at most, take a smaller --n or a larger --block"
}

@test "steps: --trace writes a line for each tile" {
    passes "$FIXED_BLOCKS" --n 10000 --trace "$tmp/trace.csv"
    is "$(grep -vc ',prologue$' "$tmp/trace.csv")" 41
    is "$(grep -c '^-,.*,prologue$' "$tmp/trace.csv")" "$(cut -d , -f 2 "$tmp/trace.csv" | sed 1d | sort -u | wc -l)"
    is "$(head -n 1 "$tmp/trace.csv")" "tile,block,sm,slot,start,end,kind"
}

@test "steps: equal choices give equal bytes" {
    for program in "$FIXED_WORK" "$FIXED_BLOCKS"; do
        for seed in 1 2; do
            for k in a b; do
                EMU_SEED=$seed "$program" --n 20000 --work zipf --trace "$tmp/trace.$k" --output "$tmp/out.$k" >"$tmp/text.$k"
            done
            cmp "$tmp/trace.a" "$tmp/trace.b"
            cmp "$tmp/out.a" "$tmp/out.b"
            cmp "$tmp/text.a" "$tmp/text.b"
        done
    done
}

@test "steps: an output that cannot be written ends with 2 and leaves nothing" {
    [ -w /dev/full ] || skip "no /dev/full"
    run "$FIXED_WORK" --n 100000 --output /dev/full
    is "$status" 2
    is "$output" "fixed_work: /dev/full: cannot be written: No space left on device"
    run "$FIXED_WORK" --n 1000 --output "$tmp/no/such/folder.npy"
    is "$status" 2
    is "$output" "fixed_work: $tmp/no/such/folder.npy: cannot be written: No such file or directory"
    is "$(ls "$tmp")" ""
}

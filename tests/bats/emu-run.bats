#!/usr/bin/env bats
# emu-run: what it prints, saves and returns. Kernels: emu-run/kernels.ptx.

# shellcheck disable=SC2016,SC2030,SC2031 # dollar signs of launch files and Markdown; tests are subshells

load root
load steps_common
bats_require_minimum_version 1.5.0

setup() {
    cd "$ROOT" && tmp=$BATS_TEST_TMPDIR && ptx=tests/bats/emu-run/kernels.ptx
    export EMU_DEVICE=tiny
    npy "$tmp/in.npy" 3f800000 40000000 7fc00000 ff800000 00000000
    npy "$tmp/doubled.npy" 40000000 40800000 7fffffff ff800000 00000000
}

# launch LINE...: runs with these lines as the launch file; OPTIONS are added.
launch() {
    printf '%s\n' "$@" >"$tmp/t.launch"
    run build/bin/emu-run "$ptx" --launch "$tmp/t.launch" --set "IN=$tmp/in.npy" --set "OUT=$tmp/doubled.npy" "${OPTIONS[@]}"
}

scale=('kernel scale' 'grid 1' 'block 32' "buffer data \${IN}" 'arg buffer data' 'arg f32 2' 'arg sizeof data')

@test "emu-run: a right result says PASS and the time" {
    launch "${scale[@]}" "expect data \${OUT}"
    is "$status" 0
    is "${lines[0]}" "PASS scale: 5 elements"
    case ${lines[1]} in "time "[1-9]*" model cycles on emulated tiny") ;; *) false ;; esac
    is "${#lines[@]}" 2
}

@test "emu-run: a wrong result says FAIL, the first wrong elements, and ends with 1" {
    launch "${scale[@]/arg f32 2/arg f32 nan}" "expect data \${OUT}"
    is "$status" 1
    is "${lines[0]}" "FAIL scale: [0] is nan, want 2"
    is "${lines[1]}" "     [1] is nan, want 4"
    is "${lines[2]}" "     [3] is nan, want -inf"
    is "${lines[4]}" "     4 of 5 elements are wrong"
}

@test "emu-run: a single NaN where none belongs fails" {
    npy "$tmp/doubled.npy" 40000000 40800000 00000000 ff800000 00000000
    launch "${scale[@]}" "expect data \${OUT}"
    is "$status" 1
    is "${lines[0]}" "FAIL scale: [2] is nan, want 0"
}

@test "emu-run: with nothing to expect the run itself is the verdict" {
    launch "${scale[@]}"
    is "$status" 0
    is "${lines[0]}" "PASS scale: ran to its end, nothing to compare"
}

@test "emu-run: two expected buffers are told apart by name" {
    launch "${scale[@]}" "buffer other \${IN}" "expect data \${OUT}" "expect other \${OUT}"
    is "$status" 1
    is "${lines[0]}" "FAIL scale: other[0] is 1, want 2"
}

@test "emu-run: --save writes the array, blanks in its name included" {
    OPTIONS=(--save "data=$tmp/out file.npy")
    launch "${scale[@]}"
    is "$status" 0
    is "$(elements "$tmp/out file.npy" | sed 's/7fffffff/7fc00000/')" "40000000 40800000 7fc00000 ff800000 00000000 "
    is "$(find "$tmp" -name '*.part')" ""
}

@test "emu-run: structs, symbols and a grid that fits the device" {
    OPTIONS=(--save "out=$tmp/out.npy")
    launch 'kernel shape' 'grid resident' 'block 32' 'buffer out u32 5 zero' 'buffer cell u32 1 fill 77' 'arg buffer out' \
        'arg struct { u32 9; buffer cell }' 'symbol factors struct { u8 5; u64 0x1234567890 }'
    is "$status" 0
    is "$(elements "$tmp/out.npy")" "00000008 00000009 0000004d 00000005 34567890 "
    launch 'kernel shape' 'grid resident*3' 'block 1024' 'buffer out u32 5 zero' 'buffer cell u32 1 fill 77' \
        'arg buffer out' 'arg struct { u32 9; buffer cell }'
    is "$(elements "$tmp/out.npy")" "0000000c 00000009 0000004d 00000000 00000000 "
    launch 'kernel shape' 'grid resident<=6' 'block 32' 'buffer out u32 5 zero' 'buffer cell u32 1 fill 77' \
        'arg buffer out' 'arg struct { u32 9; buffer cell }'
    is "$(elements "$tmp/out.npy")" "00000006 00000009 0000004d 00000000 00000000 "
}

@test "emu-run: clusters" {
    shape=('kernel shape' 'block 32' 'buffer out u32 5 zero' 'buffer cell u32 1 fill 77' 'arg buffer out'
        'arg struct { u32 9; buffer cell }')
    OPTIONS=(--save "out=$tmp/out.npy")
    launch "${shape[@]}" 'cluster 4' 'grid resident*2'
    is "$status" 0
    is "$(elements "$tmp/out.npy" | cut -c1-8)" 00000010
    launch "${shape[@]}" 'cluster 4' 'grid resident<=7'
    is "$(elements "$tmp/out.npy" | cut -c1-8)" 00000004
    launch "${shape[@]}" 'cluster 2' 'grid 3'
    is "$status" 2
    has "$output" "multiple of the cluster"
    for grid in 16 resident; do
        launch "${shape[@]}" 'cluster 16' "grid $grid"
        is "$status" 3
    done
}

@test "emu-run: repeat launches again on what the last one left" {
    npy "$tmp/doubled.npy" 41000000 41800000 7fc00000 ff800000 00000000
    launch "${scale[@]}" 'repeat 3' "expect data \${OUT}"
    is "${lines[0]}" "PASS scale: 5 elements"
}

@test "emu-run: --json is one object" {
    OPTIONS=(--json)
    launch "${scale[@]}" "expect data \${OUT}"
    is "$status" 0
    is "${#lines[@]}" 1
    has "$output" '{"kernel": "scale", "device": "tiny", "verdict": "pass", "cycles": '
    has "$output" '"exit": 0, "blocks": 1, "compared": 5, "wrong": 0, "first": "", "counts": {"launches": 1, '
    launch "${scale[@]/arg f32 2/arg f32 3}" "expect data \${OUT}"
    is "$status" 1
    has "$output" '"verdict": "fail"'
    has "$output" '"wrong": 2, "first": "[0] is 3, want 2"'
}

@test "emu-run: an error under --json is told in both places" {
    printf '%s\n' 'kernel traps' 'grid 1' 'block 1' >"$tmp/t.launch"
    run --separate-stderr build/bin/emu-run "$ptx" --launch "$tmp/t.launch" --json
    is "$status" 1
    has "$output" '"verdict": "error"'
    has "$output" '"exit": 1'
    [ -n "$stderr" ]
}

@test "emu-run: printf of a kernel is printed, under --json elsewhere" {
    launch 'kernel talk' 'grid 1' 'block 1'
    is "$status" 0
    is "${lines[0]}" "hello 42"
    run --separate-stderr build/bin/emu-run "$ptx" --launch "$tmp/t.launch" --json
    is "$stderr" "hello 42"
    is "${#lines[@]}" 1
}

@test "emu-run: the same choices give the same output, byte for byte" {
    for seed in 1 7; do
        OPTIONS=(--seed "$seed" --json)
        launch "${scale[@]/grid 1/grid 40}" "expect data \${OUT}"
        is "$status" 0
        first=$output
        launch "${scale[@]/grid 1/grid 40}" "expect data \${OUT}"
        is "$output" "$first"
    done
}

@test "emu-run: a kernel that breaks the rules ends with 1 and leaves no file" {
    OPTIONS=(--save "data=$tmp/out.npy")
    launch 'kernel poke' 'grid 1' 'block 1' "buffer data \${IN}" 'arg buffer data'
    is "$status" 1
    has "$output" poke
    [ ! -e "$tmp/out.npy" ]
}

@test "emu-run: a kernel that never ends is given up" {
    OPTIONS=(--steps 5000)
    launch 'kernel spin' 'grid 1' 'block 32'
    is "$status" 1
    has "$output" "5000"
}

@test "emu-run: a limit on processor time ends a loop that makes progress, with a sentence that says where" {
    printf '%s\n' '.version 8.6' '.target sm_100a' '.address_size 64' '.visible .entry turns()' '{' 'L:' \
        'bar.sync 0;' 'bra L;' '}' >"$tmp/turns.ptx"
    printf '%s\n' 'kernel turns' 'grid 1' 'block 64' >"$tmp/t.launch"
    run bash -c 'ulimit -S -t 1; build/bin/emu-run "$1" --launch "$2"' - "$tmp/turns.ptx" "$tmp/t.launch"
    is "$status" 1
    has "$output" 'the kernel did not end within its processor time'
    has "$output" 'kernel turns, block (0,0,0)'
}

@test "emu-run: what the device cannot do ends with 3" {
    launch "${scale[@]/block 32/block 2048}"
    is "$status" 3
    launch "${scale[@]}" 'shared 1000000'
    is "$status" 3
    launch "${scale[@]/grid 1/grid resident}" 'shared 1000000'
    is "$status" 3
    sed 's/sm_90/sm_100a/' "$ptx" >"$tmp/newer.ptx"
    ptx=$tmp/newer.ptx
    OPTIONS=(--device h200)
    launch "${scale[@]}"
    is "$status" 3
    has "$output" "is compiled for sm_100a; an emulated h200 does not run that"
}

@test "emu-run: what is outside the coverage ends with 4 and its name" {
    launch 'kernel texturee' 'grid 1' 'block 1'
    is "$status" 4
    has "$output" tex.1d
    printf '.version 8.0\n.target sm_90\n.address_size 64\n.global .texref t;\n' >"$tmp/tex.ptx"
    ptx=$tmp/tex.ptx
    launch 'grid 1' 'block 1'
    is "$status" 4
    is "$output" "emu-run: $tmp/tex.ptx:4: textures and surfaces ('.texref') are not covered"
}

@test "emu-run: lists and help" {
    run build/bin/emu-run --help
    is "$status" 0
    has "$output" "usage: emu-run MODULE.ptx --launch FILE"
    run build/bin/emu-run --list-devices
    is "$status" 0
    has "$output" b200
    run build/bin/emu-run --list-opcodes
    is "$status" 0
    has "$output" "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
    run build/bin/emu-run --coverage
    is "$status" 0
    has "$output" '| `add` |'
}

@test "emu-run: a module alone is described" {
    run build/bin/emu-run "$ptx"
    is "$status" 0
    is "${lines[0]}" "kernel _Z5scalePffi"
    is "${lines[1]}" "  arg 1: u64"
    has "$output" "  arg 2: 16 bytes, aligned to 8"
}

@test "emu-run: the wrapper works from anywhere" {
    printf '%s\n' 'kernel talk' 'grid 1' 'block 1' >"$tmp/t.launch"
    cd "$tmp"
    run "$ROOT/emulator/bin/emu-run" "$ROOT/$ptx" --launch t.launch
    is "$status" 0
    is "${lines[0]}" "hello 42"
}

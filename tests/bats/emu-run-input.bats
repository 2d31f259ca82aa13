#!/usr/bin/env bats
# emu-run: every bad input ends with one sentence naming file, line and value, with 2, and without a file.

load root
load steps_common

setup() {
    cd "$ROOT" && tmp=$BATS_TEST_TMPDIR && ptx=tests/bats/emu-run/kernels.ptx
    export EMU_DEVICE=tiny
    npy "$tmp/in.npy" 3f800000 40000000
}

# refuses SENTENCE LINE...: the launch file of these lines.
refuses() {
    local sentence=$1
    shift
    printf '%s\n' "$@" >"$tmp/t.launch"
    run build/bin/emu-run "$ptx" --launch "$tmp/t.launch" --set "IN=$tmp/in.npy" --save "data=$tmp/out.npy"
    says "$sentence"
    [ ! -e "$tmp/out.npy" ]
}

# says SENTENCE: it is all there is, and the code is 2.
says() {
    is "$output" "emu-run: $1"
    is "$status" 2
}

scale=('kernel scale' 'grid 1' 'block 32' "buffer data \${IN}" 'arg buffer data' 'arg f32 2' 'arg sizeof data')

@test "input: the command line" {
    run build/bin/emu-run
    says "no module given: emu-run MODULE.ptx --launch FILE; --help says more"
    run build/bin/emu-run "$ptx" --frob
    says "unknown option '--frob'; emu-run --help lists them"
    run build/bin/emu-run "$ptx" --device b300
    says "--device: 'b300' is no device; there are: tiny b200 h200 rtx5090"
    EMU_SEED=x run build/bin/emu-run "$ptx"
    says "EMU_SEED: 'x' is no whole number such as 7, alone or after pct, early, late or false"
}

@test "input: modules that are missing, empty, no PTX, cut short" {
    run build/bin/emu-run "$tmp/none.ptx"
    says "$tmp/none.ptx: cannot be opened: No such file or directory"
    run build/bin/emu-run "$tmp"
    says "$tmp: cannot be read: Is a directory"
    : >"$tmp/empty.ptx"
    run build/bin/emu-run "$tmp/empty.ptx"
    says "$tmp/empty.ptx:1: this is not PTX: it starts with the end of the text, not with .version"
    run build/bin/emu-run build/bin/emu-run
    says "build/bin/emu-run:1: '\\x7f' does not belong in PTX"
    head -n 20 "$ptx" >"$tmp/short.ptx"
    run build/bin/emu-run "$tmp/short.ptx"
    says "$tmp/short.ptx:13: the function that starts here has no closing brace"
}

@test "input: launch files that are missing or no text" {
    run build/bin/emu-run "$ptx" --launch "$tmp/none"
    says "$tmp/none: cannot be opened: No such file or directory"
    run build/bin/emu-run "$ptx" --launch build/bin/emu-run
    says "build/bin/emu-run: not a launch file: it holds a byte of value 0"
}

@test "input: lines of a launch file" {
    refuses "$tmp/t.launch:1: 'gird' is no item of a launch file; emu-run --help lists them" 'gird 1'
    refuses "$tmp/t.launch: the line \`block X\` is missing" 'grid 1'
    refuses "$tmp/t.launch:2: \${N} has no value; give one with --set NAME=VALUE" '' "grid \${N}"
    refuses "$tmp/t.launch:1: a size '99999999999' is no whole number from 1 to 2147483647" 'grid 99999999999'
}

@test "input: kernels" {
    refuses "$tmp/t.launch:1: 'twice' may be any of: _Z5twiceIiEvPT_ _Z5twiceIfEvPT_" \
        'kernel twice' 'grid 1' 'block 1' "buffer data \${IN}"
    printf '%s\n' 'kernel scales' 'grid 1' 'block 1' "buffer data \${IN}" >"$tmp/t.launch"
    run build/bin/emu-run "$ptx" --launch "$tmp/t.launch" --set "IN=$tmp/in.npy"
    is "$status" 2
    has "$output" "$tmp/t.launch:1: there is no kernel 'scales' in $ptx; there are: scale"
}

@test "input: arguments that do not fit the kernel" {
    refuses "$tmp/t.launch: 4 arg lines, _Z5scalePffi takes 3" "${scale[@]}" 'arg u32 1'
    refuses "$tmp/t.launch:6: arg 2 has 8 bytes, parameter 2 of _Z5scalePffi 4" "${scale[@]/f32 2/f64 2}"
    refuses "$tmp/t.launch:8: the value has 4 bytes, variable 'factors' 16" "${scale[@]}" 'symbol factors u32 1'
    refuses "$tmp/t.launch:8: there is no variable 'nothing' in $ptx" "${scale[@]}" 'symbol nothing u32 1'
}

@test "input: arrays" {
    refuses "$tmp/t.launch:4: $tmp/none.npy: cannot be opened: No such file or directory" \
        "${scale[@]/\$\{IN\}/$tmp/none.npy}"
    head -c 130 "$tmp/in.npy" >"$tmp/short.npy"
    refuses "$tmp/t.launch:4: $tmp/short.npy: cut short: 2 bytes of elements, the header says 8" \
        "${scale[@]/\$\{IN\}/$tmp/short.npy}"
    echo 1,2,3 >"$tmp/text.npy"
    refuses "$tmp/t.launch:4: $tmp/text.npy: not a .npy file: it does not start with \\x93NUMPY" \
        "${scale[@]/\$\{IN\}/$tmp/text.npy}"
    : >"$tmp/empty.npy"
    refuses "$tmp/t.launch:4: $tmp/empty.npy: not a .npy file: it does not start with \\x93NUMPY" \
        "${scale[@]/\$\{IN\}/$tmp/empty.npy}"
    sed 's/<f4/>f4/' "$tmp/in.npy" >"$tmp/big.npy"
    refuses "$tmp/t.launch:4: $tmp/big.npy: elements of type '>f4' are not read; NumPy converts them with astype" \
        "${scale[@]/\$\{IN\}/$tmp/big.npy}"
    refuses "$tmp/t.launch:8: $tmp/in.npy holds 2 elements of type f32, buffer 'other' 3 of type f32" \
        "${scale[@]}" "buffer other f32 3 zero" "expect other \${IN}" || true
    has "$output" "$tmp/in.npy holds 2 elements of type f32, buffer 'other' 3 of type f32"
}

@test "input: outputs that cannot be written" {
    printf '%s\n' "${scale[@]}" >"$tmp/t.launch"
    for out in "$tmp/no/dir/x.npy:No such file or directory" "/dev/full:No space left on device"; do
        run build/bin/emu-run "$ptx" --launch "$tmp/t.launch" --set "IN=$tmp/in.npy" --save "data=${out%%:*}"
        says "${out%%:*}: cannot be written: ${out#*:}"
    done
    run build/bin/emu-run "$ptx" --launch "$tmp/t.launch" --set "IN=$tmp/in.npy" --save "date=$tmp/x.npy"
    says "--save: $tmp/t.launch has no buffer 'date'"
    run sh -c "build/bin/emu-run '$ptx' >/dev/full"
    says "standard output cannot be written"
}

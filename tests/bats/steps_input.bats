#!/usr/bin/env bats
# What a step refuses, and how: one sentence with file, line and value, exit code 2, no partial file.
# build/bin/job reads options and files with the same code as the programs, and needs no nvcc.

load steps_common

setup() { cd "$ROOT" && tmp=$BATS_TEST_TMPDIR; }

prepare() { run build/bin/job prepare fixed_blocks "$tmp" "$@"; }

# refused SENTENCE OPTION...
refused() {
    local want="fixed_blocks: $1"
    shift
    prepare "$@"
    is "$status" 2
    is "$output" "$want"
    is "$(find "$tmp" -name '*.part' -o -name '*.args')" ""
}

@test "steps: unknown options and missing values are refused" {
    refused "--size: no such option here; --help lists them" --size 3
    refused "12: no such option here; --help lists them" 12
    refused "--cluster=2: no such option here; --help lists them" --cluster=2
    refused "--n: N is missing after it" --n
}

@test "steps: numbers that are none, negative or too large are refused" {
    refused "--n -1: not a whole number from 0 to 1099511627776" --n -1
    refused "--n 1e6: not a whole number from 0 to 1099511627776" --n 1e6
    refused "--n 1099511627777: not a whole number from 0 to 1099511627776" --n 1099511627777
    refused "--block 2048: not a whole number from 1 to 1024" --block 2048
    refused "--blocks 0: not a whole number from 1 to 4194304" --blocks 0
    refused "--alpha x: not a number that a float holds" --alpha x
    refused "--n 1073741825: 1073741825 tiles of 1 threads; 1073741824 tiles is the most, take a larger --block" \
        --n 1073741825 --block 1
}

@test "steps: work files that are empty, text or missing are refused with their line" {
    : >"$tmp/empty"
    refused "$tmp/empty:1: the file is empty; a work file has a whole number a line" --work "$tmp/empty"
    seq 4194305 >"$tmp/long"
    refused "$tmp/long:4194305: more than 4194304 numbers; of so many tiles nobody can keep a record" \
        --work "$tmp/long"
    printf '# head\n12\ntwelve\n' >"$tmp/text"
    refused "$tmp/text:3: 'twelve' is not a whole number from 0 to 4294967295" --work "$tmp/text"
    refused "$tmp/none: cannot be opened: No such file or directory; --work takes uniform, ramp, zipf, giant or a file" \
        --work "$tmp/none"
    refused "$tmp: cannot be read: Is a directory" --work "$tmp"
}

@test "steps: .npy files that are none, truncated or of another type are refused" {
    npy "$tmp/a.npy" 3f800000 40000000
    head -c 130 "$tmp/a.npy" >"$tmp/short.npy"
    refused "$tmp/short.npy: truncated: 2 bytes of elements, the header says 8" --input "$tmp/short.npy"
    head -c 50 "$tmp/a.npy" >"$tmp/head.npy"
    refused "$tmp/head.npy: truncated in the header" --input "$tmp/head.npy"
    sed 's/<f4/<i4/' "$tmp/a.npy" >"$tmp/int.npy"
    refused "$tmp/int.npy: elements of type '<i4', want '<f4'; in NumPy: a.astype('<f4')" --input "$tmp/int.npy"
    echo 1 2 3 >"$tmp/text.npy"
    refused "$tmp/text.npy: not a .npy file (it does not start with \\x93NUMPY)" --input "$tmp/text.npy"
    refused "--n 3: $tmp/a.npy holds 2 elements" --input "$tmp/a.npy" --n 3
    refused "$tmp/none.npy: cannot be opened: No such file or directory" --input "$tmp/none.npy"
    refused "$tmp: cannot be read: Is a directory" --input "$tmp"
}

@test "steps: no space for the output is said" {
    [ -w /dev/full ] || skip "no /dev/full"
    run build/bin/job report fixed_work "$tmp" --n 0 --output /dev/full
    is "$status" 2
    is "$output" "fixed_work: /dev/full: cannot be written: No space left on device"
    run sh -c "build/bin/job report fixed_work '$tmp' --n 0 >/dev/full"
    is "$status" 2
    is "$output" "fixed_work: standard output cannot be written"
}

@test "steps: every real work file is read, with a tile for each number" {
    for file in common/data/*.txt; do
        count=$(grep -vc '^#' "$file")
        prepare --work "$file" --block 1
        is "$status" 0
        has "$(cat "$tmp/emu-run.args")" "COUNT=$count"
        is "$(elements "$tmp/units.npy" | wc -w)" $((count + 1))
    done
}

@test "steps: the copies of the work files carry title, source and licence" {
    is "$(find common/data -name '*.txt' | wc -l)" 5
    for file in common/data/*.txt; do
        for word in Title Source Licence Number Derived; do
            grep -q "^# $word: " "$file"
        done
    done
}

@test "steps: kernels are short, files too" {
    for file in step0[12]_*/*.cu; do
        [ "$(wc -l <"$file")" -le 150 ]
        length=$(sed -n '/^__global__/,/^}/p' "$file" | grep -vc '^ *\(//.*\)\?$')
        [ "$length" -ge 5 ]
        [ "$length" -le 40 ]
    done
}

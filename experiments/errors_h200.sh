#!/bin/sh
# errors_h200.sh FOLDER: the runtime's error codes on a real GPU of compute capability 9.0.
# Builds the programs of tests/runtime that have an .expected file and writes what they print, and how it differs from
# what the emulator's runtime prints, into FOLDER/errors.txt. Exit 1 if anything differs.
set -u
out=${1:?usage: experiments/errors_h200.sh FOLDER}
work=build/experiments
mkdir -p "$out" "$work"
PATH=$PATH:/usr/local/cuda/bin
export PATH
{
    echo "date     $(date -u +%Y-%m-%d)"
    echo "gpu      $(nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>&1 | head -n 1)"
    echo "toolkit  $(nvcc --version | sed -n 's/.*release.*V/V/p')"
} >"$out/errors.txt"
differ=0
for expected in tests/runtime/*.expected; do
    name=$(basename "$expected" .expected)
    if ! nvcc -std=c++17 -arch=sm_90 -o "$work/$name" "tests/runtime/$name.cu" >"$work/$name.log" 2>&1; then
        echo "== $name: not built: $(grep -m 1 error "$work/$name.log")" >>"$out/errors.txt"
        differ=1
        continue
    fi
    timeout 60 "$work/$name" >"$work/$name.out" 2>/dev/null
    echo "== $name exit $? ('<' the emulator, '>' this GPU)" >>"$out/errors.txt"
    diff "$expected" "$work/$name.out" >>"$out/errors.txt" || differ=1
    cat "$work/$name.out" >>"$out/errors.txt"
done
cat "$out/errors.txt"
exit "$differ"

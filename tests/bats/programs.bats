#!/usr/bin/env bats
# Ordinary CUDA programs, written for no particular GPU, through nvcc-emu: each checks itself and
# exits 0 (1 where a kernel is meant to fail: that is the emulator's verdict); the lines after `expect` in its head comment appear in its output.

load root

setup_file() {
    cd "$ROOT" || return
    command -v nvcc >/dev/null || [ -n "$(find /usr/local/cuda*/bin build/toolkit -name nvcc 2>/dev/null)" ] ||
        skip "no nvcc here"
    mkdir -p build/programs
    export -f build_one
    printf '%s\n' tests/programs/*.cu | xargs -P 2 -I{} bash -c 'build_one {}'
}

# Built again only if the program or the emulator changed.
build_one() {
    local out
    out=build/programs/$(basename "$1" .cu)
    [ "$out" -nt "$1" ] && [ "$out" -nt tests/programs/check.h ] && [ "$out" -nt build/lib/libcudart_emu.a ] ||
        emulator/bin/nvcc-emu "$1" -o "$out" >"$out.log" 2>&1 || rm -f "$out"
}

program() { # NAME [STATUS]
    cd "$ROOT" || return
    [ -x "build/programs/$1" ] || { cat "build/programs/$1.log"; return 1; }
    run timeout 60 "build/programs/$1"
    echo "$output"
    [ "$status" -eq "${2:-0}" ]
    while IFS= read -r line; do
        [[ $output == *"$line"* ]] || { echo "missing: $line"; return 1; }
    done < <(sed -n 's/^ \*   expect //p' "tests/programs/$1.cu")
}

@test "vector add, the last block not full" { program vector_add; }
@test "reduction through shared memory and an atomic" { program reduction; }
@test "transpose through a padded tile" { program transpose; }
@test "histogram with atomics" { program histogram; }
@test "division of 128-bit integers" { program wide_division; }
@test "prefix sum whose blocks look back at each other" { program scan; }
@test "warp reduction by shuffles" { program warp_reduction; }
@test "n-body in float" { program nbody; }
@test "dynamic shared memory beyond 48 KiB" { program dynamic_shared; }
@test "streams, asynchronous copies, events" { program streams; }
@test "constant and device symbols" { program symbols; }
@test "function pointers" { program function_pointers; }
@test "printf" { program hello; }
@test "managed memory" { program managed; }
@test "a failing assert" { program assertion 1; }
@test "a trap" { program trap 1; }
@test "occupancy and a grid that fills the device" { program occupancy; }
@test "cooperative groups" { program groups; }

@test "every program here has a test" {
    for source in "$ROOT"/tests/programs/*.cu; do
        grep -q "program $(basename "$source" .cu)[; ]" "$ROOT/tests/bats/programs.bats"
    done
}

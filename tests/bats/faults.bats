#!/usr/bin/env bats
# Honest memory and honest ends: what the emulator says when a kernel goes wrong, and that it ends.

load root

setup_file() {
    cd "$ROOT" || return
    command -v nvcc >/dev/null || [ -n "$(find /usr/local/cuda*/bin build/toolkit -name nvcc 2>/dev/null)" ] ||
        skip "no nvcc here"
    mkdir -p build/faults
    emulator/bin/nvcc-emu tests/faults/faults.cu -o build/faults/faults
}

# line NAME: the line of faults.cu that carries "here: NAME"
line() { grep -n "// here: $1\$" "$ROOT/tests/faults/faults.cu" | cut -d: -f1; }

# ends NAME STATUS TEXT...: runs the kernel; the message stands at its line and contains each TEXT
ends() {
    local name=$1 want=$2 mark=${MARK:-$1}
    shift 2
    run timeout 60 "$ROOT/build/faults/faults" "$name"
    echo "$output"
    [ "$status" -eq "$want" ]
    [[ $output == *"faults.cu:$(line "$mark"): "* ]]
    for text; do
        [[ $output == *"$text"* ]] || { echo "missing: $text"; return 1; }
    done
}

@test "a write past the end names allocation, size, block and thread" {
    ends write_past 1 "out of bounds, write of 4 bytes" "0 bytes after the end of the 1000-byte allocation" "cudaMalloc number 1" \
        "kernel write_past, block (3,0,0), thread (58,0,0)" "cudaErrorIllegalAddress"
}
@test "a read before the start" { ends read_before 1 "4 bytes before the 4096-byte allocation" "cudaMalloc number 2"; }
@test "a read before the first allocation of all" {
    MARK=read_before ends read_before_first 1 "out of bounds, read of 4 bytes" "4 bytes before the 1000-byte allocation"
}
@test "managed memory past its end" {
    MARK=write_past ends managed_past 1 "0 bytes after the end of the 1000-byte allocation" "cudaMallocManaged"
}
@test "a misaligned access" { ends misaligned 1 "misaligned write of 4 bytes" "cudaErrorMisalignedAddress"; }
@test "a read of global memory nobody wrote" { ends uninitialised 1 "nothing has written" "the 1000-byte allocation"; }
@test "a read of shared memory nobody wrote" { ends shared_uninitialised 1 "nothing has written, shared memory" "thread (16,0,0)"; }
@test "shared memory past its end" { ends shared_past 1 "shared address 0x3e80" "the block has 288 bytes"; }
@test "a null pointer" { MARK=use ends null 1 "a null pointer"; }
@test "a host pointer" { MARK=use ends host 1 "a host pointer"; }
@test "use after free" { MARK=use ends freed 1 "use after free" "cudaMalloc number 1) was freed"; }
@test "through inlining, the line is where the kernel calls the helper" { ends inlined 1 "out of bounds, write"; }
@test "a variable is named" { ends table_past 1 "the 32-byte allocation" "variable table"; }
@test "trap" { ends trapped 1 "executed \`trap\`" "thread (3,0,0)" "cudaErrorLaunchFailure"; }
@test "assert" { ends asserted 1 "assertion \`k > int(threadIdx.x)\` failed" "thread (7,0,0)" "cudaErrorAssert"; }
@test "recursion without end" {
    run timeout 60 "$ROOT/build/faults/faults" recursion
    [ "$status" -eq 1 ]
    [[ $output == *"recursion without end?"* ]]
}
@test "a deadlock says who waits where and how many are missing" {
    ends half_barrier 1 "deadlock" "waits at block barrier 1, where 48 of 64 threads are"
}
@test "a loop without end runs out of its budget and says how to raise it" {
    EMU_STEPS=1000000 ends spin 1 "no progress within 1000000 warp instructions" "EMU_STEPS=N"
}
@test "so does a loop whose barriers open" {
    run env EMU_STEPS=20000 timeout 60 "$ROOT/build/faults/faults" rounds
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == faults.cu:*"no progress within "*" warp instructions: barriers opened, but no block began, ended or was stolen"* ]]
}
@test "an instruction outside the coverage is named, exit 4" { ends unsupported 4 "vadd.s32.s32.s32" "coverage"; }
@test "lanes of one warp that wait for each other go on" {
    run timeout 60 "$ROOT/build/faults/faults" lanes
    [ "$status" -eq 0 ]
}
@test "a lock taken lane by lane lets every lane in" {
    run timeout 60 "$ROOT/build/faults/faults" lock
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"sum 256"* ]]
}
@test "blocks resident together that wait for each other go on" {
    run timeout 60 "$ROOT/build/faults/faults" blocks
    [ "$status" -eq 0 ]
}
@test "the same seed gives the same output byte for byte" {
    one=$(EMU_SEED=3 "$ROOT/build/faults/faults" write_past 2>&1) || true
    two=$(EMU_SEED=3 "$ROOT/build/faults/faults" write_past 2>&1) || true
    [ "$one" = "$two" ]
}

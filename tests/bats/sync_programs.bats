#!/usr/bin/env bats
# CUDA programs that wait, copy and steal through libcu++, cooperative groups and inline PTX: each checks itself.
# Built by nvcc-emu; run in the plain order of events and in others.

load root

setup_file() {
    cd "$ROOT" || return
    [ -n "$(command -v nvcc || find /usr/local/cuda*/bin build/toolkit -name nvcc 2>/dev/null)" ] || skip "no nvcc here"
    mkdir -p build/programs/sync
    export -f build_one
    printf '%s\n' tests/programs/sync/*.cu | xargs -P 2 -I{} bash -c 'build_one {}'
}

# Built again only if the program or the emulator changed.
build_one() {
    local out
    out=build/programs/sync/$(basename "$1" .cu)
    [ "$out" -nt "$1" ] && [ "$out" -nt build/lib/libcudart_emu.a ] ||
        emulator/bin/nvcc-emu -O1 "$1" -o "$out" >"$out.log" 2>&1 || rm -f "$out"
}

# program NAME [SEEDS] [ARGUMENT...]
program() {
    cd "$ROOT" || return
    local name=$1 seeds=${2:-6} seed
    shift; [ $# -eq 0 ] || shift
    [ -x "build/programs/sync/$name" ] || { cat "build/programs/sync/$name.log"; return 1; }
    for seed in '' $(seq 1 "$seeds"); do
        EMU_SEED=$seed run timeout 60 "build/programs/sync/$name" "$@"
        [ "$status" -eq 0 ] || { echo "again: EMU_SEED=$seed build/programs/sync/$name $*"; echo "$output"; return 1; }
    done
    while IFS= read -r line; do
        [ $# -gt 0 ] || [[ $output == *"$line"* ]] || { echo "missing: $line"; return 1; }
    done < <(sed -n 's/^ \*   expect //p' "tests/programs/sync/$name.cu")
}

@test "work stealing by blocks, as in the guide" { program clc_blocks 0; program clc_blocks 8 5000 64; }
@test "work stealing by clusters, as in the guide" { program clc_clusters 4; }
@test "libcu++'s loop over stolen blocks" { program clc_library 4; }
@test "work stealing leaves at once for a kernel of higher priority" { program clc_priority 4; }
@test "refusals: at any request, at all of them" {
    cd "$ROOT"
    for refuse in all 1 2 17 p0.5; do
        for seed in '' 3; do
            EMU_REFUSE=$refuse EMU_SEED=$seed run build/programs/sync/clc_blocks 20000 64
            [ "$status" -eq 0 ]
            EMU_REFUSE=$refuse EMU_SEED=$seed EMU_DEVICE=b200 run build/programs/sync/clc_clusters
            [ "$status" -eq 0 ]
        done
    done
}
@test "cuda::barrier: tokens, drops, time-outs" { program barrier; }
@test "cuda::pipeline and memcpy_async" { program pipeline; }
@test "latches, semaphores, atomics that wait" { program latch_semaphore; }
@test "clusters and distributed shared memory" { program cluster; }
@test "cp.async in groups and on mbarriers" { program cp_async; }
@test "bulk copies, multicast, bulk reductions" { program bulk; }
@test "st.async and red.async" { program st_async; }

@test "every program here has a test" {
    for source in "$ROOT"/tests/programs/sync/*.cu; do
        grep -q "program $(basename "$source" .cu)[; ]" "$ROOT/tests/bats/sync_programs.bats"
    done
}

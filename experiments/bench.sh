#!/bin/sh
# make bench: bandwidth, work sizes and waiting times on this machine's GPU; clocks are left as they are.
#   experiments/bench.sh [FOLDER]       build/bench unless named
# Writes FOLDER/bench.json (GPU, driver, toolkit, date, all figures with their spread), FOLDER/bench.txt (the programs' own
# tables) and, where python3 is, FOLDER/bench.md (tables for a page). In bench.json
#   bandwidth   v := alpha v on 2^28 floats beside a copy and cublasSscal
#   shared      work sizes with four blocks of 256 threads on an SM, which share its units
#   alone       work sizes with two blocks of one warp on an SM, which do not: what the emulator's model is held against
#   waits       a kernel of high priority arrives in the middle of many tiles; two blocks of 128 threads on an SM, and, in the
#               last one, four of 256
# Exit 3 without a GPU that the steps can use; otherwise the first exit code that is not 0.
set -u
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
out=${1:-build/bench}
LC_ALL=C
export LC_ALL

tools/variables.sh check || finish 2
ask_machine
[ "$(field MODE)" = gpu ] || finish 3 "make bench measures a GPU, and there is none it could use: $(field WHY)
The emulator has no seconds to measure; its model of this work: make compare"
pin_gpu "$(field GPU)"
tools/run.sh --build experiments/compare experiments/bandwidth || exit
room "$out/parts"
rm -f "$out"/parts/*
worst=0

# part NAME PROGRAM OPTION...: parts/NAME.json and the text
part() {
    name=$1 program=build/experiments/$2/$2.gpu
    shift 2
    echo "--- $name"
    "$program" --json "$out/parts/$name.json" "$@"
    code=$?
    echo
    [ $code -eq 0 ] || { echo "$name: exit $code"; rm -f "$out/parts/$name.json"; }
    [ $worst -ne 0 ] || worst=$code
}

# list NAME...: those parts that there are, as a JSON array
list() {
    separator='['
    for name; do
        [ -f "$out/parts/$name.json" ] || continue
        printf '%s\n' "$separator"
        cat "$out/parts/$name.json"
        separator=,
    done
    [ "$separator" = , ] || printf '['
    printf ']'
}

works='light heavy mesh ramp zipf giant prompts rows rings counties'
{
    part bandwidth bandwidth
    for work in $works; do part "shared-$work" compare --work "$work" --block 256 --slots 4 --units 5000 --waits 5; done
    for work in $works; do part "alone-$work" compare --work "$work" --block 32 --slots 2 --units 2000 --waits 0; done
    for work in heavy ramp prompts; do
        part "waits-$work" compare --work "$work" --block 128 --slots 2 --units 10000 --copies 8 --waits 15
    done
    # On an SM whose units are shared out unevenly some fixed blocks end early, and make room.
    part waits-crowded compare --work heavy --block 256 --slots 4 --units 5000 --copies 8 --waits 15
    echo "$worst" >"$out/parts/worst"
} 2>&1 | tee "$out/bench.txt"
worst=$(cat "$out/parts/worst")

names() { for work in $2; do echo "$1-$work"; done; }
driver=$(nvidia-smi -i "$(field GPU)" --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
{
    printf '{"gpu": "%s", "capability": "%s", "driver": "%s", "toolkit": "%s", "date": "%s",\n"bandwidth": ' \
        "$(field GPU_NAME)" "$(field GPU_CC)" "$driver" "$("$(field NVCC)" --version | sed -n 's/.*release.*V//p')" "$(date -u +%Y-%m-%d)"
    cat "$out/parts/bandwidth.json" 2>/dev/null || echo null
    # shellcheck disable=SC2046 # lists
    {
        printf ',\n"shared": ' && list $(names shared "$works")
        printf ',\n"alone": ' && list $(names alone "$works")
        printf ',\n"waits": ' && list $(names waits 'heavy ramp prompts crowded')
    }
    printf '}\n'
} >"$out/bench.json"
if command -v python3 >/dev/null; then
    python3 tools/measured.py bench "$out/bench.json" >"$out/bench.md" || worst=${worst#0}
fi
echo "In $out: bench.json, bench.txt, bench.md."
finish "${worst:-1}"

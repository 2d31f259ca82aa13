#!/bin/sh
# bench.sh: the emulator's speed in thread-executions per second of one core, beside a bare loop of the
# same instructions (reference.c) timed in the same run. Medians of five.
#   --check    exit 1 below 50 M/s for vector scale or 25 M/s with a block barrier, or above 0.3 s of start-up
# Start-up is measured apart and taken off: the time of many launches less the time of one.
# Run from the top of the repository, after `make emulator`.
set -u
run=build/bin/emu-run
reference=build/bench/reference
elements=1048576
launches=16
rounds=5
[ -x "$run" ] || { echo "bench.sh: no $run; make emulator" >&2; exit 2; }
mkdir -p build/bench
${CC:-cc} -std=c17 -O3 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off tests/bench/reference.c -o "$reference" || exit 5

median() { sort -n | sed -n "$(((rounds + 1) / 2))p"; }

# seconds KERNEL ELEMENTS LAUNCHES: of one emu-run, CPU and wall clock
seconds() {
    "$reference" time "$run" tests/bench/scale.ptx --launch "tests/bench/$1.launch" \
        --set "N=$2" --set "BLOCKS=$((($2 + 255) / 256))" --set "REPEAT=$3" ||
        { echo "bench.sh: emu-run failed on $1" >&2; exit 5; }
}

# speed KERNEL: thread-executions per second
speed() {
    round=0
    while [ "$round" -lt "$rounds" ]; do
        one=$(seconds "$1" "$elements" 1) || exit
        many=$(seconds "$1" "$elements" "$((launches + 1))") || exit
        awk -v a="$one" -v b="$many" -v n="$((elements * launches))" 'BEGIN { split(a, x, " "); split(b, y, " "); printf "%.0f\n", n / (y[1] - x[1]) }'
        round=$((round + 1))
    done | median
}

# row LABEL SPEED REFERENCE
row() {
    awk -v l="$1" -v s="$2" -v r="$3" 'BEGIN { printf "%-34s %8.1f M/s   %5.2f of the loop\n", l, s / 1e6, s / r }'
}

loop=$("$reference" loop 0.2) || exit
yardstick=$(echo "$loop" | tail -n 1)
base=${yardstick#* }
scale=$(speed scale) || exit
barrier=$(speed scale_barrier) || exit
start=$(round=0
    while [ "$round" -lt "$rounds" ]; do
        seconds scale 256 1 || exit
        round=$((round + 1))
    done | cut -d " " -f 2 | median) || exit
[ -n "$scale" ] && [ -n "$barrier" ] && [ -n "$start" ] || exit 5

echo "thread-executions per second, 256 threads a block, one core, medians of $rounds"
echo "$loop" | while read -r name value; do row "bare loop, $name" "$value" "$base"; done
row "emulator, vector scale" "$scale" "$base"
row "emulator, with a block barrier" "$barrier" "$base"
echo "start-up of emu-run: $start s"
[ "${1:-}" != --check ] ||
    { [ "$scale" -ge 50000000 ] && [ "$barrier" -ge 25000000 ] && awk -v s="$start" 'BEGIN { exit !(s <= 0.3) }'; }

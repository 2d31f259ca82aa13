#!/bin/sh
# all_h200.sh FOLDER [PART...]: what needs a GPU of compute capability 9.0, in one call of about five minutes.
# Each part is a script of this folder, PART.sh or PART_h200.sh, with a time limit of its own; one that fails does not
# stop the others, and what it wrote is in FOLDER as soon as it ends. A line for each at the end; exit 1 if any failed.
# Without PART: build micro shapes report rungs timeline, which write
#   report.txt report.json   make report: steps, comparison, bench      bench.json bench.txt     make bench
#   micro.measured           constants for the model                    proxy_fence_shapes.txt   missing fences that show
#   rungs.txt                the ladder                                 all.log                  how each part went
# Other parts: bench (the bench alone); recorded before: corpus programs steps clc_speed clc_matrix proxy_fence clc_steps errors
set -u
out=${1:?usage: experiments/all_h200.sh FOLDER [PART...]}
shift
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.." || exit
PATH=$PATH:/usr/local/cuda/bin
BACKEND=gpu
export PATH BACKEND
unset OUT ARGS WORK # names that may mean something else where this runs
[ $# -gt 0 ] || set -- build micro shapes report rungs timeline
mkdir -p build/h200
log=$out/all.log
for tool in nvcc nvidia-smi make cc g++ python3; do
    printf '%-10s %s\n' "$tool" "$(command -v "$tool" || echo '(not found)')"
done | tee "$log"
failed=0
summary=

limit() { # PART: seconds
    case $1 in build) echo 170 ;; report | clc_steps | steps | corpus) echo 220 ;; *) echo 110 ;; esac
}

for part; do
    script=experiments/${part}_h200.sh
    [ -f "$script" ] || script=experiments/$part.sh
    echo "==== $part" >>"$log"
    start=$(date +%s)
    timeout "$(limit "$part")" sh "$script" "$out" >"build/h200/$part.log" 2>&1
    code=$?
    cat "build/h200/$part.log" >>"$log"
    tail -n 12 "build/h200/$part.log"
    [ "$code" -eq 0 ] || failed=1
    line=$(printf '%-12s exit %-4s %4s s' "$part" "$code" "$(($(date +%s) - start))")
    echo "$line" | tee -a "$log"
    summary="$summary
$line"
done
echo "$summary"
exit "$failed"

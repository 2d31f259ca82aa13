#!/bin/sh
# make report: what your GPU does with the steps, in one file that you can send: build/report/report.txt, and report.json.
#   experiments/report.sh [FOLDER]
# The steps, judged on the emulator and run on the GPU; the comparison; the bench. About two minutes. Nothing is sent.
# BACKEND=emulator makes the same file without a GPU, for its form: steps and comparison, no bench.
# Exit: 0; 3 without a GPU that the steps can use; otherwise the first exit code that is not 0.
set -u
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
out=${1:-build/report}
LC_ALL=C
export LC_ALL

tools/variables.sh check || finish 2
ask_machine
mode=$(field MODE)
if [ "$mode" != gpu ] && [ "${BACKEND:-auto}" != emulator ]; then
    finish 3 "make report tells what a GPU does, and there is none it could use: $(field WHY)"
fi
need_nvcc 'make report'
room "$out"
report=$out/report.txt
worst=0

part() { # TITLE COMMAND...
    title=$1
    shift
    echo "Now: $title"
    printf '\n==== %s\n$ %s\n' "$title" "$*" >>"$report"
    "$@" >>"$report" 2>&1
    code=$?
    echo "exit $code" >>"$report"
    [ $code -eq 0 ] || echo "     exit $code, see $report"
    [ $worst -ne 0 ] || worst=$code
}

{
    echo "Work stealing with Cluster Launch Control: a report"
    echo "date     $(date -u +%Y-%m-%d)"
    echo "source   $(git rev-parse --short HEAD 2>/dev/null || echo 'no git here')"
    echo "gpu      $(field GPU_NAME) $(field GPU_CC)"
    echo "driver   $(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
    echo "nvcc     $(field NVCC_VERSION)"
    echo "runs     $(field WHY)"
} >"$report"
steps=$(for step in step0*/; do echo "${step%/}"; done)
# shellcheck disable=SC2086 # a list
part 'the steps' tools/run.sh $steps
part 'the comparison' env -u ARGS experiments/compare.sh
[ "$mode" != gpu ] || part 'the bench' experiments/bench.sh "$out/bench"
{
    printf '{"mode": "%s", "gpu": "%s", "exit": %d, "compare": ' "$mode" "$(field GPU_NAME)" "$worst"
    cat "${COMPARE_OUT:-build/compare}/compare.json" 2>/dev/null || echo null
    printf ', "bench": '
    cat "$out/bench/bench.json" 2>/dev/null || echo null
    printf '}\n'
} >"$out/report.json"
echo "In $out: report.txt, to read and to send, and report.json with all figures."
finish "$worst"

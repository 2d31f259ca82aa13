#!/bin/bash
# A student's kernel under the launch of one of the lab's tests, once, by hand: the verdict, and its blocks over time.
#   labs/look.sh N                    the tests that can be looked at
#   labs/look.sh N TEST [OPTION]...   options of emu-run, such as --seed 3, --refuse p0.3, --schedules 20, --verbose, --no-check,
#                                     --save counts=counts.npy, --trace trace.tsv (every event, a line each)
#   FOLDER=labs/work/L8-capstone/solution labs/look.sh 8 prompts     another folder; SEED=7: other inputs (default 1)
# No grade depends on it. Exit as emu-run: 0 right, 1 wrong, 2 usage, 3 no compiler.
set -u
cd "$(dirname "$0")/.." || exit 3
fail() { # STATUS SENTENCE
    echo "look: $2" >&2
    exit "$1"
}

number=${1:-} id=${2:-}
[ -n "$number" ] || fail 2 "which lab, and which of its tests? make look N=3 TEST=steals"
instructor=$(echo labs/instructor/L"$number"-*)
[ -d "$instructor" ] || fail 2 "there is no lab $number"
lab=${instructor##*/} work=build/labs/look/$lab
folder=${FOLDER:-labs/work/$lab}

runs() { awk -F '\t' 'NR > 1 && $4 == "run"' "$instructor/tests.tsv"; }
if [ -z "$id" ]; then
    runs | awk -F '\t' '{ printf "  %-20s %s\n", $1, $6 } END { exit !NR }' || fail 2 "lab $number has no test that runs a kernel"
    exit
fi
arguments=$(runs | awk -F '\t' -v id="$id" '$1 == id { print $5 }')
[ -n "$arguments" ] || fail 2 "lab $number has no test '$id' that runs a kernel; make look N=$number lists them"
shift 2

word() { # KEY: its value in the test's arguments
    local w
    for w in $arguments; do case $w in "$1"=*) echo "${w#*=}" && return ;; esac done
}
file=$(word file) launch=$instructor/$(word launch)
[ -f "$folder/$file" ] || fail 2 "$folder/$file is not there; make lab N=$number hands it out"

eval "$(BACKEND=emulator tools/detect.sh)" || exit
[ -n "$NVCC" ] || fail 3 "a kernel must be compiled to be run; make toolkit fetches a compiler"
[ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
mkdir -p "$work"
"$NVCC" -ptx -O3 -std=c++17 -lineinfo -gencode arch=compute_100a,code=compute_100a -I. "$folder/$file" -o "$work/$file.ptx" || fail 1 "$folder/$file does not compile"

rm -rf "$work/inputs"
inputs=$(build/bin/grade inputs "$number" "$id" --seed "${SEED:-1}" --out "$work/inputs") || exit
steps=$(word steps)
options=(--device tiny --steps "${steps:-400000}") check=--check trace=$work/trace
while read -r line; do [ -z "$line" ] || options+=(--set "$line"); done <<<"$inputs"
for array in "$work"/inputs/*.npy; do options+=(--set "$(basename "$array" .npy)=$array"); done
for w in refuse seed schedules; do # those of the test, unless there are some of your own
    value=$(word ${w/seed/schedule})
    if [ -n "$value" ] && [[ " $* " != *" --$w "* ]]; then options+=("--$w" "$value"); fi
done
while [ $# -gt 0 ]; do
    case $1 in
    --no-check) check='' ;;
    --trace)
        [ $# -ge 2 ] || fail 2 "--trace wants a file"
        trace=$2
        shift
        ;;
    *) options+=("$1") ;;
    esac
    shift
done
build/bin/emu-run "$work/$file.ptx" --launch "$launch" --set "HERE=$instructor" --trace "$trace" $check "${options[@]}"
status=$?
[ -s "$trace" ] && awk -F '\t' -v width=64 -f labs/look.awk "$trace"
exit $status

#!/bin/sh
# corpus_h200.sh FOLDER: the corpus of opcode spellings on a real GPU of compute capability 9.0.
# Builds tests/corpus for sm_90 with -fmad=false and writes into FOLDER
#   corpus.txt   results of the generated sources     threads.txt  of warp.cu block.cu cluster.cu flow.cu print.cu
#   about.txt    GPU, driver, toolkit, date, and what could not be built or run
# The first two are the expected results of tests/corpus/run.sh (tests/corpus/expected).
# Run from the top of the repository. Without python3 the sources must be in build/corpus already.
set -u
out=${1:?usage: experiments/corpus_h200.sh FOLDER}
work=build/corpus/native
mkdir -p "$out" "$work"
PATH=$PATH:/usr/local/cuda/bin
export PATH
command -v nvcc >/dev/null || { echo "corpus_h200.sh: no nvcc on PATH or in /usr/local/cuda/bin" >&2; exit 3; }
jobs=$(nproc 2>/dev/null || echo 2)
log=$out/about.txt
: >"$out/corpus.txt"
: >"$out/threads.txt"
{
    echo "date     $(date -u +%Y-%m-%d)"
    echo "gpu      $(nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader 2>&1 | head -n 1)"
    echo "toolkit  $(nvcc --version | sed -n 's/.*release.*V/V/p')"
    echo "options  -O3 -fmad=false -gencode arch=compute_90,code=sm_90"
} >"$log"

if command -v python3 >/dev/null; then
    rm -f build/corpus/corpus_*.cu
    python3 tools/corpus.py generate tests/corpus/spellings.tsv build/corpus || exit 1
fi
set -- build/corpus/corpus_*.cu tests/corpus/warp.cu tests/corpus/block.cu tests/corpus/cluster.cu tests/corpus/flow.cu tests/corpus/print.cu
# shellcheck disable=SC2016  # $1 is the inner shell's
printf '%s\n' "$@" | xargs -P "$jobs" -I{} sh -c '
    name=$(basename "$1" .cu)
    nvcc -O3 -fmad=false -w -Itests/corpus -gencode arch=compute_90,code=sm_90 -o "$2/$name" "$1" >"$2/$name.log" 2>&1 ||
        rm -f "$2/$name"' sh {} "$work"

failed=0
again=$work/again
rm -f "$again"
for source; do
    name=$(basename "$source" .cu)
    case $name in corpus_*) to=corpus.txt ;; *) to=threads.txt ;; esac
    if [ ! -x "$work/$name" ]; then
        echo "not built $name: $(grep -m 1 -i error "$work/$name.log")" >>"$log"
        failed=$((failed + 1))
    elif ! LIMIT=60 sh tests/corpus/collect.sh "$work/$name" "$out/$to" 2>>"$log"; then
        failed=$((failed + 1))
    else
        LIMIT=60 sh tests/corpus/collect.sh "$work/$name" "$again" 2>/dev/null
    fi
done
cat "$out/corpus.txt" "$out/threads.txt" | sort >"$work/first"
sort "$again" 2>/dev/null | comm -13 "$work/first" - | sed 's/^\([^:]*\):.*/differs in a second run: \1/' >>"$log"
echo "lines    $(cat "$out/corpus.txt" "$out/threads.txt" | wc -l) of $# programs, $failed of them with faults" >>"$log"
cat "$log"
[ "$failed" -eq 0 ] && [ -s "$out/corpus.txt" ]

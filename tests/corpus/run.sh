#!/bin/sh
# run.sh: the corpus on the emulator, held bit by bit against what a real GPU gave (expected/).
# Builds the generated sources and warp, block, cluster, flow and print with nvcc-emu under build/corpus/emu, runs
# them, prints TAP: a line a spelling, `ok N - spelling`. Two more lines: every spelling that
# `emu-run --list-opcodes` names has a case; every case has an expected result.
# Exit 0 all equal, 1 a difference, 3 no nvcc here. JOBS=N compiles N at once (2).
# EMU_DEVICE is h200: the results are those of capability 9.0.
set -u
cd "$(dirname "$0")/../.." || exit
here=tests/corpus
work=build/corpus/emu
expected=$here/expected
table=$here/spellings.tsv
EMU_DEVICE=h200
export EMU_DEVICE
mkdir -p "$work"

give_up() { echo "Bail out! $2" && exit "$1"; }
command -v python3 >/dev/null || give_up 3 "the corpus needs python3"
[ -x build/bin/emu-run ] || give_up 1 "no build/bin/emu-run; make emulator"
build/bin/emu-run --list-opcodes >"$work/listed.txt" || give_up 5 "emu-run --list-opcodes failed"
[ -s "$work/listed.txt" ] || give_up 5 "emu-run --list-opcodes names nothing"
python3 tools/corpus.py generate "$table" "$work" --covered "$work/listed.txt" || give_up 1 "no sources were made"

# compile SOURCE: again only if the source or the emulator changed
cat >"$work/compile.sh" <<'END'
out=build/corpus/emu/$(basename "$1" .cu)
for from in "$1" tests/corpus/corpus.cuh build/lib/libcudart_emu.a; do
    [ "$out" -nt "$from" ] || stale=yes
done
[ -n "${stale:-}" ] || exit 0
emulator/bin/nvcc-emu -w -O1 -fmad=false -Itests/corpus "$1" -o "$out" >"$out.log" 2>&1 || rm -f "$out"
END
set -- "$work"/corpus_*.cu $here/warp.cu $here/block.cu $here/cluster.cu $here/flow.cu $here/print.cu
printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -I{} sh "$work/compile.sh" {}

: >"$work/corpus.txt"
: >"$work/threads.txt"
: >"$work/faults.txt"
for source; do
    name=$(basename "$source" .cu)
    case $name in corpus_*) to=corpus.txt ;; *) to=threads.txt ;; esac
    if [ ! -x "$work/$name" ]; then
        echo "# $name was not compiled: $(head -n 3 "$work/$name.log")" >>"$work/faults.txt"
    else
        sh $here/collect.sh "$work/$name" "$work/$to" 2>>"$work/faults.txt"
    fi
done
head -n 40 "$work/faults.txt"

cat "$work/corpus.txt" "$work/threads.txt" >"$work/results.txt"
cat "$expected/corpus.txt" "$expected/threads.txt" >"$work/expected.txt"
python3 tools/corpus.py compare "$work/expected.txt" "$work/results.txt" --table "$table" \
    --skip "$work/left_out.txt"
status=$?

if lost=$(python3 tools/corpus.py missing "$work/listed.txt" "$work/expected.txt" --table "$table"); then
    echo "ok - every listed spelling has a case"
else
    echo "not ok - every listed spelling has a case"
    echo "$lost" | sed 's/^/# no case: /'
    status=1
fi
python3 tools/corpus.py list "$table" | sort >"$work/cases.txt"
if lost=$(sed 's/: .*//' "$work/expected.txt" | sort | comm -23 "$work/cases.txt" - | grep .); then
    echo "not ok - every case of the table has an expected result"
    echo "$lost" | head -n 20 | sed 's/^/# not expected: /'
    status=1
else
    echo "ok - every case of the table has an expected result"
fi
exit $status

#!/bin/sh
# Runs a step from the PTX stored beside it, for readers who have no nvcc:
#   common/run-stored.sh STEP_DIR [OPTION]...
# job prepare writes the data, emu-run runs the kernel twice (recorded, then timed without recording),
# job report judges. Ends with the exit code of whichever failed first; builds nothing.
# Obeys EMU_DEVICE, EMU_SEED, EMU_STEPS and whatever else emu-run obeys.
set -u
cd "$(dirname "$0")/.." || exit 3

[ $# -ge 1 ] || { echo "usage: common/run-stored.sh STEP_DIR [OPTION]..." >&2; exit 2; }
step=${1%/}
shift
base=$(basename "$step")
name=${base#step[0-9][0-9]_}
name=${name#[0-9][0-9]-}
dir=build/$step/stored
job=build/bin/job
emu=${EMU_RUN:-build/bin/emu-run}
if [ -f "$step/$name.cu" ] && [ ! -f "$step/$name.ptx" ] && [ ! -f "$step/$name.launch" ]; then # most variants
    echo "run-stored: of $step no PTX is stored; make toolkit fetches a compiler for it" >&2
    exit 3
fi
for file in "$step/$name.ptx" "$step/$name.launch" "$job" "$emu"; do
    [ -f "$file" ] || {
        echo "run-stored: $file is not there; what is under build/ \`make $file\` makes, the rest is in git" >&2
        exit 3
    }
done

for word; do
    if [ "$word" = --help ]; then
        exec "$job" prepare "$name" "$dir" --help
    fi
done

rm -rf "$dir"
mkdir -p "$dir" || exit 3
"$job" prepare "$name" "$dir" "$@" || exit

# The words for emu-run, one a line, so that names with blanks stay whole.
run() { # the rest: words for this run alone
    while IFS= read -r word; do
        set -- "$@" "$word"
    done <"$dir/emu-run.args"
    [ -z "${EMU_DEVICE:-}" ] || set -- --device "$EMU_DEVICE" "$@"
    [ -z "${EMU_SEED:-}" ] || set -- --seed "$EMU_SEED" "$@"
    [ -z "${EMU_STEPS:-}" ] || set -- --steps "$EMU_STEPS" "$@"
    "$emu" "$step/$name.ptx" --launch "$step/$name.launch" --json "$@"
}

if grep -qx 'COUNT=0' "$dir/emu-run.args"; then
    : # n is 0: an empty grid is not launched
else
    run --save "data=$dir/result.npy" --save "tiles=$dir/tiles.npy" --save "blocks=$dir/blocks.npy" \
        --set "TILES=buffer tiles" --set "BLOCKS=buffer blocks" --set RECORD=1 >"$dir/recorded.json" 2>"$dir/emu-run.err"
    code=$?
    cat "$dir/emu-run.err" >&2
    [ $code -eq 0 ] || { [ -s "$dir/emu-run.err" ] || cat "$dir/recorded.json" >&2; }
    if grep -q 'is compiled for' "$dir/emu-run.err"; then
        echo "run-stored: the stored PTX runs with DEVICE=b200 and DEVICE=tiny; for the others, make toolkit fetches a compiler" >&2
    fi
    [ $code -eq 0 ] || exit $code
    work=$(sed -n 's/^BUSY=//p' "$dir/emu-run.args")
    # The protocol was judged, and a trace written, in the recorded run; this one is for the time.
    EMU_CHECK=0
    export EMU_CHECK
    unset EMU_TRACE
    run --set "TILES=u64 0" --set "BLOCKS=u64 0" --set "RECORD=$work" >"$dir/timed.json"
    code=$?
    [ $code -eq 0 ] || { cat "$dir/timed.json" >&2; exit $code; }
fi
exec "$job" report "$name" "$dir" "$@"

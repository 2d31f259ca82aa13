#!/bin/sh
# Runs a program on the emulator and writes every event (emulator/trace/trace.h):
#   tools/trace.sh DIR TRACE [OPTION]...      DIR holds NAME.cu, its stored PTX and launch file
# The launch is the one of common/run-stored.sh without the record of tiles, whose own accesses would stand in the way.
# If the program was changed since its PTX was stored, the PTX is made again, with nvcc. Obeys EMU_DEVICE (default tiny),
# EMU_SEED and whatever else emu-run obeys. Prints nothing; what the run says is in TRACE.out.
set -u
cd "$(dirname "$0")/.." || exit 3
[ $# -ge 2 ] || { echo "usage: tools/trace.sh DIR TRACE [OPTION]..." >&2; exit 2; }
step=${1%/} trace=$2
shift 2
name=$(basename "$step")
name=${name#step[0-9][0-9]_}
name=${name#[0-9][0-9]-}
work=$trace.d
ptx=$step/$name.ptx
rm -rf "$work"
mkdir -p "$work" || exit 3
for file in "$step/$name.cu" "$ptx" "$step/$name.launch" build/bin/job build/bin/emu-run; do
    [ -f "$file" ] || { echo "trace.sh: $file is not there; what is under build/ \`make $file\` makes" >&2; exit 3; }
done

# The reader has changed the program, or a file it includes.
changed() { [ -n "$(find "$step/$name.cu" common -name '*.cu*' -newer "$ptx" | head -n 1)" ]; }
if changed; then
    fresh=build/trace/ptx/$name.ptx
    mkdir -p "${fresh%/*}"
    if [ -n "$(find "$fresh" -newer "$step/$name.cu" 2>/dev/null)" ] || tools/ptx.sh "$step/$name.cu" >"$fresh" 2>"$work/ptx.err"; then
        ptx=$fresh
    else
        rm -f "$fresh"
        [ -n "${TRACE_QUIET:-}" ] || cat "$work/ptx.err" >&2
        if grep -q error "$work/ptx.err"; then exit 1; fi
        echo "trace.sh: $step/$name.cu is newer than its PTX, and there is no nvcc to compile it; this is the stored PTX" >&2
    fi
fi

EMU_DEVICE=${EMU_DEVICE:-tiny}
export EMU_DEVICE
build/bin/job prepare "$name" "$work" "$@" || exit
if grep -qx 'COUNT=0' "$work/emu-run.args"; then
    echo "trace.sh: n is 0, so nothing is launched" >&2
    exit 2
fi
busy=$(sed -n 's/^BUSY=//p' "$work/emu-run.args")
set --
while IFS= read -r word; do
    set -- "$@" "$word"
done <"$work/emu-run.args"
build/bin/emu-run "$ptx" --launch "$step/$name.launch" --trace "$trace" --set "TILES=u64 0" --set "BLOCKS=u64 0" \
    --set "RECORD=$busy" "$@" >"$trace.out" 2>&1
status=$?
[ $status -eq 0 ] || cat "$trace.out" >&2
rm -rf "$work"
exit $status

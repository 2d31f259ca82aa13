#!/bin/sh
# The protocol as it happened, for one block or cluster:
#   STEP=3 tools/transcript.sh                  block 0 of step 3 on the toy GPU
#   STEP=4 | STEP=bytes | RUNG=04               another program
#   WITHOUT=flip                                the same without a line, as in make break: until the run ends, or hangs
#   BLOCK=2 | TILE=9 | BARRIER=bar              another block; the block that did a tile, there; lines of one barrier
# Obeys DEVICE, SEED, REFUSE and ARGS too. Exit 0; 2 if there is no such step, block, tile or barrier.
set -u
cd "$(dirname "$0")/.." || exit 3
# shellcheck disable=SC1091 # in the repository
. tools/script.sh

find_program() { # sets dir
    wanted=${RUNG:-${STEP:-3}}
    number=$(printf '%s' "$wanted" | sed 's/^step//; s/^\([1-9]\)$/0\1/')
    [ -n "${RUNG:-}" ] || for dir in step"$number"_*; do
        [ ! -d "$dir" ] || return 0
    done
    for dir in tutorial/rungs/[0-9][0-9]-*; do
        case $dir in */"$number"-* | *-"$wanted" | */"$wanted" | *-"$wanted"s-kernel) return ;; esac
    done
    for dir in tutorial/rungs/*/"$wanted"; do
        [ ! -f "$dir/$wanted.launch" ] || return 0
    done
    finish 2 "transcript: there is no step or rung '$wanted'; there is: 1 2 3 4$(printf ' %s' tutorial/rungs/[0-9][0-9]-* | sed 's|tutorial/rungs/[0-9]*-||g')"
}

tools/variables.sh check || finish 2
eval "$(tools/variables.sh export)"
unset EMU_SCHEDULES EMU_TRACE
find_program
name=$(basename "$dir" | sed 's/^step[0-9][0-9]_//; s/^[0-9][0-9]-//')
own=build/trace/transcript.$$ # two at once do not meet
trace=$own/$name.trace
source=$dir/$name.cu
room "$own"
trap 'rm -rf "$own"' EXIT
trap 'exit 130' INT TERM

# Sets ran. The broken forms are the stored ones of make break; there 40 tiles of 64 threads run.
run_without() {
    # shellcheck disable=SC1091 # in the repository
    . tools/mutant.sh
    key=$(printf '%s' "${name%-kernel}" | sed 's/^clc_blocks$/3/; s/^clc_clusters$/4/; s/^guides$/guide/')
    { mutant_source "$key" && ptx=$(mutant_stored); } || finish 2 "transcript: WITHOUT goes with STEP=3, STEP=4 or one of$(mutant_rungs)"
    mutant_find "$key" "$WITHOUT" || finish 2 "transcript: there is no '$WITHOUT' in $name; make break STEP=$key lists what there is"
    mutant_launch "$own/without"
    # shellcheck disable=SC2154 # kernel: mutant_find sets it
    EMU_DEVICE=tiny build/bin/emu-run "$ptx" --launch "$own/without/$kernel.launch" --steps 20000 --set UNITS=2 \
        --trace "$trace" >"$trace.out" 2>&1
    ran=$?
    case $ran in 0 | 1) return ;; esac
    cat "$trace.out" >&2
}

if [ -n "${WITHOUT:-}" ]; then run_without; else
    # shellcheck disable=SC2086 # ARGS is a list of words
    tools/trace.sh "$dir" "$trace" ${ARGS:---n 1024 --block 64}
    ran=$?
fi
case $ran in 0 | 1) ;; *) finish $ran "transcript: $dir did not run" ;; esac
set --
[ -z "${BLOCK:-}" ] || set -- "$@" --block "$BLOCK"
[ -z "${TILE:-}" ] || set -- "$@" --tile "$TILE"
[ -z "${BARRIER:-}" ] || set -- "$@" --barrier "$BARRIER"
build/bin/show transcript "$trace" "$source" "$@"
status=$?
[ $status -eq 0 ] || finish $status
if [ -n "${WITHOUT:-}" ]; then
    echo
    echo "Without $WITHOUT the run ends so:"
    head -n 1 "$trace.out"
elif [ $ran -ne 0 ]; then
    finish $ran "transcript: the run ended with $ran; this is what happened until then"
fi

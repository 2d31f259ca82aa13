#!/bin/sh
# The guide's table with figures in place of ticks: for each work, all ways to hand out its tiles.
#   experiments/compare.sh [OPTION...]    options of experiments/compare/compare.cu for every work
# WORK= names the works, or files, separated by blanks; without it all of them. JSON=1 prints JSON in place of text.
# Writes build/compare/WORK.txt and WORK.json, and all of them in build/compare/compare.txt and compare.json.
# On the emulator the works run side by side, without the checker: `make run` has judged the protocol.
set -uf # a work is never a pattern for file names
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
LC_ALL=C
export LC_ALL
works=${WORK:-}
case $works in *[!\ ]*) ;; *) works='light heavy mesh ramp zipf giant prompts rows rings counties' ;; esac
out=${COMPARE_OUT:-build/compare}
parts=$out/parts.$$ # nothing of an interrupted run stays, and two at once do not meet
export EXTRA="$* ${ARGS:-}"

name_of() { # WORK: a file name without its folder and ending
    name=${1##*/}
    echo "${name%.*}"
}

# --- build ------------------------------------------------------------------

tools/variables.sh check || finish 2
eval "$(tools/variables.sh export)"
[ "${CHECK:-0}" = 1 ] || EMU_CHECK=0
export EMU_CHECK
ask_machine
mode=$(field MODE)
need_nvcc 'make compare'
tools/run.sh --build experiments/compare || exit
case $mode in
gpu)
    PROGRAM=build/experiments/compare/compare.gpu jobs=1
    pin_gpu "$(field GPU)"
    ;;
*) PROGRAM=build/experiments/compare/compare.emu jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN || echo 2) ;;
esac
export PROGRAM

# --- run --------------------------------------------------------------------

trap 'rm -rf "$parts"' EXIT
trap 'exit 130' INT TERM
room "$parts"
rm -f "$out/compare.txt" "$out/compare.json" # an interrupted run leaves no older table
twice=$(for work in $works; do name_of "$work"; done | sort | uniq -d | head -1)
[ -z "$twice" ] || finish 2 "WORK: two of these are called $twice, and the files in $out are named by that"
# The last ones of the list take longest, and come first.
# shellcheck disable=SC2016,SC2086 # $1 is the inner shell's; a list
printf '%s\n' $works | tac | tr '\n' '\0' | PARTS=$parts xargs -0 -P "$jobs" -I{} sh -c '
    name=${1##*/} name=${name%.*}
    # shellcheck disable=SC2086 # options
    "$PROGRAM" --work "$1" --json "$PARTS/$name.json" $EXTRA >"$PARTS/$name.txt" 2>&1
    echo $? >"$PARTS/$name.code"' sh {}

worst=0
for work in $works; do
    part=$parts/$(name_of "$work")
    code=$(cat "$part.code")
    [ "${code:-2}" -eq 0 ] && continue
    cat "$part.txt" >&2
    worst=${code:-2}
done
[ "$worst" -eq 0 ] || finish "$worst"

text() {
    field WHY
    [ "$mode" = gpu ] || echo 'Times are model cycles, not those of a real GPU; the checker is off.'
    for work in $works; do
        echo && cat "$parts/$(name_of "$work").txt" || return
    done
}

json() {
    separator='['
    for work in $works; do
        printf '%s\n' "$separator" && cat "$parts/$(name_of "$work").json" || return
        separator=','
    done
    echo ']'
}

{ text >"$parts/compare.txt" && json >"$parts/compare.json" && set +f && rm "$parts"/*.code && mv "$parts"/* "$out"; } ||
    finish 2 "$out: the figures cannot be written there"
if [ "${JSON:-0}" = 1 ]; then
    cat "$out/compare.json"
else
    cat "$out/compare.txt"
    printf '\nIn %s: compare.txt and compare.json.\nNext: make compare WORK=rings DEVICE=h200\n' "$out"
fi

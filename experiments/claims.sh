#!/bin/sh
# make claims: runs the experiments behind what the book says, and prints for each claim whether it holds here.
#   experiments/claims.sh [ID...]       all of claims.tsv, or some
# A row of claims.tsv: id, what it needs (emulator, nvcc, gpu), the sentence, a command, and what must hold of its output:
#   match ERE           a line of the output matches
#   awk PROGRAM         awk over the output ends with 0
#   figures EXPRESSION  of compare.json or bench.json, see tools/measured.py
# Prints `holds`, `does not hold here`, or `needs a GPU` (and what the recorded run on an H200 says), id, sentence.
# Exit: 0; 1 if one does not hold; 2 for an id that is not there.
set -u
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
table=experiments/claims.tsv
record=experiments/results/h200
LC_ALL=C
export LC_ALL
tools/variables.sh check || finish 2
ask_machine
mode=$(field MODE)
out=build/claims
bad=0

for id; do
    cut -f1 $table | grep -qxF -- "$id" || finish 2 "claims: there is no claim $id; the first column of $table has them"
done

# A command is run once, however many claims rest on it; its output is the file that is printed.
output_of() { # COMMAND
    name=$out/$(printf '%s' "$1" | cksum | tr ' ' -).txt
    [ -f "$name" ] || sh -c "$1" >"$name" 2>&1 || echo "exit $?" >>"$name"
    echo "$name"
}

figures_of() { # COMMAND: the JSON it writes
    case $1 in *bench*) echo build/bench/bench.json ;; *WORK=*) echo "build/compare/${1##*WORK=}.json" ;; *) echo build/compare/compare.json ;; esac
}

# judge HOLDS OUTPUT JSON
judge() {
    what=${1#* }
    case $1 in
    match*) grep -qE -- "$what" "$2" ;;
    awk*) awk "$what" "$2" >/dev/null ;;
    figures*) python3 tools/measured.py holds "$3" "$what" ;;
    esac
}

needs_python() { # HOLDS
    case $1 in figures*) ! command -v python3 >/dev/null ;; *) false ;; esac
}

recorded() { # COMMAND HOLDS
    if needs_python "$2"; then echo 'recorded; python3 would compare the figures' && return; fi
    case $1 in
    *model*) file=$record/model.txt ;;
    *shapes*) file=$record/proxy_fence_shapes.txt ;;
    *) file=$record/bench.txt ;;
    esac
    [ -f "$file" ] || { echo 'not recorded' && return; }
    if judge "$2" "$file" $record/bench.json 2>/dev/null; then echo 'recorded on an H200: holds'; else echo 'recorded on an H200: does not hold'; fi
}

room $out
rm -f $out/*
tail -n +2 $table | tr '\t' '\001' >$out/rows
while IFS=$(printf '\001') read -r id needs sentence command holds; do
    case " $* " in "  " | *" $id "*) ;; *) continue ;; esac
    if [ "$needs" = gpu ] && [ "$mode" != gpu ]; then
        verdict="needs a GPU ($(recorded "$command" "$holds"))"
    elif [ "$needs" = nvcc ] && [ "$mode" = stored ]; then
        verdict='needs nvcc (make toolkit)'
    elif needs_python "$holds"; then
        verdict='needs python3, which compares the figures'
    else
        text=$(BACKEND=${BACKEND:-} && [ "$needs" = gpu ] || export BACKEND=emulator && output_of "$command" </dev/null)
        if judge "$holds" "$text" "$(figures_of "$command")"; then
            verdict=holds
        else
            verdict='does not hold here'
            bad=$((bad + 1))
        fi
    fi
    printf '%-22s %s\n%22s %s\n' "$id" "$sentence" '' "$verdict"
done <$out/rows
[ $bad -eq 0 ] || finish 1 "$bad do not hold here; what the experiments printed is in $out"

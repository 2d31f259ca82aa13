#!/bin/sh
# The pictures of the book, drawn from runs on the emulator: build/figures/NAME.svg.
#   tools/figures.sh [NAME...]       default: all of tutorial/figures/figures.tsv
#   tools/figures.sh --store NAME    makes tutorial/figures/NAME.svg, on white, for pages that show files as they are (README)
#   tools/figures.sh --check NAME    is that file what is drawn now? exit 1 if not, 3 with another gnuplot
# A row there names the program, its arguments and what draws: `trace`, the events of the run (emulator/show/), or
# `timeline`, the record of its tiles (tools/timeline.sh). Exit 0, or that of what failed first.
set -u
cd "$(dirname "$0")/.." || exit 3
table=tutorial/figures/figures.tsv
out=build/figures
unset EMU_DEVICE EMU_SEED EMU_REFUSE EMU_STEPS EMU_TRACE EMU_SCHEDULES EMU_CHECK
EMU_DEVICE=tiny
export EMU_DEVICE
mkdir -p $out

row() { # NAME COLUMN
    awk -F '\t' -v name="$1" -v column="$2" 'NR > 1 && $1 == name { print $column }' $table
}

from_trace() { # NAME
    program=$(row "$1" 3)
    source=$(basename "$program" | sed 's/^step[0-9][0-9]_//; s/^[0-9][0-9]-//')
    # shellcheck disable=SC2046 # a list of words
    tools/trace.sh "$program" $out/"$1".trace $(row "$1" 4) &&
        build/bin/show figure "$1" $out/"$1".trace "$program/$source.cu" >$out/"$1".svg.new
}

draw() { # NAME
    case $(row "$1" 2) in
    trace) from_trace "$1" ;;
    timeline) tools/timeline.sh --figure "$1" >$out/"$1".svg.new ;;
    *) echo "figures: there is no '$1'; there is:$(awk -F '\t' 'NR > 1 { printf " %s", $1 }' $table)" >&2 && return 2 ;;
    esac
}

# Two more lines than in the picture for the book: what drew it, and the white.
stored() { # NAME
    awk -v by="$(gnuplot --version 2>/dev/null)" '{ print } /^>$/ && !done { done = 1
        print "<!-- by tools/figures.sh; " by " -->\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>" }' $out/"$1".svg
}

case ${1:-} in
--store | --check)
    [ $# -eq 2 ] || { echo "usage: tools/figures.sh $1 NAME" >&2 && exit 2; }
    tools/figures.sh "$2" >/dev/null || exit
    file=tutorial/figures/$2.svg
    if [ "$1" = --store ]; then stored "$2" >"$file" && exit; fi
    grep -qF "; $(gnuplot --version) -->" "$file" || { echo "$file was drawn by another gnuplot, or is not there" >&2 && exit 3; }
    stored "$2" | cmp -s - "$file" || { echo "$file is stale; tools/figures.sh --store $2" >&2 && exit 1; }
    exit
    ;;
esac
# shellcheck disable=SC2046 # a list of names
[ $# -gt 0 ] || set -- $(awk -F '\t' 'NR > 1 { print $1 }' $table)
for name; do
    draw "$name" || { status=$? && rm -f "$out/$name.svg.new" && echo "exit $status" && exit $status; }
    mv "$out/$name.svg.new" "$out/$name.svg"
    rm -f "$out/$name.trace" "$out/$name.trace.out"
done
echo "$# pictures in $out"

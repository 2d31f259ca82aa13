#!/bin/sh
# The checker's rules as a Markdown table, for the chapter on them; what is no error has its severity beside the id:
#   tutorial/rules.sh PREFIX...     rules whose id begins with a PREFIX, in the order of emulator/checker/rules.def
# Exit 2: no rule begins so; 3: the emulator is not built.
set -u
cd "$(dirname "$0")/.." || exit 3
emu=${EMU_RUN:-build/bin/emu-run}
[ -x "$emu" ] || { echo "rules: $emu is not there; make $emu" >&2 && exit 3; }
[ $# -gt 0 ] || { echo 'usage: rules.sh PREFIX...' >&2 && exit 2; }

ids=''
for prefix; do
    found=$("$emu" --list-rules | awk -v prefix="$prefix" 'index($1, prefix) == 1 { print $1 }')
    [ -n "$found" ] || { echo "rules: no rule begins with $prefix" >&2 && exit 2; }
    ids="$ids $found"
done

# The words of --explain: ID: CAUSE, then `ask`, `try`, `chapter` and `source`.
row() {
    "$emu" --explain "$1" | awk -v id="$1" '
        NR == 1 { sub(/^[^:]*: /, ""); cause = $0 }
        $1 == "ask" { sub(/^ *ask */, ""); ask = $0 }
        $1 == "error" || $1 == "lint" || $1 == "hang" { severity = $1 }
        $1 == "source" { sub(/^ *source */, ""); sub(/ \(P: PTX.*/, ""); source = $0 }
        END {
            gsub(/P /, "P\302\240", source); gsub(/G /, "G\302\240", source) # keep together
            if (severity != "error") id = id ", " severity
            printf "| %s | %s | %s | %s |\n", id, cause, ask, source
        }'
}

echo '| rule | what is wrong | what to ask oneself | source |'
echo '|:------|:----------------------|:--------------------|:----------|'
for id in $ids; do row "$id"; done

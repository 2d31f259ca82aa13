#!/bin/sh
# The protocol card's table for a step, as Markdown:
#   tutorial/tables/card.sh 3      every named line of step 3
#   tutorial/tables/card.sh 4      those lines of step 4 that are not the same in step 3
# Code is without its namespaces and without an `if` that picks a thread. What a line is for comes from the comment above it, what happens without it from tests/mutants/mutants.tsv, and
# only the column on pairs from card.tsv. Exit 1: a line has no row in one of them, or a row no line; 2: usage.
set -u
cd "$(dirname "$0")/../.." || exit
case ${1:-} in 3 | 4) step=$1 ;; *) echo 'usage: tutorial/tables/card.sh 3|4' >&2 && exit 2 ;; esac

# NAME <tab> LINE <tab> WHAT IT IS FOR <tab> STATEMENT, for the named lines of a step.
named() { # STEP
    awk '
        function flush() { if (name) print name "\t" at "\t" text "\t" code; name = "" }
        /^__global__/ { inside = 1 }
        /^}/ { if (inside) flush(); inside = 0 }
        !inside { next }
        match($0, /^ *\/\/ [a-z][a-z-]*: /) { flush(); name = $2; sub(/:$/, "", name); text = substr($0, RLENGTH + 1); code = ""; next }
        name && code == "" && /^ *\/\// { sub(/^ *\/\/ */, " "); text = text $0; next }
        name { if (code == "") at = FNR; sub(/^ */, ""); code = code $0 }
        name && /[;}]$/ { flush() }' "$(awk -F '\t' -v key="$1" '$1 == key { print $2 }' tests/mutants/sources.tsv)"
}

{
    named 3 | sed 's/^/3	/'
    named 4 | sed 's/^/4	/'
} | awk -F '\t' -v step="$step" '
    function fail(text) { print "card: " text >"/dev/stderr"; failed = 1 }
    FILENAME == "tutorial/tables/card.tsv" { if ($1 == step) { half[$2] = $3; left[$2] = 1 } next }
    FILENAME ~ /mutants.tsv/ { if ($1 == step && $2 == $3) { shows[$2] = $5; why[$2] = $7 } next }
    step == 4 && $1 == 3 { same[$2 $5] = 1; next }
        $1 != step || same[$2 $5] { next }
    { code = $5; sub(/^if \(.* == 0\) */, "", code); gsub(/ptx::|cg::/, "", code); sub(/ *\{ *\}$/, "", code); sub(/;$/, "", code) }
    {
        if (!($2 in half)) fail("step " step ": no row of card.tsv for " $2)
        if (!($2 in shows)) fail("step " step ": no row of mutants.tsv for " $2)
        delete left[$2]
        sub(/ Without it .*/, "", $4)
        symptom = shows[$2]; sub(/,/, " or ", symptom)
        row[++n] = "| **" $2 "** (" $3 ") | `" code "` | " $4 " | " half[$2] " | *" symptom "*: " why[$2] " |"
    }
    END {
        for (name in left) fail("step " step ": card.tsv has " name ", which is no line of its own there")
        if (failed) exit 1
        print "| line | code | what it is for | half of which pair | without it |"
        print "|---------|------------------------|-------------------|-----------------|----------------------|"
        for (k = 1; k <= n; k++) print row[k]
    }' tutorial/tables/card.tsv tests/mutants/mutants.tsv -

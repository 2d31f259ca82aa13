#!/bin/sh
# What happens without one of the lines that synchronise?
#   STEP=3 tools/break.sh                   lists the lines by name, with what they are for
#   STEP=3 WITHOUT=flip tools/break.sh      asks for a guess, tries up to 32 seeds, shows the first that tells
# STEP is 3, 4 or the name of a rung of the ladder, as in STEP=phases.
# GUESS=hang|wrong|report|nothing answers beforehand; without it, and without a terminal, nobody is asked.
# Runs the broken kernels stored beside the steps (broken.ptx, made by tools/mutate.py), so needs no nvcc.
# Exit 0: it behaved as the table of mutants says; 1: it did not; 2: there is no such step or line.
# shellcheck disable=SC1091,SC2154 # what mutant.sh sets
set -u
cd "$(dirname "$0")/.." || exit
LC_ALL=C
export LC_ALL
unset EMU_SEED EMU_REFUSE EMU_STEPS EMU_TRACE EMU_DEVICE
. tools/script.sh
. tools/mutant.sh
work=build/broken
tries=32

complain() { # TEXT...
    finish 2 "break: $*"
}

# Name and purpose of each named line: from the comments above them.
named() {
    awk '
        function flush() { if (name) print name "\t" text; name = "" }
        /^__global__/ { inside = 1 }
        /^}/ { inside = 0 }
        !inside { next }
        match($0, /^ *\/\/ [a-z][a-z-]*: /) {
            flush()
            text = substr($0, RLENGTH + 1); name = $2; sub(/:$/, "", name); next
        }
        name && /^ *\/\// { sub(/^ *\/\/ */, " "); text = text $0; next }
        { flush() }' "$file"
}

# What the others do, not what comes of it.
others() {
    awk -F '\t' -v key="$STEP" '$1 == key && $2 != $3 && $4 != "none" {
        what = $4
        sub(/^by /, "is now  ", what) || sub(/^replace /, "", what) || sub(/^after /, "stands after ", what) || sub(/^before /, "stands before ", what)
        print $2 "\t" $3 ": " what }' tests/mutants/mutants.tsv
}

# Name in the first column, the text folded beside it.
columns() {
    awk -F '\t' '{
        n = split($2, word, " "); line = ""; name = $1
        for (i = 1; i <= n; i++) {
            if (length(line) + length(word[i]) > 76 - 18) { printf "  %-17s%s\n", name, line; name = line = "" }
            line = line " " word[i]
        }
        printf "  %-17s%s\n", name, line
    }'
}

list() {
    echo "$file: lines to do without, by name"
    named | columns
    echo "and lines to write otherwise"
    others | columns
    echo "Next: make break STEP=$STEP WITHOUT=$(named | awk -F '\t' 'NR == 1 || $1 == "flip" { name = $1 } END { print name }')"
}

names() { awk -F '\t' -v key="$STEP" '$1 == key && $4 != "none" { printf " %s", $2 }' tests/mutants/mutants.tsv; }

# Sets guess, from GUESS or the terminal; empty: nobody was asked.
ask() {
    guess=${GUESS:-}
    if [ -z "$guess" ] && [ -t 0 ] && [ -t 1 ]; then
        if [ "$change" = delete ]; then echo "$file without $WITHOUT. Guess first:"; else
            echo "$file with $(others | sed -n "s/^$WITHOUT	/$WITHOUT, /p"). Guess first:"
        fi
        echo '  wrong    a wrong answer        hang     it never ends'
        echo '  report   right answers, but the checker objects        nothing  all is well'
        while printf '? ' && read -r guess; do # a slip of the finger is asked again
            case $guess in '' | wrong | hang | report | nothing) break ;; esac
            echo "'$guess' is none of the four: wrong, hang, report or nothing; Enter alone goes on without a guess"
        done
    fi
    case $guess in
    '' | wrong | hang | report | nothing) ;;
    *) complain "GUESS is wrong, hang, report or nothing, not '$guess'" ;;
    esac
}

# Tries until one run tells. Sets told, try and the variables of mutant_run.
search() {
    try=0 told=''
    while [ $try -lt $tries ]; do
        mutant_run "$ptx" $try
        case $status in
        0 | 1) ;;
        124) finish 5 "break: run $((try + 1)) took longer than a minute" ;;
        *) finish "$status" "$(head -n 3 "$out")" ;;
        esac
        if [ -n "$ids" ] || [ "$symptom" != right ]; then told=yes && return; fi
        try=$((try + 1))
    done
}

# What is seen with the checker off; the class that the table names first.
expected() { echo "${shows%%,*}"; }

# Another face under another order of events, where the table knows of several: a rule not yet reported.
second() {
    case $rules in *,*,*) ;; *) return ;; esac
    kept=$options kept_ids=$ids
    while [ $((try += 1)) -lt $tries ]; do
        mutant_run "$ptx" $try
        for id in $ids; do
            case " $kept_ids" in *" $id "*) continue ;; esac
            echo "And run $((try + 1)):"
            grep -m 1 "\[$id\]\$" "$out" && break 2
        done
    done
    options=$kept ids=$kept_ids
}

lines_of_report() { # the verdict and the reports, not the whole dump
    limit=12
    [ "${V:-0}" != 1 ] || limit=1000
    head -n $limit "$out"
    [ "$(wc -l <"$out")" -le $limit ] || echo "    ... V=1 shows all of it"
}

say_class() {
    case $1 in
    wrong) echo 'wrong: with the checker off, the answer is wrong or the run is stopped on the way' ;;
    hang) echo 'hang: it never ends' ;;
    report) echo 'report: the answers were right, and only the checker objects' ;;
    nothing) echo 'nothing: all is well' ;;
    esac
}

chapter() {
    slug=''
    for id in $ids; do
        [ -n "$slug" ] || slug=$(sed -n "/^RULE($id,/,/^RULE/s/.*\"\\([a-z-]*\\)\", \"[PG] .*/\\1/p" emulator/checker/rules.def | head -n 1)
    done
    echo "${slug:-rules}"
}

again() { # the command that shows this very run
    check=''
    [ "${CHECK:-1}" = 0 ] || check=' --check'
    echo "$mutant_emu $ptx --launch $dir/$kernel.launch --device tiny --steps 200000$check $options"
}

tell() {
    if [ -z "$told" ]; then
        echo "$tries runs, each with another order of events: right answers, no report."
    else
        echo "Run $((try + 1)) of at most $tries tells:"
        echo
        lines_of_report
        second
    fi
    echo
    say_class "$(expected)"
    if [ -n "$guess" ]; then
        if [ "$guess" = "$(expected)" ]; then echo "Your guess was right."; else echo "Your guess was '$guess'."; fi
    fi
    echo "Why: $why"
    [ -z "$told" ] || echo "Again: $(again)"
}

whole() { # the command that runs the source as it is
    case $STEP in
    3 | 4) echo "make step0$STEP" ;;
    *) echo "make -C ${file%/*} run" ;;
    esac
}

explained() { case $ids in '' | memory* | values*) ;; *) printf '; make explain RULE=%s' "${ids%% *}" ;; esac; }

next() {
    following=$(names | tr ' ' '\n' | awk -v now="$WITHOUT" 'NF && found { print; exit } $0 == now { found = 1 }')
    [ -z "$told" ] || echo "Chapter: tutorial, $(chapter)$(explained)"
    if [ -n "$following" ]; then echo "Next: make break STEP=$STEP WITHOUT=$following"; else echo "Next: $(whole)"; fi
}

# Did it do what the table says?
judge() {
    case ,$shows, in
    *,nothing,*) [ -z "$told" ] || finish 1 ;;
    *) [ -n "$told" ] || finish 1 ;;
    esac
}

tools/variables.sh check || finish 2
if [ -n "${RULE:-}" ]; then complain "make explain RULE=$RULE explains a rule; here it is STEP and WITHOUT"; fi
STEP=$(echo "${STEP:-}" | sed 's/^step//; s/^0[0-9]-//; s/^0//; s/^guides-kernel$/guide/')
[ -n "$STEP" ] || complain 'which step? STEP=3, STEP=4, or a rung, as in STEP=phases'
ptx=$(mutant_source "$STEP" && mutant_stored) || complain "STEP is 3, 4 or one of$(mutant_rungs), not '$STEP'"
mutant_source "$STEP"
if [ -z "${WITHOUT:-}" ]; then
    list
    exit
fi
mutant_find "$STEP" "$WITHOUT" || complain "there is no '$WITHOUT' in $(case $STEP in 3 | 4) echo step ;; *) echo rung ;; esac) $STEP; there is:$(names)"
for needed in "$ptx" "$mutant_emu"; do
    [ -f "$needed" ] || finish 3 "break: $needed is not there"
done
ask
[ "${CHECK:-1}" = 0 ] || export EMU_CHECK=1
room $work
mutant_launch $work
out=$work/$kernel.$$.out
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT TERM
search
tell
next
judge

#!/bin/bash
# Builds and runs every test: the rooms' (cmocka), the commands' (bats), the corpus of kernels.
#   tests/run.sh            T=word: only files and tests whose name contains it
#   tests/run.sh --one ...  one entry of the queue, for itself
# One line a file as it ends, the output of failures alone, and how to repeat them. The last line is
# `N passed, N failed`. A run of no test is a failure.
#
# As many files run at once as there are cores, up to six, each worker in a copy of the tree: tests build, and two makes
# must not link one file at the same time, nor one of them for another device.
set -u
cd "$(dirname "$0")/.." || exit
ROOT=$PWD
export ROOT CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C.UTF-8
TIMEFORMAT='%U %S'
only=${T:-}
logs=$ROOT/build/tests
timed=tests/bats/build_time # runs alone, and not in the queue
jobs=$(nproc 2>/dev/null || echo 2)
[ "$jobs" -le 6 ] || jobs=6 # the longest file takes a sixth of the whole; each worker's tree takes half a gigabyte

# --- TAP ------------------------------------------------------------------------

# Prints PASSED FAILED SKIPPED for a TAP file. Counts only tests whose name contains $2, if given. A plan
# that was not fulfilled and an exit status without a reason are failures too.
count() { # FILE WORD STATUS
    awk -v word="$2" -v status="$3" '
        /^1\.\.[0-9]+/          { plan += substr($1, 4) }
        /^(not )?ok([^a-z]|$)/  { seen++
                                  if (word != "" && !index($0, word)) next
                                  if (/^not/) bad++; else if (/# *[sS][kK][iI][pP]/) skip++; else good++ }
        END { if (seen < plan) bad += plan - seen
              if (status != 0 && !bad && (word == "" || !seen)) bad = 1
              print good + 0, bad + 0, skip + 0 }' "$1"
}

# The failures alone, each with the lines that follow it.
failures() { # FILE WORD
    awk -v word="$2" '
        /^not ok/ { show = (word == "" || index($0, word)) }
        /^(ok|1\.\.)/ { show = 0 }
        show { print "    " $0 }' "$1"
}

# Prints a line, and in one piece what failed; leaves the counts in $logs/counts.
run_tap() { # NAME WORD COMMAND...
    local name=$1 word=$2 log=$logs/${1//\//_} began=$SECONDS status good bad skip
    shift 2
    mkdir -p build/tests/tmp
    { time TMPDIR=$PWD/build/tests/tmp timeout -k 5 1800 "$@" >"$log.tap" 2>"$log.err" </dev/null; } 2>"$log.cpu"
    status=$?
    read -r good bad skip < <(count "$log.tap" "$word" "$status")
    if [ $((good + bad + skip)) -eq 0 ]; then
        if [ -n "$word" ]; then return 0; fi
        bad=1
        echo "not ok - $name ran no test" >>"$log.tap"
    fi
    echo "$good $bad" >>"$logs/counts"
    # One write, so that lines of two workers do not mix.
    printf '%s\n' "$(printf '%4d passed, %d failed%s  %3d s (%d s of processor time)  %s\n' "$good" "$bad" \
        "$([ "$skip" -eq 0 ] || echo ", $skip skipped")" $((SECONDS - began)) "$(awk '{ print int($1 + $2) }' "$log.cpu")" "$name"
        [ "$bad" -eq 0 ] || explain "$name" "$word" "$status" "$log")"
}

explain() { # NAME WORD STATUS LOG
    failures "$4.tap" "$2"
    if [ -s "$4.err" ]; then tail -n 20 "$4.err" | sed 's/^/    /'; fi
    case $3 in 0 | 1) ;; *) echo "    ended with $3" ;; esac
    echo "    again: make test DEPS=0 T=${1##*/}"
}

# --- which ----------------------------------------------------------------------

# Sets word: empty if the whole file is wanted, $only if some of its tests are; false if none is.
wanted() { # NAME FILE
    word=
    case $1 in *"$only"*) return 0 ;; esac
    word=$only
    grep -qF -- "$only" "$2"
}

units() {
    local file
    for file in tests/unit/*_test.c emulator/*_test.c emulator/*/*_test.c common/*_test.c; do
        if [ ! -e "$file" ] || ! wanted "${file%.c}" "$file"; then continue; fi
        run_tap "${file%.c}" "$word" "build/${file%.c}"
    done
}

# The queue: files of commands (bats), and folders with a run.sh: kernels under the checker (wrong ones and their
# twins, broken versions of the steps, labs and wrong submissions), and the corpus. Those that take longest come
# first, so that no worker waits at the end for another.
queue() {
    local name
    for name in tests/labs tests/bats/{clc_steps,book_whole,clc_compile,book_commands} tests/corpus tests/bats/build_make tests/mutants; do
        queued "$name"
    done
    for name in tests/bats/*.bats tests/*/run.sh; do
        case $name in tests/compile/* | "$timed.bats") ;; *.bats) queued "${name%.bats}" ;; *) queued "${name%/run.sh}" ;; esac
    done
}

queued() { # NAME
    local file=$1.bats
    [ -e "$file" ] || file=$1/run.sh
    if [ -e "$file" ] && wanted "$1" "$file"; then printf '%s\t%s\n' "$1" "$word"; fi
}

one() { # NAME WORD
    local plain
    if [ -e "$1/run.sh" ]; then
        run_tap "$1" "$2" "$1/run.sh"
    elif [ -n "$2" ]; then
        plain=$(printf '%s' "$2" | sed 's/[][\\.*^$+?(){}|]/\\&/g')
        run_tap "$1" "$2" bats --tap --filter "$plain" "$1.bats"
    else
        run_tap "$1" '' bats --tap "$1.bats"
    fi
}

# --- workers --------------------------------------------------------------------

lost() { # WHAT
    echo "   0 passed, 1 failed  $1"
    echo '0 1' >>"$logs/counts"
}

# The tree of worker $1: all but what tests and lint left.
copy_tree() {
    local tree=$logs/tree-$1
    rm -rf "$tree" && mkdir -p "$tree/build" || return
    find . -mindepth 1 -maxdepth 1 ! -name build -exec cp -pR {} "$tree/" \; || return
    find build -mindepth 1 -maxdepth 1 ! -name tests ! -name lint ! -name sanitize ! -name coverage -exec cp -pR {} "$tree/build/" \; || return
    mkdir -p "$tree/build/tests" && if [ -d build/tests/unit ]; then cp -pR build/tests/unit "$tree/build/tests/"; fi
}

# What measures time runs before the others, while nothing else does.
alone() {
    if [ -e $timed.bats ] && wanted $timed $timed.bats; then one $timed "$word"; fi
}

# Without xargs' slots, or with one file to run, one after another in the tree itself.
work() {
    local slot
    queue | awk '!seen[$0]++' >"$logs/queue"
    if [ "$jobs" -lt 2 ] || [ "$(wc -l <"$logs/queue")" -lt 2 ] || ! echo | xargs -P 2 --process-slot-var=WORKER true 2>/dev/null; then
        while IFS=$'\t' read -r name word; do one "$name" "$word"; done <"$logs/queue"
        return
    fi
    for ((slot = 0; slot < jobs; slot++)); do
        copy_tree "$slot" || { lost "no copy of the tree in $logs" && return; }
    done
    xargs -a "$logs/queue" -d '\n' -n 1 -P "$jobs" --process-slot-var=WORKER "$ROOT/tests/run.sh" --one || lost "a worker ended early"
    rm -rf "$logs"/tree-*
}

# --- build ----------------------------------------------------------------------

# Goes on after an error: a program that is not there fails by itself.
build() { # GOAL
    local log=$logs/build-$1.log
    make --no-print-directory -k "$1" >"$log" 2>&1 </dev/null && return
    lost "make -k $1; its output:"
    grep -E 'error|warning|\*\*\*|undefined' "$log" | head -n 40 | sed 's/^/    /'
}

if [ "${1:-}" = --one ]; then
    cd "$logs/tree-$WORKER" && export ROOT=$PWD && unset WORKER && one "${2%%$'\t'*}" "${2#*$'\t'}"
    exit
fi
mkdir -p "$logs"
: >"$logs/counts"
# What the reader set for this make is not for those that the tests start.
# shellcheck disable=SC2046 # names
unset $(awk -F '\t' 'NR > 1 && $1 != "NVCC" { print $1 }' tools/variables.tsv)
unset MAKEFLAGS MFLAGS MAKELEVEL WITHIN_MAKE MAKE MAKE_TERMOUT MAKE_TERMERR
echo "Building the emulator, the tests and the steps"
build test-programs
build build
[ -n "$only" ] || build programs
units
alone
work
read -r ran passed failed < <(awk '{ n++; good += $1; bad += $2 } END { print n + 0, good + 0, bad + 0 }' "$logs/counts")
if [ "$ran" -eq 0 ]; then echo "No test${only:+ has a name with \"$only\" in it}."; fi
echo "$passed passed, $failed failed"
[ "$ran" -gt 0 ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]

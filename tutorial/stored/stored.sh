#!/bin/sh
# Outputs of commands that need nvcc, kept in tutorial/stored/NAME.txt so that the book can be made without it.
#   stored.sh show NAME          what the command printed when it was last stored
#   stored.sh store [NAME...]    runs the commands of commands.tsv and keeps what they print; all without NAME
#   stored.sh check [NAME...]    runs them again and compares
# What is said while something is built on the way is left out. A stored file begins with the toolkit it was made by,
# for messages of a compiler differ from version to version.
# Exit codes: 0 right; 1 a stored output is stale, or a command did not end as the table says; 2 usage;
# 3 no nvcc, or the output was stored by another toolkit and cannot be compared.
set -u
cd "$(dirname "$0")/../.." || exit 3
LC_ALL=C.UTF-8 BACKEND=emulator
export LC_ALL BACKEND
here=tutorial/stored
work=build/stored

die() { # STATUS TEXT
    echo "stored: $2" >&2
    exit "$1"
}

names() { sed 1d $here/commands.tsv | cut -f 1; }

column() { # NAME COLUMN
    awk -F '\t' -v name="$1" -v column="$2" 'NR > 1 && $1 == name { print $column }' $here/commands.tsv
}

known() { # NAME
    [ -n "$(column "$1" 1)" ] || die 2 "there is no '$1' in $here/commands.tsv; there is: $(names | tr '\n' ' ')"
}

# Puts the toolkit's programs on PATH; sets toolkit.
find_toolkit() {
    answer=$(tools/detect.sh) || die 3 "$answer"
    eval "$answer"
    [ -n "${NVCC:-}" ] || die 3 "${WHY:-no nvcc}"
    [ -z "${CCBIN:-}" ] || export NVCC_CCBIN="$CCBIN"
    PATH=$(dirname "$NVCC"):$PATH
    export PATH
    toolkit=$("$NVCC" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
}

run_fresh() { # NAME: writes $work/NAME.txt; 1: it did not end as the table says, 3: the machine cannot do it
    mkdir -p "$work" || die 3 "cannot write $work"
    want=$(column "$1" 2)
    sh -c "$(column "$1" 3)" >"$work/$1.out" 2>&1
    got=$?
    { echo "# toolkit $toolkit" && sed -E "s|$PWD/||g; /^Building; V=1/d; /^  [A-Z]+ +[a-z]/d" "$work/$1.out"; } >"$work/$1.txt"
    [ "$got" -eq "$want" ] && return
    [ "$got" -ne 3 ] || { echo "$1: this machine cannot do it" && return 3; }
    echo "$1: exit $got, want $want:"
    sed 's/^/    /' "$work/$1.out"
    return 1
}

check_one() { # NAME: 0, 1 or 3
    stored=$here/$1.txt
    [ -f "$stored" ] || { echo "$stored is not there; $here/stored.sh store $1" && return 1; }
    [ "$(head -n 1 "$stored")" = "# toolkit $toolkit" ] ||
        { echo "$stored was not stored by toolkit $toolkit, so it cannot be compared" && return 3; }
    run_fresh "$1" || return
    cmp -s "$stored" "$work/$1.txt" && return
    echo "$stored is stale; $here/stored.sh store $1"
    diff "$stored" "$work/$1.txt"
    return 1
}

store_one() { # NAME
    run_fresh "$1" && cp "$work/$1.txt" "$here/$1.txt"
}

each() { # FUNCTION NAME...: the worst status
    function=$1 worst=0
    shift
    [ $# -gt 0 ] || eval "set -- $(names | tr '\n' ' ')"
    for name; do known "$name"; done
    find_toolkit
    for name; do
        "$function" "$name"
        status=$?
        [ $status -le $worst ] || worst=$status
    done
    exit $worst
}

action=${1:-}
[ $# -eq 0 ] || shift
case $action in
show)
    [ $# -eq 1 ] || die 2 'usage: stored.sh show NAME'
    known "$1"
    [ -f $here/"$1".txt ] || die 1 "$here/$1.txt is not there; where nvcc is: $here/stored.sh store $1"
    sed 1d $here/"$1".txt
    ;;
store) each store_one "$@" ;;
check) each check_one "$@" ;;
*) die 2 'usage: stored.sh show NAME | store [NAME...] | check [NAME...]' ;;
esac

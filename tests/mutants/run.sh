#!/bin/sh
# The mutation test, as TAP: each broken kernel of mutants.tsv is reported by a rule that fits, or is one of the
# equivalents; and it shows the reader what the table says it shows.
#   tests/mutants/run.sh [KEY...]      all sources without a KEY; STEP-like keys are in sources.tsv
#   shows    with the checker off, in up to 32 runs: the first word must be seen, others of the list may be
#              wrong, hang    at least one run ends so
#              report         all runs are right: only the checker tells
#              nothing        all runs are right, and the checker has nothing to say
#   rules    with the checker on, in up to 32 runs: the first report is one of these
#              `-`: there is none, for the mutant is as right; `gap`: there is none, but should be
# The source itself is the mutant as-it-is; it must be silent under SEEDS orders of events (50).
# Steps 3 and 4 and the rungs run from their stored broken.ptx; the variants are compiled here, and skipped without nvcc.
# shellcheck disable=SC1091,SC2154 # what mutant.sh sets
set -u
cd "$(dirname "$0")/../.." || exit
LC_ALL=C
export LC_ALL
unset EMU_SEED EMU_REFUSE EMU_STEPS EMU_TRACE EMU_DEVICE
. tools/mutant.sh
work=build/mutants
number=0 failed='' convicted=0 equivalent=0 sources=0 gaps=0 tries=32 silent_tries=${SILENT:-12} seeds=${SEEDS:-50}

tell() { # WHY WHAT
    number=$((number + 1))
    if [ -z "$1" ]; then echo "ok $number - $2"; else
        echo "not ok $number - $2"
        echo "#   $1"
        head -n 12 "$out" | sed 's/^/#   /'
        failed=yes
    fi
}

listed() { case ",$2," in *",$1,"*) return 0 ;; *) return 1 ;; esac } # WORD LIST

# Checker off. Prints what is wrong with the class, if anything.
symptoms() {
    export EMU_CHECK=0
    first=${shows%%,*} try=0 limit=$tries
    case $first in report | nothing) limit=$silent_tries ;; esac
    while [ $try -lt "$limit" ]; do
        mutant_run "$ptx" $try
        try=$((try + 1))
        [ "$symptom" != right ] || continue
        listed "$symptom" "$shows" || { echo "run $try shows $symptom, the table says $shows" && return; }
        [ "$symptom" != "$first" ] || return
    done
    case $first in wrong | hang) echo "no run of $limit shows $first" ;; esac
}

# Checker on. Prints what is wrong, if anything; the rule that convicted goes to $work/verdict.
conviction() {
    export EMU_CHECK=1
    try=0 limit=$tries
    case $rules in - | gap) limit=$silent_tries ;; esac
    : >$work/verdict
    while [ $try -lt "$limit" ]; do
        mutant_run "$ptx" $try
        try=$((try + 1))
        for id in $ids; do
            if listed "$id" "$rules"; then echo "$id" >$work/verdict && return; fi
            echo "run $try: reported as $id, which is not one of $rules" && return
        done
        [ "$symptom" = right ] || { echo "run $try: $symptom, and no rule says why" && return; }
    done
    case $rules in - | gap) ;; *) echo "no run of $limit is reported" ;; esac
}

# The source itself, checker on: right and silent under SEEDS orders of events.
silence() {
    export EMU_CHECK=1
    try=0
    while [ $try -lt "$seeds" ]; do
        mutant_run "$ptx" $try
        try=$((try + 1))
        if [ -n "$ids" ] || [ "$symptom" != right ]; then echo "run $try: $symptom, reported as '$ids'" && return; fi
    done
}

compiled() { # KEY: prints its PTX file
    mutant_source "$1" && mutant_stored && return
    if ! tests/zoo/fresh.sh $work/others.ptx tools/mutate.py tests/mutants/*.tsv common/*.cuh step0*/variants/*/*.cu; then
        # shellcheck disable=SC2046 # one word a key
        tools/mutate.py cu $(awk -F '\t' '$2 ~ /\/variants\// { print $1 }' tests/mutants/sources.tsv) >$work/others.cu &&
            tools/ptx.sh $work/others.cu >$work/others.new 2>$work/nvcc.log && mv $work/others.new $work/others.ptx || return 1
    fi
    echo $work/others.ptx
}

mkdir -p $work
# shellcheck disable=SC2046 # one word a key
[ $# -gt 0 ] || set -- $(cut -f 1 tests/mutants/sources.tsv | grep -vx key)
tools/mutate.py check >/dev/null || { echo "not ok 1 - tools/mutate.py check" && exit 1; }
awk -F '\t' 'NR > 1 { print $1, $2 }' tests/mutants/mutants.tsv >$work/list
for key; do
    ptx=$(compiled "$key") || { number=$((number + 1)) && echo "ok $number - mutants of $key # skip no nvcc, or it failed" && continue; }
    while read -r owner mutant; do
        [ "$owner" = "$key" ] || continue
        mutant_find "$key" "$mutant" && mutant_launch $work/run
        if [ "$mutant" = as-it-is ] && [ "$rules" = - ]; then
            tell "$(silence)" "$key as it is: right and silent under $seeds orders of events"
            sources=$((sources + 1))
            continue
        fi
        : >$work/verdict
        problem=$(symptoms)
        [ -n "$problem" ] || problem=$(conviction)
        verdict=$(cat $work/verdict 2>/dev/null)
        if [ "$rules" = - ]; then equivalent=$((equivalent + 1)); elif [ "$rules" = gap ]; then gaps=$((gaps + 1)); elif [ -n "$verdict" ]; then convicted=$((convicted + 1)); fi
        tell "$problem" "$key without $mutant: shows $shows${verdict:+, reported as $verdict}"
    done <$work/list
done
echo "1..$number"
echo "# $convicted mutants convicted, $equivalent equivalent, $gaps not seen by the checker; $sources sources silent"
[ -z "$failed" ]

#!/bin/sh
# One program per step for every GPU from compute capability 7.5 on, and a table of what that proves.
#   common/clc_fatbin.sh [STEP...]       builds build/fatbin/NAME; without STEP all four
# `built` says that the compiler and the assembler accept the step for that target, no more. `has run` names GPUs on
# which code for that target gave right results: the one here, now, and those kept in experiments/results/ran.tsv
# (target, GPU, date, what). Anything else has not run anywhere we know of.
# Obeys NVCC, TARGETS. Exit: 1 a step does not compile or gives wrong results, 3 no usable nvcc.
set -u
top=$(cd "$(dirname "$0")/.." && pwd) && cd "$top" || exit 5
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
LC_ALL=C
export LC_ALL

targets=${TARGETS:-75 80 86 89 90 100a 103a 110a 120a 121a 100f 110f 120f}
out=build/fatbin

find_nvcc() {
    BACKEND=emulator
    export BACKEND
    ask_machine
    need_nvcc fatbin
    # shellcheck disable=SC2154 # ask_machine sets it
    eval "$machine"
    [ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
}

# Targets of the list that this nvcc knows; it lists them without a and f, and f came with 12.9.
known_targets() {
    code=" $("$NVCC" --list-gpu-code | tr '\n' ' ')"
    for t in $targets; do
        case $code in *" sm_${t%[af]} "*) ;; *) continue ;; esac
        case $t$NVCC_VERSION in *f12.8*) continue ;; esac
        echo "$t"
    done
}

name_of() { # step03_clc_blocks -> clc_blocks
    name_of=${1##*/}
    echo "${name_of#step[0-9][0-9]_}"
}

short() { # step03_clc_blocks -> step03
    short=${1##*/}
    echo "${short%%_*}"
}

gencode() { # TARGET...
    for t; do
        printf ' -gencode arch=compute_%s,code=sm_%s' "$t" "$t"
    done
}

compile() ( # STEP OUTPUT TARGET...
    source=$1/$(name_of "$1").cu to=$2
    shift 2
    # shellcheck disable=SC2046 # one word an option
    "$NVCC" -std=c++17 -O3 -I. --threads 2 $(gencode "$@") "$source" build/lib/libcommon.a -o "$to"
)

# All targets at once; if that fails, one by one, to learn which. Leaves the accepted ones in NAME.targets.
build() { # STEP
    name=$(name_of "$1")
    # shellcheck disable=SC2086 # a list
    if compile "$1" "$out/$name" $known >"$out/$name.log" 2>&1; then
        printf '%s\n' $known >"$out/$name.targets"
        return
    fi
    : >"$out/$name.targets"
    for t in $known; do
        if compile "$1" "$out/$name.$t" "$t" >"$out/$name.$t.log" 2>&1; then
            echo "$t" >>"$out/$name.targets"
            rm -f "$out/$name.$t"
        else
            echo "$1 does not compile for $t:" && sed 's/^/    /' "$out/$name.$t.log"
            status=1
        fi
    done >&2
}

# The GPU here runs what was built, and the driver picks the code: natively the target of its compute capability.
run_here() {
    here='' verdicts=''
    cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
    case $cc in '' | *[!0-9]*) return ;; esac
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    for step; do
        name=$(name_of "$step")
        case $name$cc in clc_clusters[78]?) continue ;; esac # no clusters there
        if last=$("$out/$name" --n 1000003 2>&1 | grep '^PASS'); then
            verdicts="$verdicts $(short "$step")"
        else
            echo "$out/$name: $last" >&2
            status=1
        fi
    done
    here=$cc
}

has_run() { # TARGET
    digits=${1%[af]}
    kept=$(awk -F '\t' -v t="$1" '!/^#/ && $1 == t { printf "%s%s, %s: %s", sep, $2, $3, $4; sep = "; " }' \
        experiments/results/ran.tsv 2>/dev/null)
    now=
    if [ "$digits" = "$here" ] && [ -n "$verdicts" ]; then now="$gpu, now:$verdicts"; fi
    echo "${now:+$now${kept:+; }}${kept:-${now:+}}" | sed 's/^$/-/'
}

kind_of() { # TARGET
    case $1 in
    7? | 8?) echo 'software, blocks only' ;;
    9*) echo software ;;
    *) echo instruction ;;
    esac
}

table() { # STEP...
    printf '%-7s' target
    for step; do printf ' %-7s' "$(short "$step")"; done
    printf ' %-22s %s\n' 'launch control' 'has run on'
    for t in $targets; do
        printf '%-7s' "$t"
        for step; do
            if grep -qx "$t" "$out/$(name_of "$step").targets"; then word=built; else word=no; fi
            case " $known " in *" $t "*) ;; *) word=unknown ;; esac
            printf ' %-7s' "$word"
        done
        printf ' %-22s %s\n' "$(kind_of "$t")" "$(has_run "$t")"
    done
}

[ $# -gt 0 ] || set -- step[0-9][0-9]_*
status=0
find_nvcc
known=$(known_targets | tr '\n' ' ' | sed 's/ $//')
room "$out"
tools/build.sh build/lib/libcommon.a || exit
for step; do
    build "$step"
done
run_here "$@"
echo "nvcc $NVCC_VERSION. \`built\`: compiler and assembler accept it; that it works there only the last column can say."
table "$@"
finish $status

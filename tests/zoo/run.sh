#!/bin/sh
# Runs the zoo under the checker and prints TAP, one line a kernel.
#   tests/zoo/run.sh [WORD...]      only kernels whose name contains a WORD
#   tests/zoo/run.sh --ids          the rules that have both twins, one a line
#   RULE_bad    reports RULE, only RULE, at a line marked `// expect: RULE`; exit 1, or 0 if RULE is a lint
#   RULE_ok     says nothing and ends with 0
#   NAME_right  the same under SEEDS seeds (50), and every element of out is 1
# zoo.ptx is made by nvcc where there is one; otherwise, or with STORED=1, it is the stored file. SHOW=1 shows what
# was reported.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit
LC_ALL=C
export LC_ALL
unset EMU_SEED EMU_REFUSE EMU_STEPS EMU_TRACE
emu=${EMU_RUN:-build/bin/emu-run}
work=build/zoo
seeds=${SEEDS:-50}
export EMU_DEVICE=tiny EMU_CHECK=1

# One kernel a line: NAME FILE "LAUNCH" EXPECT, where EXPECT is RULE:LINE,RULE:LINE... or -
table() {
    awk '
        function flush() { if (name) print name "\t" file "\t" launch "\t" (expect ? expect : "-"); name = expect = "" }
        FNR == 1 { flush(); file = FILENAME; sub(/.*\//, "", file) }
        /\/\/.*launch:/ { words = $0; sub(/.*launch: */, "", words) }
        /^ZOO / { flush(); name = $2; sub(/\(.*/, "", name); launch = words }
        /\/\/ expect:/ { rule = $0; sub(/.*expect: */, "", rule); expect = expect rule ":" FNR "," }
        END { flush() }' tests/zoo/races.cu tests/zoo/mbarrier.cu tests/zoo/phases.cu tests/zoo/async.cu \
        tests/zoo/proxy.cu tests/zoo/clc.cu tests/zoo/clusters.cu tests/zoo/correct.cu
}

module() { # prints the PTX file to run; makes it if it can
    if [ "${STORED:-0}" = 1 ]; then
        echo tests/zoo/zoo.ptx
    elif tests/zoo/fresh.sh $work/zoo.ptx tests/zoo/*.cu common/clc*.cuh; then
        echo $work/zoo.ptx
    elif tools/ptx.sh tests/zoo/zoo.cu >$work/zoo.ptx.new 2>$work/nvcc.log; then
        mv $work/zoo.ptx.new $work/zoo.ptx && echo $work/zoo.ptx
    elif [ -f tests/zoo/zoo.ptx ] && ! grep -q error $work/nvcc.log; then
        echo tests/zoo/zoo.ptx
    else
        sed 's/^/# /' $work/nvcc.log >&2
        return 1
    fi
}

# Writes NAME.launch from the words of a launch comment. Sets options (for emu-run).
launch() { # NAME "WORDS"
    options='' grid=1 block=32 cluster='' name=$1
    # shellcheck disable=SC2086 # words
    set -- $2
    while [ $# -ge 2 ]; do
        case $1 in
        grid) grid=$2 ;;
        block) block=$2 ;;
        cluster) cluster="cluster $2" ;;
        refuse | steps | seed) options="$options --$1 $2" ;;
        esac
        shift 2
    done
    count=8192
    case $name in *_right) count=$((grid * block)) ;; esac
    {
        printf 'kernel %s\ngrid %s\nblock %s\n%s\n' "$name" "$grid" "$block" "$cluster"
        printf 'buffer out u32 %s zero\narg buffer out\n' "$count"
        case $name in *_right) echo "expect out $(ones "$count")" ;; esac
    } >"$work/$name.launch"
}

ones() { # COUNT: an .npy file of so many u32, all 1; prints its name
    if [ ! -f "$work/ones$1.npy" ]; then
        header="{'descr': '<u4', 'fortran_order': False, 'shape': ($1,), }"
        {
            printf '\223NUMPY\001\000\166\000%-117s\n' "$header"
            awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "" }' | sed 's/$/\\001\\000\\000\\000/' | tr -d '\n' | xargs -0 printf
        } >"$work/ones$1.npy"
    fi
    echo "$work/ones$1.npy"
}

run() { # NAME [OPTION...]: sets status, text, found (RULE:LINE words)
    kernel=$1
    shift
    # shellcheck disable=SC2086 # options is a list of words
    timeout 60 "$emu" "$ptx" --launch "$work/$kernel.launch" $options "$@" >"$work/$kernel.out" 2>&1
    status=$?
    findings
}

findings() { found=$(sed -n 's/^[^ ].*:\([0-9]*\): .*\[\([A-Z0-9]*\)\]$/\2:\1/p' "$work/$kernel.out"); }

show() { sed 's/^/#   /' "$work/$kernel.out" | head -n 25; }

tell() { # WHY NAME WHAT: one TAP line; WHY empty: ok
    number=$((number + 1))
    echo "$2" >>$work/ran
    if [ -z "$1" ]; then
        echo "ok $number - $2: $3"
        [ "${SHOW:-0}" = 0 ] || show
    else
        echo "not ok $number - $2: $3"
        echo "#   $1"
        show
        failed=yes
    fi
}

severity() { "$emu" --list-rules | awk -v id="$1" '$1 == id { print $2 }'; }

bad() { # NAME EXPECT
    run "$1"
    verdict_bad "$1" "$2"
}

verdict_bad() { # NAME EXPECT
    rule=${1%%_*} why=''
    want=1
    [ "$(severity "$rule")" != lint ] || want=0
    [ "$status" -eq $want ] || why="exit $status, want $want"
    [ -n "$found" ] || why="nothing was reported, want $rule ($2)"
    for one in $found; do
        case ",$2" in
        *",$one,"*) ;;
        *) why="reported $one, want $2" ;;
        esac
    done
    tell "$why" "$1" "reported as $rule, at its line, and nothing else"
}

ok() { # NAME
    run "$1"
    verdict_ok "$1"
}

verdict_ok() { # NAME
    why=''
    [ "$status" -eq 0 ] || why="exit $status, want 0"
    [ -z "$found" ] || why="reported $found, want nothing"
    tell "$why" "$1" 'silent'
}

right() { # NAME
    why='' seed=0
    while [ -z "$why" ] && [ $seed -lt "$seeds" ]; do
        seed=$((seed + 1))
        run "$1" --seed $seed
        [ "$status" -eq 0 ] || why="seed $seed: exit $status, want 0"
        [ -z "$found" ] || why="seed $seed: reported $found, want nothing"
    done
    tell "$why" "$1" "silent under $seeds seeds"
}

# The cases of launch.cu, and the line of each.
host_table() {
    grep -o '"[A-Z0-9]*_[a-z]*"' tests/zoo/launch.cu | tr -d '"' | sort -u | while read -r name; do
        rule=${name%%_*}
        echo "$name $rule:$(grep -n "// expect: $rule\$" tests/zoo/launch.cu | cut -d: -f1),"
    done
}

host() { # NAME EXPECT: a case of launch.cu
    kernel=$1
    timeout 60 $work/launch "$1" >"$work/$kernel.out" 2>&1
    status=$?
    findings
    case $1 in *_ok) verdict_ok "$1" ;; *) verdict_bad "$1" "$2" ;; esac
}

wanted() { # NAME WORD...
    name=$1
    shift
    [ $# -gt 0 ] || return 0
    for word; do
        case $name in *"$word"*) return 0 ;; esac
    done
    return 1
}

mkdir -p $work
if [ "${1:-}" = --ids ]; then
    { table && host_table | tr ' ' '\t'; } | cut -f1 | sed -n 's/_bad$/ bad/p; s/_ok$/ ok/p' | sort | awk '{ n[$1]++ } END { for (id in n) if (n[id] == 2) print id }' | sort
    exit
fi
ptx=$(module) || { echo "not ok 1 - zoo.cu compiles" && exit 1; }
number=0 failed=''
: >$work/ran
table >$work/table.tsv
while IFS='	' read -r name _ words expect; do
    wanted "$name" "$@" || continue
    launch "$name" "$words"
    case $name in
    *_right) right "$name" ;;
    *_ok*) ok "$name" ;;
    *) bad "$name" "$expect" ;;
    esac
done <$work/table.tsv
if EMU_DEVICE=tiny emulator/bin/nvcc-emu -O2 -std=c++17 tests/zoo/launch.cu -o $work/launch >$work/launch.log 2>&1; then
    host_table >$work/host
    while read -r name expect; do
        if wanted "$name" "$@"; then host "$name" "$expect"; fi
    done <$work/host
fi
echo "1..$number"
echo "# $(grep -c '_bad' $work/ran) wrong kernels, $(grep -c '_ok' $work/ran) twins, $(grep -c '_right' $work/ran) right ones"
[ -z "$failed" ]

#!/bin/sh
# Runs the two kernels of a question of the chapter on porting (questions.cu), the wrong one and the right one.
#   tutorial/porting/try.sh NAME     up to 32 runs of each, every one with another order of events; some of them refuse
#                                    requests. Shows the first run that tells. Without NAME: the names.
# Uses the PTX stored beside questions.cu, so needs no nvcc; tutorial/porting/try.sh --store makes it again,
# --check says whether it is what this nvcc makes (1: it is not, 3: made by another).
# Exit 0: the wrong kernel told, the right one did not; 1: otherwise; 2: there is no such question.
set -u
cd "$(dirname "$0")/../.." || exit 3
LC_ALL=C
export LC_ALL
unset EMU_SEED EMU_REFUSE EMU_STEPS EMU_TRACE EMU_DEVICE
emu=${EMU_RUN:-build/bin/emu-run}
ptx=tutorial/porting/questions.ptx
work=build/porting
tries=32
n=2547 block=64 tiles=40

names() { sed -n 's/^__global__ void \([a-z_]*\)_wrong(.*/\1/p' tutorial/porting/questions.cu | tr _ -; }

complain() { # STATUS TEXT
    echo "try: $2" >&2
    exit "$1"
}

# What a plain loop on the CPU would leave in `out`, a number a line.
wanted() { # NAME
    awk -v name="$1" -v n=$n -v block=$block -v tiles=$tiles 'BEGIN {
        if (name == "refusal") { printf "%d\n", n * (n + 1) / 2; exit }
        if (name == "leave") { print 776; exit }
        if (name == "accumulator") {
            for (t = 0; t < tiles; t++) {
                sum = 0
                for (i = t * block; i < (t + 1) * block && i < n; i++) sum += i + 1
                print sum
            }
            exit
        }
        for (i = 0; i < n; i++) print name == "scratch" ? i + 1 + (i - i % block + 1) : 3 * (i + 1)
    }'
}

# Numbers, a line each, as an .npy file of u32.
array() { # COUNT
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<u4', 'fortran_order': False, 'shape': ($1,), }"
    awk '{ for (k = 0; k < 4; k++) { printf "\\%03o", $1 % 256; $1 = int($1 / 256) } }' | xargs -0 printf
}

prepare() { # NAME: writes $work/NAME_wrong.launch and $work/NAME_right.launch
    mkdir -p $work || exit 3
    awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) print i }' | array $n >$work/in.npy
    wanted "$1" >"$work/$1.txt"
    count=$(wc -l <"$work/$1.txt")
    array "$count" <"$work/$1.txt" >"$work/$1.npy"
    grid=$tiles
    [ "$1" != coordinates ] || grid='8 5'
    for side in wrong right; do
        printf '%s\n' "kernel $(echo "$1" | tr - _)_$side" "grid $grid" "block $block" "buffer out u32 $count zero" \
            "buffer in $work/in.npy" 'buffer state u32 2 zero' 'arg buffer out' 'arg buffer in' "arg s32 $n" \
            'arg buffer state' "expect out $work/$1.npy" >"$work/$1_$side.launch"
    done
}

# Tries until one run tells. Sets told, and leaves that run in $work/out.
search() { # NAME SIDE
    try=0 told=''
    while [ $try -lt $tries ]; do
        options="--seed $try"
        [ $((try % 4)) -ne 3 ] || options="$options --refuse p0.3"
        # shellcheck disable=SC2086 # a list of words
        if ! timeout 60 "$emu" $ptx --launch "$work/$1_$2.launch" --device tiny --steps 200000 --check $options >$work/out 2>&1 ||
            grep -q '\[[A-Z0-9]*\]$' $work/out; then
            told=yes
            return
        fi
        try=$((try + 1))
    done
}

# A report and a verdict, not the whole dump.
show() {
    head -n 6 $work/out | sed 's/^/  /'
    [ "$(wc -l <$work/out)" -le 6 ] || echo '  ...'
}

question() { # NAME
    prepare "$1"
    search "$1" wrong
    wrong=$told
    if [ -n "$wrong" ]; then echo "wrong: run $((try + 1)) tells" && show; else echo "wrong: $tries runs, and nothing to be seen"; fi
    search "$1" right
    if [ -n "$told" ]; then echo "right: run $((try + 1)) tells" && show; else echo "right: $tries runs, right answers, no report"; fi
    [ -n "$wrong" ] && [ -z "$told" ]
}

store() {
    tools/ptx.sh tutorial/porting/questions.cu >$ptx.new && mv $ptx.new $ptx
}

check() {
    mkdir -p $work
    tools/ptx.sh tutorial/porting/questions.cu >$work/questions.ptx || exit
    if cmp -s $work/questions.ptx $ptx; then return; fi
    [ "$(head -n 1 $work/questions.ptx)" = "$(head -n 1 $ptx)" ] || complain 3 "$ptx was made by another toolkit"
    complain 1 "$ptx is stale; tutorial/porting/try.sh --store"
}

[ $# -le 1 ] || complain 2 'usage: try.sh [NAME | --store | --check]'
case ${1:-} in
'') names ;;
--store) store ;;
--check) check ;;
*)
    names | grep -qx -e "$1" || complain 2 "there is no question '$1'; there is: $(names | tr '\n' ' ')"
    [ -f "$emu" ] || complain 3 "$emu is not there; make $emu"
    question "$1"
    ;;
esac

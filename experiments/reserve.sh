#!/bin/sh
# What a request ahead of the work reserves, and what one after it costs: step 3 beside its variant request_after_work.
#   experiments/reserve.sh [DEVICE]      on the emulator; tiny unless named. Model cycles.
# One giant among equal tiles: who asked first keeps a tile behind the giant. Light tiles: who asks late waits each time.
# Writes build/experiments/reserve.txt too. Exit 3 without nvcc.
set -u
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
DEVICE=${1:-${DEVICE:-tiny}}
BACKEND=emulator
export DEVICE BACKEND
EMU_DEVICE=$DEVICE EMU_CHECK=0
export EMU_DEVICE EMU_CHECK
ask_machine
need_nvcc reserve.sh
before=step03_clc_blocks
after=step03_clc_blocks/variants/request_after_work
tools/run.sh --build $before $after || exit
room build/experiments

field() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; } # of one line of JSON

# Starts and ends of the tiles the giant's block did: the giant is tile 1. `-` if it did no other after it.
kept() { # TRACE.csv
    awk -F , '$1 ~ /^[0-9]+$/ { block[$1] = $2; from[$1] = $5; to[$1] = $6 }
        END { for (t in block) if (block[t] == block[1] && from[t] >= to[1]) { print "tile " t " from " from[t]; exit }
              print "-" }' "$1"
}

one() { # WORK PROGRAM TITLE OPTION...
    work=$1 program=$2 title=$3
    shift 3
    cycles=$("$program" --json --trace build/experiments/reserve.csv "$@" | field median) || exit
    behind=-
    [ "$work" = light ] || behind=$(kept build/experiments/reserve.csv)
    printf '%-8s %-22s %8.0f   %s\n' "$work" "$title" "$cycles" "$behind"
}

{
    echo "emulated $DEVICE, times in model cycles"
    printf '%-8s %-22s %8s   %s\n' work request time 'kept behind the giant, ns after the start'
    for load in "giant --n 480 --units 300" "light --n 6400 --units 20"; do
        work=${load%% *}
        options="${load#* } --block 32"
        [ "$work" = light ] || options="$options --work giant"
        # shellcheck disable=SC2086 # words
        one "$work" "build/$before/clc_blocks.emu" "before the work" $options
        # shellcheck disable=SC2086
        one "$work" "build/$after/request_after_work.emu" "after the work" $options
    done
} | tee build/experiments/reserve.txt

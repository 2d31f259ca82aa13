#!/bin/sh
# The record behind the picture `preemption`, for readers without nvcc (two kernels at once need the CUDA runtime):
#   preemption.sh --record    makes build/timeline/preemption/*.csv: fixed_work, tile-counter, guides-kernel; ARGS adds options
#   preemption.sh --store     makes tutorial/figures/preemption/*.csv
#   preemption.sh --check     are they what the rungs do now? exit 1 if not, 3 without nvcc
set -u
cd "$(dirname "$0")/../.." || exit 3
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
stored=tutorial/figures/preemption
work=build/timeline/preemption
unset EMU_SEED EMU_REFUSE EMU_STEPS EMU_TRACE EMU_SCHEDULES
room $work
[ "${1:-}" = --record ] || ARGS=
BACKEND=emulator
export BACKEND
ask_machine
need_nvcc preemption.sh

run() { # RUNG NAME
    # shellcheck disable=SC2086 # ARGS is a list of words
    DEVICE=tiny tools/run.sh --build tutorial/rungs/"$1" >$work/"$2".log 2>&1 &&
        EMU_DEVICE=tiny EMU_CHECK=0 EMU_TRACE=$work/"$2".trace build/tutorial/rungs/"$1"/"$2".emu \
            --n 1280 --block 32 --units 1500 --work uniform --urgent ${ARGS:-} >$work/"$2".log 2>&1 && return
    cat $work/"$2".log >&2
    finish 1
}

record() { # NAME TRACE NTH
    awk -v nth="$3" -f tools/timeline/preemption.awk $work/"$2".trace >$work/"$1".csv || finish 1
}

run 01-tile-counter tile-counter
run 06-guides-kernel guides-kernel
record fixed_work tile-counter 1
record tile-counter tile-counter 2
record guides-kernel guides-kernel 1
for name in fixed_work tile-counter guides-kernel; do
    case ${1:-} in
    --record) ;;
    --store) mkdir -p $stored && cp $work/$name.csv $stored/$name.csv || exit ;;
    --check) cmp $work/$name.csv $stored/$name.csv || finish 1 "stale; tools/timeline/preemption.sh --store" ;;
    *) echo "usage: preemption.sh --record | --store | --check" >&2 && exit 2 ;;
    esac
done

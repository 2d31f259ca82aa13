#!/bin/sh
# The model held against reality: time over the lower bound and the order of the ways to hand out tiles, as DEVICE=h200
# predicts them and as the H200 measured them (results/h200/bench.json, `alone`), for the same tiles and units.
#   experiments/model.sh [BENCH.json [FOLDER]]
# Two blocks of one warp on an SM: a slot's speed is then its own, on a GPU as in the model. Then the constants of
# the row h200 of devices.def, as experiments/micro measured them, beside what the model makes of that row.
# Writes FOLDER/model.txt, model.json and micro.txt (build/model). Needs nvcc, no GPU; about two minutes.
set -u
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
bench=${1:-experiments/results/h200/bench.json}
out=${2:-build/model}
BACKEND=emulator DEVICE=h200 EMU_DEVICE=h200 EMU_CHECK=0
export BACKEND DEVICE EMU_DEVICE EMU_CHECK
[ -f "$bench" ] || finish 2 "$bench: there is no such file; experiments/bench.sh makes it on a GPU"
ask_machine
need_nvcc model.sh
command -v python3 >/dev/null || finish 3 "model.sh: there is no python3, which compares the figures"
room "$out"
COMPARE_OUT=$out WORK='' experiments/compare.sh --block 32 --slots 2 --units 2000 --waits 0 >/dev/null || exit
mv "$out/compare.json" "$out/model.json"
tools/run.sh --build experiments/micro || exit
build/experiments/micro/micro.emu >"$out/micro.model" || exit
python3 tools/measured.py model "$bench" "$out/model.json" | tee "$out/model.txt"
measured=$(dirname "$bench")/micro.measured
[ ! -f "$measured" ] || python3 tools/measured.py micro "$measured" "$out/micro.model" | tee "$out/micro.txt"

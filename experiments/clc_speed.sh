#!/bin/sh
# Builds and runs clc_speed on this machine's GPU. Usage: experiments/clc_speed.sh [OUTDIR] [options of clc_speed]
# Writes OUTDIR/clc_speed.json (all figures) and OUTDIR/clc_speed.txt (the same for reading). Exit: that of the program.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 5
out=${1:-$root/build/experiments}
[ $# -eq 0 ] || shift
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$out" "$root/build/experiments" || exit 2
"$nvcc" -std=c++17 -O3 -arch="sm_${ARCH:-90}" "$root/experiments/clc_speed.cu" -o "$root/build/experiments/clc_speed" || exit 3
"$root/build/experiments/clc_speed" "$@" >"$out/clc_speed.json" 2>"$out/clc_speed.txt"
status=$?
cat "$out/clc_speed.txt"
exit $status

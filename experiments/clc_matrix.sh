#!/bin/sh
# Builds and runs clc_matrix on this machine's GPU. Usage: experiments/clc_matrix.sh [OUTDIR] [options of clc_matrix]
# Writes OUTDIR/clc_matrix.json (the summary) and OUTDIR/clc_matrix.txt (every case). Exit: that of the program.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 5
out=${1:-$root/build/experiments}
[ $# -eq 0 ] || shift
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$out" "$root/build/experiments" || exit 2
"$nvcc" -std=c++17 -O3 -arch="sm_${ARCH:-90}" "$root/experiments/clc_matrix.cu" -o "$root/build/experiments/clc_matrix" || exit 3
"$root/build/experiments/clc_matrix" "$@" >"$out/clc_matrix.json" 2>"$out/clc_matrix.txt"
status=$?
cat "$out/clc_matrix.txt"
exit $status

#!/bin/sh
# proxy_fence_h200.sh FOLDER: builds and runs proxy_fence on this machine's GPU; about 5.4e9 reads in each of three runs.
# Writes FOLDER/proxy_fence.json (all figures) and FOLDER/proxy_fence.txt (the same for reading). Exit: that of the program.
set -u
out=${1:?usage: experiments/proxy_fence_h200.sh FOLDER [options of proxy_fence]}
shift
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 5
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$out" "$root/build/experiments" || exit 2
"$nvcc" -std=c++17 -O3 -arch="sm_${ARCH:-90}" "$root/experiments/proxy_fence.cu" -o "$root/build/experiments/proxy_fence" || exit 3
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)
"$root/build/experiments/proxy_fence" --driver "$driver" --date "$(date -u +%Y-%m-%d)" "$@" \
    >"$out/proxy_fence.json" 2>"$out/proxy_fence.txt"
status=$?
cat "$out/proxy_fence.txt"
exit $status

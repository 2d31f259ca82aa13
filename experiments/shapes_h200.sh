#!/bin/sh
# shapes_h200.sh FOLDER: proxy_fence_shapes on this machine's GPU into FOLDER/proxy_fence_shapes.txt; shows where a missing
# fence showed. About 5.4e9 reads in each run.
set -u
cd "$(dirname "$0")/.." || exit
out=${1:?usage: experiments/shapes_h200.sh FOLDER}
program=build/experiments/proxy_fence_shapes
mkdir -p build/experiments "$out"
[ -x $program ] || "${NVCC:-nvcc}" -std=c++17 -O3 -arch=sm_90 experiments/proxy_fence_shapes/proxy_fence_shapes.cu -o $program || exit 3
$program >"$out/proxy_fence_shapes.txt" 2>&1
code=$?
grep -E 'fence (no|yes) +[1-9][0-9]* wrong|^proxy' "$out/proxy_fence_shapes.txt"
exit $code

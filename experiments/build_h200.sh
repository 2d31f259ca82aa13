#!/bin/sh
# build_h200.sh: compiles what the other parts of all_h200.sh run, side by side, so that none of them waits for nvcc.
set -u
cd "$(dirname "$0")/.." || exit
BACKEND=gpu
export BACKEND
answer=$(tools/detect.sh) || exit
eval "$answer"
export NVCC GENCODE
mkdir -p build/experiments
"$NVCC" -std=c++17 -O3 -arch=sm_90 experiments/proxy_fence_shapes/proxy_fence_shapes.cu -o build/experiments/proxy_fence_shapes &
shapes=$!
V=1 tools/run.sh --build experiments/compare experiments/bandwidth experiments/micro step0[1-9]_*
steps=$?
rungs=
for source in tutorial/rungs/*/*.cu tutorial/rungs/*/*/*.cu; do
    [ ! -f "$source" ] || rungs="$rungs build/${source%.cu}.gpu"
done
# shellcheck disable=SC2086 # a list
make $rungs && wait $shapes && exit $steps

#!/bin/sh
# What ptxas says of step 3 with the release half at the scope of the block, .cta in the place of .cluster: it accepts
# no other scope than .cluster. Exit 1, as ptxas refuses; 3 without ptxas.
set -u
cd "$(dirname "$0")/../.." || exit 3
answer=$(tools/detect.sh) || { echo "$answer" >&2 && exit 3; }
eval "$answer"
ptxas=$(command -v "$(dirname "${NVCC:-none/nvcc}")/ptxas") || { echo 'no ptxas here: make toolkit fetches it' >&2 && exit 3; }
mkdir -p build || exit 3
step=step03_clc_blocks/clc_blocks.ptx
sed 's/sync_restrict::shared::cta\.cluster/sync_restrict::shared::cta.cta/' $step >build/narrow.ptx
"$ptxas" -arch="$(sed -n 's/^\.target \([a-z0-9_]*\).*/\1/p' $step)" build/narrow.ptx -o build/narrow.o || exit 1

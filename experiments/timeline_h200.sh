#!/bin/sh
# timeline_h200.sh FOLDER: do the steps record who did what when on a real GPU? Their records, as `make timeline` draws
# them, in one file: FOLDER/timeline.csv, a line `# STEP` ahead of each.
set -u
cd "$(dirname "$0")/.." || exit
out=${1:?usage: experiments/timeline_h200.sh FOLDER}
BACKEND=gpu tools/run.sh --build step01_fixed_work step02_fixed_blocks step03_clc_blocks step04_clc_clusters || exit
: >"$out/timeline.csv"
for program in step01_fixed_work/fixed_work step02_fixed_blocks/fixed_blocks step03_clc_blocks/clc_blocks step04_clc_clusters/clc_clusters; do
    echo "# ${program%/*}" >>"$out/timeline.csv"
    build/$program.gpu --n 1081344 --block 1024 --work giant --units 20000 --prologue 10000 --trace build/h200.csv || exit
    cat build/h200.csv >>"$out/timeline.csv"
done

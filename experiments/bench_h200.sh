#!/bin/sh
# bench_h200.sh FOLDER: make bench on this machine's GPU; its files into FOLDER.
set -u
cd "$(dirname "$0")/.." || exit
out=${1:?usage: experiments/bench_h200.sh FOLDER}
BACKEND=gpu experiments/bench.sh build/h200/bench
code=$?
for file in bench.json bench.txt; do
    [ ! -f build/h200/bench/$file ] || cp build/h200/bench/$file "$out"
done
exit $code

#!/bin/sh
# micro_h200.sh FOLDER: the constants of this machine's GPU into FOLDER/micro.measured.
set -u
cd "$(dirname "$0")/.." || exit
out=${1:?usage: experiments/micro_h200.sh FOLDER}
BACKEND=gpu tools/run.sh --build experiments/micro || exit
build/experiments/micro/micro.gpu >"$out/micro.measured"
code=$?
cat "$out/micro.measured"
exit $code

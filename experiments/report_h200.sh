#!/bin/sh
# report_h200.sh FOLDER: make report on this machine's GPU; its files, and those of the bench in it, into FOLDER.
set -u
cd "$(dirname "$0")/.." || exit
out=${1:?usage: experiments/report_h200.sh FOLDER}
made=build/h200/report
BACKEND=gpu experiments/report.sh $made
code=$?
cat $made/report.txt
for file in report.txt report.json bench/bench.json bench/bench.txt; do
    [ ! -f $made/$file ] || cp $made/$file "$out"
done
exit $code

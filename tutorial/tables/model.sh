#!/bin/sh
# The model held against the GPU as a Markdown table, from experiments/results/h200/model.txt: for each work and each way
# to hand out tiles the prediction, the measurement and the error. Used by the chapter on measuring.
# Exit 1 if the record has another form.
set -u
cd "$(dirname "$0")/../.." || exit
awk '
    BEGIN {
        print "| time over the bound: model / GPU, error | step 1 | step 2 | counter | step 3 | step 4 |"
        print "|---|---|---|---|---|---|"
    }
    $4 ~ /^[+-][0-9.]+%$/ {
        rows++
        printf "| %s |", $1
        for (k = 2; k <= 14; k += 3) {
            error = $(k + 2)
            sub(/^-/, "\342\210\222", error)
            sub(/%/, "\302\240%", error)
            printf " %s\302\240/\302\240%s, %s |", $k, $(k + 1), error
        }
        print ""
    }
    END { if (rows < 5) exit 1 }' experiments/results/h200/model.txt

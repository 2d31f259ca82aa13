#!/bin/sh
# The record of experiments/proxy_fence_shapes as a Markdown table: a row for each kernel in which wrong values were
# read, all its sizes and runs added up, and one row for all the others.
#   tutorial/tables/proxy_fence_shapes.sh [FILE]      FILE is experiments/results/h200/proxy_fence_shapes.txt
# Exit 1: there is no such file, or it holds no measurement.
set -u
cd "$(dirname "$0")/../.." || exit
file=${1:-experiments/results/h200/proxy_fence_shapes.txt}
[ -f "$file" ] || { echo "proxy_fence_shapes: there is no $file" >&2 && exit 1; }
awk '
    function many(n) { return n >= 1e6 ? sprintf("%.0f million", n / 1e6) : n + 0 }
    function line(what, k) {
        printf "| %s | %.0f billion | %s | %.0f billion | %s |\n", what, reads[k, "no"] / 1e9, many(wrong[k, "no"]), reads[k, "yes"] / 1e9, many(wrong[k, "yes"])
    }
    !match($0, / +[0-9]+ threads, [0-9] a SM, fence (no|yes) /) { next }
    {
        name = substr($0, 1, RSTART - 1); fence = $0 ~ /fence no / ? "no" : "yes"
        if (!(name in row)) { row[name] = ++n; names[n] = name }
        split(substr($0, RSTART + RLENGTH), word, " ") # W wrong, O of them old, of R reads
        wrong[row[name], fence] += word[1]; reads[row[name], fence] += word[8]
    }
    END {
        if (!n) { print "proxy_fence_shapes: no measurement in the record" >"/dev/stderr"; exit 1 }
        print "| kernel | read without the fence | wrong | read with it | wrong |\n|---|---:|---:|---:|---:|"
        for (k = 1; k <= n; k++) {
            if (wrong[k, "no"] + wrong[k, "yes"] > 0) { line(names[k], k); continue }
            others++
            reads["rest", "no"] += reads[k, "no"]; reads["rest", "yes"] += reads[k, "yes"]
        }
        if (others) line(others < n ? "the other " others : "all " n, "rest")
    }' "$file"

#!/bin/sh
# The record of experiments/proxy_fence.cu as a Markdown table, one row for the runs of one kernel:
#   tutorial/tables/proxy_fence.sh [FILE]      FILE is experiments/results/h200/proxy_fence.txt
# Exit 1: there is no such file, or a line of it is none of the experiment's.
set -u
cd "$(dirname "$0")/../.." || exit
file=${1:-experiments/results/h200/proxy_fence.txt}
[ -f "$file" ] || { echo "proxy_fence: there is no $file" >&2 && exit 1; }
awk '
    function table(n, k) {
        print "| direction | fence | threads | runs | values read | wrong |\n|---|---|---:|---:|---:|---:|"
        for (k = 1; k <= n; k++)
            printf "| %s | %s | %s | %d | %.1f billion | %d |\n", direction[k], fence[k], threads[k], runs[k], reads[k] / 1e9, wrong[k]
    }
    { at = match($0, / [0-9]+ threads: +[0-9]+ wrong, .* of [0-9]+ reads/) }
    !at { printf "proxy_fence: line %d of the record: %s\n", NR, $0 >"/dev/stderr"; bad = 1; exit 1 }
    {
        name = substr($0, length($1) + 1, at - length($1)); gsub(/^ +| +$/, "", name)
        rest = substr($0, at); sub(/,.* of /, " ", rest); split(rest, word, " ") # T threads: W wrong R reads, ...
        key = $1 "\t" name "\t" word[1]
        if (!(key in row)) { row[key] = ++n; direction[n] = $1; fence[n] = name; threads[n] = word[1] }
        k = row[key]; runs[k]++; wrong[k] += word[3]; reads[k] += word[5]
    }
    END { if (bad) exit 1; table(n) }' "$file"

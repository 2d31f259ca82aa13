#!/bin/sh
# Keeps the pages of the labs true to their tests: between `<!-- graded -->` and `<!-- end -->` of labs/L*/README.md
# stands the table of points, made from tests.tsv.
#   labs/instructor/pages.sh            rewrites the pages
#   labs/instructor/pages.sh --check    exit 1 and the difference, if one is stale
set -u
cd "$(dirname "$0")/../.." || exit
work=build/labs/pages
mkdir -p $work

table() { # TESTS.TSV
    awk -F '\t' '
        NR == 1 { print "| test | points | what it looks at |"; print "|---|---|---|"; next }
        { print "| `" $1 "` | " ($4 == "manual" ? $2 " by hand" : $2) " | " $6 ($3 == "-" ? "" : " (after `" $3 "`)") " |" }' "$1"
}

page() { # PAGE TESTS.TSV
    table "$2" >$work/table
    awk -v table=$work/table '
        /^<!-- graded -->$/ { print; print ""; while ((getline line < table) > 0) print line; print ""; skip = 1; next }
        /^<!-- end -->$/ { skip = 0 }
        !skip { print }' "$1"
}

stale=0
for page in labs/L*/README.md; do
    lab=$(basename "$(dirname "$page")")
    page "$page" "labs/instructor/$lab/tests.tsv" >$work/page || exit
    cmp -s "$page" $work/page && continue
    if [ "${1:-}" = --check ]; then
        diff "$page" $work/page
        echo "$page is stale: labs/instructor/pages.sh" >&2
        stale=1
    else
        cp $work/page "$page"
    fi
done
exit $stale

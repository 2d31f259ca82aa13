#!/bin/bash
# The labs, as TAP: every skeleton compiles and fails, every solution gets all points, every wrong submission the score that
# wrong/expect.tsv says.
#   tests/labs/run.sh [LAB...]      all labs without a LAB, such as L3-steal
#   wrong/LAB/NAME/        files of the submission; those that are missing come from the solution
#   wrong/LAB/NAME.sed     or the solution changed by a sed script (-E), in every source; NAME.FILE.sed, or a NAME that ends in
#                          .FILE: in FILE.cu alone
#   wrong/expect.tsv       lab, name, score (with SEED=1), id of the first test that fails, an ERE that the report holds or -
#   same.tsv               files handed out that are the skeleton cut from another
# Skipped without nvcc.
set -u
cd "$(dirname "$0")/../.." || exit
export LC_ALL=C
work=build/labs/test number=0 failed=''

tell() { # WHY WHAT
    number=$((number + 1))
    if [ -z "$1" ]; then echo "ok $number - $2"; else
        echo "not ok $number - $2"
        printf '%s\n' "$1" | head -n 30 | sed 's/^/#   /'
        failed=yes
    fi
}

wanted() { [ -z "$only" ] || [[ " $only " == *" $1 "* ]]; } # LAB
number_of() { local n=${1#L}; echo "${n%%-*}"; }            # L3-steal: 3

# --- skeleton and solution ----------------------------------------------------------

# Done twice: grade cut against awk, which knows nothing of it.
by_hand() { # FILE skeleton|solution
    awk -v part="$2" '
        /^[ \t]*\/\/ \[solution\][ \t]*$/ { where = "solution"; next }
        /^[ \t]*\/\/ \[skeleton\][ \t]*$/ { where = "skeleton"; next }
        /^[ \t]*\/\/ \[end\][ \t]*$/      { where = ""; next }
        where == "" || (where == part && part == "solution") { print }
        where == "skeleton" && part == "skeleton" {
            indent = $0; sub(/\/\/\|.*/, "", indent)
            rest = $0; sub(/^[ \t]*\/\/\| ?/, "", rest)
            print (rest == "" ? "" : indent rest)
        }' "$1"
}

# What stands outside the regions is the same in both.
same_outside() { # FILE: prints what is wrong
    local part
    for part in skeleton solution; do
        by_hand "$1" $part >$work/by-hand
        build/bin/grade cut "$1" $part >$work/cut || { echo "grade cut $1 $part fails" && return; }
        cmp -s $work/by-hand $work/cut || { echo "$part: grade cut differs from awk" && diff $work/by-hand $work/cut && return; }
    done
    grep -q '^[[:space:]]*// \[solution\]' "$1" || echo "no region"
}

# --- wrong submissions ----------------------------------------------------------------

# Solution and seed of a lab, once: $work/right/LAB.
right() { # LAB
    [ -d "$work/right/$1" ] && return
    build/bin/grade --work $work/work lab "$(number_of "$1")" --seed 1 >/dev/null &&
        build/bin/grade --work $work/work solution "$(number_of "$1")" --force >/dev/null &&
        mkdir -p "$work/right/$1" && cp $work/work/"$1"/solution/* "$work/right/$1" || return 1
    if [ -f "$work/work/$1/seed" ]; then cp "$work/work/$1/seed" "$work/right/$1"; fi
}

change() { # FILE SCRIPT
    sed -E -f "$2" "$1" >"$1.new" && ! cmp -s "$1" "$1.new" && mv "$1.new" "$1"
}

# The submission as a student would hand it in; prints why it cannot be made.
submission() { # LAB NAME
    local to=$work/class/$1--$2/$1 from=tests/labs/wrong/$1/$2 script file any=''
    mkdir -p "$to"
    right "$1" || { echo "no solution of $1" && return; }
    cp "$work/right/$1"/* "$to"
    if [ -d "$from" ]; then cp -RP "$from"/* "$to" && any=yes; fi
    for script in "$from".*.sed; do
        [ -f "$script" ] || continue
        file=${script#"$from".} any=yes
        change "$to/${file%.sed}.cu" "$script" || echo "$script changes nothing in ${file%.sed}.cu"
    done
    if [ -f "$from.sed" ]; then
        file=$to/${2##*.}.cu
        for file in $(if [ -f "$file" ]; then echo "$file"; else echo "$to"/*.cu; fi); do change "$file" "$from.sed" && any=yes; done
        rm -f "$to"/*.new
    fi
    [ -n "$any" ] || echo "nothing in tests/labs/wrong/$1 is called $2, or it changes nothing"
}

rows() { tail -n +2 tests/labs/wrong/expect.tsv | grep -v -e '^#' -e '^$'; }

judge_wrong() { # LAB NAME SCORE FAILING TEXT: prints what is not as documented
    local out=$work/grades/$1--$2/$1 line score failing
    line=$(sed -n 2p "$out/done" 2>/dev/null) || { echo "was not graded" && return; }
    score=$(echo "$line" | cut -d , -f 3) failing=$(echo "$line" | cut -d , -f 6)
    [ "$score" = "$3" ] || echo "score $score, expect.tsv says $3"
    [ "$failing" = "$4" ] || echo "first failure '$failing', expect.tsv says '$4'"
    [ "$5" = - ] || grep -qE -- "$5" "$out/report.txt" || echo "the report does not say: $5"
}

wrong() {
    local lab name score failing text why log=$work/class.log
    rm -rf $work/class $work/grades $work/right $work/work
    mkdir -p $work/class
    : >$work/unmade
    while IFS=$'\t' read -r lab name _; do
        wanted "$lab" || continue
        why=$(submission "$lab" "$name")
        [ -z "$why" ] || echo "$lab/$name: $why" >>$work/unmade
    done < <(rows)
    tell "$(cat $work/unmade)" "every wrong submission can be made"
    build/bin/grade all $work/class --out $work/grades --seed 1 >$log 2>&1 || tell "$(cat $log)" "grade all of the wrong submissions"
    while IFS=$'\t' read -r lab name score failing text; do
        wanted "$lab" || continue
        why=$(judge_wrong "$lab" "$name" "$score" "$failing" "$text")
        [ -z "$why" ] || why="$why"$'\n'$(cat "$work/grades/$lab--$name/$lab/report.txt" 2>/dev/null)
        tell "$why" "$lab, wrong: $name gets $score"
    done < <(rows)
}

# --- all ---------------------------------------------------------------------------------

only=$*
mkdir -p $work
eval "$(BACKEND=emulator tools/detect.sh)"
if [ -z "$NVCC" ]; then
    printf '1..1\nok 1 - labs # skip no nvcc\n'
    exit 0
fi
for folder in labs/instructor/L*/; do
    lab=$(basename "$folder")
    wanted "$lab" || continue
    log=$(build/bin/grade check "$(number_of "$lab")" 2>&1)
    status=$?
    tell "$([ $status -eq 0 ] || echo "$log")" "$lab: the skeleton fails, the solution gets every point"
    for file in "$folder"*.cu; do
        if grep -qs '\[solution\]' "$file"; then tell "$(same_outside "$file")" "$lab: ${file##*/} and its skeleton differ in regions alone"; fi
    done
done
while IFS=$'\t' read -r lab give source; do
    wanted "$lab" || continue
    why=$(build/bin/grade cut "labs/instructor/$lab/$source" skeleton | diff - "labs/instructor/$lab/give/$give")
    tell "$why" "$lab: $give is the skeleton of $source"
done < <(tail -n +2 tests/labs/same.tsv)
if [ -f tests/labs/wrong/expect.tsv ]; then wrong; fi
echo "1..$number"
[ -z "$failed" ]

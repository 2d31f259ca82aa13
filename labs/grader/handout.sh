#!/bin/sh
# The repository without the labs' solutions, for students: build/labs/handout.tar.gz.
#   labs/grader/handout.sh [ARCHIVE]
# Takes what git tracks. Solutions in labs/instructor/ become empty (their regions stay, so that `make lab` and `make grade`
# work), and tables of answers are left out; labs/HANDOUT says so to the grader.
set -u
cd "$(dirname "$0")/../.." || exit
archive=${1:-build/labs/handout.tar.gz}
work=build/labs/handout
name=clc-labs

fail() { # SENTENCE
    echo "make handout: $1" >&2
    exit 3
}

# Answers that stand in a file: the wanted table of a test, unless reference.c makes it.
answers() { sed -n 's/.*[[:space:]]want=\([^[:space:]]*\).*/\1/p' "$1"; }

git ls-files >/dev/null 2>&1 || fail "this is no clone of the repository: git does not know its files"
rm -rf $work
mkdir -p "$work/$name" "$(dirname "$archive")"
git ls-files -z -- . ':!labs/INSTRUCTORS.md' ':!labs/instructor/*/solution/*' ':!tests/labs/wrong' |
    xargs -0 cp -P --parents -t "$work/$name" || fail "the files cannot be copied"
for lab in labs/instructor/L*/; do
    for file in "$lab"*.cu; do
        grep -qs '^[[:space:]]*// \[solution\][[:space:]]*$' "$file" || continue
        build/bin/grade cut "$file" handout >"$work/$name/$file" || exit
    done
    for file in $(answers "${lab}tests.tsv"); do rm -f "$work/$name/$lab$file"; done
done
echo "Made by 'make handout': solutions and answers were left out." >"$work/$name/labs/HANDOUT"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C $work -czf "$archive.part" $name || fail "$archive cannot be written"
mv "$archive.part" "$archive" || exit
rm -rf $work
echo "$archive: the repository without solutions, $(du -k "$archive" | cut -f 1) KB"
echo "Next: tar -xzf $archive, then make lab N=3 in there"

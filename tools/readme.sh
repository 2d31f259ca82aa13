#!/bin/sh
# Puts real output into README.md: between `<!-- output: COMMAND -->` and `<!-- end -->`, as COMMAND prints it on
# the emulator; and tables between `<!-- table: COMMAND -->` and `<!-- end -->`, which COMMAND prints as Markdown.
# The same choices give the same output, so a test can compare.
#   tools/readme.sh            rewrites README.md
#   tools/readme.sh --check    exit 1 and the difference, if README.md is stale
set -u
cd "$(dirname "$0")/.." || exit
case "$#:${1:-}" in 0: | 1:--check) ;; *) echo "usage: tools/readme.sh [--check]" >&2 && exit 2 ;; esac
work=build/readme
mkdir -p $work

# The first line says what this machine has, which is no news to a reader; it is left out with the blank after it.
output_of() { # COMMAND
    BACKEND=emulator bash -o pipefail -c "$1" >$work/log 2>$work/err || { cat $work/log $work/err >&2 && return 1; }
    echo '```'
    echo "$ ${1% 2>/dev/null}"
    sed '/^Found /,/^$/d' $work/log
    echo '```'
}

skip() { # what stood there before
    while IFS= read -r line && [ "$line" != '<!-- end -->' ]; do :; done
    echo '<!-- end -->'
}

fill() {
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
        '<!-- output: '*' -->')
            command=${line#<!-- output: }
            output_of "${command% -->}" || exit
            skip
            ;;
        '<!-- table: '*' -->')
            command=${line#<!-- table: }
            echo && bash -o pipefail -c "${command% -->}" && echo || exit
            skip
            ;;
        esac
    done
}

# Built first, quietly: what a compiler says has no place in the README.
make --no-print-directory emulator build >$work/log 2>&1 || { cat $work/log >&2 && exit 1; }
fill <README.md >$work/README.md || exit
if [ "${1:-}" = --check ]; then
    diff README.md $work/README.md || { echo "README.md is stale: tools/readme.sh" >&2 && exit 1; }
elif ! cmp -s README.md $work/README.md; then
    cp $work/README.md README.md
fi

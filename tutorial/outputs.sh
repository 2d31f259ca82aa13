#!/bin/bash
# Runs what the book's .output blocks show, each command once, in the order of the book.
#   tutorial/outputs.sh COMMANDS OUTPUTS
# COMMANDS has lines `HASH PLACE COMMAND`; HASH.out and HASH.exit are written to OUTPUTS, where they are kept as
# long as nothing changes from which a command could be made: sources, stored PTX, tools, the compiler.
set -u
cd "$(dirname "$0")/.." || exit
commands=$1 outputs=$2
export BACKEND=emulator LC_ALL=C.UTF-8 TERM=dumb

# Whatever stands in the repository besides the chapters and the tests; not what was built from it.
sources() {
    find . \( -name .git -o -path ./build -o -path ./labs/work -o -path ./tutorial/en -o -path ./tutorial/theme -o -path ./tutorial/filters \
        -o -path ./tutorial/syntax -o -name "book.*" -o -name cover.sh -o -path ./tests/bats -o -path ./tests/book \) -prune -o -type f -print0 | sort -z | xargs -0 cat | cksum
    tools/detect.sh 2>/dev/null
}

# Like a reader's shell: not within make, no terminal, nothing set but the backend.
run() { # COMMAND
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u WITHIN_MAKE -u MAKE_TERMOUT -u MAKE_TERMERR -u CHAPTER \
        timeout 120 bash -c "$1" </dev/null 2>&1
}

# What `make` says of where it goes and what it builds, and this machine's paths, are no part of an output.
cleaned() {
    sed -E -e "s#$PWD/##g" -e "s#$PWD#.#g" -e 's/\x1b\[[0-9;]*m//g' \
        -e '/^make(\[[0-9]+\])?: (Entering|Leaving) directory/d' -e '/^  (CC|AR|LD|NVCC|GEN|TEST) +/d' -e '/^Building; V=1 shows/d' -e '/^make(\[[0-9]+\])?: \*\*\* /d' |
        sed '/^Found /,/^$/d'
}

mkdir -p "$outputs"
world=$(sources | cksum)
if [ "$world" != "$(cat "$outputs/world" 2>/dev/null)" ]; then
    rm -f "$outputs"/*.out "$outputs"/*.exit
    echo "$world" >"$outputs/world"
fi
while IFS=$'\t' read -r hash _ command <&3; do
    [ ! -e "$outputs/$hash.exit" ] || continue
    began=$SECONDS
    run "$command" >"$outputs/$hash.raw"
    status=$?
    cleaned <"$outputs/$hash.raw" >"$outputs/$hash.out"
    rm "$outputs/$hash.raw"
    echo $status >"$outputs/$hash.exit"
    printf '  %-5s %s%s\n' RUN "$command" "$([ $((SECONDS - began)) -lt 5 ] || echo "  ($((SECONDS - began)) s)")"
done 3<"$commands"

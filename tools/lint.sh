#!/bin/bash
# Everything that reads code without being a test of it: stricter warnings, clang-tidy, cppcheck, shellcheck on
# the shell scripts, and the unit tests under the address and undefined-behaviour sanitizers.
#   tools/lint.sh [PART...]     warnings tidy cppcheck shell sanitizers; default all
# Shows the findings alone. The last line is `N passed, N failed`, counted in parts.
set -u
cd "$(dirname "$0")/.." || exit
work=build/lint
mkdir -p $work
shopt -s nullglob
jobs=$(nproc 2>/dev/null || echo 2)
passed=0 failed=0

c_files() { # the emulator's CUDA runtime needs the toolkit's headers
    local file
    for file in common/*.c emulator/*.c emulator/*/*.c tests/unit/*.c labs/*/*.c labs/instructor/*/*.c tutorial/*/*.c; do
        case $file in emulator/runtime/*) [ -z "$cuda" ] && continue ;; esac
        echo "$file"
    done
}

# The toolkit's include folder, empty without nvcc.
cuda=$(eval "$(BACKEND=emulator tools/detect.sh)" && [ -n "$NVCC" ] && cd "$(dirname "$(readlink -f "$NVCC")")/../include" && pwd)
# warp_run.c is compiled once for each of two settings; one is enough here.
flags=(-std=c17 -I. -Iemulator ${cuda:+-isystem "$cuda"} -DVARIANT=base -DOBSERVED=0)

# On top of what the build demands anyway.
warnings() {
    c_files | xargs -P "$jobs" -n 8 gcc -fsyntax-only "${flags[@]}" -O2 -Wall -Wextra -Wpedantic -Werror -Wshadow \
        -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -ffp-contract=off
}

tidy() {
    c_files | xargs -P "$jobs" -I{} clang-tidy --quiet {} -- "${flags[@]}" 2>$work/tidy.err
}

# The files that expand the whole opcode table into handlers would take it minutes and are left to the others.
check_cpp() {
    cppcheck --quiet --std=c11 --enable=warning,portability,performance --inline-suppr --error-exitcode=1 -j "$jobs" \
        --suppress=missingIncludeSystem --suppress=ctuuninitvar --suppress=ctunullpointer --suppress=nullPointerArithmeticRedundantCheck --suppress=nullPointerRedundantCheck \
        --suppress=uninitvar -i emulator/machine/exec_alu_lane.c -i emulator/machine/exec_alu_base.c -i emulator/machine/exec_alu_avx2.c \
        -I. -Iemulator common emulator tests/unit labs tutorial
}

# bats files: variables and arguments that shellcheck does not see used.
shell() {
    local file scripts=()
    for file in tools/* tools/*/* tests/* tests/*/* common/* emulator/bin/* experiments/* labs/* labs/*/* tutorial/* tutorial/*/* .ci/run; do
        [ -f "$file" ] && head -n 1 "$file" | grep -qE '^#!.*(/|env )(ba|da)?sh' && scripts+=("$file")
    done
    shellcheck "${scripts[@]}" && shellcheck -x -S warning -e SC2034,SC2120,SC1091 -s bats tests/bats/*.bats tests/bats/*.bash
}

# A second tree, so that objects with and without sanitizers do not mix.
sanitizers() {
    local tree=build/sanitize test bad=0
    mkdir -p $tree
    cp -pRu Makefile tools tests common emulator step[0-9][0-9]_* $tree/ || return
    env -u WITHIN_MAKE -u MAKEFLAGS -u MAKELEVEL make -C $tree --no-print-directory test-programs \
        CFLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all -O1 -g -Wno-error' LDFLAGS='-fsanitize=address,undefined' \
        >$work/sanitize.log 2>&1 || { grep -E 'error|\*\*\*|undefined' $work/sanitize.log | head -n 20 && return 1; }
    for test in "$tree"/build/{tests/unit,emulator,emulator/*,common}/*_test; do
        (cd $tree && CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "${test#"$tree"/}") >$work/sanitize.out 2>&1 </dev/null || {
            echo "$test"
            grep -vE '^(ok|1\.\.)' $work/sanitize.out | head -n 30
            bad=1
        }
    done
    return $bad
}

part() { # NAME COMMAND
    local began=$SECONDS
    if "$2" >"$work/$1.out" 2>&1 </dev/null; then
        passed=$((passed + 1))
        echo "ok      $1  ($((SECONDS - began)) s)"
    else
        failed=$((failed + 1))
        head -n 60 "$work/$1.out"
        echo "not ok  $1  ($((SECONDS - began)) s); again: tools/lint.sh $1"
    fi
}

[ $# -gt 0 ] || set -- warnings tidy cppcheck shell sanitizers
for name; do
    case $name in
    warnings | tidy | shell | sanitizers) part "$name" "$name" ;;
    cppcheck) part cppcheck check_cpp ;;
    *) echo "lint.sh: no part is called $name" >&2 && exit 2 ;;
    esac
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

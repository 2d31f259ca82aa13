#!/usr/bin/env bats
# The front door: what make prints, what it refuses, and the README's commands on a clean clone. How long the
# first of them takes is in build_time.bats.

load root

setup() { cd "$ROOT" || return; }

last() { printf '%s\n' "$output" | tail -n 1; }
has() { case $output in *"$1"*) ;; *) printf '%s\nlacks %s\n' "$output" "$1" && false ;; esac; }

# One clone for all tests: what is committed, and nothing that was built.
setup_file() {
    git clone -q "$ROOT" "$BATS_FILE_TMPDIR/clone"
}

in_clone() {
    cd "$BATS_FILE_TMPDIR/clone" && git checkout -q .
}

# The same machine without nvcc.
without_nvcc() {
    local dir path=
    local IFS=:
    for dir in $PATH; do [ -x "$dir/nvcc" ] || path=$path:$dir; done
    env -u CUDA_HOME -u CUDA_PATH -u NVCC PATH="${path#:}" DETECT_ROOT=/nowhere TOOLKIT_DIR=/nowhere "$@"
}

@test "make: alone it names tour, run, test and help, and nothing else" {
    run make
    [ "$status" -eq 0 ]
    [ "$(printf '%s\n' "$output" | grep -c '^  make ')" -eq 4 ]
    [ "$(last)" = "Start with: make tour" ]
}

@test "make: help names every variable of the table and every target that a reader may type" {
    run make help
    [ "$status" -eq 0 ]
    while IFS=$'\t' read -r name _; do has "  $name "; done < <(tail -n +2 tools/variables.tsv)
    for target in $(sed -n 's/^\.PHONY: first \(.*\)/\1/p' Makefile); do has "  $target "; done
}

@test "make: the devices of the table are those of the emulator" {
    run sed -n 's/^DEVICE("\([a-z0-9]*\)".*/\1/p' emulator/machine/devices.def
    [ "$(printf '%s\n' "${lines[@]}" | sort | tr '\n' ' ')" = \
        "$(awk -F '\t' '$1 == "DEVICE" { print $3 }' tools/variables.tsv | tr '|' '\n' | sort | tr '\n' ' ')" ]
}

@test "make: nonsense in a variable ends with one sentence and 2, before anything is built" {
    while read -r setting; do
        run env "$setting" tools/run.sh step01_fixed_work
        [ "$status" -eq 2 ]
        has "$setting: use "
        [ "$(last)" = "exit 2" ]
    done <<'LIST'
DEVICE=h100
SEED=seven
CHECK=2
BUDGET=-1
BACKEND=cpu
GPU=first
LIST
}

@test "make: a step that is not there is said" {
    run tools/run.sh step09_nothing
    [ "$status" -eq 2 ]
    has "step09_nothing: there is no step09_nothing/nothing.cu"
}

@test "make: the stored PTX is what this nvcc makes, in any folder" {
    in_clone
    run tools/ptx.sh --check step[0-9][0-9]_*
    [ "$status" -ne 3 ] || skip "no nvcc, or another version"
    [ "$status" -eq 0 ] || { echo "$output" && false; }
}

@test "make: without nvcc the stored PTX runs, and make toolkit is named" {
    in_clone
    run without_nvcc make run
    echo "$output"
    [ "$status" -eq 0 ]
    has "runs the stored PTX on the emulated b200 (make toolkit fetches a compiler)"
    [ "$(printf '%s\n' "$output" | grep -c '^PASS ')" -ge "$(ls -d step[0-9][0-9]_* | wc -l)" ]
    [ "$(last)" = "Next: make tour" ]
    run without_nvcc make tour
    echo "$output"
    [ "$status" -eq 0 ]
    has "emulated tiny"
}

@test "make: from inside a step and a rung, in a folder with a space in its name" {
    mkdir "$BATS_TEST_TMPDIR/a b"
    git clone -q "$ROOT" "$BATS_TEST_TMPDIR/a b/c d"
    cd "$BATS_TEST_TMPDIR/a b/c d"
    printf '#!/bin/sh\necho "runs $*"\n' >tools/run.sh
    run make -C step01_fixed_work run
    has "runs step01_fixed_work"
    cd tutorial/rungs/02-arrivals
    run make build
    has "runs --build tutorial/rungs/02-arrivals"
}

@test "make: a kernel that is wrong ends with exit 1, and what was built before does not hide it" {
    in_clone
    run make -C step01_fixed_work run ARGS="--n 1000"
    [ "$status" -eq 0 ]
    sed -i 's/data\[i\] \*= alpha/data[i] *= alpha + 1/' step01_fixed_work/fixed_work.cu
    run tools/run.sh step01_fixed_work
    case $output in *"stored PTX"*) skip "no nvcc" ;; esac
    echo "$output"
    [ "$status" -eq 1 ]
    [ "$(last)" = "exit 1" ]
    run make step01
    [ "$status" -eq 2 ]
}

@test "make: every command of the README that needs no network works" {
    in_clone
    run bash -c "sed -n '/^\`\`\`sh\$/,/^\`\`\`\$/{/^\`\`\`/d;p}' README.md"
    [ "${#lines[@]}" -gt 4 ]
    for command in "${lines[@]}"; do
        case $command in
        "sudo apt-get install "* | "make test" | "make toolkit" | "make book") continue ;; # this test, build_toolkit.bats, book_whole.bats
        "make "*) BACKEND=emulator bash -c "$command" || { echo "$command" && false; } ;;
        emulator/bin/* | EMU_CHECK=*) # programs of one's own: with a compiler
            [ -n "$(eval "$(BACKEND=emulator tools/detect.sh)" && echo "$NVCC")" ] || continue
            bash -c "$command" || { echo "$command" && false; } ;;
        *) echo "a command of an unknown kind: $command" && false ;;
        esac
    done
}

@test "make: the README's output is what the commands print" {
    run tools/readme.sh --check
    case $output in *"stored PTX"*) skip "no nvcc" ;; esac
    echo "$output"
    [ "$status" -eq 0 ]
}

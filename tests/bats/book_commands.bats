#!/usr/bin/env bats
# Every command that the book tells a reader to type is typed, in a copy of the repository, and ends as the book
# says. Each has a line of its own in the report.

load book
bats_require_minimum_version 1.5.0

setup() {
    cd "$ROOT" || return
    book_needs pandoc
}

# What is in the repository and what has been built of it, without other tests' work.
copy_to() { # FOLDER
    local part
    mkdir -p "$1/build"
    git ls-files -co --exclude-standard -z | xargs -0 cp -a --parents -t "$1" 2>/dev/null || true # deleted files are listed too
    for part in bin lib obj common emulator tutorial emu.target gpu.target step01_fixed_work step02_fixed_blocks step03_clc_blocks step04_clc_clusters; do
        [ ! -e "build/$part" ] || cp -a "build/$part" "$1/build/"
    done
}

@test "book: every command of a .run block ends as the book says" {
    tutorial/book.sh --into "$BATS_TEST_TMPDIR/made" commands >"$BATS_TEST_TMPDIR/commands"
    # Built here, once for all tests, not in the copy.
    sed -n 's/.*make -C \([^ ]*\) run.*/\1-build/p' "$BATS_TEST_TMPDIR/commands" | sort -u | xargs make -s build emulator >/dev/null
    [ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -ge 20 ]
    copy_to "$BATS_TEST_TMPDIR/copy"
    cd "$BATS_TEST_TMPDIR/copy"
    bad=0
    while IFS=$'\t' read -r place wanted command <&4; do
        status=0 began=$SECONDS
        BACKEND=emulator timeout 300 bash -c "$command" >"$BATS_TEST_TMPDIR/log" 2>&1 </dev/null || status=$?
        if [ "$status" -eq "$wanted" ]; then
            echo "# ran $place: $command ($((SECONDS - began)) s)" >&3
        else
            bad=1
            echo "$place: $command: exit $status, not $wanted"
            tail -n 15 "$BATS_TEST_TMPDIR/log"
        fi
    done 4< <(sort -u -t "$(printf '\t')" -k 3 "$BATS_TEST_TMPDIR/commands")
    [ "$bad" -eq 0 ]
}

@test "book: no command to be typed needs a GPU, a password or the network; such ones are not run, and say why" {
    tutorial/book.sh --into "$BATS_TEST_TMPDIR/made" commands >"$BATS_TEST_TMPDIR/commands"
    run ! grep -E 'sudo|BACKEND=gpu|make toolkit|make clean|git clone|nvidia-smi' "$BATS_TEST_TMPDIR/commands"
}

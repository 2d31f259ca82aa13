#!/usr/bin/env bats
# How long a newcomer waits. tests/run.sh runs this file while nothing else runs.

load root

last() { printf '%s\n' "$output" | tail -n 1; }

# Sets wall, and cpu: the time it would have had on a machine that is busy with other things as well.
first_run() { # CLONE
    local began=$SECONDS before
    git clone -q "$ROOT" "$1" && cd "$1" || return
    spent && before=$seconds
    run env BACKEND=emulator make run
    wall=$((SECONDS - began))
    spent && cpu=$(((seconds - before) * 5 / 4 / $(nproc)))
}

# Sets seconds: processor time of all that this shell has started. `times` in a subshell tells of the subshell.
spent() {
    times >"$BATS_TEST_TMPDIR/times"
    seconds=$(tail -n 1 "$BATS_TEST_TMPDIR/times" | awk -F '[ms ]+' '{ print int($1 * 60 + $2 + $3 * 60 + $4) }')
}

@test "make: from clone to the last verdict in less than 60 seconds, and nothing written outside build/" {
    local wall cpu seconds
    first_run "$BATS_TEST_TMPDIR/first"
    if [ "$wall" -ge 60 ] && [ "$cpu" -ge 60 ]; then first_run "$BATS_TEST_TMPDIR/second"; fi # of two, the faster
    echo "$wall s, alone about $cpu s; $output"
    [ "$status" -eq 0 ]
    [ "$wall" -lt 60 ] || [ "$cpu" -lt 60 ]
    [ "$(printf '%s\n' "$output" | grep -c '^PASS ')" -ge "$(ls -d step[0-9][0-9]_* | wc -l)" ]
    [ "$(last)" = "Next: make tour" ]
    [ -z "$(git status --porcelain)" ]
}

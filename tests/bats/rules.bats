#!/usr/bin/env bats
# tutorial/rules.sh: the checker's rules as a table of the book.

load steps_common
load root

setup() { cd "$ROOT" || return; }

@test "rules: a row for each rule that begins so, in the order of the table, four cells each" {
    run tutorial/rules.sh TC QC
    is "$status" 0
    is "$(sed -n 's/^| \([TQ]C[A-Z0-9]*\)[ ,].*/\1/p' <<<"$output")" "$(sed -n 's/^RULE(\([TQ]C[A-Z0-9]*\),.*/\1/p' emulator/checker/rules.def)"
    while read -r line; do
        is "$(tr -cd '|' <<<"$line" | wc -c)" 5
        [[ $line != *"|  |"* ]]
    done < <(sed 1,2d <<<"$output")
    has "$output" "| TC9 | a request after a refused one was observed | What happens after is_canceled said no? | P 9.7.13.17 |"
    has "$output" "| TC10W, lint |"
}

@test "rules: every rule can be shown" {
    # shellcheck disable=SC2046 # a word each
    run tutorial/rules.sh $(sed -n 's/^RULE(\([A-Z0-9]*\),.*/\1/p' emulator/checker/rules.def)
    is "$status" 0
    [ "$(grep -c '^| [A-Z]' <<<"$output")" -ge 42 ]
}

@test "rules: a prefix that no rule has, and none at all, are a sentence and exit 2" {
    run tutorial/rules.sh TC ZZ
    is "$status" 2
    has "$output" "no rule begins with ZZ"
    lacks_row=$(grep -c '^|' <<<"$output" || true)
    is "$lacks_row" 0
    run tutorial/rules.sh
    is "$status" 2
    has "$output" "usage:"
}

@test "rules: without the emulator it says what to make" {
    run env EMU_RUN=build/nowhere tutorial/rules.sh TC
    is "$status" 3
    has "$output" "make build/nowhere"
}

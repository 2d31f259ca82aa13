#!/usr/bin/env bats
# The zoo as a table. Its kernels themselves are run by tests/zoo/run.sh.

load root
bats_require_minimum_version 1.5.0

setup() { cd "$ROOT" && unset EMU_CHECK EMU_SEED; }

@test "zoo: every rule has a wrong kernel and its legal twin" {
    build/bin/emu-run --list-rules | cut -d' ' -f1 | sort >"$BATS_TEST_TMPDIR/rules"
    [ -s "$BATS_TEST_TMPDIR/rules" ]
    tests/zoo/run.sh --ids | sort >"$BATS_TEST_TMPDIR/twins"
    diff "$BATS_TEST_TMPDIR/rules" "$BATS_TEST_TMPDIR/twins"
}

@test "zoo: every wrong kernel marks a line with its own rule, and no twin marks any" {
    # shellcheck disable=SC2046 # one word a file
    run awk '/^ZOO /{ name = $2; sub(/\(.*/, "", name); id = name; sub(/_.*/, "", id); if (name ~ /_bad/) open[name] = 1 }
             /\/\/ expect:/ { rule = $0; sub(/.*expect: */, "", rule)
                              if (name !~ /_bad/ || rule != id) print FILENAME ":" FNR ": " rule " in " name
                              delete open[name] }
             END { for (name in open) print name " marks no line" }' $(grep -l '^ZOO' tests/zoo/*.cu)
    echo "$output"
    [ -z "$output" ]
}

@test "zoo: a lint alone ends with 0, an error with 1" {
    run env SHOW=1 tests/zoo/run.sh FE3_bad PX4_bad
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"[FE3]"* && $output == *"[PX4]"* ]]
}

@test "zoo: the stored PTX runs where there is no nvcc" {
    run env STORED=1 tests/zoo/run.sh SH1
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"1..$(cat tests/zoo/*.cu | grep -c '^ZOO SH1')"$'\n'* ]]
}

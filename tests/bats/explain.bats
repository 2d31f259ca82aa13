#!/usr/bin/env bats
# make explain: a rule in words, from the table.

load root
bats_require_minimum_version 1.5.0

setup() { cd "$ROOT" || return; }

@test "explain: RULE=PX4 says cause, question, what to try and the chapter" {
    run make -s explain RULE=PX4
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"the acquire half of the proxy fence is missing"* && $output == *"where are they acquired?"* ]]
    [[ $output == *"sem_acquire"* && $output == *"proxy-fences"* ]]
}

@test "explain: every rule of the table is explained" {
    ids=$(sed -n 's/^RULE(\([A-Z0-9]*\),.*/\1/p' emulator/checker/rules.def)
    [ "$(echo "$ids" | wc -w)" -ge 40 ]
    for id in $ids; do
        run build/bin/emu-run --explain "$id"
        [ "$status" -eq 0 ] && [ "${#lines[@]}" -ge 3 ] || { echo "$id: $output"; return 1; }
    done
}

@test "explain: a rule that is none gets the list, and exit 2" {
    run build/bin/emu-run --explain PX99
    echo "$output"
    [ "$status" -eq 2 ]
    [[ $output == *PX99* ]]
}

@test "explain: make says how to see the list, and ends with an exit line" {
    RULE=PX99 run tools/explain.sh
    echo "$output"
    [ "$status" -eq 2 ]
    [ "${lines[-1]}" = "exit 2" ]
    [[ $output == *"no rule 'PX99'; make explain lists them"* ]]
    run make -s explain RULE=px4
    [ "$status" -eq 0 ]
    [[ $output == "PX4: "* ]]
}

@test "explain: without RULE all rules are listed" {
    run make -s explain
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq "$(grep -c '^RULE(' emulator/checker/rules.def)" ]
}

#!/usr/bin/env bats
# Outputs that need nvcc and are stored for the book (tutorial/stored/): complete, shown without a compiler, and what
# the commands print now.

load root
bats_require_minimum_version 1.5.0

setup() { cd "$ROOT" || return; }

names() { sed 1d tutorial/stored/commands.tsv | cut -f 1; }

@test "stored: every command has its output, every output its command" {
    [ "$(names | wc -w)" -ge 3 ]
    [ "$(names | sort)" = "$(for f in tutorial/stored/*.txt; do basename "$f" .txt; done | sort)" ]
    [ -z "$(names | sort | uniq -d)" ]
}

@test "stored: show needs no compiler, and leaves the toolkit's line out" {
    for name in $(names); do
        run env PATH=/usr/bin:/bin NVCC=/nowhere tutorial/stored/stored.sh show "$name"
        [ "$status" -eq 0 ]
        [ -n "$output" ]
        [[ $output != *"# toolkit"* && $output != *"$ROOT"* ]]
    done
}

@test "stored: a name that is not in the table gets the list, and exit 2" {
    run tutorial/stored/stored.sh show nobody
    [ "$status" -eq 2 ]
    [[ $output == *"no 'nobody'"*"urgent-guide"* ]]
    run tutorial/stored/stored.sh
    [ "$status" -eq 2 ]
    run tutorial/stored/stored.sh show
    [ "$status" -eq 2 ]
}

@test "stored: the commands print what is stored, with the toolkit named there" {
    run tutorial/stored/stored.sh check
    echo "$output"
    [ "$status" -ne 3 ] || skip "no nvcc, or another toolkit"
    [ "$status" -eq 0 ]
}

@test "stored: a changed output is stale, and a command that ends otherwise is told" {
    tutorial/stored/stored.sh check fence-scope || [ $? -ne 3 ] || skip "no nvcc, or another toolkit"
    copy=$BATS_TEST_TMPDIR/top
    mkdir -p "$copy/tutorial" "$copy/step03_clc_blocks"
    cp -r tutorial/stored tutorial/errata "$copy/tutorial/"
    cp -r tools "$copy/"
    cp step03_clc_blocks/clc_blocks.ptx "$copy/step03_clc_blocks/"
    sed -i 's/modifier/spelling/' "$copy/tutorial/stored/fence-scope.txt"
    run "$copy/tutorial/stored/stored.sh" check fence-scope
    [ "$status" -eq 1 ]
    [[ $output == *"fence-scope.txt is stale"* ]]
    sed -i '/^fence-scope/s/	1	/	0	/' "$copy/tutorial/stored/commands.tsv"
    run "$copy/tutorial/stored/stored.sh" check fence-scope
    [ "$status" -eq 1 ]
    [[ $output == *"exit 1, want 0"* ]]
}

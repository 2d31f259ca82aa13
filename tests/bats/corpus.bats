#!/usr/bin/env bats
# The corpus's own tools: what they make of a table, and that they see a difference.

load root

setup() {
    cd "$ROOT" || return
    command -v python3 >/dev/null || skip "no python3"
    corpus() { python3 tools/corpus.py "$@"; }
    table=$BATS_TEST_TMPDIR/table.tsv
}

@test "corpus: a pattern expands to every choice, an empty one too" {
    printf 'alu\tadd{,.rn}{,.ftz}.f32\tT=T,T\ndrop\tadd.rn.f32\t-\n' >"$table"
    run corpus list "$table"
    [ "$status" -eq 0 ]
    [ "$output" = "add.f32
add.ftz.f32
add.rn.ftz.f32" ]
}

@test "corpus: an unknown family or operand is an error with its line" {
    printf 'alu\tadd.u32\tT=T,T\nnonsense\tadd.u32\t-\n' >"$table"
    run corpus list "$table"
    [ "$status" -eq 1 ]
    [[ $output == *table.tsv:2:* ]]
    printf 'alu\tadd.u32\tT=T,banana\n' >"$table"
    run corpus generate "$table" "$BATS_TEST_TMPDIR"
    [ "$status" -eq 1 ]
    [[ $output == *banana* ]]
}

@test "corpus: one wrong bit is a failure that names result and values" {
    echo 'add.u32: 00000001 00000002 | 12345678' >"$BATS_TEST_TMPDIR/want"
    echo 'add.u32: 00000001 00000003 | 12345678' >"$BATS_TEST_TMPDIR/got"
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
    [ "$status" -eq 1 ]
    [[ $output == *"not ok 1 - add.u32"*"result 1 is 00000003, want 00000002"* ]]
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/want"
    [ "$status" -eq 0 ]
}

@test "corpus: a wrong checksum and a missing spelling are failures" {
    echo 'add.u32: 00000001 | 12345678 00000000' >"$BATS_TEST_TMPDIR/want"
    echo 'add.u32: 00000001 | 12345678 00000001' >"$BATS_TEST_TMPDIR/got"
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
    [ "$status" -eq 1 ]
    [[ $output == *"checksum 1 is 00000001"* ]]
    : >"$BATS_TEST_TMPDIR/got"
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
    [ "$status" -eq 1 ]
    [[ $output == *"not ok 1 - add.u32"*"no result"* ]]
}

@test "corpus: nothing expected is an error" {
    : >"$BATS_TEST_TMPDIR/want"
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/want"
    [ "$status" -ne 0 ]
}

@test "corpus: approximate operations may differ within their tolerance only" {
    printf 'alu\tex2.approx.f32\tf32=exponent\t2\trel=2e-7\n' >"$table"
    echo 'ex2.approx.f32: 3f800000 7fc00000' >"$BATS_TEST_TMPDIR/want"
    echo 'ex2.approx.f32: 3f800001 7fffffff' >"$BATS_TEST_TMPDIR/got"
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" --table "$table"
    [ "$status" -eq 0 ]
    echo 'ex2.approx.f32: 3f800003 7fffffff' >"$BATS_TEST_TMPDIR/got"
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" --table "$table"
    [ "$status" -eq 1 ]
    echo 'ex2.approx.f32: 7fc00000 7fffffff' >"$BATS_TEST_TMPDIR/got"
    run corpus compare "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" --table "$table"
    [ "$status" -eq 1 ]
}

@test "corpus: a listed spelling without a case is found, whatever the order of its words" {
    echo 'atom.relaxed.gpu.global.add.u32: 1' >"$BATS_TEST_TMPDIR/want"
    printf 'atom.global.add.relaxed.gpu.u32\n' >"$BATS_TEST_TMPDIR/listed"
    run corpus missing "$BATS_TEST_TMPDIR/listed" "$BATS_TEST_TMPDIR/want"
    [ "$status" -eq 0 ]
    printf 'frobnicate.u32\n' >>"$BATS_TEST_TMPDIR/listed"
    run corpus missing "$BATS_TEST_TMPDIR/listed" "$BATS_TEST_TMPDIR/want"
    [ "$status" -eq 1 ]
    [ "$output" = frobnicate.u32 ]
}

@test "corpus: after a fault the groups without one are still collected" {
    cat >"$BATS_TEST_TMPDIR/program" <<'END'
#!/bin/sh
case ${1:-} in
--list) printf 'a\nb\nc\n' && exit ;;
'') echo "a: 1" && exit 4 ;;
1) echo "unsupported thing" >&2 && exit 4 ;;
*) echo "group $1: 1" ;;
esac
END
    chmod +x "$BATS_TEST_TMPDIR/program"
    run tests/corpus/collect.sh "$BATS_TEST_TMPDIR/program" "$BATS_TEST_TMPDIR/out"
    [ "$status" -eq 1 ]
    [[ $output == *"group 1"*"unsupported thing"* ]]
    [ "$(cat "$BATS_TEST_TMPDIR/out")" = "group 0: 1
group 2: 1" ]
}

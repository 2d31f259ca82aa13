#!/usr/bin/env bats
# The test runner on a scratch repository: what counts, what fails, and its last line.

load root

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p tests/bats tests/unit tests/corpus
    cp "$ROOT/tests/run.sh" tests/
    printf 'test-programs build programs: ;\n' >Makefile
}

corpus() { # STATUS LINE...
    local status=$1
    shift
    { echo '#!/bin/sh'; printf "echo '%s'\n" "$@"; echo "exit $status"; } >tests/corpus/run.sh
    chmod +x tests/corpus/run.sh
}

closes() { # STATUS TEXT
    [ "$status" -eq "$1" ] && [ "${lines[-1]}" = "$2" ] || { echo "status $status, output: $output" && false; }
}

@test "runner: passed tests end with their number and 0" {
    corpus 0 "1..3" "ok 1 - a" "ok 2 - b" "ok 3 - c # SKIP no nvcc"
    run tests/run.sh
    closes 0 "2 passed, 0 failed"
    [[ $output == *"1 skipped"* ]]
}

@test "runner: no test at all is a failure" {
    run tests/run.sh
    closes 1 "0 passed, 0 failed"
    corpus 0 "1..0"
    run tests/run.sh
    closes 1 "0 passed, 1 failed"
}

@test "runner: a word that no test has is a failure" {
    corpus 0 "1..1" "ok 1 - a"
    T=zebra run tests/run.sh
    closes 1 "0 passed, 0 failed"
    [[ $output == *'No test has a name with "zebra" in it.'* ]]
}

@test "runner: a failure is shown with its lines and how to repeat it, a pass is not" {
    corpus 1 "1..2" "ok 1 - good" "# of the good one" "not ok 2 - bad" "# 1 is not 2"
    run tests/run.sh
    closes 1 "1 passed, 1 failed"
    [[ $output == *"not ok 2 - bad"*"# 1 is not 2"*"again: make test DEPS=0 T=corpus"* ]]
    [[ $output != *"of the good one"* ]]
}

@test "runner: tests that a plan promised and a status without a reason count as failed" {
    corpus 0 "1..5" "ok 1 - a" "ok 2 - b"
    run tests/run.sh
    closes 1 "2 passed, 3 failed"
    corpus 139 "1..1" "ok 1 - a"
    run tests/run.sh
    closes 1 "1 passed, 1 failed"
}

@test "runner: a build that fails is a failure and shows its errors" {
    printf 'test-programs: ; @echo "x.c:1: error: oh" >&2; false\nbuild programs: ;\n' >Makefile
    corpus 0 "1..1" "ok 1 - a"
    run tests/run.sh
    closes 1 "1 passed, 1 failed"
    [[ $output == *"x.c:1: error: oh"* ]]
}

@test "runner: T=word picks single tests" {
    corpus 0 "1..3" "ok 1 - apple" "ok 2 - pear" "not ok 3 - plum"
    T=pea run tests/run.sh
    closes 0 "1 passed, 0 failed"
    printf '@test "fig" { true; }\n@test "date (dry)" { true; }\n' >tests/bats/fruit.bats
    T='date (dry)' run tests/run.sh
    closes 0 "1 passed, 0 failed"
    T=fruit run tests/run.sh
    closes 0 "2 passed, 0 failed"
}

@test "runner: files run in trees of their own; what one builds, no other sees" {
    # On one core they take their turns in one tree.
    [ "$(nproc)" -ge 2 ] || skip "one core"
    mkdir -p tests/zoo build/lint build/bin
    touch build/lint/left build/bin/tool
    corpus 0 "1..1" "ok 1 - a"
    for name in corpus zoo; do
        cat >tests/$name/run.sh <<'SH'
#!/bin/sh
# Waits until the other has begun, and builds.
log=$(cd "$ROOT/../.." && pwd)
echo "$PWD $ROOT" >>"$log/where"
for i in 1 2 3 4 5 6 7 8 9 10; do [ "$(wc -l <"$log/where")" -ge 2 ] || sleep 1; done
echo 1..1
if [ "$(wc -l <"$log/where")" -eq 2 ] && [ -e build/bin/tool ] && [ ! -e build/lint/left ] && mkdir build/mine; then echo ok 1; else echo not ok 1; fi
SH
        chmod +x tests/$name/run.sh
    done
    run tests/run.sh
    closes 0 "2 passed, 0 failed"
    awk '$1 != $2 || seen[$1]++ { exit 1 }' build/where
    [ ! -e build/mine ]
    [ -z "$(find build/tests -name 'tree-*')" ]
}

@test "runner: a unit program that crashes or is missing fails" {
    touch tests/unit/gone_test.c
    corpus 0 "1..1" "ok 1 - a"
    run tests/run.sh
    closes 1 "1 passed, 1 failed"
}

@test "ci: the tests' closing line comes last, and a failed check of the code counts" {
    mkdir -p .ci && cp "$ROOT/.ci/run" .ci/
    git init -q . && git add . && git -c user.name=t -c user.email=t@t commit -qm t
    ci() { # TEST LINT
        printf 'test: ; @echo "7 passed, %s failed"; exit %s\nlint: ; @echo "5 passed, %s failed"; exit %s\n' "$1" "$1" "$2" "$2" >Makefile
        git -c user.name=t -c user.email=t@t commit -qam "$1 $2"
        run bash .ci/run
    }
    ci 0 0
    closes 0 "7 passed, 0 failed"
    [[ $output == *"lint: 5 passed, 0 failed"* ]]
    ci 0 1
    closes 1 "7 passed, 1 failed"
    ci 2 0
    closes 1 "7 passed, 2 failed"
}

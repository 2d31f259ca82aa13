#!/usr/bin/env bats
# The pages of the labs and of the instructor against what they speak of.

load root

setup() {
    [ ! -e "$ROOT/labs/HANDOUT" ] || skip "the handout is for students"
}

@test "pages: the tables of points are those of the tests" {
    run "$ROOT/labs/instructor/pages.sh" --check
    [ "$status" -eq 0 ] || { echo "$output" && false; }
}

@test "pages: a changed test makes its page stale" {
    mkdir -p "$BATS_TEST_TMPDIR/top/labs"
    cp -R "$ROOT"/labs/L* "$ROOT/labs/instructor" "$BATS_TEST_TMPDIR/top/labs"
    sed -i 's/^asks\t10/asks\t11/' "$BATS_TEST_TMPDIR/top/labs/instructor/L3-steal/tests.tsv"
    run "$BATS_TEST_TMPDIR/top/labs/instructor/pages.sh" --check
    [ "$status" -eq 1 ]
    [[ $output == *"labs/L3-steal/README.md is stale: labs/instructor/pages.sh"* ]]
}

@test "misconceptions: every submission they name is in the corpus" {
    cd "$ROOT"
    lab='' named=0
    for word in $(sed -n '/^## Misconceptions/,/^## Quiz/p' labs/INSTRUCTORS.md | grep -oE '`[A-Za-z0-9-]+(/[A-Za-z0-9.-]+)?`' | tr -d '`'); do
        case $word in
        L[0-9]*/*) lab=${word%%/*} name=${word#*/} ;;
        init | try_wait | lab/name) continue ;;
        *) name=$word ;;
        esac
        compgen -G "tests/labs/wrong/$lab/$name*.sed" >/dev/null || [ -d "tests/labs/wrong/$lab/$name" ] || { echo "no $lab/$name" && false; }
        grep -q "^$lab	$name	" tests/labs/wrong/expect.tsv || { echo "expect.tsv has no $lab $name" && false; }
        named=$((named + 1))
    done
    [ "$named" -gt 20 ]
}

@test "corpus: at least six wrong submissions for each graded lab" {
    cd "$ROOT"
    for lab in labs/L[1-9]*/; do
        lab=$(basename "$lab")
        [ "$(grep -c "^$lab	" tests/labs/wrong/expect.tsv)" -ge 6 ] || { echo "$lab" && false; }
    done
}

@test "quiz: questions of the chapters, answers only if asked for" {
    cd "$ROOT"
    run labs/instructor/quiz.sh phases barriers
    [ "$status" -eq 0 ]
    [[ $output == *"**1.** "* ]]
    [[ $output != *"*Answer.*"* && $output != *":::"* ]]
    run labs/instructor/quiz.sh --answers phases
    [[ $output == *"*Answer.*"* && $output != *":::"* ]]
    run labs/instructor/quiz.sh nowhere
    [ "$status" -eq 2 ]
    [[ $output == *"there is no chapter nowhere"* ]]
}

# For tests of the grader: the fixture lab 90 of tests/labs/fixture, graded in a folder of the test's own.
#   grade WHAT...          build/bin/grade on it; $output and $status (standard error comes after)
#   solved                 hands it out and puts the solution in its place
#   submission NAME        a folder $DIR/NAME with the solution in it

# shellcheck disable=SC2154 # output: from run
load root
bats_require_minimum_version 1.5.0

setup() {
    cd "$ROOT" || return
    unset N SEED FORCE DIR OUT HIDDEN GRADE_APART NVCC
    WORK=$BATS_TEST_TMPDIR/work DIR=$BATS_TEST_TMPDIR/class
    LAB=$WORK/L90-scale
    mkdir -p "$DIR"
}

grade_only() { build/bin/grade --labs tests/labs/fixture --work "$WORK" "$@"; }
grade() { run grade_only "$@" </dev/null; echo "$output"; }

needs_nvcc() {
    eval "$(BACKEND=emulator tools/detect.sh)"
    [ -n "$NVCC" ] || skip "no nvcc"
    unset NVCC
}

has() { [[ $output == *"$1"* ]] || { echo "does not say: $1"; return 1; }; }
hasnt() { [[ $output != *"$1"* ]] || { echo "says: $1"; return 1; }; }

solved() {
    grade_only lab 90 --seed 7 >/dev/null
    grade_only solution 90 --force >/dev/null
    cp "$LAB"/solution/* "$LAB"
}

submission() { # NAME
    [ -d "$LAB/solution" ] || solved
    mkdir -p "$DIR/$1/L90-scale"
    cp "$LAB"/{scale.cu,predictions.csv,seed} "$DIR/$1/L90-scale"
}

# A scale.cu with the parameters it should have, and this body.
body() { # FILE BODY
    printf '#include "common/clc.cuh"\n#include <cstdio>\n__global__ void kernel_scale(float* data, int64_t n, clc::pool pool)\n{\n%s\n}\n' \
        "$2" >"$1"
}

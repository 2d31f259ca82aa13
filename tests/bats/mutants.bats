#!/usr/bin/env bats
# tools/mutate.py and its table. The mutants themselves are run by tests/mutants/run.sh.

load root
bats_require_minimum_version 1.5.0

setup() { cd "$ROOT" || return; }

@test "mutants: every row can be applied, every named line of the steps is deleted by one" {
    run tools/mutate.py check
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output =~ ^[0-9]+" mutants of "[0-9]+" kernels"$ ]]
}

@test "mutants: rules in the table are rules of the checker, symptoms are the four" {
    build/bin/emu-run --list-rules | cut -d' ' -f1 | sort >"$BATS_TEST_TMPDIR/rules"
    tail -n +2 tests/mutants/mutants.tsv | cut -f 6 | tr ',' '\n' | grep -vx -e - -e gap -e memory -e values | sort -u | grep -vxF -f "$BATS_TEST_TMPDIR/rules" >"$BATS_TEST_TMPDIR/unknown" || true
    cat "$BATS_TEST_TMPDIR/unknown"
    [ ! -s "$BATS_TEST_TMPDIR/unknown" ]
    run bash -c "tail -n +2 tests/mutants/mutants.tsv | cut -f 5 | tr ',' '\n' | sort -u | tr '\n' ' '"
    [ "$output" = "hang nothing report wrong " ]
}

@test "mutants: a mutant keeps the lines of its source" {
    tools/mutate.py cu 3 >"$BATS_TEST_TMPDIR/all.cu"
    first=$(sed -n 's|^#line \([0-9]*\) "step03_clc_blocks/clc_blocks.cu"|\1|p' "$BATS_TEST_TMPDIR/all.cu" | sort -u)
    [ "$(echo "$first" | wc -w)" -eq 1 ]
    want=$(grep -n 'int64_t i = int64_t(bx)' step03_clc_blocks/clc_blocks.cu | cut -d: -f1)
    got=$(awk -v first="$first" '/^#line/ { at = first - 1; next } { at++ } /int64_t i = int64_t\(bx\)/ { print at }' "$BATS_TEST_TMPDIR/all.cu" | sort -u)
    [ "$got" = "$want" ]
}

@test "mutants: the stored PTX is what this nvcc makes" {
    run tools/broken.sh --check
    echo "$output"
    case $output in *"cannot be compared"* | *"no nvcc"*) skip "another nvcc made it" ;; esac
    [ "$status" -eq 0 ]
}

@test "mutants: steps 1 and 2 are right and silent under 10 orders of events" {
    for step in step01_fixed_work step02_fixed_blocks; do
        for seed in 1 2 3 4 5 6 7 8 9 10; do
            run env EMU_CHECK=1 EMU_SEED=$seed EMU_DEVICE=tiny common/run-stored.sh $step --n 2547 --block 64
            [ "$status" -eq 0 ] && [[ $output == *PASS* && $output != *"]"$'\n'* ]] || { echo "$step seed $seed: $output"; return 1; }
        done
    done
}

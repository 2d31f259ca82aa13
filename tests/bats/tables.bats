#!/usr/bin/env bats
# The book's generated tables: tutorial/tables.

load root
bats_require_minimum_version 1.5.0

setup() { cd "$ROOT" || return; }

# A copy of what the scripts read, to be spoilt.
copy() {
    mkdir -p "$BATS_TEST_TMPDIR/tutorial" "$BATS_TEST_TMPDIR/tests"
    cp -r tutorial/tables "$BATS_TEST_TMPDIR/tutorial/"
    cp -r tests/mutants "$BATS_TEST_TMPDIR/tests/"
    for step in step03_clc_blocks step04_clc_clusters; do
        mkdir "$BATS_TEST_TMPDIR/$step" && cp $step/*.cu "$BATS_TEST_TMPDIR/$step/"
    done
    cd "$BATS_TEST_TMPDIR" || return
}

names() { echo "$output" | sed -n 's/^| \*\*\([a-z-]*\)\*\* .*/\1/p' | tr '\n' ' '; }

@test "card: every named line of step 3 has a row, in the order of the source" {
    run tutorial/tables/card.sh 3
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(names)" = "$(tools/mutate.py names 3 | cut -f 1 | tr '\n' ' ')" ]
    [ -z "$(echo "$output" | tail -n +2 | grep -v '^| .* | `.*` | .* | .* | .* |$' | grep -v '^|-')" ]
}

@test "card: of step 4 the lines that differ, and no others" {
    run tutorial/tables/card.sh 4
    [ "$status" -eq 0 ]
    [[ " $(names)" == *" init-fence "*" offset "* ]]
    [[ " $(names)" != *" flip "* ]]
}

@test "card: the line numbers are those of the source, the code is that of the line" {
    run tutorial/tables/card.sh 3
    number=$(echo "$output" | sed -n 's/^| \*\*flip\*\* (\([0-9]*\)).*/\1/p')
    [ "$(sed -n "${number}p" step03_clc_blocks/clc_blocks.cu)" = "        phase ^= 1;" ]
    [[ $output == *"| **init** "*' | `mbarrier_init(&bar, 1)` | '* ]]
    [[ $output == *"| **wait** "*' | `while (!mbarrier_try_wait_parity(sem_acquire, scope_cta, &bar, phase))` | '* ]]
}

@test "card: a named line without a row, and a row without a line, are errors" {
    copy
    sed -i '/^3	flip/d' tutorial/tables/card.tsv
    run -1 tutorial/tables/card.sh 3
    [[ $output == "card: step 3: no row of card.tsv for flip" ]]
    printf '3\tflap\tnothing\n3\tflip\tone wait, one flip\n' >>tutorial/tables/card.tsv
    run -1 tutorial/tables/card.sh 3
    [[ $output == *"card.tsv has flap"* ]]
    run -2 tutorial/tables/card.sh 5
}

@test "proxy_fence: the runs of a kernel are one row, added up" {
    cat >"$BATS_TEST_TMPDIR/record" <<'END'
out    none           1024 threads:       10 wrong, 2 of them old, of 5400000000 reads, 8.6 ms
out    none           1024 threads:       11 wrong, 2 of them old, of 5400000000 reads, 8.7 ms
out2   in each writer  512 threads:        0 wrong, 0 of them old, of 5400000000 reads, 8.7 ms
END
    run tutorial/tables/proxy_fence.sh "$BATS_TEST_TMPDIR/record"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[2]}" = "| out | none | 1024 | 2 | 10.8 billion | 21 |" ]
    [ "${lines[3]}" = "| out2 | in each writer | 512 | 1 | 5.4 billion | 0 |" ]
}

@test "proxy_fence: the record on file can be read; what is none is an error" {
    run tutorial/tables/proxy_fence.sh
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -gt 8 ]
    echo "no figures" >"$BATS_TEST_TMPDIR/record"
    run -1 tutorial/tables/proxy_fence.sh "$BATS_TEST_TMPDIR/record"
    [[ $output == *"line 1 of the record: no figures"* ]]
    run -1 tutorial/tables/proxy_fence.sh "$BATS_TEST_TMPDIR/none"
}

@test "proxy_fence_shapes: kernels with wrong reads have a row, the others one together" {
    cat >"$BATS_TEST_TMPDIR/record" <<'END'
NVIDIA H200, nvcc 13.0.88
16 bytes, barrier                          1024 threads, 1 a SM, fence no  0 wrong, 0 of them old, of 54000000000 reads
16 bytes, barrier                          1024 threads, 1 a SM, fence yes 0 wrong, 0 of them old, of 16200000000 reads
16 bytes, barrier, reversed                 512 threads, 2 a SM, fence no  7 wrong, 7 of them old, of 54000000000 reads, 0 to 7 in each of 10 runs
16 bytes, barrier, reversed                 512 threads, 2 a SM, fence yes 0 wrong, 0 of them old, of 16200000000 reads
conflicts, barrier                         1024 threads, 1 a SM, fence no  2689338650 wrong, 2689158655 of them old, of 54000000000 reads, 1 to 2 in each of 10 runs
without the fence 2689338657 wrong reads in all
END
    run tutorial/tables/proxy_fence_shapes.sh "$BATS_TEST_TMPDIR/record"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[2]}" = "| 16 bytes, barrier, reversed | 54 billion | 7 | 16 billion | 0 |" ]
    [ "${lines[3]}" = "| conflicts, barrier | 54 billion | 2689 million | 0 billion | 0 |" ]
    [ "${lines[4]}" = "| the other 1 | 54 billion | 0 | 16 billion | 0 |" ]
    sed -i '/^conflicts/d; s/ 7 wrong, 7/ 0 wrong, 0/g' "$BATS_TEST_TMPDIR/record"
    run tutorial/tables/proxy_fence_shapes.sh "$BATS_TEST_TMPDIR/record"
    [ "${lines[2]}" = "| all 2 | 108 billion | 0 | 32 billion | 0 |" ]
    echo nothing >"$BATS_TEST_TMPDIR/record"
    run -1 tutorial/tables/proxy_fence_shapes.sh "$BATS_TEST_TMPDIR/record"
}

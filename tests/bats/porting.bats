#!/usr/bin/env bats
# The examples of the chapter on porting (tutorial/porting/): each wrong kernel is told, each right one is right; the loop
# to copy works where there is launch control, and where there is none.

load steps_common
load root
bats_require_minimum_version 1.5.0

setup() { cd "$ROOT" || return; }

@test "porting: each question has a wrong kernel and a right one, shown in the chapter" {
    names=$(tutorial/porting/try.sh)
    [ "$(wc -w <<<"$names")" -ge 8 ]
    for name in $names; do
        for side in wrong right; do
            grep -q "^__global__ void ${name//-/_}_$side(" tutorial/porting/questions.cu
            grep -q "^// \[region $name-$side\]" tutorial/porting/questions.cu
            grep -rq "mark:$name-$side" tutorial/en/
        done
    done
}

@test "porting: the wrong kernels tell, the right ones do not, without a compiler" {
    for name in $(tutorial/porting/try.sh); do
        run tutorial/porting/try.sh "$name"
        echo "$output"
        is "$status" 0
        has "$output" "wrong: run"
        has "$output" "right: 32 runs, right answers, no report"
    done
}

@test "porting: a kernel that does not do as its name says is told" {
    copy=$BATS_TEST_TMPDIR/top
    mkdir -p "$copy/tutorial"
    cp -r tutorial/porting "$copy/tutorial/"
    sed -i 's/helper_wrong/helper_other/; s/helper_right/helper_wrong/; s/helper_other/helper_right/' \
        "$copy/tutorial/porting/questions.ptx"
    run env EMU_RUN="$ROOT/build/bin/emu-run" "$copy/tutorial/porting/try.sh" helper
    is "$status" 1
    has "$output" "wrong: 32 runs, and nothing to be seen"
}

@test "porting: a question that is none gets the list, and exit 2" {
    run tutorial/porting/try.sh nothing
    is "$status" 2
    has "$output" "no question 'nothing'"
    has "$output" "early-return"
    run tutorial/porting/try.sh helper scratch
    is "$status" 2
}

@test "porting: the stored PTX is what this nvcc makes" {
    need_nvcc
    run tutorial/porting/try.sh --check
    [ "$status" -ne 3 ] || skip "made by another toolkit"
    is "$status" 0
}

@test "porting: before and after are right, where there is launch control and where there is none" {
    need_nvcc
    for name in before after; do
        emulator/bin/nvcc-emu -std=c++17 -I. "tutorial/porting/$name.cu" -o "$BATS_TEST_TMPDIR/$name"
        EMU_CHECK=1 EMU_DEVICE=tiny EMU_SCHEDULES=8 run "$BATS_TEST_TMPDIR/$name"
        is "$status" 0
        is "$(last_line "$output")" "PASS 300 rows"
    done
    EMU_DEVICE=h200 emulator/bin/nvcc-emu -std=c++17 -I. tutorial/porting/after.cu -o "$BATS_TEST_TMPDIR/old"
    EMU_CHECK=1 EMU_DEVICE=h200 run "$BATS_TEST_TMPDIR/old"
    is "$status" 0
    is "$(last_line "$output")" "PASS 300 rows"
}

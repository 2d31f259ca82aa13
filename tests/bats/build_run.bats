#!/usr/bin/env bats
# tools/run.sh in a scratch repository with fake compilers: what runs where, what is handed on, what it ends with.

load root
load fakes

setup() {
    fake_machine
    local tool
    for tool in make touch chmod nproc env cmp awk mktemp timeout id; do ln -sf "$(type -P $tool)" "$BIN/$tool"; done
    fake_gxx 12
    fake_nvcc 13.0 "75 80 90 100 103 120 121"
    compiler gpu >>"$BATS_TEST_TMPDIR/cuda/bin/nvcc"
    sed -i '/^\*) exit 1/d' "$BATS_TEST_TMPDIR/cuda/bin/nvcc"

    repo=$BATS_TEST_TMPDIR/repo
    mkdir -p "$repo"/{common,emulator/bin,emulator/machine,step01_one,step03_clc_three,step04_clc_clusters}
    cp -R "$ROOT/Makefile" "$ROOT/tools" "$repo"
    cp "$ROOT/emulator/machine/devices.def" "$repo/emulator/machine"
    touch "$repo"/{step01_one/one,step03_clc_three/clc_three,step04_clc_clusters/clc_clusters}.cu
    echo 'build/lib/libcommon.a build/bin/job: ; @mkdir -p $(@D) && touch $@' >"$repo/common/common.mk"
    echo 'build/lib/libemu.a build/lib/libcudart_emu.a build/bin/emu-run: ; @mkdir -p $(@D) && touch $@' \
        >"$repo/emulator/emulator.mk"
    { echo '#!/bin/sh' && compiler emu; } | program "$repo/emulator/bin/nvcc-emu"
    echo 'echo "stored: $*"' >"$repo/common/run-stored.sh"
}

# A compiler whose program tells who made it, for what, and what it was given.
compiler() { # NAME
    cat <<SH
echo "$1: \$*" >>"$BATS_TEST_TMPDIR/compiled"
while [ "\$1" != -o ]; do shift; done
cat >"\$2" <<PROGRAM
#!/bin/sh
echo "$1 \$2: args=\\\$* device=\\\$EMU_DEVICE seed=\\\$EMU_SEED visible=\\\$CUDA_VISIBLE_DEVICES"
case \\\$0 in *.$1) [ -z "\\\$FAIL_$1" ] || exit \\\$FAIL_$1 ;; esac
echo "PASS $1"
PROGRAM
chmod +x "\$2"
SH
}

go() { run on_machine "$@"; }
go_all() { go "$@" "$repo/tools/run.sh" step01_one step03_clc_three step04_clc_clusters; }
has() { case $output in *"$1"*) ;; *) printf '%s\nlacks %s\n' "$output" "$1" && false ;; esac; }
hasnt() { case $output in *"$1"*) printf '%s\nhas %s\n' "$output" "$1" && false ;; esac; }
last() { printf '%s\n' "$output" | tail -n 1; }

@test "run: without a GPU every step runs on the emulator, in order, and says what comes next" {
    go_all
    [ "$status" -eq 0 ] || { echo "$output" && false; }
    [ "$(printf '%s\n' "$output" | grep -c '^Found ')" -eq 1 ]
    [[ $output == *"emu build/step01_one/one.emu"*"emu build/step03_clc_three/clc_three.emu"*"emu build/step04_clc_clusters/clc_clusters.emu"* ]]
    hasnt "gpu build"
    [ "$(last)" = "Next: make tour" ]
    go "$repo/tools/run.sh" step01_one
    [ "$(last)" = "Next: make -C step03_clc_three run" ]
    go CALLED_FROM="$repo/step01_one" "$repo/tools/run.sh" step01_one
    [ "$(last)" = "Next: make -C ../step03_clc_three run" ]
}

@test "run: JSON and help come without lines around them" {
    for option in --json --help; do
        go ARGS="--n 5 $option" "$repo/tools/run.sh" step01_one
        go ARGS="--n 5 $option" "$repo/tools/run.sh" step01_one
        [[ ${lines[0]} == "emu build/step01_one"* ]]
        [ "$(last)" = "PASS emu" ]
    done
}

@test "run: on a 9.0 step 1 gives one verdict, steps 3 and 4 two, the emulator's first" {
    fake_gpus 13.0 "0, H200, 9.0"
    go_all
    [ "$status" -eq 0 ]
    hasnt "emu build/step01"
    [[ $output == *"gpu build/step01_one/one.gpu"*"emu build/step03"*"gpu build/step03"*"emu build/step04"*"gpu build/step04"* ]]
    grep -q 'gpu: -gencode arch=compute_90,code=sm_90 ' "$BATS_TEST_TMPDIR/compiled"
}

@test "run: on an 8.6 step 4 goes to the emulator and says why" {
    fake_nvcc 13.0 "75 86 90"
    compiler gpu >>"$BATS_TEST_TMPDIR/cuda/bin/nvcc"
    sed -i '/^\*) exit 1/d' "$BATS_TEST_TMPDIR/cuda/bin/nvcc"
    fake_gpus 13.0 "0, RTX 3090, 8.6"
    go_all
    [ "$status" -eq 0 ]
    has "gpu build/step03_clc_three/clc_three.gpu"
    hasnt "gpu build/step04"
    has "because clusters need compute capability 9.0"
}

@test "run: when the emulator convicts step 3, the GPU is not asked" {
    fake_gpus 13.0 "0, H200, 9.0"
    go FAIL_emu=1 "$repo/tools/run.sh" step03_clc_three
    [ "$status" -eq 1 ]
    hasnt "gpu build"
    [ "$(last)" = "exit 1" ]
}

@test "run: the first exit code that is not 0 is the last line, and later steps still run" {
    fake_gpus 13.0 "0, H200, 9.0"
    go_all FAIL_gpu=3
    [ "$status" -eq 3 ]
    has "step01_one: exit 3"
    has "gpu build/step04"
    [ "$(last)" = "exit 3" ]
}

@test "run: variables are handed on, and ARGS is a list of words" {
    go DEVICE=h200 SEED=7 ARGS="--n 5 --work *" "$repo/tools/run.sh" step01_one
    has "args=--n 5 --work * device=h200 seed=7"
}

@test "run: SEED takes what reports say to try again with, and nothing else" {
    for seed in 0 7 123456789012345678 pct4 early4 late4 false4; do
        go SEED=$seed "$repo/tools/run.sh" step01_one
        has "seed=$seed"
    done
    for seed in x pct 7pct pctearly4 -1 1234567890123456789 "4 5"; do
        run env SEED="$seed" "$repo/tools/run.sh" step01_one
        echo "$output"
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "SEED=$seed: use a number such as 7, alone or after pct, early, late or false" ]
    done
}

@test "run: GPU= is what the program sees; CUDA_VISIBLE_DEVICES of the reader stays" {
    fake_gpus 13.0 "0, H200, 9.0" "1, H200, 9.0"
    go GPU=1 "$repo/tools/run.sh" step01_one
    has "visible=1"
    go CUDA_VISIBLE_DEVICES=1,0 "$repo/tools/run.sh" step01_one
    has "visible=1,0"
}

@test "run: another target compiles again, the same one does not" {
    fake_gpus 13.0 "0, H200, 9.0"
    go "$repo/tools/run.sh" step01_one
    go "$repo/tools/run.sh" step01_one
    [ "$(grep -c -- " -o " "$BATS_TEST_TMPDIR/compiled")" -eq 1 ]
    go ARCH=90a "$repo/tools/run.sh" step01_one
    [ "$(grep -c -- " -o " "$BATS_TEST_TMPDIR/compiled")" -eq 2 ]
    go BACKEND=emulator "$repo/tools/run.sh" step01_one
    go BACKEND=emulator DEVICE=tiny "$repo/tools/run.sh" step01_one
    [ "$(grep -c -- " -o " "$BATS_TEST_TMPDIR/compiled")" -eq 3 ]
    go BACKEND=emulator DEVICE=h200 "$repo/tools/run.sh" step01_one
    [ "$(grep -c -- " -o " "$BATS_TEST_TMPDIR/compiled")" -eq 4 ]
}

@test "run: without nvcc the stored PTX runs" {
    rm "$BIN/nvcc"
    go ARGS="--n 5" "$repo/tools/run.sh" step01_one
    [ "$status" -eq 0 ]
    has "stored: step01_one --n 5"
    hasnt "emu build"
}

@test "run: a kernel that does not compile ends with the compiler's words and an exit line" {
    echo 'echo "one.cu(3): error: expected a ;" >&2; exit 2' | program "$repo/emulator/bin/nvcc-emu"
    go "$repo/tools/run.sh" step01_one
    [ "$status" -eq 2 ]
    has "one.cu(3): error: expected a ;"
    [ "$(last)" = "exit 2" ]
}

@test "run: the tour is on the toy GPU with a timeline, whatever GPU there is" {
    fake_gpus 13.0 "0, H200, 9.0"
    go "$repo/tools/run.sh" --tour step01_one step03_clc_three
    [ "$status" -eq 0 ]
    has "--timeline"
    has "device=tiny"
    hasnt "gpu build"
    [[ $(last) == "Next: make "* ]]
}

@test "run: make from the top and from inside a step comes to the same" {
    go make -C "$repo" step01 ARGS="--n 9"
    [ "$status" -eq 0 ] || { echo "$output" && false; }
    has "args=--n 9"
    cp "$ROOT/common/step.mk" "$repo/common"
    echo 'include ../common/step.mk' >"$repo/step01_one/Makefile"
    go make -C "$repo/step01_one" run ARGS="--n 9" SEED=3
    has "args=--n 9"
    has "seed=3"
}

@test "run: two commands that build take turns" {
    command -v flock >/dev/null || skip "no flock"
    ln -sf "$(type -P flock)" "$(type -P sleep)" "$BIN"
    { echo '#!/bin/sh' && echo "echo begin >>$BATS_TEST_TMPDIR/turns; sleep 0.5; echo end >>$BATS_TEST_TMPDIR/turns" && compiler emu; } |
        program "$repo/emulator/bin/nvcc-emu"
    on_machine "$repo/tools/run.sh" --build step01_one &
    on_machine "$repo/tools/run.sh" --build step03_clc_three &
    wait
    [ "$(tr '\n' ' ' <"$BATS_TEST_TMPDIR/turns")" = "begin end begin end " ]
    go BUILD_LOCKED=yes "$repo/tools/run.sh" --build step04_clc_clusters # as a build inside a build: it does not wait
    [ "$status" -eq 0 ]
}

@test "run: a build folder that cannot be written is said, and ends with 2" {
    echo no folder >"$repo/build"
    go "$repo/tools/run.sh" step01_one
    [ "$status" -eq 2 ]
    has "build: nothing can be written there"
    [ "$(last)" = "exit 2" ]
}

@test "run: make -n shows the commands and runs none" {
    go make -n -C "$repo" run step01
    [ "$status" -eq 0 ]
    has "tools/run.sh step01_one"
    hasnt "emu build"
    go make -q -C "$repo" run
    hasnt "emu build"
    [ ! -e "$repo/build" ]
}

@test "run: programs are not replaced by those for another GPU while they run" {
    command -v flock >/dev/null || skip "no flock"
    ln -sf "$(type -P flock)" "$(type -P sleep)" "$BIN"
    program "$repo/emulator/bin/nvcc-emu" <<'SH'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\nsleep 0.5\necho "built for %s, is $EMU_DEVICE"\n' "$EMU_DEVICE" >"$2"
chmod +x "$2"
SH
    on_machine DEVICE=h200 make -C "$repo" run >"$BATS_TEST_TMPDIR/first" 2>&1 &
    for try in $(seq 100); do ! grep -qs 'built for' "$BATS_TEST_TMPDIR/first" || break; sleep 0.1; done
    go DEVICE=b200 make -C "$repo" run
    wait
    [ "$(grep -c 'built for b200, is b200' <<<"$output")" -eq 3 ] || { echo "$output" && false; }
    [ "$(grep -c 'built for h200, is h200' "$BATS_TEST_TMPDIR/first")" -eq 3 ] || { cat "$BATS_TEST_TMPDIR/first" && false; }
}

@test "run: a closed standard output is said once" {
    go sh -c "'$repo/tools/run.sh' step01_one >&-"
    [ "$status" -eq 2 ]
    [ "$output" = "run.sh: standard output cannot be written" ]
}

#!/usr/bin/env bats
# make break and make explain, as a reader types them.

load root
bats_require_minimum_version 1.5.0

setup() {
    cd "$ROOT" || return
    unset STEP WITHOUT GUESS RULE CHECK EMU_CHECK
}

brk() { run env "$@" tools/break.sh </dev/null; echo "$output"; }

@test "break: STEP=3 lists the lines by name, with what they are for" {
    brk STEP=3
    [ "$status" -eq 0 ]
    for name in init top-barrier acquire-half request expect whole-warp wait flip release-half; do
        [[ $output == *$'\n'"  $name "* ]]
    done
    [ "${lines[-1]}" = "Next: make break STEP=3 WITHOUT=flip" ]
    [ -z "$(echo "$output" | awk 'length > 80')" ]
}

@test "break: a line is shown by what happens without it, with chapter and next command" {
    brk STEP=3 WITHOUT=acquire-half
    [ "$status" -eq 0 ]
    [[ $output == *"[PX4]"* && $output == *"report: "* && $output == *"proxy-fences"* && $output == *"make explain RULE=PX4"* ]]
    [[ ${lines[-1]} == "Next: make break STEP=3 WITHOUT="* ]]
}

@test "break: a guess is compared" {
    brk STEP=3 WITHOUT=request GUESS=hang
    [ "$status" -eq 0 ]
    [[ $output == *"Your guess was right."* ]]
    brk STEP=3 WITHOUT=request GUESS=wrong
    [ "$status" -eq 0 ]
    [[ $output == *"Your guess was 'wrong'."* ]]
}

@test "break: without a terminal and without GUESS nobody is asked" {
    brk STEP=4 WITHOUT=scope
    [ "$status" -eq 0 ]
    [[ $output != *"guess"* && $output == *"[FE7]"* ]]
}

# The lines that a reader types at the question for STEP=3 WITHOUT=acquire-half.
answers() {
    command -v script >/dev/null || skip "no script(1)"
    run sh -c "printf '%s\\n' $* | STEP=3 WITHOUT=acquire-half script -qec tools/break.sh /dev/null"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "break: on a terminal it asks" {
    answers report
    [[ $output == *"Guess first:"* && $output == *"Your guess was right."* ]]
}

@test "break: on a terminal a guess that is none is asked again" {
    answers banana report
    [[ $output == *"'banana' is none of the four"* && $output == *"Your guess was right."* ]]
}

@test "break: the line that changes nothing says why" {
    brk STEP=3 WITHOUT=whole-warp
    [ "$status" -eq 0 ]
    [[ $output == *"nothing: all is well"* && $output == *"Equivalent: "* ]]
}

@test "break: the top barrier shows two symptoms" {
    brk STEP=4 WITHOUT=top-barrier
    [ "$status" -eq 0 ]
    [[ $output == *"And run "* ]]
}

@test "break: the command under Again repeats the run" {
    brk STEP=3 WITHOUT=release-half
    command=$(echo "$output" | sed -n 's/^Again: //p')
    [ -n "$command" ]
    run sh -c "$command"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"[PX3]"* ]]
}

@test "break: names that are none get the list, and exit 2" {
    brk STEP=3 WITHOUT=flop
    [ "$status" -eq 2 ]
    [[ $output == *"there is no 'flop' in step 3; there is: init top-barrier"* ]]
    brk STEP=7
    [ "$status" -eq 2 ]
    [[ $output == *"STEP is 3, 4 or one of guide tile-counter arrivals"*", not '7'"* ]]
    brk STEP=grid_2d
    [ "$status" -eq 2 ]
    brk STEP=3 WITHOUT=flip GUESS=maybe
    [ "$status" -eq 2 ]
    brk A=1
    [ "$status" -eq 2 ]
}

@test "break: with make, step03 and 03 mean 3" {
    for step in 3 03 step03; do
        brk STEP=$step WITHOUT=init-2
        [ "$status" -eq 0 ]
    done
    run make -s break STEP=3
    [ "$status" -eq 0 ]
    [[ $output == *"release-half"* ]]
}

@test "break: a rung is named like its folder, and its lines are listed" {
    brk STEP=phases
    [ "$status" -eq 0 ]
    [[ $output == "tutorial/rungs/03-phases/phases.cu: lines"* && $output == *"  top-barrier "* && $output == *"  arrive-twice "* ]]
    [ "${lines[-1]}" = "Next: make break STEP=phases WITHOUT=flip" ]
    brk STEP=proxy-fence
    [ "${lines[-1]}" = "Next: make break STEP=proxy-fence WITHOUT=proxy-fence" ]
    brk STEP=03-phases WITHOUT=arrive GUESS=hang
    [ "$status" -eq 0 ]
    [[ $output == *"phases.cu:"*"Your guess was right."* ]]
}

@test "break: a rung's last line leads back to the rung; a name that is none gets its list" {
    brk STEP=arrivals WITHOUT=wait-once
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "Next: make -C tutorial/rungs/02-arrivals run" ]
    brk STEP=arrivals WITHOUT=flip
    [ "$status" -eq 2 ]
    [[ $output == *"there is no 'flip' in rung arrivals; there is: init"* ]]
}

@test "break: a relaxed arrival shows nothing but a report" {
    brk STEP=arrivals WITHOUT=arrive-relaxed GUESS=report
    [ "$status" -eq 0 ]
    [[ $output == *"arrivals.cu:"*"Your guess was right."* ]]
}

@test "break: the guide's kernel goes by the name of its folder too" {
    brk STEP=06-guides-kernel WITHOUT=wait
    [ "$status" -eq 0 ]
    [[ $output == *"[TC3]"* ]]
}

@test "break: a run that could not be made is said, and is no symptom" {
    printf '#!/bin/sh\necho "emu-run: threes.npy: cannot be read"\nexit 2\n' >"$BATS_TEST_TMPDIR/emu-run"
    chmod +x "$BATS_TEST_TMPDIR/emu-run"
    brk EMU_RUN="$BATS_TEST_TMPDIR/emu-run" STEP=3 WITHOUT=flip
    [ "$status" -eq 2 ]
    [[ $output == *"threes.npy: cannot be read"* && $output != *"wrong: "* && ${lines[-1]} == "exit 2" ]]
}

@test "break: a build folder that cannot be written is said" {
    mkdir "$BATS_TEST_TMPDIR/top"
    ln -s "$ROOT"/* "$BATS_TEST_TMPDIR/top"
    rm "$BATS_TEST_TMPDIR/top/build" "$BATS_TEST_TMPDIR/top/tools" # tools: scripts go to the folder above theirs
    cp -r tools "$BATS_TEST_TMPDIR/top"
    echo no folder >"$BATS_TEST_TMPDIR/top/build"
    for script in break timeline transcript; do
        run env EMU_RUN="$ROOT/build/bin/emu-run" STEP=3 WITHOUT=flip "$BATS_TEST_TMPDIR/top/tools/$script.sh" </dev/null
        echo "$output"
        [ "$status" -eq 2 ]
        [[ $output == *"nothing can be written there"* && ${lines[-1]} == "exit 2" ]]
    done
}

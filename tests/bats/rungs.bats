#!/usr/bin/env bats
# The rungs of the ladder (tutorial/rungs): right for every size, in many orders, from the program and from the stored
# PTX; and the question of the first one, with its two answers.

# shellcheck disable=SC2030,SC2031 # each test is a shell of its own

load steps_common

RUNGS="01-tile-counter 02-arrivals 03-phases 04-bytes 05-proxy-fence 05-proxy-fence/reuse 06-guides-kernel
    07-cluster-barrier 08-record-multicast"

program() { # RUNG: its program
    local name=${1##*/}
    echo "build/tutorial/rungs/$1/${name#[0-9][0-9]-}.emu"
}

setup_file() {
    cd "$ROOT" || return
    (need_nvcc) >/dev/null 2>&1 || return 0
    # shellcheck disable=SC2046 # a word each
    make $(for rung in $RUNGS; do program "$rung"; done) >&2
}

setup() { cd "$ROOT" || return; }

# right COMMAND...: exit 0 and a last line that begins with PASS. Leaves the output in $output.
right() {
    local code=0
    output=$(timeout 120 "$@" 2>&1) || code=$?
    [ "$code" -eq 0 ] && [[ $(last_line "$output") == PASS* ]] && return
    echo "$* ($(env | grep '^EMU_' | tr '\n' ' ')): exit $code" && echo "$output"
    return 1
}

# waits NAME: model cycles that the urgent kernel of the run in $output waited
waits() { sed -n "s/^urgent kernel, $1: waits \([0-9]*\) of.*/\1/p" <<<"$output"; }

@test "rungs: each is right for every size" {
    need_nvcc
    for rung in $RUNGS; do
        for n in 0 1 1000; do
            right "$(program "$rung")" --n $n
            has "$output" "$n elements"
        done
        EMU_CHECK=0 right "$(program "$rung")" --n 1000003 --repeat 0
    done
}

@test "rungs: each is right for other blocks, in other orders, with uneven tiles" {
    need_nvcc
    export EMU_DEVICE=tiny
    for rung in $RUNGS; do
        for block in 4 32 100 1024; do right "$(program "$rung")" --n 5003 --block $block; done
        for seed in 1 2 3 4 5 6 7 8; do
            EMU_SEED=$seed right "$(program "$rung")" --n 2047 --block 32 --work zipf --repeat 0
        done
    done
}

@test "rungs: the checker is silent through both launches of a program" {
    need_nvcc
    export EMU_CHECK=1
    for rung in $RUNGS; do EMU_DEVICE=tiny right "$(program "$rung")" --n 65536; done
    right "$(program 05-proxy-fence)" --n 1000003
}

@test "rungs: the loops pay for few prologues, the others for one a tile" {
    need_nvcc
    export EMU_DEVICE=tiny
    for rung in 01-tile-counter 03-phases 04-bytes 05-proxy-fence/reuse 07-cluster-barrier 08-record-multicast; do
        right "$(program $rung)" --n 5120
        has "$output" "prologue ran in 8 of 8 blocks"
    done
    for rung in 02-arrivals 05-proxy-fence; do
        right "$(program $rung)" --n 5120
        has "$output" "prologue ran in 20 of 20 blocks"
    done
}

@test "rungs: clusters of 1, 2, 4 and 8, also where tiles are fewer" {
    need_nvcc
    for rung in 07-cluster-barrier 08-record-multicast; do
        for cluster in 1 2 4 8; do
            for n in 1 1000 20003; do right "$(program $rung)" --n $n --cluster $cluster; done
            [ $cluster -le 4 ] || continue # as far as the toy GPU goes
            for seed in 1 2 3 4 5; do
                EMU_DEVICE=tiny EMU_SEED=$seed right "$(program $rung)" --n 5003 --block 32 --cluster $cluster --repeat 0
            done
        done
    done
}

@test "rungs: an urgent kernel gets in between two tiles of step 1, and waits for nearly all of the counter's" {
    need_nvcc
    export EMU_DEVICE=tiny
    right "$(program 01-tile-counter)" --n 20480 --units 1000 --urgent
    local first=$output step counter run
    step=$(waits 'one block per tile (step 1)') counter=$(waits 'tile counter')
    run=$(sed -n 's/^time \([0-9]*\) model cycles/\1/p' <<<"$output")
    [ "$step" -lt $((run / 8)) ]
    [ "$counter" -gt $((run / 2)) ]
    right "$(program 01-tile-counter)" --n 20480 --units 1000 --urgent
    is "$output" "$first"
}

@test "rungs: the guide's kernel lets it in, for its requests are refused" {
    need_nvcc
    export EMU_DEVICE=tiny
    right "$(program 06-guides-kernel)" --n 20480 --units 1000 --urgent
    run=$(sed -n 's/^time \([0-9]*\) model cycles/\1/p' <<<"$output")
    [ "$(waits "the guide's kernel")" -lt $((run / 4)) ]
}

@test "rungs: what an urgent kernel needs, and what a bulk copy, is a sentence" {
    need_nvcc
    run "$(program 01-tile-counter)" --n 1000 --urgent
    is "$status" 2
    has "$output" "add --units 1000"
    run "$(program 01-tile-counter)" --units 10 --urgent --json
    is "$status" 2
    run "$(program 05-proxy-fence)" --block 6
    is "$status" 2
    has "$output" "multiple of 4"
    run "$(program 03-phases)" --urgent
    is "$status" 2
}

@test "rungs: from the stored PTX, without a compiler" {
    make build/bin/job build/bin/emu-run >&2
    for rung in $RUNGS; do
        for n in 0 1 1000 20003; do
            right common/run-stored.sh "tutorial/rungs/$rung" --n $n
            has "$output" "$n elements"
        done
    done
    run common/run-stored.sh tutorial/rungs/01-tile-counter --units 10 --urgent
    is "$status" 2
    has "$output" "make toolkit"
}

@test "rungs: the checker has nothing to say" {
    make build/bin/job build/bin/emu-run >&2
    export EMU_DEVICE=tiny EMU_CHECK=1
    for rung in $RUNGS; do
        for seed in 1 2 3 4; do
            EMU_SEED=$seed right common/run-stored.sh "tutorial/rungs/$rung" --n 5003 --block 64
        done
    done
    for cluster in 1 4; do
        right common/run-stored.sh tutorial/rungs/07-cluster-barrier --n 5003 --block 64 --cluster $cluster
        right common/run-stored.sh tutorial/rungs/08-record-multicast --n 5003 --block 64 --cluster $cluster
    done
}

@test "rungs: the stored PTX is current for the toolkit named in it" {
    need_nvcc
    # shellcheck disable=SC2046 # a word each
    run tools/ptx.sh --check $(for rung in $RUNGS; do echo "tutorial/rungs/$rung"; done)
    [ "$status" -ne 3 ] || skip "made by another toolkit"
    is "$status" 0
}

@test "rungs: each README leads to the next, and make run in a rung does what it says" {
    for rung in $RUNGS; do
        [ -s "tutorial/rungs/$rung/Makefile" ]
        case $rung in */*) ;; *) grep -q '^Next: ' "tutorial/rungs/$rung/README.md" ;; esac
    done
    run env BACKEND=emulator ARGS='--n 1000' make -C tutorial/rungs/05-proxy-fence/reuse run
    is "$status" 0
    has "$output" "PASS reuse: 1000 elements"
    run env BACKEND=emulator ARGS='--n 1000' make -C tutorial/rungs/04-bytes run
    has "$output" "Next: make -C tutorial/rungs/05-proxy-fence run"
}

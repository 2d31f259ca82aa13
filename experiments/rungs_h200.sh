#!/bin/sh
# rungs_h200.sh FOLDER: the rungs of the ladder (tutorial/rungs) on a real GPU, over sizes, block and cluster sizes; and
# how long an urgent kernel waits in rungs 1 and 6. Writes FOLDER/rungs.txt: a line for each run that did not end with
# 0, what the urgent kernel waited, and the sum. Exit 1 if any run failed. Run from the top of the repository.
# Eight run at a time: what is judged is right or wrong. The urgent ones come last, alone.
set -u
out=${1:?usage: experiments/rungs_h200.sh FOLDER}
mkdir -p "$out"
PATH=$PATH:/usr/local/cuda/bin
export PATH
answer=$(BACKEND=gpu tools/detect.sh) || exit
eval "$answer"
export NVCC GENCODE
list=$out/rungs.txt
programs=
for source in tutorial/rungs/*/*.cu tutorial/rungs/*/*/*.cu; do
    [ ! -f "$source" ] || programs="$programs build/${source%.cu}.gpu"
done
# shellcheck disable=SC2086 # a list
make $programs >"$list" 2>&1 || { cat "$list"; exit 1; }

commands() {
    for program in $programs; do
        case $program in *cluster-barrier* | *multicast*) clusters='1 2 4 8' ;; *) clusters=none ;; esac
        for cluster in $clusters; do
            option=
            [ "$cluster" = none ] || option="--cluster $cluster"
            for block in 32 256 1024; do
                for n in 0 1000 1000003; do echo "$program --n $n --block $block $option --warmup 1 --repeat 3"; done
                echo "$program --n 1000003 --block $block $option --work zipf --units 200 --repeat 3"
            done
            echo "$program --n 1003 --block 100 $option --warmup 1 --repeat 3"
        done
    done
}

# shellcheck disable=SC2016 # $1 is the inner shell's
commands | tee build/rungs.commands | xargs -P 8 -I{} sh -c '
    printed=$(timeout 60 $1 2>&1)
    code=$?
    [ "$code" -eq 0 ] || echo "exit $code: $1: $(printf %s "$printed" | tr "\n" " " | cut -c1-300)"' sh {} >"$list"
ran=$(wc -l <build/rungs.commands)
bad=$(grep -c '^exit ' "$list")
for rung in 01-tile-counter/tile-counter 06-guides-kernel/guides-kernel; do
    printed=$(timeout 60 "build/tutorial/rungs/$rung.gpu" --n 8388608 --units 20000 --repeat 3 --urgent 2>&1) || bad=$((bad + 1))
    ran=$((ran + 1))
    printf '%s\n' "$printed" | grep -E '^urgent|^FAIL|Error' >>"$list"
done
echo "rungs: $ran runs, $bad failed" | tee -a "$list"
[ "$ran" -gt 0 ] && [ "$bad" -eq 0 ]

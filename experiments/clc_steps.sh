#!/bin/sh
# clc_steps.sh FOLDER: steps 3 and 4, their variants and the guide's kernel on a real GPU, over sizes, block and
# cluster sizes; then the programs of `make fatbin`, which hold code for every target, on the same GPU.
# Writes FOLDER/clc_steps.txt: how far it is, a line for each run that did not end with 0, and the sum; FOLDER/clc_steps.json: what
# one run of each program printed with --json; FOLDER/fatbin.txt: the table. Exit 1 if any run failed.
# Run from the top of the repository. ARCH is 90 unless set.
set -u
out=${1:?usage: experiments/clc_steps.sh FOLDER}
mkdir -p "$out"
PATH=$PATH:/usr/local/cuda/bin
NVCC=$(command -v nvcc) || { echo "clc_steps.sh: no nvcc" >&2; exit 3; }
GENCODE="-gencode arch=compute_${ARCH:-90},code=sm_${ARCH:-90}"
export PATH NVCC GENCODE
programs=
for source in step0[34]*/*.cu step0[34]*/variants/*/*.cu tutorial/rungs/*-guides-kernel/*.cu; do
    programs="$programs build/${source%.cu}.gpu"
done
# shellcheck disable=SC2086 # a list
make $programs >"$out/clc_steps.txt" 2>&1 || { cat "$out/clc_steps.txt"; exit 1; }
ran=0
bad=0

run() { # PROGRAM OPTION...
    printed=$(timeout 120 "$@" 2>&1)
    code=$?
    ran=$((ran + 1))
    [ "$code" -eq 0 ] && return
    bad=$((bad + 1))
    echo "exit $code: $*: $(printf '%s' "$printed" | tr '\n' ' ' | cut -c1-300)" >>"$out/clc_steps.txt"
}

began=$(date +%s)
for program in $programs; do
    echo "$(($(date +%s) - began)) s, $ran runs, $bad failed; now $program" >>"$out/clc_steps.txt"
    case $program in *step04*) clusters='1 2 4 8' ;; *) clusters=none ;; esac
    case $program in
    */variants/* | */rungs/*) sizes='1000 1000003' blocks='32 256 1024' ;;
    *step04*) sizes='0 31 1023 1000003' blocks='32 96 256 1024' ;;
    *) sizes='0 1 31 1000 1023 1048576 1000003' blocks='32 64 96 256 512 1024' ;;
    esac
    for cluster in $clusters; do
        option=
        [ "$cluster" = none ] || option="--cluster $cluster"
        for n in $sizes; do
            for block in $blocks; do
                # shellcheck disable=SC2086 # two words or none
                run "$program" --n "$n" --block "$block" $option --warmup 1 --repeat 2
            done
        done
        # shellcheck disable=SC2086
        run "$program" --n 1000003 $option --work giant --units 200 --prologue 500 --warmup 1 --repeat 2
    done
done
for program in build/step03_clc_blocks/clc_blocks.gpu build/step04_clc_clusters/clc_clusters.gpu; do
    run "$program" --n 134217728 --block 1024 --repeat 3
    run "$program" --n 2200000000 --block 1024 --warmup 0 --repeat 0 # more than 2^31 elements
done

echo '[' >"$out/clc_steps.json"
sep=
for program in $programs; do
    printf '%s{"program": "%s", "report": %s}' "$sep" "$program" "$("$program" --json --n 16777216 --work zipf --prologue 100)"
    sep=',
'
done >>"$out/clc_steps.json"
printf '\n]\n' >>"$out/clc_steps.json"

common/clc_fatbin.sh >"$out/fatbin.txt" 2>&1 || bad=$((bad + 1))
cat "$out/fatbin.txt"
echo "clc_steps: $ran runs, $bad failed" | tee -a "$out/clc_steps.txt"
[ "$ran" -gt 0 ] && [ "$bad" -eq 0 ]

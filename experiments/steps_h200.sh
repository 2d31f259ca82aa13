#!/bin/sh
# steps_h200.sh FOLDER: steps 1 and 2 on a real GPU, over sizes, block sizes and work sizes.
# Writes FOLDER/steps.json: an array of {"command": ..., "exit": N, "report": what the step printed with --json},
# and FOLDER/steps.txt: a line for each run that did not end as it should (0; 2 for nonsense), and the sum.
# Run from the top of the repository.
set -u
out=${1:?usage: experiments/steps_h200.sh FOLDER}
mkdir -p "$out"
PATH=$PATH:/usr/local/cuda/bin
export PATH
one=build/step01_fixed_work/fixed_work.gpu
two=build/step02_fixed_blocks/fixed_blocks.gpu
NVCC=$(command -v nvcc) || { echo "steps_h200.sh: no nvcc" >&2; exit 3; }
GENCODE='-gencode arch=compute_90,code=sm_90'
export NVCC GENCODE
make "$one" "$two" >"$out/steps.txt" 2>&1 || { cat "$out/steps.txt"; exit 1; }
: >"$out/steps.txt"
json=$out/steps.json
echo '[' >"$json"
ran=0
bad=0

# record PROGRAM OPTION...   (WANT: the exit code that is right, if not 0)
record() {
    printed=$(timeout 60 "$@" --json 2>&1)
    code=$?
    [ "$ran" -gt 0 ] && echo ',' >>"$json"
    ran=$((ran + 1))
    case $printed in
        "{"*"}") ;;
        *) printed="\"$(printf '%s' "$printed" | tr '\n"' '  ' | tr -d '\134' | cut -c1-300)\"" ;;
    esac
    printf '{"command": "%s", "exit": %d, "report": %s}' "$*" "$code" "$printed" >>"$json"
    if [ "$code" -ne "${WANT:-0}" ]; then
        bad=$((bad + 1))
        echo "exit $code: $*: $(printf '%s' "$printed" | cut -c1-200)" >>"$out/steps.txt"
    fi
}

# A .npy file with NaN, infinities, zeros of both signs and a denormal among ordinary numbers.
special=build/special.npy
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }"
    printf '\000\000\300\177\000\000\200\177\000\000\200\377\000\000\000\200\000\000\000\000\001\000\000\000\000\000\200\077\377\377\177\177'
} >"$special"

for program in "$one" "$two"; do
    for n in 0 1 31 1000 1023 1048576 1000003; do
        for block in 32 64 96 128 256 512 1024; do
            record "$program" --n "$n" --block "$block"
        done
    done
    for n in 0 1 31 1000; do
        record "$program" --n "$n" --block 1
    done
    for block in 32 256 1024; do
        record "$program" --n 134217728 --block "$block"
    done
    for work in ramp zipf giant common/data/*.txt; do
        [ "$work" = common/data/SUMMARY.txt ] && continue
        record "$program" --work "$work"
        record "$program" --work "$work" --prologue 1000
    done
    record "$program" --input "$special"
    WANT=2
    record "$program" --n 1000003 --alpha nan
    WANT=0
    record "$program" --n 1000003 --alpha inf
    record "$program" --n 1000003 --seed 7
done
for blocks in 1 2 132 1000; do
    record "$two" --n 1000003 --blocks "$blocks"
done
echo ']' >>"$json"
echo "$ran runs, $bad did not end as they should" | tee -a "$out/steps.txt"
[ "$ran" -gt 0 ] && [ "$bad" -eq 0 ]

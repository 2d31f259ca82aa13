#!/bin/sh
# programs_h200.sh FOLDER: the ordinary programs of tests/programs on a real GPU, so that what they expect of
# the emulator is what hardware does. Writes FOLDER/programs.txt: exit code and output of each.
# Run from the top of the repository.
set -u
out=${1:?usage: experiments/programs_h200.sh FOLDER}
mkdir -p "$out" build/programs
PATH=$PATH:/usr/local/cuda/bin
export PATH
list=$out/programs.txt
: >"$list"
ran=0
bad=0
# shellcheck disable=SC2016  # $1 is the inner shell's
printf '%s\n' tests/programs/*.cu | xargs -P "$(nproc 2>/dev/null || echo 2)" -I{} sh -c '
    nvcc -w -gencode arch=compute_90,code=sm_90 -o "build/programs/$(basename "$1" .cu).gpu" "$1"' sh {} 2>>"$list"
for source in tests/programs/*.cu; do
    name=$(basename "$source" .cu)
    printed=$(timeout 60 "build/programs/$name.gpu" 2>&1)
    code=$?
    missing=$(sed -n 's/^ \*   expect //p' "$source" | while IFS= read -r line; do
        printf '%s\n' "$printed" | grep -qF -- "$line" || echo "missing: $line"
    done)
    ran=$((ran + 1))
    { [ "$code" -eq 0 ] && [ -z "$missing" ]; } || bad=$((bad + 1))
    printf '== %s exit %d\n%s\n%s\n' "$name" "$code" "$printed" "$missing" >>"$list"
done
echo "$ran programs, $bad not as expected" | tee -a "$list"
grep -B 3 -E '^missing|exit [1-9]' "$list"
[ "$ran" -gt 0 ] && [ "$bad" -eq 0 ]

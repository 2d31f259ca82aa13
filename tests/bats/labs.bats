#!/usr/bin/env bats
# What a student types: make lab, grade, hint, solution. The labs themselves are tested by tests/labs/run.sh.

load labs_common

@test "lab: hands out page, skeleton, Makefile, seed and files made from the seed" {
    grade lab 90 --seed 7
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "Next: make grade N=90" ]
    [ "$(cat "$LAB/seed")" = 7 ]
    grep -q 'TODO' "$LAB/scale.cu"
    run ! grep -q 'try_cancel' "$LAB/scale.cu"
    grep -q '^pair,a,b' "$LAB/pairs.csv"
    grep -qF '](../../labs.tsv)' "$LAB/README.md"
    [ "$(ls "$LAB")" = "$(printf 'Makefile\nREADME.md\npairs.csv\npredictions.csv\nscale.cu\nseed')" ]
    cp "$LAB/pairs.csv" "$BATS_TEST_TMPDIR/first"
    rm -r "$LAB"
    grade lab 90 --seed 8
    run ! cmp -s "$LAB/pairs.csv" "$BATS_TEST_TMPDIR/first"
}

@test "lab: never overwrites; gives again what is missing, from the same seed" {
    grade lab 90 --seed 7
    echo mine >"$LAB/scale.cu"
    cp "$LAB/pairs.csv" "$BATS_TEST_TMPDIR/pairs"
    grade lab 90 --seed 8
    has 'complete already'
    rm "$LAB/pairs.csv" "$LAB/predictions.csv"
    grade lab 90 --seed 8
    has 'the 2 that were missing are there again'
    [ "$(cat "$LAB/scale.cu")" = mine ]
    cmp "$LAB/pairs.csv" "$BATS_TEST_TMPDIR/pairs"
}

@test "grade: a skeleton gets a line a test, points, its first failure, the next command; exit 1" {
    needs_nvcc
    grade lab 90
    grade run 90 --seed 5
    [ "$status" -eq 1 ]
    has 'SEED=5'
    echo "$output" | grep -qE '^  ok    right values +10/10 +[0-9.]+ s$'
    echo "$output" | grep -qE '^  FAIL  blocks are taken over +0/20 '
    echo "$output" | grep -qE "^  - .* 0/10 +it needs 'steals' first$"
    has 'score 35 of 100'
    has 'First failure: blocks are taken over'
    has 'most blocks were not stolen: 100 of 100 started, 0 requests, 0 granted'
    has 'Next: make hint N=90 (1 of 3)'
    has 'Labs:  L90 35/100'
    grep -qxP 'L90-scale\t35\t35\t100\t0\t0\t0' "$WORK/progress.tsv"
}

@test "grade: the solution gets all points; exit 0; progress keeps the best" {
    needs_nvcc
    solved
    grade run 90
    [ "$status" -eq 0 ]
    has 'score 100 of 100'
    has 'Next: make solution N=90'
    grep -qxP 'L90-scale\t100\t100\t100\t0\t1\t1' "$WORK/progress.tsv"
    body "$LAB/scale.cu" ''
    grade run 90
    [ "$status" -eq 1 ]
    grep -qxP 'L90-scale\t100\t25\t100\t0\t1\t1' "$WORK/progress.tsv"
}

@test "grade: reports say what to try once a hint was taken, not before" {
    needs_nvcc
    solved
    sed -i '/fence_proxy_async_generic_sync_restrict(ptx::sem_acquire/d' "$LAB/scale.cu"
    grade run 90
    [ "$status" -eq 1 ]
    has '[PX4]'
    hasnt ' try  '
    grade hint 90
    has 'Hint 1 of 3'
    has 'From now on reports say what to try'
    grade run 90
    has '[PX4]'
    has ' try  '
}

@test "hint: before the lab is handed out, make lab comes next" {
    grade hint 90
    has 'Next: make lab N=90'
    grade lab 90
    grade hint 90
    has 'Next: make grade N=90'
}

@test "grade: a file that is gone can be had again" {
    needs_nvcc
    grade lab 90
    rm "$LAB/scale.cu"
    grade run 90
    [ "$status" -eq 1 ]
    has 'scale.cu is not there'
    has 'Next: make lab N=90 hands out again what is missing'
    grade lab 90
    has 'the 1 that were missing'
}

@test "hint: three of them, one after the other, then all again" {
    grade hint 90
    has 'Where does the next index come from?'
    hasnt 'From a request'
    grade hint 90
    has 'Hint 2 of 3'
    grade hint 90
    has 'Hint 3 of 3'
    grade hint 90
    has 'Hint 1 of 3'
    has 'That was all there is.'
    [ "$status" -eq 0 ]
}

@test "solution: not before a pass, unless it is wished" {
    grade lab 90
    grade solution 90
    [ "$status" -eq 2 ]
    has 'FORCE=1'
    [ ! -e "$LAB/solution" ]
    grade solution 90 --force
    [ "$status" -eq 0 ]
    grep -q try_cancel "$LAB/solution/scale.cu"
    run ! grep -qE '\[(solution|skeleton|end)\]|//\|' "$LAB/solution/scale.cu"
    grep -q '^a,[0-9]' "$LAB/solution/predictions.csv"
}

@test "grade: a table counts by rows; what is empty or not a number counts nothing" {
    needs_nvcc
    solved
    sed -i '2s/,.*/,nan/; 3s/,.*/,/' "$LAB/predictions.csv"
    grade run 90
    [ "$status" -eq 1 ]
    echo "$output" | grep -qE '^  part  the sums of the pairs +10/20 '
    has 'predictions.csv: 2 of 4 rows are right, 1 wrong, 1 without an answer'
    has 'a is not right'
    has 'b has no answer'
    echo 'pair,sum,more' >"$LAB/predictions.csv"
    echo 'a,1' >>"$LAB/predictions.csv"
    grade run 90
    has 'predictions.csv has 2 fields in line 2, and 3 in its first line'
}

@test "grade: inputs are fresh each time, and repeat with SEED" {
    needs_nvcc
    solved
    sed -i 's/data\[i\] \*= 3/data[i] *= 2/' "$LAB/scale.cu"
    grade run 90 --seed 1
    local first
    first=$(echo "$output" | grep 'values are wrong')
    grade run 90 --seed 2
    [ "$(echo "$output" | grep 'values are wrong')" != "$first" ]
    grade run 90 --seed 1
    [ "$(echo "$output" | grep 'values are wrong')" = "$first" ]
}

@test "a damaged progress file is put aside with a sentence" {
    mkdir -p "$WORK"
    printf 'lab\tbest\tlast\tof\thints\tpassed\tsolution\nL90-scale\t100\tx\n' >"$WORK/progress.tsv"
    grade hint 90
    [ "$status" -eq 0 ]
    has "progress.tsv:2 makes no sense"
    [ -f "$WORK/progress.tsv.damaged" ]
    grep -qxP 'L90-scale\t-1\t-1\t100\t1\t0\t0' "$WORK/progress.tsv"
}

@test "what makes no sense ends with a sentence and exit 2" {
    grade run; [ "$status" -eq 2 ]; has 'make grade N=3'
    grade run 77; [ "$status" -eq 2 ]; has 'there is no lab 77; there are 90'
    grade run x; [ "$status" -eq 2 ]; has 'N=x: want the number of a lab'
    grade run 90; [ "$status" -eq 2 ]; has 'is not there; make lab N=90 hands it out'
    grade lab 90 --seed -1; [ "$status" -eq 2 ]; has 'SEED=-1'
    grade dance; [ "$status" -eq 2 ]
    grade run 90 --hidden /nonexistent; [ "$status" -eq 2 ]; has 'is no folder'
    grade --help; [ "$status" -eq 0 ]; has 'usage: grade'
}

@test "without nvcc: a sentence, exit 3, nothing else lost" {
    grade lab 90
    PATH=/usr/bin:/bin CUDA_HOME='' CUDA_PATH='' DETECT_ROOT=/nonexistent TOOLKIT_DIR=/nonexistent grade run 90
    [ "$status" -eq 3 ]
    has 'make toolkit'
    [ ! -e "$WORK/progress.tsv" ]
}

@test "make: the same commands from the top and from inside the lab" {
    needs_nvcc
    run make --no-print-directory grade
    [ "$status" -ne 0 ]
    has 'make grade N=3'
    grep -q 'include ../../lab.mk' <(build/bin/grade --labs tests/labs/fixture --work "$WORK" lab 90 >/dev/null; cat "$LAB/Makefile")
    mkdir -p "$BATS_TEST_TMPDIR/labs/work/L42-x"
    cp labs/lab.mk "$BATS_TEST_TMPDIR/labs"
    cp "$LAB/Makefile" "$BATS_TEST_TMPDIR/labs/work/L42-x"
    printf 'grade look hint:\n\t@echo top $@ $(N)\n' >"$BATS_TEST_TMPDIR/Makefile"
    run make --no-print-directory -C "$BATS_TEST_TMPDIR/labs/work/L42-x"
    [ "$output" = 'top grade 42' ]
    run make --no-print-directory -C "$BATS_TEST_TMPDIR/labs/work/L42-x" hint
    [ "$output" = 'top hint 42' ]
    run make --no-print-directory -C "$BATS_TEST_TMPDIR/labs/work/L42-x" look TEST=steals
    [ "$output" = 'top look 42' ]
}

@test "cut: a region out of order or without an end is named with its line" {
    printf 'a\n// [solution]\nb\n// [end]\n' >"$BATS_TEST_TMPDIR/x.cu"
    grade cut "$BATS_TEST_TMPDIR/x.cu" skeleton
    [ "$status" -eq 2 ]
    has 'x.cu:4: // [end]: want'
    printf '// [solution]\nb\n// [skeleton]\n' >"$BATS_TEST_TMPDIR/x.cu"
    grade cut "$BATS_TEST_TMPDIR/x.cu" skeleton
    has 'x.cu:3: the last region has no // [end]'
    printf '// [solution]\n// [skeleton]\nno\n// [end]\n' >"$BATS_TEST_TMPDIR/x.cu"
    grade cut "$BATS_TEST_TMPDIR/x.cu" skeleton
    has 'x.cu:3: no: want'
}

@test "lab: tables to fill in are named, and what is only read" {
    run build/bin/grade --work "$WORK" lab 4
    has "Read   $WORK/L4-judge/judge.cu"
    has "Edit   $WORK/L4-judge/verdicts.csv"
    has "Edit   $WORK/L4-judge/mend.cu"
    hasnt 'Edit   '"$WORK/L4-judge/judge.cu"
    run build/bin/grade --work "$WORK" lab 1
    has "Edit   $WORK/L1-tail/predictions.csv"
}

@test "look: one test's launch, a verdict, the blocks over time; options of emu-run behind it" {
    needs_nvcc
    mkdir -p "$BATS_TEST_TMPDIR/s"
    build/bin/grade cut labs/instructor/L3-steal/steal.cu solution >"$BATS_TEST_TMPDIR/s/steal.cu"
    FOLDER=$BATS_TEST_TMPDIR/s run labs/look.sh 3 steals --save "sums=$BATS_TEST_TMPDIR/sums.npy"
    echo "$output"
    [ "$status" -eq 0 ]
    has 'PASS kernel_row_sums'
    [ -s "$BATS_TEST_TMPDIR/sums.npy" ]
    [ "$(echo "$output" | grep -c '^[0-3]\.[01]  *|#*|+')" = 8 ] # the toy GPU has 8 places; all take over
    [ "$(echo "$output" | sed -n 's/^[0-3]\.[01] *[^ ]* *//p' | tr ' ' '\n' | sort -n | tr '\n' ' ')" = "$(seq -s ' ' 0 79) " ]
    FOLDER=$BATS_TEST_TMPDIR/s run labs/look.sh 3 steals --refuse all
    [ "$status" -eq 0 ]
    run ! grep -q '^[0-3]\.[01].*+' <(echo "$output")
    sed -i '/sem_release/d' "$BATS_TEST_TMPDIR/s/steal.cu"
    FOLDER=$BATS_TEST_TMPDIR/s run labs/look.sh 3 rules
    [ "$status" -eq 1 ]
    has '[PX3]'
    FOLDER=$BATS_TEST_TMPDIR/s run labs/look.sh 3 rules --no-check
    [ "$status" -eq 0 ]
}

@test "look: what makes no sense is a sentence, exit 2; a lab alone lists its tests" {
    run labs/look.sh
    [ "$status" -eq 2 ]
    run labs/look.sh 77
    [ "$status" -eq 2 ]
    has 'there is no lab 77'
    run labs/look.sh 3 dance
    [ "$status" -eq 2 ]
    has "no test 'dance'"
    run labs/look.sh 1
    [ "$status" -eq 2 ]
    has 'lab 1 has no test that runs a kernel'
    FOLDER=/nonexistent run labs/look.sh 3 steals
    [ "$status" -eq 2 ]
    has 'make lab N=3 hands it out'
    run make look N=3
    [ "$status" -eq 0 ]
    has 'steals '
    run make look N=3 TEST=dance
    [ "$status" -eq 2 ]
    has "no test 'dance'"
    has 'exit 2'
    needs_nvcc
    printf '__global__ void kernel_row_sums() {}\n' >"$BATS_TEST_TMPDIR/steal.cu"
    FOLDER=$BATS_TEST_TMPDIR SEED=soon run labs/look.sh 3 steals
    [ "$status" -eq 2 ]
    has "soon"
    FOLDER=$BATS_TEST_TMPDIR run labs/look.sh 3 steals --trace
    [ "$status" -eq 2 ]
    has '--trace wants a file'
}

@test "tests.tsv: a wrong line is named" {
    local labs=$BATS_TEST_TMPDIR/labs
    cp -r tests/labs/fixture "$labs"
    local tests=$labs/instructor/L90-scale/tests.tsv
    try() { # LINE SENTENCE
        printf 'id\tpoints\tneeds\tkind\targuments\ttext\n%b\n' "$1" >"$tests"
        run build/bin/grade --labs "$labs" --work "$WORK" lab 90
        [ "$status" -eq 2 ] || return
        has 'tests.tsv:2: '
        has "$2"
    }
    try 'a\t5\t-\trun' 'want id, points'
    try 'a\tmany\t-\trun\t-\tx' "'many' is no number of points"
    try 'a\t5\tb\trun\tfile=scale.cu launch=scale.launch\tx' "needs 'b', which is no test above it"
    try 'a\t5\t-\tdance\t-\tx' "there is no kind of test called 'dance'"
    try 'a\t5\t-\trun\tfile=scale.cu\tx' 'a test of kind run needs launch='
    try 'a\t5\t-\trun\tfile=../x.cu launch=y\tx' 'file=../x.cu: want the plain name'
    try 'a\t5\t-\trun\tfile=other.cu launch=y\tx' 'file=other.cu: '
    try 'a\t5\t-\trun\tfile=scale.cu launch=y color=red\tx' "knows no 'color'"
    try 'a\t5\t-\trun\tfile=scale.cu launch=y file=z\tx' "'file' is given twice"
    try 'a\t5\t-\trun\tfile=scale.cu launch=y did=dances>=1\tx' "did=dances>=1: want for instance copies>=1"
    try 'a\t5\t-\trun\tfile=scale.cu launch=y did=copies=1\tx' "did=copies=1: want for instance"
    try 'a\t5\t-\trun\tfile=scale.cu launch=y did=copies>=1 schedules=3\tx' 'did= looks at one run'
    try 'a\t5\t-\trun\tfile=scale.cu launch=y alone=data\tx' 'alone=data: want an array and a number, such as sums:1'
    try 'a\t5\t-\tptx\tfile=scale.cu require="open\tx' "'require=\"open' is not of the form key=value"
}

@test "README: its table of labs is that of labs.tsv, its commands are targets" {
    while IFS=$'\t' read -r number slug title minutes _; do
        grep -qF "| [L$number](labs/L$number-$slug/README.md) | $title | $minutes |" README.md || { echo "L$number"; false; }
    done < <(tail -n +2 labs/labs.tsv)
    for target in lab grade hint solution handout grade-all; do
        grep -q "^make $target" README.md || grep -q "\`make $target" README.md
        grep -q "^$target: ## " Makefile
        grep -q "^$target:$" labs/labs.mk
    done
}

@test "grade BACKEND=gpu: without a GPU a sentence, exit 3, and the verdict stays" {
    eval "$(BACKEND=emulator tools/detect.sh)"
    command -v nvidia-smi >/dev/null && skip "there is a driver"
    run labs/gpu/run.sh 3 tests/labs/fixture
    [ "$status" -eq 3 ]
    has 'BACKEND=gpu cannot be had'
    run labs/gpu/run.sh 3 /nonexistent
    [ "$status" -eq 2 ]
}

# A driver that knows no GPU: what it is asked for goes to a file, and it computes nothing.
@test "gpu-run: asks the driver for what the launch file says, and judges what comes back" {
    local t=$BATS_TEST_TMPDIR
    cat >"$t/fake.c" <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct config { unsigned grid[3], block[3], shared; void *stream, *attributes; unsigned count; };
int cuInit(unsigned f) { (void)f; return 0; }
int cuDeviceGet(int *d, int n) { *d = n; return 0; }
int cuDeviceGetName(char *s, int n, int d) { (void)d; snprintf(s, (size_t)n, "fake"); return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { (void)d; *v = a == 75 ? 9 : a == 76 ? 0 : 4; return 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { (void)d; *c = NULL; return 0; }
int cuCtxSetCurrent(void *c) { (void)c; return 0; }
int cuModuleLoadData(void **m, const void *i) { (void)i; *m = NULL; return 0; }
int cuModuleGetFunction(void **f, void *m, const char *name) { (void)m; *f = NULL; printf("kernel %s\n", name); return 0; }
int cuModuleGetGlobal_v2(uint64_t *a, size_t *b, void *m, const char *n) { (void)a, (void)b, (void)m, (void)n; return 500; }
int cuMemAlloc_v2(uint64_t *a, size_t n) { *a = (uint64_t)(uintptr_t)malloc(n); return 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) { memcpy((void *)(uintptr_t)to, from, n); return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { memcpy(to, (void *)(uintptr_t)from, n); return 0; }
int cuFuncSetAttribute(void *f, int a, int v) { (void)f, (void)a, (void)v; return 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *b, void *f, int t, size_t s) { (void)f, (void)t, (void)s; *b = 2; return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuEventCreate(void **e, unsigned f) { (void)f; *e = NULL; return 0; }
int cuEventRecord(void *e, void *s) { (void)e, (void)s; return 0; }
int cuEventElapsedTime(float *ms, void *a, void *b) { (void)a, (void)b; *ms = 0.5f; return 0; }
int cuGetErrorName(int e, const char **n) { (void)e; *n = "FAKE_ERROR"; return 0; }
int cuLaunchKernelEx(const struct config *c, void *f, void **p, void **x)
{
    uint64_t pool[2], data;
    int64_t n;
    (void)f, (void)x;
    memcpy(&data, p[0], 8);
    memcpy(&n, p[1], 8);
    memcpy(pool, p[2], 16);
    printf("grid %u block %u pool %s\n", c->grid[0], c->block[0], pool[0] && pool[1] ? "filled" : "empty");
    for (int64_t i = 0; i < n; i++)
        ((float *)(uintptr_t)data)[i] *= FACTOR;
    return 0;
}
C
    needs_nvcc
    make -s build/bin/gpu-run
    solved
    "$(eval "$(BACKEND=emulator tools/detect.sh)" && echo "$NVCC")" -ptx -arch=compute_90 -std=c++17 -I. "$LAB/scale.cu" -o "$t/scale.ptx"
    grade inputs 90 values --out "$t/in" --seed 1
    local settings=(--set "data=$t/in/data.npy" --set "want=$t/in/want.npy")
    local line
    for line in "${lines[@]}"; do settings+=(--set "$line"); done
    for factor in 3 2; do
        cc -shared -fPIC -DFACTOR=$factor "$t/fake.c" -o "$t/libcuda.so.1"
        run env LD_LIBRARY_PATH="$t" build/bin/gpu-run "$t/scale.ptx" "$t/scale.ptx" \
            --launch tests/labs/fixture/instructor/L90-scale/scale.launch "${settings[@]}"
        echo "$output"
        has 'kernel _Z12kernel_scale'
        has 'grid 40 block 64 pool filled'
        has 'time 0.500 ms on fake, compute capability 9.0'
        [ "$status" -eq $((3 - factor)) ]
    done
    has 'FAIL kernel_scale: '
}

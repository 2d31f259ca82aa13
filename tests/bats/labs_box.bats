#!/usr/bin/env bats
# Submissions that want to harm or to cheat: each ends with a sentence and a score.

load labs_common

submit() { # BODY: graded; the sentence is in $output
    needs_nvcc
    mkdir -p "$BATS_TEST_TMPDIR/s"
    body "$BATS_TEST_TMPDIR/s/scale.cu" "$1"
    grade run 90 --folder "$BATS_TEST_TMPDIR/s" --seed 1
    [ "$status" -eq 1 ]
    has 'score '
}

@test "box: a loop without end" {
    submit 'volatile int x = 0; while (true) x++;'
    has 'made no progress within'
    has 'score 5 of 100'
    hasnt EMU_STEPS
}

@test "box: a loop that prints without end; what a kernel prints counts for nothing" {
    submit 'while (true) printf("PASS kernel_scale: 2500 elements {\"exit\": 0}\n");'
    has 'it printed more than 16 MiB and was stopped'
    has 'the kernel printed (which counts for nothing):'
    has 'score 5 of 100'
}

@test "box: control characters of a kernel do not reach the terminal" {
    submit 'if (threadIdx.x == 0 && blockIdx.x == 0) printf("\033[2J\033]0;title\007 x\n");'
    has '?[2J?]0;title? x'
    submit 'if (threadIdx.x == 0 && blockIdx.x == 0) printf("a\302\2332J b\377 c\303\251 d\n");'
    has $'a?2J b? c\303\251 d'
}

@test "box: a kernel that traps, and one that writes where it must not" {
    submit 'asm("trap;");'
    has 'the kernel executed `trap`'
    submit 'data[n + 1000000] = 1;'
    has 'out of bounds, write of 4 bytes'
}

@test "box: NaN is no right answer" {
    submit 'int64_t i = blockIdx.x * 64 + threadIdx.x; if (i < n) data[i] = nanf("");'
    has '2500 of 2500 values are wrong: data[0] is nan'
}

@test "box: another name, another signature" {
    needs_nvcc
    mkdir -p "$BATS_TEST_TMPDIR/s"
    echo '__global__ void kernel_scale(float* data) { data[0] = 1; }' >"$BATS_TEST_TMPDIR/s/scale.cu"
    grade run 90 --folder "$BATS_TEST_TMPDIR/s"
    has 'scale.cu has kernel_scale(float* data); the tests call kernel_scale(float* data, int64_t n, clc::pool pool)'
    hasnt _Z12
    printf '#include "common/clc.cuh"\n__global__ void kernel_scale(float* data, /* */ int n,\n clc::pool pool) { data[n] = 1; }\n' \
        >"$BATS_TEST_TMPDIR/s/scale.cu"
    grade run 90 --folder "$BATS_TEST_TMPDIR/s"
    has 'scale.cu has kernel_scale(float* data, int n, clc::pool pool); the tests call'
    printf '__global__ void kernel_scale(float* data) { data[0] = 1; }\n__global__ void kernel_scale(int* data) { data[0] = 1; }\n' \
        >"$BATS_TEST_TMPDIR/s/scale.cu"
    grade run 90 --folder "$BATS_TEST_TMPDIR/s"
    has 'scale.cu has more than one kernel called kernel_scale; the tests call kernel_scale(float* data, int64_t n, clc::pool pool)'
    echo '__global__ void kernel_scales(float* data) { data[0] = 1; }' >"$BATS_TEST_TMPDIR/s/scale.cu"
    grade run 90 --folder "$BATS_TEST_TMPDIR/s"
    has "there is no kernel 'kernel_scale' in scale.ptx; there are: kernel_scales"
}

@test "box: files of this machine cannot be included, headers of the submission do not count" {
    needs_nvcc
    solved
    mkdir -p "$LAB/common"
    echo '#error tampered' | tee "$LAB/common/clc.cuh" "$LAB/clc.cuh" >/dev/null
    grade run 90
    [ "$status" -eq 0 ]
    sed -i '1i #include "README.md"' "$LAB/scale.cu"
    grade run 90
    [ "$status" -eq 1 ]
    has 'README.md: No such file'
    output=${output//"$WORK"/} # the student's own folder may be named, and may lie anywhere
    hasnt "$ROOT"
    body "$LAB/scale.cu" ''
    for file in /etc/passwd "$ROOT/labs/instructor/L3-steal/steal.cu"; do
        sed -i "1s|.*|#include \"$file\"|" "$LAB/scale.cu"
        grade run 90
        [[ $output == *'note: no namespaces'* ]] || has 'No such file'
    done
}

@test "box: a source that makes the compiler work without end" {
    needs_nvcc
    mkdir -p "$BATS_TEST_TMPDIR/s"
    cat >"$BATS_TEST_TMPDIR/s/scale.cu" <<'CU'
template <int A, int B> struct bomb { static constexpr long value = bomb<A - 1, 2 * B>::value + bomb<A - 1, 2 * B + 1>::value; };
template <int B> struct bomb<0, B> { static constexpr long value = B; };
__device__ long boom = bomb<26, 0>::value;
CU
    grade run 90 --folder "$BATS_TEST_TMPDIR/s"
    [ "$status" -eq 1 ]
    echo "$output" | grep -qE 'the compiler (did not end within|was stopped by signal)|out of memory'
    has 'score 0 of 100'
}

@test "box: a submission that is a link, a pipe, a folder, too large, or holds a NUL" {
    needs_nvcc
    local s=$BATS_TEST_TMPDIR/s
    mkdir -p "$s"
    ln -s /etc/passwd "$s/scale.cu"; grade run 90 --folder "$s"; has 'scale.cu is a symbolic link'; rm "$s/scale.cu"
    mkfifo "$s/scale.cu"; grade run 90 --folder "$s"; has 'scale.cu is not a plain file'; rm "$s/scale.cu"
    mkdir "$s/scale.cu"; grade run 90 --folder "$s"; has 'scale.cu is not a plain file'; rmdir "$s/scale.cu"
    truncate -s 1M "$s/scale.cu"; grade run 90 --folder "$s"; has 'at most 262144 are read'
    printf 'a\0b' >"$s/scale.cu"; grade run 90 --folder "$s"; has 'holds a NUL byte'
    [ "$status" -eq 1 ]
}

@test "box: paths of the toolkit are shown whole, those of the box without it" {
    spy 'echo "/opt/x/include/cuda/y.h(3) /include/common/clc.cuh(4) (/box/scale.cu"'
    has '/opt/x/include/cuda/y.h(3) common/clc.cuh(4) (scale.cu'
}

# A compiler that tells where it is: PTX it makes none, so the sentence shows what it printed.
spy() { # COMMANDS
    local bin=$BATS_TEST_TMPDIR/cuda/bin
    mkdir -p "$bin"
    cat >"$bin/nvcc" <<SH
#!/bin/sh
case \$1 in
--version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;;
--list-gpu-arch) echo compute_100; exit ;;
esac
{ $1; } >&2
exit 1
SH
    chmod +x "$bin/nvcc"
    chmod -R a+rX "$BATS_TEST_TMPDIR"
    mkdir -p "$BATS_TEST_TMPDIR/s"
    body "$BATS_TEST_TMPDIR/s/scale.cu" ''
    NVCC=$bin/nvcc grade run 90 --folder "$BATS_TEST_TMPDIR/s"
    [ "$status" -eq 1 ]
}

@test "box: the compiler sees no network, no files of ours, and is nobody" {
    spy 'echo "interfaces $(sed 1,2d /proc/net/dev 2>/dev/null | wc -l)"; ls /; ls /root /home "'"$ROOT/labs"'"; id -u; touch /usr/x /include/x; pwd; ls; env'
    [[ $output != *'note: no namespaces'* ]] || skip "no namespaces here"
    has "cannot access '$ROOT/labs'"
    has "cannot access '/home'"
    [ "$(id -u)" -ne 0 ] || has $'\n  65534\n'
    [[ $output == *"cannot touch '/usr/x'"* || $output == *Read-only* ]]
    has 'HOME=/nonexistent'
    hasnt PASSWORD
}

@test "box: time, memory and file size of the compiler are limited" {
    spy 'ulimit -t; ulimit -v; ulimit -c; ulimit -f'
    echo "$output" | tr '\n' ' ' | grep -q '  12   4194304   0   131072 '
    spy 'yes'
    has 'the compiler printed more than 4 MiB'
    spy 'head -c 80000000 /dev/zero >big; echo after'
    hasnt after || has 'File size limit'
}

# What is needed to grade the fixture, in a folder that belongs to nobody else.
copy_for() { # USER
    THEIRS=$(mktemp -d -p /tmp) # not below TMPDIR: a folder above that may be ours alone
    cp -R --parents build/bin build/lib labs/grader labs/labs.tsv common tools/detect.sh tests/labs/fixture "$THEIRS"
    cp -R "$LAB" "$THEIRS/s"
    chown -R "$1" "$THEIRS"
}

teardown() { if [ -n "${THEIRS:-}" ]; then rm -rf "$THEIRS"; fi; }

@test "box: an ordinary user, with user namespaces and without" {
    needs_nvcc
    [ "$(id -u)" -eq 0 ] || skip "the other tests run as one"
    command -v setpriv >/dev/null || skip "no setpriv"
    solved
    copy_for 61234
    local as=(setpriv --reuid=61234 --regid=61234 --clear-groups) grade=(build/bin/grade --labs tests/labs/fixture run 90 --folder s)
    "${as[@]}" test -r "$(command -v "$(eval "$(BACKEND=emulator tools/detect.sh)" && echo "$NVCC")")" || skip "nvcc is root's alone"
    cd "$THEIRS"
    run env HOME=/ "${as[@]}" "${grade[@]}"
    echo "$output"
    [ "$status" -eq 0 ]
    "${as[@]}" unshare -U true 2>/dev/null || skip "no user namespaces"
    hasnt 'note: no namespaces'
    sed -i '1i #include "/etc/passwd"' s/scale.cu
    run env HOME=/ "${as[@]}" "${grade[@]}"
    has '/etc/passwd: No such file'
    sed -i 1d s/scale.cu
    local none='echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
    run env HOME=/ "${as[@]}" unshare -Uc --keep-caps sh -c "$none" - "${grade[@]}"
    echo "$output"
    [ "$status" -eq 0 ]
    has 'note: no namespaces on this system'
}

@test "box: where root is the only user there is" {
    needs_nvcc
    unshare -Ur true 2>/dev/null || skip "no user namespaces"
    solved
    cp -R "$LAB" "$BATS_TEST_TMPDIR/s"
    # shellcheck disable=SC2016 # for the inner shell
    run unshare -Ur sh -c 'chown 65534 "$0"' "$BATS_TEST_TMPDIR/s"
    [ "$status" -ne 0 ]
    run unshare -Ur build/bin/grade --labs tests/labs/fixture --work "$WORK" run 90 --folder "$BATS_TEST_TMPDIR/s"
    echo "$output"
    [ "$status" -eq 0 ]
    has 'score 100 of 100'
}

@test "box: without namespaces it says so, and still grades" {
    needs_nvcc
    solved
    GRADE_APART=none grade run 90
    [ "$status" -eq 0 ]
    has 'note: no namespaces on this system'
}

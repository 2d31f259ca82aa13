#!/usr/bin/env bats
# nvcc-emu: nvcc's options pass through, targets and runtimes do not, and nothing is left lying about.

load root

setup_file() {
    cd "$ROOT" || return
    eval "$(BACKEND=emulator tools/detect.sh | grep '^NVCC=')"
    export NVCC
}

setup() {
    emu=$ROOT/emulator/bin/nvcc-emu
    cd "$BATS_TEST_TMPDIR" || return
}

need_nvcc() { [ -n "$NVCC" ] || skip "no nvcc here"; }

hello() { # FILE
    printf '#include <cstdio>\n#ifndef WORD\n#define WORD "hello"\n#endif\n__global__ void k() { printf("%%s\\n", WORD); }\n' >"$1"
    printf 'int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >>"$1"
}

@test "--help and no arguments" {
    run "$emu" --help
    [ "$status" -eq 0 ]
    [[ $output == *"nvcc-emu prog.cu -o prog"* ]]
    [[ $output == *"Devices: tiny b200 h200 rtx5090"* ]]
    run "$emu"
    [ "$status" -eq 2 ]
}

@test "a program in a folder with spaces, nothing else left there" {
    need_nvcc
    mkdir "a folder" && cd "a folder"
    hello "my program.cu"
    mkdir tmp
    run env TMPDIR="$PWD/tmp" "$emu" "my program.cu" -o "my program"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ "$("./my program")" = hello ]
    [ "$(ls)" = $'my program\nmy program.cu\ntmp' ]
    [ -z "$(ls tmp)" ]
}

@test "a call from another folder through a link, without -o" {
    need_nvcc
    hello p.cu
    ln -s "$emu" compiler
    ./compiler p.cu
    [ "$(./a.out)" = hello ]
}

@test "-D, -I, -std, -O, -x cu pass through" {
    need_nvcc
    mkdir include
    echo '#define WORD "header"' >include/word.h
    hello p.cu
    sed '1i #include "word.h"' p.cu >p.text
    "$emu" -I include -std=c++17 -O1 -x cu p.text -o p
    [ "$(./p)" = header ]
    "$emu" -D 'WORD="option"' p.cu -o p
    [ "$(./p)" = option ]
}

@test "options for targets and runtimes are left out with a sentence each" {
    need_nvcc
    hello p.cu
    run "$emu" -arch=sm_75 -gencode arch=compute_80,code=sm_80 -cudart static p.cu -o p
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[0]} == "nvcc-emu: -arch=sm_75 is left out: code is made for compute_100a"* ]]
    [[ ${lines[1]} == "nvcc-emu: arch=compute_80,code=sm_80 is left out"* ]]
    [ "$(./p)" = hello ]
}

@test "EMU_DEVICE picks the target" {
    need_nvcc
    hello p.cu
    EMU_DEVICE=h200 "$emu" -ptx p.cu -o p.ptx
    grep -q '^.target sm_90a' p.ptx
    EMU_DEVICE=rtx5090 "$emu" -ptx p.cu -o p.ptx
    grep -q '^.target sm_120a' p.ptx
    EMU_DEVICE=h200 "$emu" p.cu -o p
    [ "$(EMU_DEVICE=h200 ./p)" = hello ]
    run env EMU_DEVICE=b2000 "$emu" p.cu -o p
    [ "$status" -eq 2 ]
    [ "$output" = "nvcc-emu: EMU_DEVICE=b2000: there is no such device; use one of tiny b200 h200 rtx5090" ]
}

@test "-c, then a link" {
    need_nvcc
    hello p.cu
    "$emu" -c p.cu -o p.o
    "$emu" p.o -o p
    [ "$(./p)" = hello ]
}

@test "separate compilation, at once and in two steps" {
    need_nvcc
    "$emu" -rdc=true "$ROOT"/tests/runtime/rdc_main.cu "$ROOT"/tests/runtime/rdc_other.cu -o p
    [ "$(./p)" = $'5 7 9 11\nother 1047' ]
    "$emu" -dc "$ROOT"/tests/runtime/rdc_main.cu -o main.o
    "$emu" -rdc true -c "$ROOT"/tests/runtime/rdc_other.cu -o other.o
    "$emu" main.o other.o -o p
    [ "$(./p)" = $'5 7 9 11\nother 1047' ]
    run "$emu" main.o -o p
    [ "$status" -ne 0 ]
}

@test "a kernel that launches kernels: named with its line, exit 4" {
    need_nvcc
    cat >p.cu <<'END'
__global__ void child(int *p) { p[threadIdx.x] = 1; }
__global__ void parent(int *p)
{
    child<<<1, 32>>>(p);
}
__global__ void plain(int *p) { *p = 7; }
int main(int argc, char **)
{
    int *p, seven = 0;
    cudaMalloc(&p, 128);
    plain<<<1, 1>>>(p);
    cudaMemcpy(&seven, p, sizeof seven, cudaMemcpyDeviceToHost);
    if (argc > 1)
        parent<<<1, 1>>>(p);
    return cudaDeviceSynchronize() != cudaSuccess || seven != 7;
}
END
    "$emu" -rdc=true p.cu -o p
    ./p                                # the others run
    run ./p parent
    echo "$output"
    [ "$status" -eq 4 ]
    [[ ${lines[0]} == "p.cu:4: dynamic parallelism, a kernel that launches kernels: "*" is outside the emulator's coverage"* ]]
}

@test "printf in a kernel returns how many arguments it took, and shows what is no conversion as it stands" {
    need_nvcc
    cat >p.cu <<'END'
#include <cstdio>
__global__ void k()
{
    int none = printf("none %%\n"), three = printf("%d %*d\n", 1, 4, 2);
    printf("%d %d, 5%y\n", none, three);
}
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
END
    "$emu" p.cu -o p
    [ "$(./p)" = $'none %\n1    2\n0 3, 5%y' ]
}

@test "a report of a launch says the clusters that the kernel itself requires" {
    need_nvcc
    printf '__global__ void __cluster_dims__(2, 1, 1) k() {}\n__global__ void plain() {}\n' >p.cu
    printf 'int main(int argc, char **) { if (argc > 1) k<<<3, 32>>>(); else plain<<<1, 2048>>>(); cudaGetLastError(); return 0; }\n' >>p.cu
    "$emu" p.cu -o p
    EMU_CHECK=1 run ./p cluster
    echo "$output"
    [[ $output == *"grid 3 x 1 x 1, block 32 x 1 x 1, clusters of 2 x 1 x 1: cudaErrorInvalidClusterSize"* ]]
    printf '__global__ void k(int) {}\nint main()\n{\n    cudaLaunchConfig_t c = {};\n    cudaLaunchAttribute a = {};\n' >q.cu
    printf '    a.id = cudaLaunchAttributeClusterDimension;\n    a.val.clusterDim.x = 3;\n    a.val.clusterDim.y = a.val.clusterDim.z = 1;\n' >>q.cu
    printf '    c.gridDim = 4, c.blockDim = 32, c.attrs = &a, c.numAttrs = 1;\n    cudaLaunchKernelEx(&c, k, 1);\n    return 0;\n}\n' >>q.cu
    "$emu" q.cu -o q
    EMU_CHECK=1 run ./q
    echo "$output"
    [[ $output == *"q.cu:10: the grid is no multiple of the cluster"* && $output == *"clusters of 3 x 1 x 1"* ]]
    sed -i 's/cudaGetLastError();//' p.cu
    "$emu" p.cu -o p
    EMU_CHECK=1 run ./p
    echo "$output"
    [[ $output == *"grid 1 x 1 x 1, block 2048 x 1 x 1: cudaErrorInvalidValue"* ]]
}

@test "a program with functions called like the emulator's" {
    need_nvcc
    hello p.cu
    echo 'extern "C" { int choose() { return 1; } int machine_new() { return 2; } int device_find; }' >>p.cu
    "$emu" p.cu -o p
    [ "$(./p)" = hello ]
}

@test "nvcc's own errors and exit code come through" {
    need_nvcc
    echo 'int main() { return x; }' >p.cu
    run "$emu" p.cu -o p
    [ "$status" -ne 0 ]
    [[ $output == *'"x" is undefined'* ]]
    [ ! -e p ]
}

@test "without nvcc it says what is missing, exit 3" {
    mkdir bin
    for tool in sh sed readlink dirname cat head tr grep uname ls sort mkdir; do ln -s "$(command -v $tool)" bin/; done
    run env -i PATH="$PWD/bin" HOME="$PWD" DETECT_ROOT="$PWD/none" TOOLKIT_DIR="$PWD/none" sh "$emu" p.cu -o p
    [ "$status" -eq 3 ]
    [[ $output == "nvcc-emu: "*"no nvcc"* ]]
}

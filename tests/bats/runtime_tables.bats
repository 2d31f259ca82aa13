#!/usr/bin/env bats
# The tables of the CUDA runtime against the toolkit: error numbers, symbols, private prototypes; and the
# forms in which a program can meet the runtime.

load root

setup() {
    cd "$ROOT" || return
    include=$(emulator/runtime/headers.sh)
    [ -n "$include" ] || skip "no CUDA headers here"
    eval "$(BACKEND=emulator tools/detect.sh | grep '^NVCC=')"
    work=$BATS_TEST_TMPDIR
}

need_nvcc() { [ -n "$NVCC" ] || skip "no nvcc here"; }

# The real library, wherever the toolkit keeps it.
real_library() {
    find -L "$include/.." "$include/../../.." -maxdepth 4 -name 'libcudart.so.1[23]' 2>/dev/null | head -n 1
}

@test "every error of the toolkit has its name and number here" {
    names=$(sed -n '/enum __device_builtin__ cudaError$/,/^ *}/s/^ *\(cuda[A-Za-z0-9]*\) *=.*/\1/p' "$include/driver_types.h")
    [ "$(wc -l <<<"$names")" -gt 100 ]
    {
        printf '#include <cuda_runtime_api.h>\n#include <stdio.h>\n#include <string.h>\n'
        printf '#define SAME(e) if (strcmp(cudaGetErrorName(e), #e)) puts(#e);\nint main(void) {\n'
        printf 'SAME(%s)\n' $names
        printf '}\n'
    } >"$work/names.c"
    gcc -isystem "$include" "$work/names.c" build/lib/libcudart_emu.a -lm -ldl -lpthread -o "$work/names"
    run "$work/names"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "every symbol of the real library is here, implemented or refused by name" {
    make -s runtime
    real=$(real_library)
    [ -n "$real" ] || skip "no libcudart.so to compare with"
    nm -D --defined-only "$real" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | sort >"$work/real"
    [ "$(wc -l <"$work/real")" -gt 300 ]
    for library in '-D build/lib/libcudart.so.13' '-D build/lib/libcudart.so.12' '-g build/lib/libcudart_emu.a'; do
        nm --defined-only $library | awk 'NF == 3 { sub("@.*", "", $3); print $3 }' | sort >"$work/ours"
        run comm -23 "$work/real" "$work/ours"
        [ -z "$output" ]
    done
}

@test "the libraries show nothing but cuda* and __cuda*" {
    make -s runtime
    run bash -c "nm -g --defined-only build/lib/libcudart_emu.a | awk 'NF == 3 { print \$3 }' | grep -Ev '^(__)?cuda'"
    [ -z "$output" ]
    run bash -c "nm -D --defined-only build/lib/libcudart.so.13 | awk '{ print \$3 }' | grep -Ev '^(__)?cuda|^libcudart'"
    [ -z "$output" ]
}

@test "nobody refuses what is implemented" {
    run bash -c "sed -n 's/^REFUSED(\(.*\))/\1/p' emulator/runtime/refused.def | sort | uniq -d"
    [ -z "$output" ]
}

@test "our private prototypes are those of the toolkit" {
    need_nvcc
    "$NVCC" -c -Iemulator tests/runtime/private.cu -o "$work/private.o"
    mkdir -p "$work/wrong/runtime"
    for change in 's/int thread_limit/long thread_limit/' 's/int constant, int global/int constant/' \
        's/char __cudaInitModule/int __cudaInitModule/' 's/dim3 \*block, size_t/dim3 *block, int/'; do
        sed "$change" emulator/runtime/private.h >"$work/wrong/runtime/private.h"
        run "$NVCC" -c -I"$work/wrong" tests/runtime/private.cu -o "$work/private.o"
        [ "$status" -ne 0 ]
    done
}

# The source of one program, built against the shared library of the toolkit, is run with ours in its place.
drop_in() { # NVCC OPTIONS
    "$NVCC" -cudart shared "$@" tests/programs/vector_add.cu -o "$work/program" 2>"$work/log"
    run env LD_LIBRARY_PATH=build/lib "$work/program"
    echo "$output"
}

@test "the shared form runs programs however nvcc packed their PTX" {
    need_nvcc
    make -s runtime
    ptx='-gencode arch=compute_100a,code=compute_100a'
    for packing in --no-compress --compress-mode=speed --compress-mode=balance --compress-mode=size; do
        drop_in $ptx $packing
        if [[ $output == *"libzstd.so.1 is not installed"* ]]; then continue; fi
        [ "$status" -eq 0 ]
        [ "$output" = "PASS vector_add: 100003 elements" ]
    done
}

@test "the entry for 100a is taken, though plain 100 comes first" {
    need_nvcc
    make -s runtime
    drop_in --no-compress -arch=sm_100a
    [ "$output" = "PASS vector_add: 100003 elements" ]
    drop_in --no-compress -arch=sm_100a -rdc=true
    [ "$output" = "PASS vector_add: 100003 elements" ]
}

@test "machine code without PTX is refused with what to type" {
    need_nvcc
    make -s runtime
    drop_in -gencode arch=compute_100a,code=sm_100a
    [ "$status" -eq 4 ]
    [[ $output == *"machine code for the b200 without its PTX"*"-gencode arch=compute_100a,code=compute_100a"* ]]
}

@test "each library says which CUDA it stands in for" {
    make -s runtime
    printf '#include <cuda_runtime_api.h>\n#include <stdio.h>\nint main(void) { int v; cudaRuntimeGetVersion(&v); printf("%%d\\n", v); }\n' >"$work/v.c"
    for version in 12 13; do
        gcc -isystem "$include" "$work/v.c" "build/lib/libcudart.so.$version" -o "$work/v"
        run env LD_LIBRARY_PATH=build/lib "$work/v"
        [[ $output == "$version"0?0 || $output == "$version"??? ]]
    done
}

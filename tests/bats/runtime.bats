#!/usr/bin/env bats
# The CUDA runtime of the emulator, through whole programs: tests/runtime/*.cu. A file NAME.expected is what
# NAME prints.

load root

setup_file() {
    cd "$ROOT" || return
    command -v nvcc >/dev/null || [ -n "$(find /usr/local/cuda*/bin build/toolkit -name nvcc 2>/dev/null)" ] ||
        skip "no nvcc here"
    mkdir -p build/runtime
    export -f build_one
    printf '%s\n' errors sticky order cluster host_touch exits legacy perthread |
        xargs -P 2 -I{} bash -c 'build_one {}'
}

# Built again only if the program or the emulator changed.
build_one() {
    local out=build/runtime/$1 flags=
    [ "$1" != perthread ] || flags='--default-stream per-thread'
    [ "$out" -nt "tests/runtime/$1.cu" ] && [ "$out" -nt build/lib/libcudart_emu.a ] ||
        emulator/bin/nvcc-emu $flags "tests/runtime/$1.cu" -o "$out" >"$out.log" 2>&1 || rm -f "$out"
}

program() { # NAME ARGS...
    cd "$ROOT" || return
    local name=$1
    shift
    [ -x "build/runtime/$name" ] || { cat "build/runtime/$name.log"; return 1; }
    run timeout 60 "build/runtime/$name" "$@"
    echo "$output"
}

prints_what_is_expected() { # NAME, standard output alone
    cd "$ROOT" || return
    diff "tests/runtime/$1.expected" <(timeout 60 "build/runtime/$1" 2>/dev/null)
}

@test "wrong calls return the right error codes" { prints_what_is_expected errors; }

@test "a kernel's fault stays, and cudaDeviceReset does not bring the device back" {
    prints_what_is_expected sticky
    program sticky
    [ "$status" -eq 1 ]
    [ "$(grep -c 'sticky.cu:8: write of 4 bytes at 0x0' <<<"$output")" -eq 1 ]
}

@test "streams, events, copies and host functions keep their order" {
    program order
    [ "$status" -eq 0 ]
    [ "$(grep -c ': yes$' <<<"$output")" -eq "$(grep -c '^ *fact(' "$ROOT/tests/runtime/order.cu")" ]
    [[ $output != *": NO"* ]]
}

@test "launch attributes: clusters, priority, cooperative" { prints_what_is_expected cluster; }

@test "toolkit 12 launches by host function and reads the older property struct" {
    program legacy
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "cudaSuccess 5073" ]
    [ "${lines[1]}" = "emulated b200, 10.0, 148 SMs" ]
    [ "${lines[2]}" = "${lines[1]}" ]
}

@test "with --default-stream per-thread stream 0 does not wait for others" {
    program perthread
    [ "$output" = cudaSuccess ]
}

@test "host code that follows a device pointer ends with a sentence" {
    program host_touch heap
    [ "$status" -eq 1 ]
    [[ $output == *"host code followed the device address 0x2"*"byte 40 of device memory of 400 bytes; copy it with cudaMemcpy"* ]]
    program host_touch freed
    [ "$status" -eq 1 ]
    [[ $output == *"400 bytes that was freed"* ]]
    program host_touch variable
    [ "$status" -eq 1 ]
    [[ $output == *"a device variable of 4 bytes"* ]]
    program host_touch elsewhere
    [ "$status" -eq 1 ]
    [[ $output == *"belongs to no allocation"* ]]
}

@test "any other bad access of the host ends as ever" {
    program host_touch null
    [ "$status" -eq 139 ]
    [[ $output != *"host code followed"* ]]
}

@test "a fault makes a program that returns 0 exit 1, and its output is not lost" {
    program exits ok
    [ "$status" -eq 0 ]
    [ "$output" = $'begin\nend\nfarewell' ]
    run bash -c "'$ROOT/build/runtime/exits' fault 2>/dev/null | cat; exit \${PIPESTATUS[0]}"
    [ "$status" -eq 1 ]
    [ "$output" = $'begin\nend\nfarewell' ]
    program exits fault3
    [ "$status" -eq 3 ]
}

@test "cudaDeviceReset waits for the work before it" {
    program exits reset
    [ "$status" -eq 0 ]
    [[ $output != *"did not run"* ]]
}

@test "a call outside the coverage says its name, exit 4" {
    program exits unsupported
    [ "$status" -eq 4 ]
    line=$(grep -n 'cudaGraphCreate(' "$ROOT/tests/runtime/exits.cu" | cut -d: -f1)
    [[ $output == *"exits.cu:$line: cudaGraphCreate is outside the emulator's coverage"* ]]
    [[ $output == *farewell* ]]
}

@test "work that nobody waited for is mentioned" {
    program exits left
    [ "$status" -eq 0 ]
    [[ $output == *"did not run (cudaDeviceSynchronize waits for it)"* ]]
    program exits cleared                # nobody can miss a fill
    [ "$status" -eq 0 ]
    [[ $output != *"did not run"* ]]
}

@test "a destroyed stream and a null event are no handles" {
    program exits stale
    [ "$status" -eq 0 ]
    [[ $output == *"cudaErrorInvalidResourceHandle, cudaErrorInvalidResourceHandle, cudaErrorInvalidResourceHandle"* ]]
}

@test "nonsense in a variable is one sentence, exit 2" {
    for set in EMU_DEVICE=b2000 EMU_SEED=x EMU_CHECK=2 EMU_REFUSE=often EMU_STEPS=-1; do
        run env "$set" "$ROOT/build/runtime/exits" ok
        echo "$output"
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "$set: "* ]]
    done
}

@test "a module for 10.0 does not load on an emulated 9.0" {
    EMU_DEVICE=h200 program errors
    [[ $output == *"(kernel<<<1, 1>>>(nullptr)): cudaSuccess, cudaErrorNoKernelImageForDevice"* ]]
    [[ $output == *"cudaDeviceSynchronize(): cudaSuccess, cudaSuccess"* ]]
}

@test "the same run twice, byte for byte" {
    program cluster
    first=$output
    program cluster
    [ "$output" = "$first" ]
    EMU_SEED=5 program order
    first=$output
    EMU_SEED=5 program order
    [ "$output" = "$first" ]
}

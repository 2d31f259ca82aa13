#!/usr/bin/env bats
# tools/doctor.sh on scratch machines: a line for each need, and what to type for what is missing.

load root
load fakes

setup() {
    fake_machine
    ln -s "$(command -v chmod)" "$BIN/chmod"
    fake_gxx 12
    fake_nvcc 13.0 "75 90 100"
    program "$BIN/make" <<<'echo "GNU Make 4.3"'
    program "$BIN/cc" <<'SH'
#!/bin/sh
[ "$1" != --version ] || { echo "cc (Fake) 12.2" && exit; }
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\n' >"$2" && chmod +x "$2"
SH
    # An nvcc that compiles: the fake one, with -c.
    sed -i 's/^\*) exit 1/-c) exit 0/' "$BATS_TEST_TMPDIR/cuda/bin/nvcc"
}

doctor() { run on_machine "$@" "$ROOT/tools/doctor.sh"; }
line() { printf '%s\n' "$output" | grep -E "^$1 +$2 +.*$3" || { echo "$output" && false; }; }

@test "doctor: all that is needed is there" {
    doctor
    [ "$status" -eq 0 ]
    line ok make "GNU Make 4.3"
    line ok "C compiler" "Fake"
    line ok nvcc "13.0, $BIN/nvcc"
    line ok "a kernel"
    line ok GPU "not needed: found no NVIDIA driver"
    [ "${lines[-1]}" = "Next: make run" ]
}

@test "doctor: no C compiler is an obstacle, with what to type" {
    rm "$BIN/cc"
    doctor
    [ "$status" -eq 3 ]
    line missing "C compiler" "sudo apt-get install gcc"
    [ "${lines[-1]}" = "exit 3" ]
}

@test "doctor: a C compiler that cannot do C17 is told with its own words" {
    program "$BIN/cc" <<<'echo "error: no such standard" >&2; exit 1'
    doctor
    [ "$status" -eq 3 ]
    line missing "C compiler" "error: no such standard"
}

@test "doctor: a folder in which nvcc cannot link is an obstacle, a blank in its name is none" {
    local name
    for name in "a b" "o'brien"; do
        mkdir "$BATS_TEST_TMPDIR/$name"
        cp -r "$ROOT/tools" "$BATS_TEST_TMPDIR/$name"
    done
    run on_machine "$BATS_TEST_TMPDIR/a b/tools/doctor.sh"
    [ "$status" -eq 0 ]
    run on_machine "$BATS_TEST_TMPDIR/o'brien/tools/doctor.sh"
    line missing folder "rename it"
    [ "$status" -eq 3 ]
}

@test "doctor: an old make is an obstacle" {
    program "$BIN/make" <<<'echo "GNU Make 3.81"'
    doctor
    [ "$status" -eq 3 ]
    line missing make "3.81 is too old"
}

@test "doctor: no nvcc is none, and make toolkit is named" {
    rm "$BIN/nvcc"
    doctor
    [ "$status" -eq 0 ]
    line missing nvcc "no nvcc; make toolkit"
}

@test "doctor: a g++ newer than nvcc takes is named with the package to install" {
    fake_gxx 16
    doctor
    [ "$status" -eq 0 ]
    line missing nvcc "takes no g\+\+ newer than 15 \(here: 16; apt-get install g\+\+-15\)"
    fake_gxx 13 g++-13
    doctor
    line ok "g\+\+ for nvcc" "$BIN/g\+\+-13"
}

@test "doctor: an nvcc that cannot compile is quoted" {
    sed -i 's/^-c) exit 0/-c) echo "fatal error: crt is missing"; exit 1/' "$BATS_TEST_TMPDIR/cuda/bin/nvcc"
    doctor
    line missing "a kernel" "fatal error: crt is missing"
}

@test "doctor: a GPU is named; on WSL its library path too" {
    SMI_DIR=$MACHINE/usr/lib/wsl/lib fake_gpus 13.0 "0, RTX 4090, 8.9"
    fake_nvcc 13.0 "75 89 90 100"
    doctor
    line ok GPU "RTX 4090, compute capability 8.9"
    line missing "WSL library" "LD_LIBRARY_PATH=/usr/lib/wsl/lib"
}

@test "doctor: no pip and no Debian are said and do no harm" {
    doctor
    [ "$status" -eq 0 ]
    line missing pip "sudo apt-get install python3-pip"
    line missing "for tests" "libcmocka-dev"
}

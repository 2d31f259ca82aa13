#!/bin/sh
# What is here for `make run`, `make test` and `make toolkit`, a line each; what is missing, and what to type.
# Exit 0: `make run` can work; 3: it cannot. Changes nothing but build/doctor, where it tries the compilers.
set -u
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
export LC_ALL=C
bad=0
work=build/doctor

ok() { printf 'ok       %-12s %s\n' "$1" "$2"; }
missing() { printf 'missing  %-12s %s\n' "$1" "$2"; } # not needed for make run
needed() {
    missing "$1" "$2"
    bad=$((bad + 1))
}

first_line() { "$@" 2>/dev/null | head -n 1; }

# nvcc takes these apart when it calls the linker; a blank is no trouble.
check_folder() {
    case $(pwd) in
    *[\'\"\`,]*) needed folder "$(pwd): nvcc cannot link in a folder with a quote or a comma in its name: rename it" ;;
    esac
}

check_make() {
    version=$(first_line "${MAKE:-make}" --version)
    case $version in
    "GNU Make "[0-3].*) needed make "$version is too old: install GNU Make 4 (on macOS: gmake)" ;;
    "GNU Make "*) ok make "$version" ;;
    *) needed make "sudo apt-get install make" ;;
    esac
}

check_cc() {
    printf '#include <stdint.h>\nint main(void) { _Static_assert(sizeof(int64_t) == 8, ""); return 0; }\n' >$work/try.c
    cc=${CC:-cc}
    if ! command -v "$cc" >/dev/null; then
        needed "C compiler" "sudo apt-get install gcc"
    elif ! "$cc" -std=c17 $work/try.c -o $work/try 2>$work/log || ! $work/try; then
        needed "C compiler" "$cc cannot compile and run C17: $(head -n 1 $work/log)"
    else
        ok "C compiler" "$(first_line "$cc" --version)"
    fi
}

# The emulator's CUDA runtime and the steps are compiled by nvcc; without it the stored PTX runs.
check_nvcc() {
    if [ -z "$NVCC" ]; then
        missing nvcc "found $NVCC_NOTE; make toolkit fetches one (until then the stored PTX runs)"
        return
    fi
    ok nvcc "$NVCC_VERSION, $NVCC"
    [ -z "$CCBIN" ] || ok "g++ for nvcc" "$CCBIN, because nvcc $NVCC_VERSION does not take plain g++"
    echo '__global__ void k(int* p) { *p = 1; } int main() { k<<<1, 1>>>(nullptr); }' >$work/try.cu
    [ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
    if "$NVCC" -c -std=c++17 -gencode arch=compute_100a,code=compute_100a $work/try.cu -o $work/try.o >$work/log 2>&1; then
        ok "a kernel" "nvcc compiles one"
    else
        missing "a kernel" "nvcc cannot compile one: $(grep -m 1 -iE 'error|fatal' $work/log); make toolkit fetches another nvcc"
    fi
}

check_gpu() {
    case $MODE in
    gpu) ok GPU "$GPU_NOTE" ;;
    *) ok GPU "not needed: found $GPU_NOTE" ;;
    esac
    if [ -d "${DETECT_ROOT:-}/usr/lib/wsl/lib" ] && ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so'; then
        missing "WSL library" 'export LD_LIBRARY_PATH=/usr/lib/wsl/lib'
    fi
}

check_pip() {
    if python3 -m pip --version >/dev/null 2>&1 || command -v pip3 >/dev/null; then
        ok pip "for make toolkit"
    else
        missing pip "sudo apt-get install python3-pip (only make toolkit needs it)"
    fi
}

check_packages() {
    command -v dpkg-query >/dev/null || { missing "for tests" "$(sed '/^#/d' tools/packages.txt | tr '\n' ' ')" && return; }
    lacking=$(tools/deps.sh --missing | tr '\n' ' ')
    case $lacking in
    '') ok "for tests" "every package of tools/packages.txt" ;;
    *) missing "for tests" "$lacking(make test installs them)" ;;
    esac
}

room $work
answer=$(tools/detect.sh) || answer=$(BACKEND=emulator tools/detect.sh) || exit
eval "$answer"
check_folder
check_make
check_cc
check_nvcc
check_gpu
check_pip
check_packages
rm -rf $work
echo
[ $bad -eq 0 ] || finish 3
echo "$WHY"
echo "Next: make run"

#!/bin/sh
# Fetches NVIDIA's compiler from PyPI into a folder that looks like an installed toolkit, and tries it.
#   tools/toolkit.sh [LIST [DIR]]      default: tools/toolkit.txt build/toolkit
# TOOLKIT_WHEELS=FOLDER takes the packages from that folder instead and asks no registry. Nothing else of
# the machine is changed; DIR appears only when all of it is there and has compiled a kernel.
# Exit 3, with a sentence, where that cannot be: no pip, no network, a system NVIDIA has no compiler for.
set -u
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
list=${1:-tools/toolkit.txt}
dir=${2:-build/toolkit}
new=$dir.new
log=$dir.log

fail() { # SENTENCE
    finish 3 "make toolkit: $1"
}

find_pip() {
    [ "$(uname -s)" = Linux ] || fail "NVIDIA has no compiler for $(uname -s); the stored PTX of each step runs without one"
    for pip in "python3 -m pip" pip3 pip; do
        $pip --version >/dev/null 2>&1 && return
    done
    fail "pip is missing: sudo apt-get install python3-pip"
}

# Runs a command with its output in the log; on a terminal, a line tells how much has come.
with_progress() {
    "$@" >"$log" 2>&1 &
    child=$!
    if [ -t 1 ]; then
        while kill -0 $child 2>/dev/null; do
            printf '\r  %s MB ' "$(du -sm "$new" 2>/dev/null | cut -f1)"
            sleep 1
        done
        printf '\r             \r'
    fi
    wait $child
}

fetch() {
    mkdir -p "$new/tmp"
    set -- install --no-deps --only-binary :all: --no-compile --disable-pip-version-check --no-input \
        --target "$new/site" -r "$list"
    [ -z "${TOOLKIT_WHEELS:-}" ] || set -- "$@" --no-index --find-links "$TOOLKIT_WHEELS"
    # shellcheck disable=SC2086 # pip may be three words
    TMPDIR=$(cd "$new/tmp" && pwd) with_progress $pip "$@" || {
        grep -i error "$log" | tail -n 3 >&2
        fail "pip could not fetch the packages of $list; all it said is in $log"
    }
}

# Each package brings a part of the tree: nvidia/cu13/bin, nvidia/cu13/include, ...
assemble() {
    for part in "$new"/site/nvidia/*/; do cp -R "$part". "$new"; done
    mkdir -p "$new/licenses"
    mv "$new"/site/*.dist-info "$new/licenses"
    rm -rf "$new/site" "$new/tmp"
    [ -e "$new/lib64" ] || ln -s lib "$new/lib64" # where nvcc looks for libraries
    [ -x "$new/bin/nvcc" ] || fail "the packages of $list hold no nvcc"
}

# PTX and an object file: the compiler, its headers and the host compiler all take part.
try() {
    cat >"$new/try.cu" <<'CU'
#include <cuda/ptx>
__global__ void fill(int* p) { p[threadIdx.x] = int(cuda::ptx::get_sreg_laneid()); }
int main() { fill<<<1, 32>>>(nullptr); }
CU
    for how in -ptx -c; do
        "$new/bin/nvcc" $how -std=c++17 -cudart none -gencode arch=compute_100a,code=compute_100a \
            "$new/try.cu" -o "$new/try.out" >>"$log" 2>&1 || {
            grep -iE 'error|fatal|not found' "$log" | head -n 3 >&2
            fail "the fetched nvcc cannot compile a small kernel (see $log; make doctor looks at the host compiler)"
        }
    done
    rm "$new/try.cu" "$new/try.out"
}

if [ -x "$dir/bin/nvcc" ] && cmp -s "$list" "$dir/packages.txt"; then
    echo "$dir is there already: $("$dir/bin/nvcc" --version | grep release)"
    exit 0
fi
find_pip
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM
rm -rf "$new"
echo "Fetching $(grep -c == "$list") packages into $dir"
fetch
assemble
echo "Compiling a small kernel with them"
try
cp "$list" "$new/packages.txt"
rm -rf "$dir" && mv "$new" "$dir"
echo "$dir is ready: $("$dir/bin/nvcc" --version | grep release)"
echo "Next: make run"

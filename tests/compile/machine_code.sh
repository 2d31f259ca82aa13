#!/bin/sh
# Prints the machine code of a program's kernels for one target: tests/compile/machine_code.sh FILE.cu TARGET
# Needs nvcc and nvdisasm; where nvdisasm is not installed it is fetched from PyPI into build/compile (5 MB).
# Exit 3 where neither can be had.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) && cd "$top" || exit 5
work=build/compile
answer=$(BACKEND=emulator tools/detect.sh) || exit 3
eval "$answer"
[ -n "$NVCC" ] || { echo "machine_code: $WHY" >&2 && exit 3; }
[ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
mkdir -p "$work" || exit 5

nvdisasm=$(command -v nvdisasm || find "$work/nvdisasm" -type f -name nvdisasm 2>/dev/null | head -n 1)
if [ -z "$nvdisasm" ]; then
    python3 -m pip install --no-deps --only-binary :all: --no-compile --disable-pip-version-check --no-input -q \
        --target "$work/nvdisasm" 'nvidia-cuda-nvdisasm>=13,<14' >"$work/nvdisasm.log" 2>&1 ||
        { echo "machine_code: pip could not fetch nvdisasm, see $work/nvdisasm.log" >&2 && exit 3; }
    nvdisasm=$(find "$work/nvdisasm" -type f -name nvdisasm | head -n 1)
    chmod +x "$nvdisasm"
fi
cubin=$work/$(basename "$1" .cu).$2.$$.cubin
trap 'rm -f "$cubin"' EXIT
"$NVCC" -std=c++17 -O3 -I. -cubin "-arch=sm_$2" "$1" -o "$cubin" >&2 && "$nvdisasm" "$cubin"

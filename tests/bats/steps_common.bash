# shellcheck shell=bash
# For tests of the steps: paths, .npy files from hex, comparisons that say what differs.

# shellcheck disable=SC2034 # used by the tests that load this
FIXED_WORK=build/step01_fixed_work/fixed_work.emu
# shellcheck disable=SC2034
FIXED_BLOCKS=build/step02_fixed_blocks/fixed_blocks.emu
unset EMU_DEVICE EMU_SEED EMU_STEPS EMU_REFUSE EMU_TRACE

is() { [ "$1" = "$2" ] || { printf 'is   %s\nwant %s\n' "$1" "$2" && false; }; }
has() { case $1 in *"$2"*) ;; *) printf '%s\nlacks %s\n' "$1" "$2" && false ;; esac; }
last_line() { printf '%s\n' "$1" | tail -n 1; }

# npy FILE HEX...: a float32 array, each element given as the 8 hex digits of its bits.
npy() {
    local file=$1 header word
    shift
    header="{'descr': '<f4', 'fortran_order': False, 'shape': ($#,), }"
    {
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
        for word; do
            printf '%b' "\\x${word:6:2}\\x${word:4:2}\\x${word:2:2}\\x${word:0:2}"
        done
    } >"$file"
}

# The elements of a .npy of four-byte elements, as hex on one line.
elements() { od -An -v -tx4 -w4 -j128 "$1" | tr -d ' ' | tr '\n' ' '; }

# Where nvcc is missing the programs cannot be built; what then runs is tested with the stored PTX.
need_nvcc() {
    local answer
    answer=$(tools/detect.sh) || skip "no build here"
    eval "$answer"
    [ -n "$NVCC" ] || skip "no nvcc"
}

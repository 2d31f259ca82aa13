#!/bin/sh
# Do steps 3 and 4 compile with the toolkits that readers have?
#   tests/compile/run.sh --short   the nvcc here with the libcu++ of CUDA 12.8, and the assembler of 12.8
#   tests/compile/run.sh           also the libcu++ of 12.9, 13.0 and the newest, the assembler of 12.9, the newest
#                                  compiler as a whole, all targets, all variants and the rung
# Fetches packages from PyPI into build/compile (45 MB; the long form 450 MB) once. Prints TAP.
# PyPI has nvcc itself from 13.0 on; of 12.8 and 12.9 it has the headers and ptxas, so for these the PTX comes from
# the nvcc here and only its .version is lowered. Exit: 1 a failure, 3 no nvcc or no network.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) && cd "$top" || exit 5
LC_ALL=C
export LC_ALL
work=build/compile
count=0 status=0

die() {
    echo "tests/compile: $1" >&2
    exit 3
}

find_nvcc() {
    answer=$(BACKEND=emulator tools/detect.sh) || exit 3
    eval "$answer"
    [ -n "$NVCC" ] || die "$WHY"
    [ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
}

# One package, unpacked in build/compile/NAME-VERSION; prints the folder that holds what was asked for.
fetch() { # NAME VERSION FILE
    dir=$work/$1-$2
    if [ ! -e "$dir/done" ]; then
        rm -rf "$dir" && mkdir -p "$dir"
        python3 -m pip install --no-deps --only-binary :all: --no-compile --disable-pip-version-check --no-input -q \
            --target "$dir" "$1==$2" >"$dir.log" 2>&1 || die "pip could not fetch $1 $2, see $dir.log"
        touch "$dir/done"
    fi
    found=$(find "$dir" -path "*/$3" | head -n 1)
    [ -n "$found" ] || die "$dir has no $3"
    echo "${found%/"$3"}"
}

# Runs a command, quiet; says ok or not ok. Words like `nvcc -arch=sm_90` are the command.
try() { # NAME COMMAND...
    what=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/try.log" 2>&1; then
        echo "ok $count - $what"
    else
        echo "not ok $count - $what" && head -n 12 "$work/try.log" | sed 's/^/# /'
        status=1
    fi
}

label() { # SOURCE
    basename "$1" .cu
}

headers() { # WORDS FOLDER TARGETS SOURCES: all sources for all targets with the libcu++ in FOLDER
    codes=
    for t in $3; do codes="$codes -gencode arch=compute_$t,code=sm_$t"; done
    for source in $4; do
        # shellcheck disable=SC2086 # one word an option
        try "$(label "$source") with the libcu++ of $1 for $3" \
            "$NVCC" -std=c++17 -O3 -I. "-I$2" $codes -c "$source" -o "$work/try.o"
    done
}

# shellcheck disable=SC2317 # called through try
assemble() ( # PTXAS VERSION TARGET PTX: lowers .version and assembles
    sed "s/^\.version .*/.version $2/" "$4" >"$work/try.ptx" && "$1" "-arch=sm_$3" "$work/try.ptx" -o "$work/try.cubin"
)

assembler() { # WORDS PTXAS VERSION TARGETS INCLUDE SOURCES
    for source in $6; do
        for t in $4; do
            "$NVCC" -std=c++17 -O3 -I. "-I$5" -ptx "-arch=compute_$t" "$source" -o "$work/from.ptx" 2>/dev/null ||
                : >"$work/from.ptx"
            try "$(label "$source") with the ptxas of $1 for $t" assemble "$2" "$3" "$t" "$work/from.ptx"
        done
    done
}

compiler() { # WORDS NVCC TARGETS SOURCES
    codes=
    for t in $3; do codes="$codes -gencode arch=compute_$t,code=sm_$t"; done
    for source in $4; do
        # shellcheck disable=SC2086 # one word an option
        try "$(label "$source") with $1 for $3" "$2" -std=c++17 -O3 -I. $codes -c "$source" -o "$work/try.o"
    done
}

find_nvcc
mkdir -p "$work" || exit 5
steps='step03_clc_blocks/clc_blocks.cu step04_clc_clusters/clc_clusters.cu'
old_headers=$(fetch nvidia-cuda-cccl-cu12 12.8.90 cuda/ptx) || exit
old_ptxas=$(fetch nvidia-cuda-nvcc-cu12 12.8.93 ptxas)/ptxas || exit
chmod +x "$old_ptxas"

if [ "${1:-}" = --short ]; then
    headers 12.8 "$old_headers" '80 90 100a 120a' "$steps"
    assembler 12.8 "$old_ptxas" 8.7 '90 100a' "$old_headers" "$steps"
    echo "1..$count"
    exit $status
fi

all="$steps $(ls step0[34]*/variants/*/*.cu tutorial/rungs/*-guides-kernel/*.cu)"
kinds='75 90 100a 103a 120f' # of software, of gates in libcu++
headers 12.8 "$old_headers" "$kinds" "$all"
assembler 12.8 "$old_ptxas" 8.7 '75 80 86 89 90 100a 120a' "$old_headers" "$steps"

new_headers=$(fetch nvidia-cuda-cccl-cu12 12.9.27 cuda/ptx) || exit
ptxas=$(fetch nvidia-cuda-nvcc-cu12 12.9.86 ptxas)/ptxas || exit
chmod +x "$ptxas"
headers 12.9 "$new_headers" "$kinds" "$all"
assembler 12.9 "$ptxas" 8.8 '90 103a 121a 100f 120f' "$new_headers" "$steps"

headers 13.0 "$(fetch nvidia-cuda-cccl 13.0.85 cuda/ptx)" "$kinds" "$all"
tools/toolkit.sh tests/compile/newest.txt "$work/newest" >&2 || exit 3
newest=$("$work/newest/bin/nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
compiler "the whole $newest" "$work/newest/bin/nvcc" '75 80 86 89 90 100a 103a 110a 120a 121a 100f 110f 120f' "$all"
echo "1..$count"
exit $status

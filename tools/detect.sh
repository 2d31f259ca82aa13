#!/bin/sh
# What will run here: asks nvcc and the driver, and chooses what both know.
#
#   eval "$(tools/detect.sh [clusters])"      `clusters`: the program needs thread block clusters
#
# Prints NVCC NVCC_VERSION CCBIN GPU GPU_NAME GPU_CC ARCH GENCODE BACKEND MODE WHY, and what was met of
# compilers and GPUs in NVCC_NOTE GPU_NOTE, quoted for sh.
# MODE is gpu, emulator, or stored (the emulator, with the PTX kept beside each step: no usable nvcc);
# CCBIN is the host compiler to hand to nvcc when g++ itself will not do; WHY is one sentence.
# Obeys BACKEND GPU ARCH DEVICE NVCC CUDA_HOME. Nonsense in one of them: a sentence, exit 2;
# a wish that this machine cannot grant: a sentence, exit 3.
# Not checked: that nvcc works (`make doctor` compiles something). DETECT_ROOT goes before the usual
# places, for tests.
set -u
export LC_ALL=C

OLDEST_NVCC=12.8 # the first that knows compute capability 10.0
OLDEST_GPU=75    # compute capability 7.5
root=${DETECT_ROOT:-}
top=$(cd "$(dirname "$0")/.." && pwd)

die() { # STATUS SENTENCE
    printf '%s\n' "$2" >&2
    exit "$1"
}

# --- settings ---------------------------------------------------------------

read_settings() { # [clusters]
    case ${1:-} in
    '') clusters=no ;;
    clusters) clusters=yes ;;
    *) die 2 "detect.sh: '$1' is not known; the only word it takes is clusters" ;;
    esac
    backend=${BACKEND:-auto} gpu=${GPU:-} arch=${ARCH:-} device=${DEVICE:-b200}
    case $backend in auto | gpu | emulator) ;; *)
        die 2 "BACKEND=$backend: use auto, gpu or emulator" ;;
    esac
    case $gpu in *[!0-9]*)
        die 2 "GPU=$gpu: use the number of a GPU as nvidia-smi counts them, 0 for the first" ;;
    esac
    arch=${arch#sm_} arch=${arch#compute_}
    [ "$arch" = native ] && arch=
    digits=${arch%[af]}
    case $digits in
    '') [ -z "$arch" ] || die 2 "ARCH=$ARCH: use a compute capability such as 90, 100a or 120f" ;;
    *[!0-9]* | ? | ????*) die 2 "ARCH=$ARCH: use a compute capability such as 90, 100a or 120f" ;;
    esac
}

# --- the compiler -----------------------------------------------------------

not_older() { # VERSION VERSION: true if the first is the same or newer
    a=${1%%.*} b=${2%%.*}
    [ "$a" -gt "$b" ] || { [ "$a" -eq "$b" ] && [ "${1#*.}" -ge "${2#*.}" ]; }
}

nvcc_places() {
    if [ -n "${NVCC:-}" ]; then
        command -v "$NVCC" || die 2 "NVCC=$NVCC: there is no such program"
        return
    fi
    command -v nvcc
    for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "$root/usr/local/cuda"; do
        [ -n "$dir" ] && echo "$dir/bin/nvcc"
    done
    for dir in "$root"/usr/local/cuda-*; do echo "$dir/bin/nvcc"; done | sort -r
    echo "$root/opt/cuda/bin/nvcc"
    echo "${TOOLKIT_DIR:-$top/build/toolkit}/bin/nvcc"
}

# Sets NVCC and NVCC_VERSION to the first nvcc that is new enough; else nvcc_note says what was met.
find_nvcc() {
    places=$(nvcc_places) || exit
    NVCC='' NVCC_VERSION='' nvcc_note='no nvcc'
    old_ifs=$IFS IFS='
'
    for place in $places; do
        [ -x "$place" ] || continue
        version=$("$place" --version 2>/dev/null | sed -n 's/.*release \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p')
        if [ -z "$version" ]; then
            nvcc_note="an nvcc that does not answer ($place)"
        elif not_older "$version" "$OLDEST_NVCC"; then
            NVCC=$place NVCC_VERSION=$version nvcc_note="nvcc $version"
            break
        else
            nvcc_note="nvcc $version ($place), older than the $OLDEST_NVCC needed,"
        fi
    done
    IFS=$old_ifs
}

# The newest g++ that this nvcc accepts, from its own header; empty if it does not say.
newest_gxx() {
    home=$(dirname "$(readlink -f "$NVCC" 2>/dev/null || echo "$NVCC")")/..
    cat "$home"/include/crt/host_config.h "$home"/targets/*/include/crt/host_config.h 2>/dev/null |
        sed -n 's/.*__GNUC__ > \([0-9][0-9]*\).*/\1/p' | head -n 1
}

gxx_major() { "$1" -dumpversion 2>/dev/null | sed 's/\..*//'; }

# nvcc needs a host g++ that it accepts. Sets CCBIN if it is not plain g++; drops NVCC if there is none.
find_host_compiler() {
    CCBIN=''
    [ -n "$NVCC" ] || return 0
    host=${NVCC_CCBIN:-g++}
    [ -d "$host" ] && host=$host/g++
    have=$(gxx_major "$host")
    limit=$(newest_gxx)
    [ -n "$have" ] && [ "$have" -le "${limit:-$have}" ] && return 0
    for number in 15 14 13 12 11 10 9; do
        [ "$number" -le "${limit:-15}" ] || continue
        CCBIN=$(command -v "g++-$number") && return 0
    done
    CCBIN=''
    if [ -z "$have" ]; then
        nvcc_note="nvcc $NVCC_VERSION, but no g++ beside it"
    else
        nvcc_note="nvcc $NVCC_VERSION, which takes no g++ newer than $limit (here: $have; apt-get install g++-$limit)"
    fi
    NVCC='' NVCC_VERSION=''
}

# --- the GPU ----------------------------------------------------------------

patiently() { # a broken driver can hang
    if command -v timeout >/dev/null; then timeout 20 "$@"; else "$@"; fi
}

# One line a GPU: INDEX CAPABILITY NAME. Sets gpus, or gpu_note when there are none.
list_gpus() {
    gpus='' gpu_note='no NVIDIA driver'
    smi=$(command -v nvidia-smi || command -v "$root/usr/lib/wsl/lib/nvidia-smi") || return
    answer=$(patiently "$smi" --query-gpu=index,name,compute_cap --format=csv,noheader 2>&1) || {
        gpu_note="a driver that does not answer (nvidia-smi: $(printf '%s\n' "$answer" | head -n 1))"
        return
    }
    gpus=$(printf '%s\n' "$answer" | sed -n 's/^ *\([0-9][0-9]*\), *\(.*\), *\([0-9][0-9]*\.[0-9]\) *$/\1 \3 \2/p')
    [ -n "$gpus" ] || gpu_note="no GPU (nvidia-smi: $(printf '%s\n' "$answer" | head -n 1))"
    driver_cuda=$(patiently "$smi" --version 2>/dev/null |
        sed -n 's/.*CUDA[A-Za-z ]*[Vv]ersion *: *\([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
}

# Which of them: GPU=, else the first that CUDA_VISIBLE_DEVICES names, else the most capable.
find_gpu() {
    GPU='' GPU_NAME='' GPU_CC='' driver_cuda=''
    if [ -z "$gpu" ] && [ "${CUDA_VISIBLE_DEVICES-unset}" != unset ]; then
        case $CUDA_VISIBLE_DEVICES in
        '' | -*) gpus='' gpu_note='CUDA_VISIBLE_DEVICES hiding every GPU'; return ;;
        esac
        gpu=$(printf '%s\n' "${CUDA_VISIBLE_DEVICES%%,*}" | sed -n '/^[0-9][0-9]*$/p')
    fi
    list_gpus
    if [ -n "$gpu" ]; then
        line=$(printf '%s\n' "$gpus" | sed -n "/^$gpu /p")
        [ -n "$line" ] || die 3 "GPU=$gpu: there is no such GPU; found $(
            if [ -n "$gpus" ]; then echo "numbers $(printf '%s\n' "$gpus" | cut -d' ' -f1 | tr '\n' ' ' | sed 's/ $//')"
            else echo "$gpu_note"; fi)"
    else
        line=$(printf '%s\n' "$gpus" | sort -s -k2,2nr | head -n 1)
    fi
    [ -n "$line" ] || return 0
    GPU=${line%% *} line=${line#* } GPU_CC=${line%% *} GPU_NAME=${line#* }
    gpu_note="GPU $GPU $GPU_NAME, compute capability $GPU_CC"
    others=$(($(printf '%s\n' "$gpus" | wc -l) - 1))
    [ "$others" -eq 0 ] || gpu_note="$gpu_note, and $others more (GPU= picks)"
}

# --- the choice -------------------------------------------------------------

nvcc_knows() { # NUMBER
    case " $known " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

driver_older_than_nvcc() { [ -n "$driver_cuda" ] && ! not_older "$driver_cuda" "$NVCC_VERSION"; }

# Machine code where the GPU can load it, otherwise PTX for the driver to compile. Sets ARCH GENCODE;
# or sets no_gpu to the reason why the GPU cannot be used.
target() { # NUMBER SUFFIX(a, f or nothing), for a GPU of compute capability $cc
    number=$1 suffix=$2 same=no
    [ $((number / 10)) -eq $((cc / 10)) ] && same=yes
    ARCH=$number$suffix
    GENCODE="-gencode arch=compute_$ARCH,code=sm_$ARCH"
    if [ "$number" -gt "$cc" ] || { [ "$suffix" = a ] && [ "$number" -ne "$cc" ]; } ||
        { [ "$suffix" = f ] && [ $same = no ]; }; then
        no_gpu="code for $ARCH does not run on compute capability $GPU_CC"
    elif [ $same = no ]; then
        GENCODE="-gencode arch=compute_$ARCH,code=compute_$ARCH"
        if driver_older_than_nvcc; then
            no_gpu="the driver (CUDA $driver_cuda) cannot compile PTX of nvcc $NVCC_VERSION"
        fi
    fi
}

own_target() {
    known=$("$NVCC" --list-gpu-arch 2>/dev/null | sed -n 's/^compute_\([0-9]*\)$/\1/p' | tr '\n' ' ' | sed 's/ $//')
    if [ -n "$arch" ]; then
        nvcc_knows "$digits" || die 2 "ARCH=$arch: nvcc $NVCC_VERSION knows $known"
        target "$digits" "${arch#"$digits"}"
        [ -z "$no_gpu" ] || die 3 "ARCH=$arch: $no_gpu"
    elif nvcc_knows "$cc"; then
        if [ "$cc" -ge 100 ]; then target "$cc" a; else target "$cc" ''; fi
    else
        best=0
        for number in $known; do
            [ "$number" -ne 101 ] || continue # a board of its own, 110 since nvcc 13
            [ "$number" -le "$cc" ] && [ "$number" -gt "$best" ] && best=$number
        done
        if [ "$best" -eq 0 ]; then
            no_gpu="nvcc $NVCC_VERSION no longer builds for compute capability $GPU_CC"
        elif [ $clusters = yes ] && [ "$cc" -ge 100 ]; then
            no_gpu="multicast needs a target of its own, and nvcc $NVCC_VERSION does not know $GPU_CC"
        else
            target "$best" ''
            newer=", with code for $best because nvcc does not know $GPU_CC"
        fi
    fi
}

# Sets no_gpu to a reason, or leaves it empty and sets ARCH GENCODE.
judge_gpu() {
    no_gpu='' newer='' ARCH='' GENCODE=''
    [ -n "$GPU_CC" ] || { no_gpu='no GPU'; return; }
    cc=${GPU_CC%.*}${GPU_CC#*.}
    if [ "$cc" -lt "$OLDEST_GPU" ]; then
        no_gpu="the steps need compute capability 7.5"
    elif [ $clusters = yes ] && [ "$cc" -lt 90 ]; then
        no_gpu="clusters need compute capability 9.0"
    elif [ -z "$NVCC" ]; then
        no_gpu="there is $nvcc_note to build for it"
    elif [ "$backend" = auto ] && [ -n "$driver_cuda" ] && [ "${driver_cuda%%.*}" -lt "${NVCC_VERSION%%.*}" ]; then
        no_gpu="its driver (CUDA $driver_cuda) is too old for nvcc $NVCC_VERSION"
    else
        own_target
    fi
}

choose() {
    find_gpu_unless_told
    judge_gpu
    reason=''
    # The found GPU that will not be used deserves its reason; every other reason is in $found.
    [ -z "$GPU_CC" ] || reason=", because $no_gpu"
    if [ -z "$no_gpu" ]; then
        BACKEND=gpu MODE=gpu
        WHY="Found $found: runs on the GPU$newer (BACKEND=emulator for the emulator)."
        return
    fi
    [ "$backend" != gpu ] || die 3 "BACKEND=gpu cannot be had$reason: found $found."
    BACKEND=emulator MODE=emulator GPU='' GPU_NAME='' GPU_CC='' ARCH='' GENCODE=''
    WHY="Found $found: runs on the emulated $device$reason (DEVICE= picks another)."
    [ -n "$NVCC" ] || {
        MODE=stored
        WHY="Found $found: runs the stored PTX on the emulated $device (make toolkit fetches a compiler)."
    }
}

find_gpu_unless_told() {
    if [ "$backend" = emulator ]; then
        GPU='' GPU_NAME='' GPU_CC='' gpu_note='' found=$nvcc_note
    else
        find_gpu
        found="$gpu_note; $nvcc_note"
    fi
}

say() { # NAME VALUE
    printf "%s='%s'\n" "$1" "$(printf '%s' "$2" | sed "s/'/'\\\\''/g")"
}

read_settings "$@"
find_nvcc
find_host_compiler
choose
say NVCC "$NVCC"
say NVCC_VERSION "$NVCC_VERSION"
say CCBIN "$CCBIN"
say GPU "$GPU"
say GPU_NAME "$GPU_NAME"
say GPU_CC "$GPU_CC"
say ARCH "$ARCH"
say GENCODE "$GENCODE"
say BACKEND "$BACKEND"
say MODE "$MODE"
say WHY "$WHY"
say NVCC_NOTE "$nvcc_note"
say GPU_NOTE "$gpu_note"

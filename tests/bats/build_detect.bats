#!/usr/bin/env bats
# tools/detect.sh on scratch machines: every row of the README's hardware table, and every way it can fail.

load root
load fakes

R13="75 80 86 87 88 89 90 100 110 103 120 121"
R128="50 60 70 75 80 90 100 101 120"

setup() {
    fake_machine
    fake_gxx 12
}

# Runs detect.sh and loads its answer: detect [clusters] [NAME=VALUE...]
detect() {
    local words=()
    if [ "${1:-}" = clusters ]; then words=(clusters) && shift; fi
    run on_machine "$@" "$ROOT/tools/detect.sh" "${words[@]}"
    if [ "$status" -eq 0 ]; then eval "$output"; fi
}

is() { [ "$1" = "$2" ] || { echo "is '$1', want '$2'" && false; }; }
has() { case $1 in *"$2"*) ;; *) echo "'$1' lacks '$2'" && false ;; esac; }

@test "detect: no GPU and an nvcc: the emulator" {
    fake_nvcc 13.0 "$R13"
    detect
    is "$status $MODE $BACKEND" "0 emulator emulator"
    is "$NVCC" "$BIN/nvcc"
    has "$WHY" "no NVIDIA driver; nvcc 13.0: runs on the emulated b200"
}

@test "detect: no nvcc: the stored PTX, and how to get a compiler" {
    detect
    is "$status $MODE $NVCC" "0 stored "
    has "$WHY" "no nvcc: runs the stored PTX"
    has "$WHY" "make toolkit"
}

@test "detect: a GPU but no nvcc: the stored PTX, and the GPU is named" {
    fake_gpus 13.0 "0, NVIDIA H200, 9.0"
    detect
    is "$status $MODE" "0 stored"
    has "$WHY" "NVIDIA H200"
    has "$WHY" "no nvcc"
}

@test "detect: an nvcc that is too old counts as none and is named" {
    fake_nvcc 12.4 "75 80 90"
    detect
    is "$status $MODE $NVCC" "0 stored "
    has "$WHY" "nvcc 12.4"
    has "$WHY" "older than the 12.8"
}

@test "detect: an old nvcc on PATH does not hide a newer one elsewhere" {
    fake_nvcc 11.8 "75 80 90"
    fake_nvcc 12.9 "$R13" "$MACHINE/usr/local/cuda-12.9"
    fake_nvcc 13.0 "$R13" "$MACHINE/usr/local/cuda-13.0"
    detect
    is "$NVCC" "$MACHINE/usr/local/cuda-13.0/bin/nvcc"
}

@test "detect: nvcc is looked for in CUDA_HOME, /usr/local/cuda, /opt/cuda and the fetched toolkit" {
    fake_nvcc 13.0 "$R13" "$MACHINE/toolkit"
    detect
    is "$NVCC" "$MACHINE/toolkit/bin/nvcc"
    fake_nvcc 13.0 "$R13" "$MACHINE/opt/cuda"
    detect
    is "$NVCC" "$MACHINE/opt/cuda/bin/nvcc"
    fake_nvcc 13.0 "$R13" "$MACHINE/usr/local/cuda"
    detect
    is "$NVCC" "$MACHINE/usr/local/cuda/bin/nvcc"
    fake_nvcc 13.1 "$R13" "$MACHINE/mine"
    detect CUDA_HOME="$MACHINE/mine"
    is "$NVCC" "$MACHINE/mine/bin/nvcc"
    detect NVCC="$MACHINE/opt/cuda/bin/nvcc"
    is "$NVCC" "$MACHINE/opt/cuda/bin/nvcc"
}

@test "detect: NVCC= that is not there ends with a sentence" {
    detect NVCC=/nowhere/nvcc
    is "$status" 2
    is "$output" "NVCC=/nowhere/nvcc: there is no such program"
}

@test "detect: compute capability 9.0 runs all steps on the GPU" {
    fake_nvcc 13.0 "$R13"
    fake_gpus 13.0 "0, NVIDIA H200, 9.0"
    for word in "" clusters; do
        detect $word
        is "$status $MODE $ARCH $GPU $GPU_CC" "0 gpu 90 0 9.0"
        is "$GPU_NAME" "NVIDIA H200"
        is "$GENCODE" "-gencode arch=compute_90,code=sm_90"
    done
}

@test "detect: every Blackwell that nvcc knows gets its own a target" {
    fake_nvcc 13.0 "$R13"
    for cc in 10.0 10.3 11.0 12.0 12.1; do
        fake_gpus 13.0 "0, Blackwell, $cc"
        detect clusters
        is "$MODE $ARCH" "gpu ${cc%.*}${cc#*.}a"
    done
}

@test "detect: 7.5 to 8.9 use the GPU, and the emulator where clusters are needed" {
    fake_nvcc 13.0 "$R13"
    for cc in 7.5 8.0 8.6 8.9; do
        fake_gpus 13.0 "0, Old, $cc"
        detect
        is "$MODE $ARCH" "gpu ${cc%.*}${cc#*.}"
        detect clusters
        is "$MODE $ARCH" "emulator "
        has "$WHY" "clusters need compute capability 9.0"
    done
}

@test "detect: a GPU older than 7.5, or than nvcc, means the emulator and says why" {
    fake_nvcc 12.8 "$R128"
    fake_gpus 13.0 "0, Tesla V100, 7.0"
    detect
    is "$MODE" emulator
    has "$WHY" "need compute capability 7.5"
    fake_nvcc 14.0 "80 90 100"
    fake_gpus 14.0 "0, Tesla T4, 7.5"
    detect
    is "$MODE" emulator
    has "$WHY" "no longer builds for compute capability 7.5"
}

@test "detect: a GPU newer than nvcc gets the nearest code that it can load" {
    fake_nvcc 12.8 "$R128"
    fake_gpus 13.0 "0, B300, 10.3"
    detect
    is "$MODE $GENCODE" "gpu -gencode arch=compute_100,code=sm_100"
    has "$WHY" "nvcc does not know 10.3"
    detect clusters
    is "$MODE" emulator
    has "$WHY" "multicast"
    fake_gpus 13.0 "0, Next, 13.0"
    detect
    is "$MODE $GENCODE" "gpu -gencode arch=compute_120,code=compute_120"
}

@test "detect: PTX is not chosen for a driver that is older than nvcc" {
    fake_nvcc 13.0 "$R13"
    fake_gpus 13.0 "0, Next, 14.0"
    detect
    is "$MODE" gpu
    fake_nvcc 13.2 "$R13"
    fake_gpus 13.0 "0, Next, 14.0"
    detect
    is "$MODE" emulator
    has "$WHY" "cannot compile PTX"
}

@test "detect: a driver of an older major version than nvcc means the emulator, unless BACKEND=gpu" {
    fake_nvcc 13.0 "$R13"
    fake_gpus 12.4 "0, NVIDIA H100, 9.0"
    detect
    is "$MODE" emulator
    has "$WHY" "its driver (CUDA 12.4) is too old"
    detect BACKEND=gpu
    is "$MODE" gpu
}

@test "detect: nvidia-smi in the WSL folder is found" {
    fake_nvcc 13.0 "$R13"
    SMI_DIR=$MACHINE/usr/lib/wsl/lib fake_gpus 13.0 "0, RTX 4090, 8.9"
    detect
    is "$MODE $GPU_NAME" "gpu RTX 4090"
}

@test "detect: of several GPUs the most capable, or the one asked for" {
    fake_nvcc 13.0 "$R13"
    fake_gpus 13.0 "0, T4, 7.5" "1, B200, 10.0" "2, H200, 9.0"
    detect
    is "$GPU $ARCH" "1 100a"
    has "$WHY" "and 2 more (GPU= picks)"
    detect GPU=2
    is "$GPU $ARCH" "2 90"
    detect CUDA_VISIBLE_DEVICES=2,0
    is "$GPU" 2
    detect CUDA_VISIBLE_DEVICES=
    is "$MODE" emulator
    detect GPU=7
    is "$status" 3
    is "$output" "GPU=7: there is no such GPU; found numbers 0 1 2"
}

@test "detect: a driver that fails, or knows no GPU, is quoted" {
    fake_nvcc 13.0 "$R13"
    program "$BIN/nvidia-smi" <<<'#!/bin/sh
echo "NVIDIA-SMI has failed because it could not talk to the driver"; exit 9'
    detect
    is "$MODE" emulator
    has "$WHY" "has failed"
    fake_gpus 13.0 "No devices were found"
    detect
    is "$MODE" emulator
    has "$WHY" "No devices were found"
    fake_gpus 10.0 'Field "compute_cap" is not a valid field to query.'
    detect
    is "$MODE" emulator
}

@test "detect: a g++ newer than nvcc takes is replaced by an older one beside it" {
    fake_nvcc 13.0 "$R13"
    fake_gxx 16
    detect
    is "$MODE $NVCC" "stored "
    has "$WHY" "takes no g++ newer than 15 (here: 16"
    fake_gxx 14 g++-14
    detect
    is "$MODE $CCBIN" "emulator $BIN/g++-14"
}

@test "detect: an nvcc without any g++ cannot compile" {
    fake_nvcc 13.0 "$R13"
    rm "$BIN/g++"
    detect
    is "$MODE" stored
    has "$WHY" "no g++"
}

@test "detect: BACKEND=gpu without a GPU ends with a sentence and 3" {
    fake_nvcc 13.0 "$R13"
    detect BACKEND=gpu
    is "$status" 3
    is "$output" "BACKEND=gpu cannot be had: found no NVIDIA driver; nvcc 13.0."
    fake_gpus 13.0 "0, A100, 8.0"
    detect clusters BACKEND=gpu
    is "$status" 3
    has "$output" "clusters need compute capability 9.0"
}

@test "detect: BACKEND=emulator does not ask for a GPU" {
    fake_nvcc 13.0 "$R13"
    fake_gpus 13.0 "0, NVIDIA H200, 9.0"
    detect BACKEND=emulator DEVICE=h200
    is "$MODE $GPU_NAME" "emulator "
    has "$WHY" "runs on the emulated h200"
}

@test "detect: ARCH= overrides, and is held against the GPU and nvcc" {
    fake_nvcc 13.0 "$R13"
    fake_gpus 13.0 "0, NVIDIA H200, 9.0"
    detect ARCH=sm_90a
    is "$GENCODE" "-gencode arch=compute_90a,code=sm_90a"
    detect ARCH=80
    is "$GENCODE" "-gencode arch=compute_80,code=compute_80"
    detect ARCH=100a
    is "$status $output" "3 ARCH=100a: code for 100a does not run on compute capability 9.0"
    detect ARCH=70
    is "$status" 2
    has "$output" "ARCH=70: nvcc 13.0 knows 75"
}

@test "detect: nonsense in a variable ends with one sentence and 2" {
    for setting in BACKEND=cpu GPU=-1 GPU=one ARCH=hopper ARCH=9 ARCH=a ARCH=90b; do
        detect "$setting"
        is "$status" 2
        is "${#lines[@]}" 1
        has "$output" "$setting: use "
    done
    run "$ROOT/tools/detect.sh" banana
    is "$status" 2
}

@test "detect: a name with a quote survives the shell" {
    fake_nvcc 13.0 "$R13"
    fake_gpus 13.0 "0, Maker's \$(touch oops) GPU, 9.0"
    detect
    is "$GPU_NAME" "Maker's \$(touch oops) GPU"
}

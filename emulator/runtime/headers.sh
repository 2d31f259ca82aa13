#!/bin/sh
# Prints the folder that holds the toolkit's cuda_runtime_api.h; nothing when there is none.
# CUDA_INCLUDE names it; else the folders beside nvcc (NVCC, PATH), CUDA_HOME, CUDA_PATH and the usual places.
top=$(cd "$(dirname "$0")/../.." && pwd)

beside() { # FILE: the toolkit that a program is part of
    file=$(command -v "$1" 2>/dev/null) && file=$(readlink -f "$file") && dirname "$(dirname "$file")"
}

{
    [ -z "${CUDA_INCLUDE:-}" ] || echo "$CUDA_INCLUDE"
    for home in "$(beside "${NVCC:-nvcc}")" "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-* \
        /opt/cuda "$top/build/toolkit" /usr; do
        [ -z "$home" ] || printf '%s\n' "$home/include" "$home"/targets/*/include
    done
} | while IFS= read -r folder; do
    if [ -f "$folder/cuda_runtime_api.h" ]; then
        printf '%s\n' "$folder"
        break
    fi
done

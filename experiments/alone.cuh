/*
 * What the experiments share that stand alone: they are compiled by nvcc without common/'s library, on the machine
 * that is measured. A call that fails ends the program with 3.
 */
#pragma once

#include "args.cuh"

#define CUDA(call)                                                                                   \
    do {                                                                                             \
        cudaError_t e_ = (call);                                                                     \
        if (e_ != cudaSuccess) {                                                                     \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));   \
            exit(3);                                                                                 \
        }                                                                                            \
    } while (0)

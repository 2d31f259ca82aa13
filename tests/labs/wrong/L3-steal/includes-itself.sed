# Never comes to an end of its includes.
s/^#include "common\/clc.cuh"/&\n#include "steal.cu"/

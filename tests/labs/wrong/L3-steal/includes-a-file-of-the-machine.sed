# Wants to see what it should not.
s/^#include "common\/clc.cuh"/&\n#include "\/etc\/passwd"/

/*
 * For whoever writes a lab: is it sound? Its files have the right form, its
 * skeleton compiles and fails, its solution gets every point, under two seeds.
 */
#ifndef LABS_CHECK_H
#define LABS_CHECK_H

#include "lab.h"

/* Prints a line a finding; returns how many there are. */
int lab_check(const struct lab *lab, int jobs);

#endif

/*
 * Times of repeated launches: median and spread.
 *  - The times are taken in job.cuh, by events; here is only what is made of them.
 *  - On the emulator they are model cycles, and are named so; on a GPU milliseconds.
 * Not modelled: outliers are kept, nothing is averaged.
 */
#ifndef COMMON_TIMER_H
#define COMMON_TIMER_H

#ifdef __cplusplus
extern "C" {
#endif

struct spread {
    double median, least, most;
    int count;
};

/* Sorts `times`. No time at all gives zeros. */
struct spread spread_of(double *times, int count);

#ifdef __cplusplus
}
#endif

#endif

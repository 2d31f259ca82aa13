/* See timer.h. */
#include "timer.h"

#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

struct spread spread_of(double *times, int count)
{
    if (count <= 0)
        return (struct spread){0, 0, 0, 0};
    qsort(times, (size_t)count, sizeof *times, ascending);
    double median = count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
    return (struct spread){median, times[0], times[count - 1], count};
}

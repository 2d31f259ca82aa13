/* See check.h. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void scale(float *data, int64_t n, float alpha)
{
    for (int64_t i = 0; i < n; i++)
        data[i] *= alpha;
}

bool same(float got, float want)
{
    return memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want));
}

void compare(struct wrong *wrong, const float *got, const float *want, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (same(got[i], want[i]))
            continue;
        if (wrong->count < WRONG_SHOWN) {
            wrong->index[wrong->count] = first + i;
            wrong->got[wrong->count] = got[i];
            wrong->want[wrong->count] = want[i];
        }
        wrong->count++;
    }
}

void wrong_text(const struct wrong *wrong, int k, char *text, int size)
{
    /* Nine digits tell any two floats apart. */
    snprintf(text, (size_t)size, "[%" PRId64 "] is %.9g, want %.9g", wrong->index[k], (double)wrong->got[k],
             (double)wrong->want[k]);
}

/*
 * Errors: names, texts, and the last one.
 *
 * cudaGetLastError clears what it returns, also after a kernel's fault: the
 * calls that follow return the fault again, and so set it again. Errors belong
 * to the host thread that met them.
 */
#include "runtime/runtime.h"

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) { number, #name, text },
#include "runtime/errors.def"
#undef ERROR
};

static int error_row(int number)
{
    for (int i = 0; i < (int)(sizeof errors / sizeof errors[0]); i++)
        if (errors[i].number == number)
            return i;
    return -1;
}

const char *cudaGetErrorName(cudaError_t error)
{
    int row = error_row((int)error);
    return row < 0 ? "unrecognized error code" : errors[row].name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    int row = error_row((int)error);
    return row < 0 ? "unrecognized error code" : errors[row].text;
}

static cudaError_t last_error(bool clear)
{
    cudaError_t last = thread.last;
    rt.unasked = NULL;
    if (clear)
        thread.last = cudaSuccess;
    return last;
}

cudaError_t cudaGetLastError(void)
{
    return last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error(false);
}
